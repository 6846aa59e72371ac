import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STEP_IDS, type StepId } from '../../../src/steps/contract.ts';
import { SCREEN_IDS } from '../../../src/wizard/state.ts';
import { createSandbox, type Sandbox } from '../../support/rehearsal-run.ts';
import { createTally, type Row, type Tally, type Torture } from '../row.ts';
import { findLeftovers, PROGRAM } from '../run-files.ts';
import { findFatalCall, readCalls, runTraced, type TracedRun } from '../strace.ts';

/** Simulated seconds per second. */
const SPEED = 60;

/** Calls before which a run is killed: those of each save and journal entry, so that the next kill comes soon. */
const CALLS = ['fdatasync', 'fsync', 'rename', 'link'] as const;

/**
 * A run is killed before one of its first calls. The range grows with each kill in the same step, whose action may
 * write many files.
 */
const INITIAL_RANGE = 3;
const RANGE_GROWTH = 1.3;
const MIN_POINTS = 100;
const MAX_PASSES = 6;

/** A rehearsal is killed repeatedly, before writing calls, from its first step to its last. */
export const killSteps: Row = {
  description:
    'Kill a rehearsal of all ten steps with SIGKILL before system calls that write to its directory, and start it again, until it completes.',
  target: `>= ${MIN_POINTS} kill points, at least one in every step; each start resumes automatically, the last one ends verified, no machine boots twice, no request is approved twice, no file is reported as damaged or edited by hand`,
  minCases: MIN_POINTS,
  needs: ['strace'],
  async run(torture) {
    const tally = createTally(torture.report);
    const points: StepId[] = [];
    const countPoints = (step: StepId) => points.filter((each) => each === step).length;
    const sandbox = createSandbox();
    try {
      for (let pass = 0; pass < (torture.isShort ? 1 : MAX_PASSES); pass += 1) {
        if (points.length >= MIN_POINTS && STEP_IDS.every((step) => countPoints(step) > 0)) break;
        await runPass({ torture, tally, points, sandbox }, pass);
        torture.report(`pass ${pass}: ${points.length} points`);
      }
    } finally {
      await sandbox.remove();
    }
    const missedSteps = STEP_IDS.filter((step) => countPoints(step) === 0);
    if (!torture.isShort && missedSteps.length > 0) tally.fail('the steps', `no point in ${missedSteps.join(', ')}`);
    const figure = `${points.length} kill points: ${STEP_IDS.map((step) => `${step} ${countPoints(step)}`).join(', ')}`;
    return { cases: points.length, failures: tally.failures, figure };
  },
};

interface Scene {
  readonly torture: Torture;
  readonly tally: Tally;
  /** Steps in which runs were killed. */
  readonly points: StepId[];
  readonly sandbox: Sandbox;
}

/** Plays one rehearsal to its end. A short run stops after a few kills. */
async function runPass({ torture, tally, points, sandbox }: Scene, pass: number): Promise<void> {
  const dir = sandbox.dir(`pass-${pass}`);
  const log = join(torture.dir, 'steps.log');
  const argv = [...PROGRAM, 'rehearse', '--answers', 'example', '--plain', '--speed', String(SPEED), '--dir', dir];
  const trace = { argv, cwd: sandbox.path, env: sandbox.env, log, isAlone: true };
  // Each start makes a few saves before its first step: they are counted first.
  for (let start = 0; start < 2; start += 1) await runTraced({ ...trace, stopAt: /^\[8\/17\]/m });
  const startCalls = readCalls(log);
  const outputs: string[] = [];
  let range = INITIAL_RANGE;
  let lastStep: StepId | null = null;
  for (;;) {
    const name = CALLS[Math.floor(torture.random() * CALLS.length)] ?? 'rename';
    const before = startCalls.filter((call) => call.name === name).length;
    const nth = before + Math.floor(torture.random() * (torture.isShort ? 2 : range));
    const inject = `${name}:signal=SIGKILL:when=${nth}`;
    const result = await runTraced({ ...trace, inject });
    outputs.push(result.stdout);
    const step = findLastStep(result);
    range = step === lastStep ? range * RANGE_GROWTH : INITIAL_RANGE;
    lastStep = step;
    if (result.code !== null) {
      await tally.try(`pass ${pass}, its end`, () => checkResult(result, dir, outputs));
      return;
    }
    if (step !== null && findFatalCall(log, dir) !== null) points.push(step);
    if (torture.isShort && points.length >= 3) return;
  }
}

/** Returns the last step that a run printed, or null. */
function findLastStep({ stdout }: TracedRun): StepId | null {
  const [, number] = [...stdout.matchAll(/^\[(\d+)\/\d+\]/gm)].at(-1) ?? [];
  const screen = SCREEN_IDS[Number(number) - 1];
  return STEP_IDS.find((id) => id === screen) ?? null;
}

function checkResult({ code, stdout, stderr }: TracedRun, dir: string, outputs: readonly string[]): string[] {
  const approved = [...outputs.join('\n').matchAll(/^ {2}approved (\S+) for /gm)].map(([, name]) => name);
  const scripts = listRequestedPaths(dir).filter((path) => /\/ipxe\/[0-9a-f-]+\.ipxe$/.test(path));
  const isVerified = stdout.includes('Everything is done and verified.');
  return [
    ...(code === 0 && isVerified ? [] : [`it ended with ${code}: ${stdout.slice(-400)}${stderr.slice(-400)}`]),
    ...(new Set(approved).size === approved.length ? [] : ['a request was approved twice']),
    ...(new Set(scripts).size === scripts.length ? [] : ['a machine booted twice']),
    ...findLeftovers(dir, /\.bad-|\.orig$/).map((name) => `${name} is left over`),
  ];
}

/** Lists the paths that machines requested from the boot server. */
function listRequestedPaths(dir: string): string[] {
  const lines = readFileSync(join(dir, '.upi-wizard/boot-requests.ndjson'), 'utf8').trim().split('\n');
  // The bastion sends only HEAD requests, to check that the files exist.
  return lines
    .map((line) => JSON.parse(line) as { readonly method: string; readonly path: string })
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path);
}
