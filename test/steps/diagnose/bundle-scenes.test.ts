import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { createRawTar } from '../../support/archive.ts';
import { type BundleFiles, GATHERED_AT } from '../../support/bundle-text.ts';
import { exampleSite } from '../../support/example-design.ts';
import { createLogBundle } from '../../support/log-bundle.ts';
import { createMustGather } from '../../support/must-gather.ts';
import { BOOTSTRAP_SCENES } from './scenes/bootstrap.ts';
import { MACHINE_SCENES } from './scenes/machines.ts';
import { NODE_SCENES } from './scenes/nodes.ts';
import { OPERATOR_SCENES } from './scenes/operators.ts';

const dir = mkdtempSync(join(tmpdir(), 'upi-scenes-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Diagnoses a bundle twice, more than a year later: with the design of the installation and without it. */
async function diagnoseTwice(files: BundleFiles) {
  const file = join(dir, 'bundle.tar');
  const entries = Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content) }));
  writeFileSync(file, createRawTar(entries));
  const results = [];
  for (const design of [exampleSite(), null])
    results.push(await diagnoseBundle(file, design, GATHERED_AT + 400 * 24 * 3600_000));
  return results;
}

test.each([createLogBundle, createMustGather].map((createBundle) => [createBundle(exampleSite())]))(
  'nothing is found in the bundle of a healthy cluster, with all its noise, %#',
  async (files) => {
    for (const { findings, isCut } of await diagnoseTwice(files))
      expect({ found: findings, isCut }).toEqual({ found: [], isCut: false });
  },
);

test.each([...BOOTSTRAP_SCENES, ...MACHINE_SCENES, ...OPERATOR_SCENES, ...NODE_SCENES])(
  '%s: the cause comes first, with the line that is evidence of it',
  async (_, first, evidenceText, files) => {
    for (const { findings, isOtherInstallation } of await diagnoseTwice(files)) {
      const summary = findings
        .map(({ rule, likelihood, symptom }) => `${rule} ${likelihood}: ${symptom.slice(0, 150)}`)
        .join('\n');
      expect(first, summary).toContain(findings[0]?.rule);
      expect(findings[0]?.evidence.join('\n')).toContain(evidenceText);
      expect(isOtherInstallation).toBe(false);
    }
  },
);
