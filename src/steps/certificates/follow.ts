import type { Cluster } from '../../cluster/client.ts';
import { type ApproveResult, type ApproveTarget, approveRequests } from '../../cluster/csr/approve.ts';
import { judgeFresh } from '../../cluster/csr/fresh-lists.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Probe, StepContext } from '../contract.ts';
import { openCluster } from '../shared/access.ts';
import { bootedSince } from '../shared/machines/later-nodes.ts';
import { rideOut } from '../shared/ride-out.ts';
import { type CertificatesView, seeCertificates } from './seen.ts';
import { ALL_EXPECTED } from './subjects.ts';

const words = () => catalogue().steps.certificates;
/** Following ends when nothing has moved for this long. */
const IDLE_FOR = 30 * MINUTE;

/**
 * Approves what is expected, again and again: a node asks a second time only after its first certificate. Ends when all
 * have joined, or when only nodes are missing that something is wrong with: they hold up nobody else.
 */
export async function follow(context: StepContext, report: (line: string) => void): Promise<void> {
  let moved = context.clock.now();
  let said = '';
  let failed: ReadonlySet<string> = new Set();
  while (context.clock.now() - moved < IDLE_FOR) {
    const before = context.recollection.flood;
    const found = await seeCertificates(context);
    const flood = context.recollection.flood;
    if (flood !== null && flood.until !== before?.until)
      report(flood.until === null ? words().flood : words().floodOver);
    if (found.state === 'done') return;
    const targets = expectedTargets(found.view);
    if (targets.length > 0) {
      const results = await rideOut(context, () => approve(context, targets));
      const [taken, others] = [results.filter(isTaken), results.filter((result) => !isTaken(result))];
      // What fails again in the same way is told once, and moves nothing.
      for (const line of [...taken, ...others].map(lineOf)) if (!failed.has(line)) report(line);
      failed = new Set(others.map(lineOf));
      if (taken.length > 0) moved = context.clock.now();
    } else if (isOnlyTroubleLeft(found)) return;
    else if (found.state === 'waiting' && found.summary !== said) {
      // What was done last is not what it waits for.
      said = found.summary;
      report(said);
    }
    await context.clock.sleep(3 * SECOND, context.signal);
  }
}

/**
 * Approves one request that a person picked.
 * @param subject its name; with `/NODE` after it, the person typed the name of the node, and what the design cannot decide
 * does not hold it up; ALL_EXPECTED for all that are expected now
 */
export async function approveByName(
  context: StepContext,
  subject: string,
  report: (line: string) => void,
): Promise<void> {
  if (subject === ALL_EXPECTED) {
    const { view } = await seeCertificates(context);
    return tell(await approve(context, expectedTargets(view)), report);
  }
  const [name = '', node] = subject.split('/');
  tell(await approve(context, [{ name, uid: null, isByName: node !== undefined }]), report);
}

function expectedTargets({ requests }: CertificatesView): ApproveTarget[] {
  return requests
    .filter(({ verdict }) => verdict === 'expected')
    .map(({ name, uid }) => ({ name, uid, isByName: false }));
}

async function approve(context: StepContext, targets: readonly ApproveTarget[]): Promise<readonly ApproveResult[]> {
  const cluster = await clusterOrTrouble(context);
  const judgeNow = judgeFresh({ design: context.design, bootedSince: bootedSince(context) }, context.clock);
  const { clock, signal } = context;
  return await approveRequests(cluster, targets, judgeNow, { clock, signal });
}

function tell(results: readonly ApproveResult[], report: (line: string) => void): void {
  for (const result of results) report(lineOf(result));
}

function isTaken({ outcome }: ApproveResult): boolean {
  return outcome === 'issued' || outcome === 'approved';
}

function lineOf(result: ApproveResult): string {
  const { name, judgement, detail } = result;
  return isTaken(result) ? words().approved(name, judgement?.node ?? '') : words().notIssued(name, detail);
}

function isOnlyTroubleLeft({ view, findings }: Probe<CertificatesView>): boolean {
  const inTrouble = new Set(findings.flatMap(({ severity, subject }) => (severity === 'fatal' ? [subject] : [])));
  return view.nodes.every(({ name, hasJoined }) => hasJoined || inTrouble.has(name));
}

async function clusterOrTrouble(context: StepContext): Promise<Cluster> {
  const cluster = await openCluster(context);
  if (cluster) return cluster;
  throw new TroubleError({
    code: 'kubeconfig-missing',
    ...catalogue().diagnosis.prepare['install-dir-used'],
    cause: context.dir,
  });
}
