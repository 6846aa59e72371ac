import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STEP_IDS, type StepId } from '../../../src/steps/contract.ts';
import { SCREEN_IDS } from '../../../src/wizard/state.ts';
import { makeSandbox, type Sandbox } from '../../support/rehearsal-run.ts';
import { leftOvers, PROGRAM } from '../place.ts';
import { newTally, type Row, type Tally, type Torture } from '../row.ts';
import { killedAt, readCalls, type TracedRun, traced } from '../strace.ts';

/** Simulated seconds in one. */
const SPEED = 60;
/** The calls before which a run is killed: those of each save and each line of the journal, so that the next kill comes soon. */
const CALLS = ['fdatasync', 'fsync', 'rename', 'link'] as const;
/** Before one of the first so many after the start of a run; of more with each kill in the same step, whose act may write many files. */
const FIRST = 3;
const GROWTH = 1.3;
const POINTS = 100;
const MOST_PASSES = 6;

/** A rehearsal is killed again and again, before calls that write, from its first step to its last. */
export const killSteps: Row = {
  what: 'a rehearsal of all ten steps, killed with -9 before system calls that write there, started again, killed again, until it is at its end',
  target: `>= ${POINTS} points, some in every step; each start continues by itself, the last one is verified, no machine boots twice, nothing is approved twice, nobody is blamed`,
  least: POINTS,
  needs: ['strace'],
  async run(torture) {
    const tally = newTally(torture.say);
    const points: StepId[] = [];
    const of = (step: StepId) => points.filter((each) => each === step).length;
    const sandbox = makeSandbox();
    try {
      for (let pass = 0; pass < (torture.isShort ? 1 : MOST_PASSES); pass += 1) {
        if (points.length >= POINTS && STEP_IDS.every((step) => of(step) > 0)) break;
        await onePass({ torture, tally, points, sandbox }, pass);
        torture.say(`pass ${pass}: ${points.length} points`);
      }
    } finally {
      await sandbox.remove();
    }
    const missed = STEP_IDS.filter((step) => of(step) === 0);
    if (!torture.isShort && missed.length > 0) tally.fail('the steps', `no point in ${missed.join(', ')}`);
    const figure = `${points.length} points: ${STEP_IDS.map((step) => `${step} ${of(step)}`).join(', ')}`;
    return { cases: points.length, failures: tally.failures, figure };
  },
};

interface Scene {
  readonly torture: Torture;
  readonly tally: Tally;
  /** The steps in which runs were killed. */
  readonly points: StepId[];
  readonly sandbox: Sandbox;
}

/** One rehearsal to its end. A short run kills it a few times, and leaves it. */
async function onePass({ torture, tally, points, sandbox }: Scene, pass: number): Promise<void> {
  const dir = sandbox.dir(`pass-${pass}`);
  const log = join(torture.dir, 'steps.log');
  const argv = [...PROGRAM, 'rehearse', '--answers', 'example', '--plain', '--speed', String(SPEED), '--dir', dir];
  const trace = { argv, cwd: sandbox.path, env: sandbox.env, log, isAlone: true };
  // Each start saves its own few things before its first step.
  for (let start = 0; start < 2; start += 1) await traced({ ...trace, stopAt: /^\[8\/17\]/m });
  const atStart = readCalls(log);
  const printed: string[] = [];
  let reach = FIRST;
  let last: StepId | null = null;
  for (;;) {
    const name = CALLS[Math.floor(torture.random() * CALLS.length)] ?? 'rename';
    const before = atStart.filter((call) => call.name === name).length;
    const nth = before + Math.floor(torture.random() * (torture.isShort ? 2 : reach));
    const inject = `${name}:signal=SIGKILL:when=${nth}`;
    const ended = await traced({ ...trace, inject });
    printed.push(ended.stdout);
    const step = stepOf(ended);
    reach = step === last ? reach * GROWTH : FIRST;
    last = step;
    if (ended.code !== null) {
      await tally.try(`pass ${pass}, its end`, () => judged(ended, dir, printed));
      return;
    }
    if (step !== null && killedAt(log, dir) !== null) points.push(step);
    if (torture.isShort && points.length >= 3) return;
  }
}

/** The step that a run was at. */
function stepOf({ stdout }: TracedRun): StepId | null {
  const [, number] = [...stdout.matchAll(/^\[(\d+)\/\d+\]/gm)].at(-1) ?? [];
  const screen = SCREEN_IDS[Number(number) - 1];
  return STEP_IDS.find((id) => id === screen) ?? null;
}

function judged({ code, stdout, stderr }: TracedRun, dir: string, printed: readonly string[]): string[] {
  const approved = [...printed.join('\n').matchAll(/^ {2}approved (\S+) for /gm)].map(([, name]) => name);
  const scripts = requestsIn(dir).filter((path) => /\/ipxe\/[0-9a-f-]+\.ipxe$/.test(path));
  const isVerified = stdout.includes('Everything is done and verified.');
  return [
    ...(code === 0 && isVerified ? [] : [`it ended with ${code}: ${stdout.slice(-400)}${stderr.slice(-400)}`]),
    ...(new Set(approved).size === approved.length ? [] : ['a request was approved twice']),
    ...(new Set(scripts).size === scripts.length ? [] : ['a machine booted twice']),
    ...leftOvers(dir, /\.bad-|\.orig$/).map((name) => `${name} is left over`),
  ];
}

/** The paths that machines asked the boot server for. */
function requestsIn(dir: string): string[] {
  const lines = readFileSync(join(dir, '.upi-wizard/boot-requests.ndjson'), 'utf8').trim().split('\n');
  // The bastion only asks for the heads of files, to see that they are there.
  return lines
    .map((line) => JSON.parse(line) as { readonly method: string; readonly path: string })
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path);
}
