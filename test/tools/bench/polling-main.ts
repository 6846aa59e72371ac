// Polls the cluster of an install directory as the screens do, on a manual clock. Prints memory and time as JSON. argv:
// the directory, the number of probes.

import '../../support/language.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDesign } from '../../../src/design/parse.ts';
import { SECOND } from '../../../src/platform/clock.ts';
import { directEndpoints, realSiteActions } from '../../../src/platform/manual-actions.ts';
import { limitHeapGrowth, startMemoryRelease } from '../../../src/platform/memory.ts';
import { NO_AUDIT_LOG } from '../../../src/session/audit-log.ts';
import { certificatesStep } from '../../../src/steps/certificates/index.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { operatorsStep } from '../../../src/steps/operators.ts';
import { createProbeCache } from '../../../src/steps/probe-cache.ts';
import { createStepState } from '../../../src/steps/step-state.ts';
import { manualClock } from '../../support/manual-clock.ts';

const [dir = '', probes = '1200'] = process.argv.slice(2);
const { design } = parseDesign(readFileSync(join(dir, 'design.yaml'), 'utf8'));
if (design === null) throw new Error('the design has errors');
const clock = manualClock(Date.now());
const context: StepContext = {
  design,
  dir,
  clock,
  resolveEndpoint: directEndpoints,
  manualActions: realSiteActions,
  programDirectories: [],
  imagesDir: dir,
  hostsDir: null,
  credentials: { pullSecretFile: null, sshKeyFile: null, trustBundleFile: null, fencingFile: null },
  programs: { bootServer: '', executable: '' },
  clockAnchorFile: null,
  stepState: createStepState({}),
  probeCache: createProbeCache(),
  auditLog: NO_AUDIT_LOG,
  signal: new AbortController().signal,
};

const residentMiB = () => {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1024 / 1024;
};
// The wizard does the same when it is loaded, and then without a key.
limitHeapGrowth();
startMemoryRelease(clock, context.signal);
let first = 0;
let peak = 0;
const started = process.cpuUsage();
for (let index = 0; index < Number(probes); index += 1) {
  const { view } = await operatorsStep.probe(context);
  const requests = await certificatesStep.probe(context);
  if (view.operators.length === 0 || requests.view.requests.length === 0) throw new Error('nothing was seen');
  await clock.advance(3 * SECOND);
  peak = Math.max(peak, process.memoryUsage().rss / 1024 / 1024);
  // One-time loading and compilation are complete after a few minutes.
  if (index === Math.floor(Number(probes) / 12)) first = residentMiB();
}
const { user, system } = process.cpuUsage(started);
process.stdout.write(
  JSON.stringify({ firstMiB: first, lastMiB: residentMiB(), peakMiB: peak, cpuMs: (user + system) / 1000 }),
);
process.exit(0);
