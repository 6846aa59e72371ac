// The third-party contents of a package: the libraries in the bundle and Node.js, with their licences.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Lists the libraries with at least one module in the bundle, by directory; npm installs more libraries.
 * @param modules the files of the bundle's modules
 * @returns name, version, licence and licence file (null: it has none) of each
 * @throws Error if a library names no licence
 */
export function listBundledPackages(root, modules) {
  const base = join(root, 'node_modules/');
  const dirs = new Set();
  for (const file of modules) {
    const index = file.lastIndexOf('/node_modules/');
    if (!file.startsWith(base) || index < 0) continue;
    const [scope = '', name = ''] = file.slice(index + '/node_modules/'.length).split('/');
    dirs.add(join(file.slice(0, index), 'node_modules', scope, scope.startsWith('@') ? name : ''));
  }
  return [...dirs].toSorted().map((dir) => {
    const { name, version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
    const licenceFile = readdirSync(dir).find((file) => /^(licen[cs]e|copying)/i.test(file));
    if (typeof license !== 'string') throw new Error(`${name} ${version} names no licence in its package.json`);
    return { name, version, license, licenceFile: licenceFile === undefined ? null : join(dir, licenceFile) };
  });
}

/** Creates the text of NOTICES: the licence of everything in the package. */
export function createNotices(packages) {
  const parts = packages.map(({ name, version, license, licenceFile }) => {
    const text = licenceFile === null ? `Licence: ${license}` : readFileSync(licenceFile, 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `upi-wizard contains the following software.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/**
 * Creates the bill of materials of the package, in the format CycloneDX 1.6 (ECMA-424).
 * @param packages the libraries and Node.js, in the form that {@link listBundledPackages} returns
 * @param commitTime seconds since 1970
 */
export function createSbom({ version, license, description, arch }, packages, commitTime) {
  const components = packages.map(({ name, version: packageVersion, license: packageLicense }) => {
    const purl =
      name === 'node' ? `pkg:generic/node@${packageVersion}` : `pkg:npm/${name.replace('@', '%40')}@${packageVersion}`;
    return {
      type: name === 'node' ? 'application' : 'library',
      'bom-ref': purl,
      name,
      version: packageVersion,
      licenses: [{ expression: packageLicense }],
      purl,
    };
  });
  const ref = `pkg:generic/upi-wizard@${version}?arch=${arch}`;
  const digest = createHash('sha256')
    .update(JSON.stringify([ref, components, commitTime]))
    .digest('hex');
  // A UUID of version 8 (RFC 9562) from the contents: equal packages have the same serial number.
  const serial = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  return `${JSON.stringify(
    {
      $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: `urn:uuid:${serial}`,
      version: 1,
      metadata: {
        timestamp: new Date(commitTime * 1000).toISOString(),
        component: {
          type: 'application',
          'bom-ref': ref,
          name: 'upi-wizard',
          version,
          description,
          licenses: [{ expression: license }],
          purl: ref,
        },
      },
      components,
      dependencies: [{ ref, dependsOn: components.map((component) => component['bom-ref']) }],
    },
    null,
    2,
  )}\n`;
}
