import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { tarball } from '../../support/archive.ts';
import { type BundleFiles, GATHERED } from '../../support/bundle-text.ts';
import { exampleSite } from '../../support/example-design.ts';
import { logBundle } from '../../support/log-bundle.ts';
import { mustGather } from '../../support/must-gather.ts';
import { BOOTSTRAP_SCENES } from './scenes/bootstrap.ts';
import { MACHINE_SCENES } from './scenes/machines.ts';
import { NODE_SCENES } from './scenes/nodes.ts';
import { OPERATOR_SCENES } from './scenes/operators.ts';

const dir = mkdtempSync(join(tmpdir(), 'upi-scenes-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** With the design of the installation, and by somebody who has the bundle alone, more than a year later. */
async function readTwice(files: BundleFiles) {
  const file = join(dir, 'bundle.tar');
  const entries = Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content) }));
  writeFileSync(file, tarball(entries));
  const both = [];
  for (const design of [exampleSite(), null])
    both.push(await diagnoseBundle(file, design, GATHERED + 400 * 24 * 3600_000));
  return both;
}

test.each([logBundle, mustGather].map((whole) => [whole(exampleSite())]))(
  'nothing is found in a bundle of a cluster that is well, with all its noise, %#',
  async (files) => {
    for (const { found, isCut } of await readTwice(files))
      expect({ found, isCut }).toEqual({ found: [], isCut: false });
  },
);

test.each([...BOOTSTRAP_SCENES, ...MACHINE_SCENES, ...OPERATOR_SCENES, ...NODE_SCENES])(
  '%s: the cause is told first, with the line that shows it',
  async (_, first, seen, files) => {
    for (const { found, isOfAnother } of await readTwice(files)) {
      const said = found
        .map(({ rule, likelihood, symptom }) => `${rule} ${likelihood}: ${symptom.slice(0, 150)}`)
        .join('\n');
      expect(first, said).toContain(found[0]?.rule);
      expect(found[0]?.evidence.join('\n')).toContain(seen);
      expect(isOfAnother).toBe(false);
    }
  },
);
