// Lays siege to the real boot server and prints the figures: `node test/tools/boot-siege.ts`. With the siege as JSON it runs in
// this process and prints JSON: that is how it runs inside its namespace.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatStressResult, runStress, runStressOnSmallDisk, type StressOptions } from '../support/boot-stress.ts';

const [given] = process.argv.slice(2);
if (given !== undefined) {
  console.log(JSON.stringify(await runStress(JSON.parse(given) as StressOptions)));
} else {
  const dir = mkdtempSync(join(tmpdir(), 'siege-'));
  const places = { stateDir: join(dir, 'state'), filesDir: join(dir, 'files') };
  const crowd = { stalled: 200, halfOpen: 1500, isDiskFull: true, kills: 5, nodes: 20 };
  console.log(formatStressResult(await runStressOnSmallDisk({ ...places, ...crowd })));
  rmSync(dir, { recursive: true, force: true });
}
