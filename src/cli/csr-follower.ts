import type { ApproveResult } from '../cluster/csr/approve.ts';
import type { Judgement } from '../cluster/csr/judgement.ts';
import type { DesignNode } from '../design/model.ts';
import { nodeFqdn } from '../design/names.ts';
import { systemClock } from '../ports/clock.ts';
import { keepHeapSmall } from '../ports/small-heap.ts';
import { rejoinings, whyNot } from '../steps/certificates/rejoining.ts';
import { newRecollection } from '../steps/contract.ts';
import { followJob, startFollowJob, stopFollowJob } from '../steps/shared/follow-job.ts';
import { bootSigns } from '../steps/shared/machines/boot-watch.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';
import { resultLine } from './csr-approve.ts';
import { createFollower, type FollowLook } from './csr-follow.ts';
import { type Live, type Target, withLive } from './live.ts';
import { Interrupted, type LiveIo } from './live-io.ts';
import { UsageError } from './usage.ts';
import type { Programs } from './world.ts';

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
 * `csr approve --follow --forever` goes on until it is told to stop; `--background` starts that as a job, `--stop` ends it.
 * @returns 0; 4 when there is no job to stop; with `--forever` the code of the signal that ends it
 */
export async function followerCommand(asked: Asked, io: LiveIo, programs: Programs): Promise<number> {
  const { names, yes, json, forever, background, stop } = asked;
  if ([forever, background, stop].filter(Boolean).length > 1) throw new UsageError(words().oneOf);
  // What a person decides by name is decided by a person who is there.
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
    return 0;
  });
}

/**
 * Approves what is expected, as it appears, whatever happens: the design is read anew every time, an API or a design that is
 * no good for a while is told once and waited for. One line for each thing that happened, with its time; a request that is
 * refused is told once, and left alone.
 * @returns the code of the signal that ends it; 4 for what no waiting helps (see Follower)
 */
async function followForever(target: Target, io: LiveIo, programs: Programs): Promise<number> {
  let told: ReadonlySet<string> = new Set();
  let lastTrouble = '';
  const log = (text: string) => {
    for (const line of text.split('\n')) io.stdout(`${new Date(systemClock.now()).toISOString()} ${line}\n`);
  };
  // What a look complains of stays the same while it lasts.
  let complaints: string[] = [];
  const quiet: LiveIo = { ...io, stderr: (text) => void complaints.push(text.trim()) };
  const follower = createFollower(quiet, log);
  let clock: Live['clock'] = systemClock;
  let hopeless: Trouble | null = null;
  const recollection = newRecollection();
  log(words().begins);
  for (let isFirst = true; !io.signal.aborted && hopeless === null; isFirst = false) {
    complaints = [];
    await withLive(
      target,
      quiet,
      programs,
      async (live) => {
        clock = live.clock;
        const look = await follower.look(live).catch((error: unknown) => {
          if (!(error instanceof TroubleError)) throw error;
          hopeless = error.trouble;
          return null;
        });
        for (const result of look?.results ?? []) log(resultLine(result));
        if (look !== null) await tellUnseen(live, look.results, log);
        if (look !== null) told = await tellRefused(live, look, told, log);
        return 0;
      },
      { recollection },
    ).catch((error: unknown) => {
      // What was asked wrongly is not waited for; a session that is written anew meanwhile is.
      if (!(error instanceof UsageError && !isFirst)) throw error;
      complaints.push(error.message);
    });
    const trouble = sanitizeLine(complaints.join(' '), 1000);
    if (trouble !== lastTrouble && !io.signal.aborted) log(trouble === '' ? words().wellAgain : trouble);
    lastTrouble = trouble;
    // With the first look all is loaded.
    if (isFirst) keepHeapSmall();
    if (hopeless === null) await follower.rest({ clock }, LOOK_EVERY);
  }
  if (hopeless !== null) {
    log(words().hopeless(hopeless));
    return 4;
  }
  log(words().ends);
  return io.signal.reason instanceof Interrupted ? io.signal.reason.exitCode : 0;
}

/**
 * Tells of which approved nodes nothing shows that their machine booted: no reason to refuse them, and one to look. Each is
 * approved once, so it is told once.
 */
async function tellUnseen(
  { design, session }: Live,
  results: readonly ApproveResult[],
  log: (line: string) => void,
): Promise<void> {
  const joining = new Map(
    results.flatMap(({ name, outcome, judgement }) => {
      const isApproved = outcome === 'issued' || outcome === 'approved';
      return isApproved && judgement?.kind === 'client' ? [[judgement.node, name] as const] : [];
    }),
  );
  const nameOf = (node: DesignNode) => joining.get(nodeFqdn(design, node));
  const machines = design.nodes.filter((node) => nameOf(node) !== undefined);
  if (machines.length === 0) return;
  const { signs } = session === null ? { signs: [] } : await bootSigns(session.context, machines);
  const seen = new Set(signs.flatMap(({ node, reached }) => (reached === 'off' ? [] : node.name)));
  const why = session === null ? words().noBootLog : words().noBootSign;
  for (const node of machines) {
    if (!seen.has(node.name)) log(words().noBoot(sanitizeLine(nameOf(node) ?? ''), nodeFqdn(design, node), why));
  }
}

/** Tells what is refused and was not told yet. @returns what is refused now */
async function tellRefused(
  { session }: Live,
  { requests, nodes }: FollowLook,
  told: ReadonlySet<string>,
  log: (line: string) => void,
): Promise<ReadonlySet<string>> {
  const refused = requests.filter(({ verdict }) => verdict === 'refused');
  const keyOf = ({ uid, reasons }: Judgement) => `${uid} ${reasons.join(' ')}`;
  const news = refused.filter((request) => !told.has(keyOf(request)));
  const again = session === null ? undefined : await rejoinings(session.context, news, nodes);
  for (const request of news) {
    const { name, node, requester, reasons } = request;
    const why = whyNot(request, again).join(' ');
    log(words().refused(sanitizeLine(name), node ?? sanitizeLine(requester), reasons.join(' '), why));
  }
  return new Set(refused.map(keyOf));
}
