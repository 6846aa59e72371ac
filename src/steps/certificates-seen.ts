import { type Judgement, mayApproveByName } from '../cluster/csr/judgement.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import type { DesignNode } from '../design/model.ts';
import { nodeFqdn, nodesWithRole } from '../design/names.ts';
import type { BootStage } from '../diagnosis/boot.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { MINUTE } from '../ports/clock.ts';
import { csr as csrWords } from '../text/en/csr.ts';
import { findings as findingWords } from '../text/en/findings.ts';
import { steps } from '../text/en/steps.ts';
import { apiFindings, look } from './access.ts';
import { type BootView, laterMachines, poweredOn, stillOff, watchBoot } from './boot.ts';
import type { Probe, StepContext } from './contract.ts';
import { floodFindings } from './flood.ts';
import { hasReached } from './load-balancer.ts';
import { type Member, seeMembers } from './members.ts';
import { isServerRunning } from './serving.ts';

const words = steps.certificates;
/** A node that booted this long ago and has not joined is missing (writing the disk, two reboots and the pull take 10-20 min). */
const MISSING_AFTER = 45 * MINUTE;

export interface CertificatesView {
  /** `isOverrulable`: a person may approve it by the name of its node, and only so. */
  readonly requests: readonly (Judgement & { readonly isOverrulable: boolean })[];
  readonly nodes: readonly (Member & {
    /** How far its boot has come; null for the control plane, which is there already. */
    readonly stage: BootStage | null;
  })[];
  readonly apiDetail: string | null;
}

/** Who has joined, which requests wait, and what is wrong: asked of the cluster, the boot server and the DHCP server. */
export async function seeCertificates(context: StepContext): Promise<Probe<CertificatesView>> {
  const machines = laterMachines(context.design);
  const [snapshot, boot] = await Promise.all([look(context, ['nodes', 'requests']), watchBoot(context, machines)]);
  const seen = await seeMembers(context, snapshot);
  const view = viewOf(seen, boot.view, snapshot?.api.line ?? null);
  const expected = view.requests.filter(({ verdict }) => verdict === 'expected');
  const joined = view.nodes.filter(({ hasJoined }) => hasJoined);
  const findings = [
    ...boot.findings,
    ...seen.foreign,
    ...floodFindings(context, snapshot === null || snapshot.requests === null ? null : seen.requests),
    ...refusedFindings(view.requests),
    ...missingFindings(context, view, snapshot),
    ...apiFindings(snapshot),
  ];
  const isBehind = isBalancerBehind(context);
  if (joined.length === view.nodes.length && !isBehind)
    return { state: 'done', summary: words.done(joined.length), view, findings };
  const off = machinesOff(context, view);
  if (off.length > 0) return { state: 'needed', summary: words.toPowerOn(off.length), view, findings };
  if (expected.length > 0) return { state: 'needed', summary: words.needed(expected.length), view, findings };
  if (boot.there < machines.length && !(await isServerRunning(context))) {
    return { state: 'needed', summary: steps.boot.serverGone, view, findings };
  }
  if (isBehind) return { state: 'needed', summary: steps.infra.moves['lb-add'] ?? '', view, findings };
  return { state: 'waiting', summary: words.waiting(joined.length, view.nodes.length), view, findings };
}

/** The machines that nobody powered on, as far as we know, and that nothing is seen of either. */
export function machinesOff(context: StepContext, { nodes }: CertificatesView): readonly DesignNode[] {
  return stillOff(context, laterMachines(context.design)).filter(({ name }) =>
    nodes.some((node) => node.name === name && !node.hasJoined && (node.stage ?? 'off') === 'off'),
  );
}

/** The load balancer does not know the infra nodes yet, although the bootstrap is out of it. */
export function isBalancerBehind(context: StepContext): boolean {
  const { design } = context;
  const hasInfra = nodesWithRole(design, 'infra').length > 0 && design.services.loadBalancer.kind === 'haproxy';
  return hasInfra && hasReached(context, 'bootstrap-removed') && !hasReached(context, 'infra-added');
}

function viewOf(
  { requests, members }: Awaited<ReturnType<typeof seeMembers>>,
  boot: BootView,
  apiDetail: string | null,
): CertificatesView {
  const stageOf = (name: string) => boot.nodes.find((machine) => machine.name === name)?.stage ?? null;
  return {
    requests: requests.toSorted(byInterest).map((one) => ({ ...one, isOverrulable: mayApproveByName(one) })),
    nodes: members.map((member) => ({ ...member, stage: stageOf(member.name) })),
    apiDetail,
  };
}

const RANK = { expected: 0, refused: 1, 'not-ours': 2, superseded: 3, decided: 4 } as const;

function byInterest(a: Judgement, b: Judgement): number {
  return (
    RANK[a.verdict] - RANK[b.verdict] || (b.requestedAt ?? 0) - (a.requestedAt ?? 0) || a.name.localeCompare(b.name)
  );
}

function refusedFindings(requests: readonly Judgement[]): Finding[] {
  return (
    requests
      // In a flood the flood is told, and its requests are in the list.
      .filter(({ verdict, reasons }) => verdict === 'refused' && !reasons.includes('FLOOD'))
      .map(({ name, node, requester, reasons }) => {
        const why = reasons.map((reason) => csrWords.reasons[reason]).join(' ');
        return {
          code: 'request-refused',
          severity: 'warning',
          subject: name,
          title: words.refused(name, node ?? requester, reasons.join(', ')),
          cause: why,
          whatToDo: words.refusedFix,
        };
      })
  );
}

/** Nodes that nothing is heard of: no object, no request. One that asked, or joined and is not Ready, is another matter. */
function missingFindings(context: StepContext, view: CertificatesView, snapshot: Snapshot | null): Finding[] {
  // While the API does not say who is there, nobody is missing.
  if (snapshot !== null && snapshot.nodes === null) return [];
  const { title, cause, whatToDo } = findingWords.missingNode;
  const powered = poweredOn(context);
  const now = context.clock.now();
  const heardOf = new Set([
    ...(snapshot?.nodes ?? []).map(({ name }) => name),
    ...view.requests.flatMap(({ node, verdict }) => (node !== null && verdict === 'expected' ? [node] : [])),
  ]);
  return view.nodes
    .filter(({ name, hasJoined }) => !hasJoined && !heardOf.has(nodeFqdn(context.design, { name })))
    .filter(({ name }) => now - (powered[name] ?? now) > MISSING_AFTER)
    .map(({ name }) => ({
      code: 'node-missing',
      severity: 'warning',
      subject: name,
      title: title(name),
      cause: cause(Math.floor((now - (powered[name] ?? now)) / MINUTE)),
      whatToDo,
    }));
}
