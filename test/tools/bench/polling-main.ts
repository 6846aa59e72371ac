// Polls the cluster of an install directory as the screens do, on a manual clock; prints memory and time as JSON.
// argv: the directory, the number of looks.

import '../../support/language.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDesign } from '../../../src/design/parse.ts';
import { SECOND } from '../../../src/ports/clock.ts';
import { humanHands } from '../../../src/ports/hands.ts';
import { directReach } from '../../../src/ports/reach.ts';
import { keepHeapSmall } from '../../../src/ports/small-heap.ts';
import { certificatesStep } from '../../../src/steps/certificates/index.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { memoryOver } from '../../../src/steps/facts.ts';
import { operatorsStep } from '../../../src/steps/operators/index.ts';
import { newRecollection } from '../../../src/steps/recollection.ts';
import { UNLOGGED } from '../../../src/steps/shared/acts.ts';
import { manualClock } from '../../support/manual-clock.ts';

const [dir = '', looks = '1200'] = process.argv.slice(2);
const { design } = parseDesign(readFileSync(join(dir, 'design.yaml'), 'utf8'));
if (design === null) throw new Error('the design has errors');
const clock = manualClock(Date.now());
const context: StepContext = {
  design,
  dir,
  clock,
  reach: directReach,
  hands: humanHands,
  programPath: [],
  imagesDir: dir,
  hostsDir: null,
  credentials: { pullSecretFile: null, sshKeyFile: null, trustBundleFile: null },
  programs: { bootServer: '', executable: '' },
  clockAnchorFile: null,
  memory: memoryOver({}),
  recollection: newRecollection(),
  acts: UNLOGGED,
  signal: new AbortController().signal,
};

const residentMiB = () => {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1024 / 1024;
};
// As the wizard does when it is loaded.
keepHeapSmall();
let first = 0;
let peak = 0;
const started = process.cpuUsage();
for (let look = 0; look < Number(looks); look += 1) {
  const { view } = await operatorsStep.probe(context);
  const requests = await certificatesStep.probe(context);
  if (view.operators.length === 0 || requests.view.requests.length === 0) throw new Error('nothing was seen');
  await clock.advance(3 * SECOND);
  peak = Math.max(peak, process.memoryUsage().rss / 1024 / 1024);
  // One-time loading and the compiler have settled after a few minutes.
  if (look === Math.floor(Number(looks) / 12)) first = residentMiB();
}
const { user, system } = process.cpuUsage(started);
process.stdout.write(
  JSON.stringify({ firstMiB: first, lastMiB: residentMiB(), peakMiB: peak, cpuMs: (user + system) / 1000 }),
);
process.exit(0);
