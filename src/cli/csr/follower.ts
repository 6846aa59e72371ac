import { resolve } from 'node:path';
import { systemClock } from '../../ports/clock.ts';
import { keepHeapSmall } from '../../ports/small-heap.ts';
import { follow } from '../../steps/certificates/follow.ts';
import { whyNot } from '../../steps/certificates/rejoining.ts';
import { refusedEvent } from '../../steps/events/eventful-steps.ts';
import { createEvents } from '../../steps/events/index.ts';
import { type Facts, memoryBeside } from '../../steps/facts.ts';
import { newRecollection } from '../../steps/recollection.ts';
import { FOLLOW_JOB, followJob, startFollowJob, stopFollowJob } from '../../steps/shared/follow-job.ts';
import { logoutFindings } from '../../steps/shared/job-findings.ts';
import type { LiveCluster } from '../../steps/shared/live-cluster.ts';
import { catalogue, commandLine } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import { type Live, type Target, withLive } from '../shared/live.ts';
import { Interrupted, type LiveIo } from '../shared/live-io.ts';
import { troubleText } from '../shared/trouble-text.ts';
import { UsageError } from '../shared/usage.ts';
import type { Programs } from '../shared/world.ts';
import { followText } from './lines.ts';

const words = () => catalogue().live.follower;
/** Milliseconds of the clock: a kubelet waits 15 minutes for its certificate, so this is soon enough and costs little. */
const LOOK_EVERY = 10_000;

interface Asked extends Target {
  readonly names: readonly string[];
  readonly yes: readonly string[];
  readonly json: boolean;
  readonly forever: boolean;
  readonly background: boolean;
  readonly stop: boolean;
}

/**
 * `csr approve --follow --forever` runs until a signal stops it; `--background` starts that as a job, `--stop` ends it.
 * @returns 0; 4 when there is no job to stop; with `--forever` the code of the signal that ends it
 */
export async function followerCommand(asked: Asked, io: LiveIo, programs: Programs): Promise<number> {
  const { names, yes, json, forever, background, stop } = asked;
  if ([forever, background, stop].filter(Boolean).length > 1) throw new UsageError(words().oneOf);
  // Decisions by name need a person who is there.
  if (names.length > 0 || yes.length > 0 || json) throw new UsageError(words().noNames);
  if (forever) return await followForever(asked, io, programs);
  return await withLive(asked, io, programs, async ({ session }) => {
    if (session === null) throw new UsageError(words().needsDirectory);
    const { context } = session;
    if (stop) {
      const job = await followJob(context);
      if (job?.state !== 'running') {
        io.stderr(`${words().notRunning}\n`);
        return 4;
      }
      await stopFollowJob(context);
      io.stderr(`${words().stopped}\n`);
      return 0;
    }
    const { wasRunning, logFile } = await startFollowJob(context);
    const toEnd = commandLine('csr', 'approve', '--stop', '--dir', sanitizeLine(context.dir));
    io.stderr(`${(wasRunning ? words().runsAlready : words().started)(sanitizeLine(logFile), toEnd)}\n`);
    for (const finding of await logoutFindings(context, FOLLOW_JOB)) io.stderr(troubleText(finding));
    return 0;
  });
}

/**
 * Approves expected requests as they appear, whatever happens: reads the design anew every time, reports an API or a
 * design that fails for a while once and waits for it. One line for each thing that happened, with its time; it reports
 * a refused request once and leaves it alone.
 * @returns the code of the signal that ends it; 4 when waiting cannot help (see follow)
 */
async function followForever(target: Target, io: LiveIo, programs: Programs): Promise<number> {
  const log = (text: string) => {
    for (const line of text.split('\n')) io.stdout(`${new Date(systemClock.now()).toISOString()} ${line}\n`);
  };
  const events =
    target.dir === undefined ? null : createEvents({ dir: resolve(io.cwd, target.dir), clock: systemClock, tell: log });
  try {
    await follow(anew(target, io, programs, log), {
      signal: io.signal,
      every: LOOK_EVERY,
      until: 'stopped',
      tell(event) {
        if (event.type !== 'nodes/joined') log(followText(event));
        if (event.type === 'request/refused')
          events?.raise(refusedEvent(event.request, whyNot(event.request, event.rejoinings)));
      },
    });
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    log(words().hopeless(error.trouble));
    return 4;
  }
  log(words().ends);
  events?.leave();
  return io.signal.reason instanceof Interrupted ? io.signal.reason.exitCode : 0;
}

/** Opens the cluster anew for every look. Reports a session or design that fails for a while once, and waits. */
function anew(target: Target, io: LiveIo, programs: Programs, log: (text: string) => void) {
  let complaints: string[] = [];
  const quiet: LiveIo = { ...io, stderr: (text) => void complaints.push(text.trim()) };
  const recollection = newRecollection();
  const facts: Facts = {};
  let lastTrouble = '';
  let isFirst = true;
  let hasLooked = false;
  return async (look: (live: LiveCluster) => Promise<void>): Promise<void> => {
    complaints = [];
    const thrown: unknown[] = [];
    let hasOpened = false;
    const begin = () => {
      if (isFirst) log(words().begins);
      isFirst = false;
    };
    const act = async (live: Live) => {
      hasOpened = true;
      begin();
      // Failures of the look end the following; failures to open the cluster do not.
      await look({ ...live, memory: memoryBeside(live.memory, facts) }).catch((error: unknown) => {
        // A full disk passes; what cannot be written down is not done meanwhile.
        if (!(error instanceof TroubleError && error.trouble.code === 'session-unwritable')) thrown.push(error);
        else complaints.push(words().waits(troubleText(error.trouble)));
      });
      return 0;
    };
    await withLive(target, quiet, programs, act, { recollection }).catch((error: unknown) => {
      // Wrong usage ends it at once; later the same error means a session that is being rewritten.
      if (!(error instanceof UsageError && !isFirst)) throw error;
      complaints.push(error.message);
    });
    // Not before it is known that there is something to follow.
    begin();
    if (thrown.length > 0) throw thrown[0];
    const trouble = sanitizeLine(complaints.join(' '), 1000);
    if (trouble !== lastTrouble && !io.signal.aborted) {
      const said = hasOpened ? trouble : words().waits(trouble);
      log(trouble === '' ? words().wellAgain : said);
    }
    lastTrouble = trouble;
    // After the first look everything is loaded.
    if (!hasLooked) keepHeapSmall();
    hasLooked = true;
  };
}
