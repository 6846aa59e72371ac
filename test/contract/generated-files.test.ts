import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { generateFiles } from '../../src/artifacts/generate.ts';
import { STAGES, TOPOLOGIES } from '../../src/design/choices.ts';
import { renderExampleDesign, SERVICE_LAYOUTS } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { getVersionProfile, listKnownVersions } from '../../src/design/versions.ts';
import { exampleCredentials, exampleImages } from '../support/example-design.ts';

/** Variants of the example: each is a list of texts with their replacements. */
const VARIANTS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  plain: [],
  kea: [['kind: isc-dhcpd', 'kind: kea']],
  iso: [['kind: ipxe', 'kind: iso']],
  debian: [['os: rhel9', 'os: debian']],
};

function parseVariant(example: string, changes: (typeof VARIANTS)[string]) {
  return parseDesign(changes.reduce((text, [from, to]) => text.replaceAll(from, to), example));
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Lists one line for each set of files: the digest of their contents, modes, kinds and names, how many they are, and
 * what they were generated from.
 */
function* listFiles() {
  for (const version of listKnownVersions())
    for (const topology of TOPOLOGIES) {
      if (topology === 'single-node' && !getVersionProfile(version).hasSingleNode) continue;
      for (const services of SERVICE_LAYOUTS)
        for (const [variant, changes] of Object.entries(VARIANTS)) {
          // Every version once; the other variants and stages with one version.
          const isWhole = version === '4.18';
          if (!isWhole && (variant !== 'plain' || services !== 'hosts')) continue;
          const { design } = parseVariant(renderExampleDesign({ topology, version, serviceLayout: services }), changes);
          if (design === null) continue;
          for (const stage of isWhole ? STAGES : STAGES.slice(0, 1)) {
            const { files } = generateFiles({
              design,
              stage,
              credentials: exampleCredentials,
              images: exampleImages,
              previous: null,
            });
            const lines = files.map(({ file, kind, mode, content }) => `${sha256(content)} ${mode} ${kind} ${file}`);
            yield `${sha256(lines.join('\n'))} ${files.length} ${version} ${topology} ${services} ${variant} ${stage}`;
          }
        }
    }
}

test('every version, topology, layout and stage of the example generates the same bytes as before', async () => {
  const lines = [...listFiles()];
  expect(lines.length).toBeGreaterThan(100);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../golden/contract/generated-files.txt');
});
