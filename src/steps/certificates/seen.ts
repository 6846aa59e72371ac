import { byInterest } from '../../cluster/csr/interest.ts';
import { isPending, type Judgement, mayApproveByName } from '../../cluster/csr/judgement.ts';
import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import type { BootStage } from '../../diagnosis/boot/evidence.ts';
import type { MissingNode } from '../../diagnosis/certificates/evidence.ts';
import { CERTIFICATES } from '../../diagnosis/certificates/index.ts';
import type { Rejoining } from '../../diagnosis/certificates/rejoining.ts';
import { judge } from '../../diagnosis/rule.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Probe, StepContext } from '../contract.ts';
import { isBalancerBehind } from '../infra/index.ts';
import { apiFindings, look } from '../shared/access.ts';
import { type BootView, watchBoot } from '../shared/machines/boot-watch.ts';
import { laterMachines, stillOff } from '../shared/machines/later-nodes.ts';
import { isServerRunning } from '../shared/machines/serving.ts';
import { seeFlood } from './flood.ts';
import { type Member, seeMembers } from './members.ts';
import { missingNodes } from './missing-node.ts';
import { type Rejoinings, rejoinings, whyNot } from './rejoining.ts';

const words = () => catalogue().steps.certificates;
/** What the certificates screen draws. `apiDetail`: the problem with the API, in a line; null: none. */
export interface CertificatesView {
  /**
   * `isOverrulable`: a person may approve it, but only by the name of its node. `isUnseen`: it waits to join, and we
   * saw nothing of its node's boot. `shortName`: of the node of the design that it is for; null: it is for none. `rejoining`: for an existing node, the evidence for and against it. `why`: each
   * reason against it, in a sentence.
   */
  readonly requests: readonly (Judgement & {
    readonly isOverrulable: boolean;
    readonly isUnseen: boolean;
    readonly shortName: string | null;
    readonly rejoining: Rejoining['kind'] | null;
    readonly why: readonly string[];
  })[];
  readonly nodes: readonly (Member & {
    /** How far its boot has come; null for the control plane, which has joined already. */
    readonly stage: BootStage | null;
  })[];
  /** Nodes without any sign long after they were powered on. */
  readonly missing: readonly MissingNode[];
  readonly apiDetail: string | null;
}

/** Who has joined, which requests wait, and what is wrong; asks the cluster, the boot server and the DHCP server. */
export async function seeCertificates(context: StepContext): Promise<Probe<CertificatesView>> {
  const machines = laterMachines(context.design);
  const [snapshot, boot] = await Promise.all([look(context, ['nodes', 'requests']), watchBoot(context, machines)]);
  const seen = await seeMembers(context, snapshot);
  const again = await rejoinings(context, seen.requests, snapshot?.nodes ?? []);
  const known = viewOf(context, seen, boot.view, again);
  const view = { ...known, missing: missingNodes(context, known, snapshot), apiDetail: snapshot?.api.line ?? null };
  const expected = view.requests.filter(({ verdict }) => verdict === 'expected');
  const joined = view.nodes.filter(({ hasJoined }) => hasJoined);
  const findings = [
    ...boot.findings,
    ...seen.foreign,
    ...judge(CERTIFICATES, {
      now: context.clock.now(),
      flood: seeFlood(context, snapshot === null || snapshot.requests === null ? null : seen.requests),
      requests: view.requests,
      missing: view.missing,
      unproven: view.nodes.filter(({ isUnproven }) => isUnproven).map(({ name }) => name),
    }),
    ...apiFindings(snapshot),
  ];
  const isBehind = isBalancerBehind(context);
  if (joined.length === view.nodes.length && !isBehind) {
    const unproven = view.nodes.filter(({ isUnproven }) => isUnproven).length;
    return { state: 'done', summary: words().done(joined.length, unproven), view, findings };
  }
  const off = machinesOff(context, view);
  if (off.length > 0) return { state: 'needed', summary: words().toPowerOn(off.length), view, findings };
  if (expected.length > 0) return { state: 'needed', summary: words().needed(expected.length), view, findings };
  if (boot.there < machines.length && !(await isServerRunning(context))) {
    return { state: 'needed', summary: catalogue().steps.boot.serverGone, view, findings };
  }
  if (isBehind) return { state: 'needed', summary: catalogue().moves.each['lb-add'].does, view, findings };
  return { state: 'waiting', summary: words().waiting(joined.length, view.nodes.length), view, findings };
}

/** The machines that nobody powered on, as far as we know, and that show no sign either. */
export function machinesOff(context: StepContext, { nodes }: CertificatesView): readonly DesignNode[] {
  return stillOff(context, laterMachines(context.design)).filter(({ name }) =>
    nodes.some((node) => node.name === name && !node.hasJoined && (node.stage ?? 'off') === 'off'),
  );
}

function viewOf(
  { design }: StepContext,
  { requests, members }: Awaited<ReturnType<typeof seeMembers>>,
  boot: BootView,
  again: Rejoinings,
): Pick<CertificatesView, 'requests' | 'nodes'> {
  const stageOf = (name: string) => boot.nodes.find((machine) => machine.name === name)?.stage ?? null;
  const silent = new Set(
    boot.nodes.filter(({ stage }) => stage === 'off').map(({ name }) => nodeFqdn(design, { name })),
  );
  const short = new Map(design.nodes.map((node) => [nodeFqdn(design, node), node.name]));
  return {
    requests: requests.toSorted(byInterest).map((one) => ({
      ...one,
      isOverrulable: mayApproveByName(one),
      isUnseen:
        one.kind === 'client' && isPending(one) && one.node !== null && silent.has(one.node) && !again.has(one.name),
      shortName: one.node === null ? null : (short.get(one.node) ?? null),
      rejoining: again.get(one.name)?.kind ?? null,
      why: whyNot(one, again),
    })),
    nodes: members.map((member) => ({ ...member, stage: stageOf(member.name) })),
  };
}
