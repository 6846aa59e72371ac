// Load test of the real boot server that prints the figures: `node test/tools/boot-siege.ts`. With the options as JSON
// it runs in this process and prints JSON: the form that runs inside the test's namespace.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatStressResult, runStress, runStressOnSmallDisk, type StressOptions } from '../support/boot-stress.ts';

const [optionsJson] = process.argv.slice(2);
if (optionsJson !== undefined) {
  console.log(JSON.stringify(await runStress(JSON.parse(optionsJson) as StressOptions)));
} else {
  const dir = mkdtempSync(join(tmpdir(), 'siege-'));
  const directories = { stateDir: join(dir, 'state'), filesDir: join(dir, 'files') };
  const load = { stalled: 200, halfOpen: 1500, isDiskFull: true, kills: 5, nodes: 20 };
  console.log(formatStressResult(await runStressOnSmallDisk({ ...directories, ...load })));
  rmSync(dir, { recursive: true, force: true });
}
