import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { generateFiles } from '../../../src/artifacts/generate.ts';
import { renderInstallConfig } from '../../../src/artifacts/install-config.ts';
import type { Design } from '../../../src/design/model.ts';
import { UserErrorException } from '../../../src/i18n/user-error.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../../support/example-design.ts';

const FILE = 'bastion/root/upi-wizard/install-config.yaml';
const read = (changes: Partial<Design> = {}, credentials = {}) =>
  parse(renderInstallConfig(exampleSite(changes), { ...exampleCredentials, ...credentials }));

test('reads back as what the installer wants for platform none', () => {
  expect(read()).toEqual({
    apiVersion: 'v1',
    baseDomain: 'example.localdomain',
    metadata: { name: 'ocp45' },
    compute: [{ name: 'worker', replicas: 0, architecture: 'amd64', hyperthreading: 'Enabled' }],
    controlPlane: { name: 'master', replicas: 3, architecture: 'amd64', hyperthreading: 'Enabled' },
    networking: {
      networkType: 'OVNKubernetes',
      machineNetwork: [{ cidr: '172.16.0.0/24' }],
      clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
      serviceNetwork: ['172.30.0.0/16'],
    },
    platform: { none: {} },
    fips: false,
    pullSecret: JSON.stringify(JSON.parse(exampleCredentials.pullSecret)),
    sshKey: exampleCredentials.sshKey.trim(),
  });
});

test('keys follow the version', () => {
  const imageDigestSources = [{ source: 'quay.io/a', mirrors: ['mirror.example:5000/a'] }];
  const additionalTrustBundleFile = './ca.pem';
  const configFor = (version: string) =>
    read(
      {
        openshift: { version, architecture: 'x86_64', osImageStream: null },
        imageDigestSources,
        additionalTrustBundleFile,
      },
      { trustBundle: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n' },
    );
  expect(configFor('4.18')).toMatchObject({ imageDigestSources, additionalTrustBundlePolicy: 'Always' });
  expect(configFor('4.12')).toMatchObject({
    imageContentSources: imageDigestSources,
    additionalTrustBundlePolicy: 'Always',
  });
  expect(configFor('4.5')).not.toHaveProperty('additionalTrustBundlePolicy');
  expect(configFor('4.5').additionalTrustBundle).toMatch(/^-----BEGIN[\s\S]*-----\n$/);
});

test('the proxy has only the values of the design', () => {
  const proxy = { httpProxy: 'http://p:3128', httpsProxy: '', noProxy: '.example' };
  expect(read({ proxy }).proxy).toEqual({ httpProxy: 'http://p:3128', noProxy: '.example' });
  expect(read()).not.toHaveProperty('proxy');
});

test('every key of the key file is passed on, comments are not', () => {
  const key = exampleCredentials.sshKey.trim();
  expect(read({}, { sshKey: `# mine\r\n${key}\r\n\n${key} other\n` }).sshKey).toBe(`${key}\n${key} other`);
});

const catchUserError = (credentials: object, changes: Partial<Design> = {}) => {
  try {
    read(changes, credentials);
  } catch (error) {
    if (error instanceof UserErrorException) return error.userError;
  }
  throw new Error('no trouble');
};

test('a missing credential is named, a wrong one is not quoted', () => {
  expect(catchUserError({ pullSecret: null })).toMatchObject({
    code: 'credential-missing',
    cause: expect.stringContaining('./pull-secret.txt'),
  });
  expect(catchUserError({ sshKey: null }).cause).toContain('~/.ssh/id_ed25519.pub');
  expect(catchUserError({}, { additionalTrustBundleFile: './ca.pem' }).cause).toContain('./ca.pem');
  const wrong = catchUserError({ pullSecret: '{"auths": hunter2' });
  expect(wrong.code).toBe('credential-wrong');
  expect(JSON.stringify(wrong)).not.toContain('hunter2');
  expect(catchUserError({ sshKey: '-----BEGIN OPENSSH PRIVATE KEY-----' }).code).toBe('credential-wrong');
  expect(catchUserError({ sshKey: `${exampleCredentials.sshKey}\nhunter2` }).code).toBe('credential-wrong');
  expect(catchUserError({ sshKey: '# nothing\n' }).code).toBe('credential-wrong');
});

test('OKD without a pull secret gets the placeholder, and one that is named has to be there', () => {
  const openshift = { version: '4.20.0-okd-scos.3', architecture: 'x86_64', osImageStream: null } as const;
  const credentials = { pullSecretFile: null, sshKeyFile: './key.pub', fencingFile: null };
  const config = read({ openshift, credentials }, { pullSecret: null });
  expect(config.pullSecret).toBe('{"auths":{"fake":{"auth":"aWQ6cGFzcwo="}}}');
  expect(config).not.toHaveProperty('osImageStream');
  expect(() => read({ openshift }, { pullSecret: null })).toThrow(UserErrorException);
  expect(() => read({ credentials }, { pullSecret: null })).toThrow(UserErrorException);
  // Advice that needs a subscription is not given.
  for (const pullSecret of [null, 'not JSON']) {
    const advice = catchUserError({ pullSecret }, { openshift }).remedy;
    expect(advice).toMatch(/^OKD needs none/);
    expect(advice).not.toContain('redhat.com');
  }
  expect(read({ openshift }).pullSecret).toBe(JSON.stringify(JSON.parse(exampleCredentials.pullSecret)));
});

test('later stages keep the existing file when the credentials are missing', () => {
  const none = { pullSecret: null, sshKey: null, trustBundle: null, fencing: null };
  const input = {
    design: exampleSite(),
    stage: 'bootstrap-removed',
    credentials: none,
    images: exampleImages,
  } as const;
  const withoutPrevious = generateFiles({ ...input, previous: null });
  expect(withoutPrevious.files.map(({ file }) => file)).not.toContain(FILE);
  const withPrevious = generateFiles({
    ...input,
    previous: { manifest: { files: [] }, readContent: (file) => (file === FILE ? 'before\n' : null) },
  });
  expect(withPrevious.files.find(({ file }) => file === FILE)).toMatchObject({ content: 'before\n', mode: '0600' });
});

test.each([
  ['4.22', null, {}],
  ['4.22', 'rhel-9', {}],
  ['4.23.1', 'rhel-10', { osImageStream: 'rhel-10', featureSet: 'TechPreviewNoUpgrade' }],
  ['5.0', null, {}],
  ['5.0', 'rhel-10', {}],
  ['5.0.2', 'rhel-9', { osImageStream: 'rhel-9' }],
] as const)('%s with the stream %s has no stream but another than that of the version', (version, stream, keys) => {
  const config = read({ openshift: { version, architecture: 'x86_64', osImageStream: stream } });
  const { osImageStream, featureSet } = config;
  expect(JSON.parse(JSON.stringify({ osImageStream, featureSet }))).toEqual(keys);
});

/**
 * Top-level keys that we may write, with the first version whose installer accepts them (openshift/installer
 * pkg/types/installconfig.go).
 */
const KEYS: readonly (readonly [since: string, key: string])[] = [
  ['4.5', 'apiVersion'],
  ['4.5', 'baseDomain'],
  ['4.5', 'metadata'],
  ['4.5', 'compute'],
  ['4.5', 'controlPlane'],
  ['4.5', 'networking'],
  ['4.5', 'platform'],
  ['4.5', 'fips'],
  ['4.5', 'proxy'],
  ['4.5', 'additionalTrustBundle'],
  ['4.5', 'pullSecret'],
  ['4.5', 'sshKey'],
  ['4.8', 'bootstrapInPlace'],
  ['4.12', 'additionalTrustBundlePolicy'],
];

test.each(['4.5', '4.7', '4.8', '4.11', '4.12', '4.13', '4.14', '4.18', '4.21', '5.0'])(
  'a disconnected site with a proxy has no key that %s does not know',
  (version) => {
    const rank = (text: string) => text.split('.').reduce((sum, part) => sum * 100 + Number(part), 0);
    const isSingle = rank(version) >= rank('4.8');
    const site = exampleSite();
    const config = read(
      {
        openshift: { version, architecture: 'x86_64', osImageStream: null },
        ...(isSingle ? { topology: 'single-node', nodes: site.nodes.filter(({ name }) => name === 'm1') } : {}),
        imageDigestSources: [{ source: 'quay.io/a', mirrors: ['mirror.example:5000/a'] }],
        additionalTrustBundleFile: './ca.pem',
        proxy: { httpProxy: 'http://p:3128', httpsProxy: 'http://p:3128', noProxy: '.example' },
      },
      { trustBundle: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n' },
    );
    const known = KEYS.filter(([since]) => rank(since) <= rank(version)).map(([, key]) => key);
    const mirrors = rank(version) >= rank('4.14') ? 'imageDigestSources' : 'imageContentSources';
    expect(new Set(Object.keys(config))).toEqual(new Set([...known, mirrors]));
    expect(config.compute).toMatchObject([{ name: 'worker', replicas: 0 }]);
    expect(config.controlPlane.replicas).toBe(isSingle ? 1 : 3);
    if (isSingle) expect(config.bootstrapInPlace).toEqual({ installationDisk: '/dev/sda' });
  },
);
