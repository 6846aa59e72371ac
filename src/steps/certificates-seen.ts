import { judgeAll } from '../cluster/csr/judge-all.ts';
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
import { hasReached } from './load-balancer.ts';
import { foreignFinding, servedVerdicts } from './served-certificates.ts';
import { isServerRunning } from './serving.ts';

const words = steps.certificates;
/** A node that booted this long ago and has not joined is missing (writing the disk, two reboots and the pull take 10-20 min). */
const MISSING_AFTER = 45 * MINUTE;
/** A node that is Ready this long without a serving request that waits has its certificate: kubelets ask within a minute. */
const SETTLED_AFTER = 10 * MINUTE;

export interface CertificatesView {
  /** `isOverrulable`: a person may approve it by the name of its node, and only so. */
  readonly requests: readonly (Judgement & { readonly isOverrulable: boolean })[];
  readonly nodes: readonly {
    readonly name: string;
    readonly role: DesignNode['role'];
    readonly hasJoined: boolean;
    /** How far its boot has come; null for the control plane, which is there already. */
    readonly stage: BootStage | null;
    readonly isReady: boolean;
    readonly hasServingCertificate: boolean;
  }[];
  readonly apiDetail: string | null;
}

/** Who has joined, which requests wait, and what is wrong: asked of the cluster, the boot server and the DHCP server. */
export async function seeCertificates(context: StepContext): Promise<Probe<CertificatesView>> {
  const machines = laterMachines(context.design);
  const [snapshot, boot] = await Promise.all([look(context, ['nodes', 'requests']), watchBoot(context, machines)]);
  const { view, foreign } = await viewOf(context, snapshot, boot.view);
  const expected = view.requests.filter(({ verdict }) => verdict === 'expected');
  const joined = view.nodes.filter(({ hasJoined }) => hasJoined);
  const findings = [
    ...boot.findings,
    ...foreign,
    ...refusedFindings(view.requests),
    ...missingFindings(context, view, snapshot),
    ...apiFindings(snapshot),
  ];
  const isBehind = isBalancerBehind(context);
  if (joined.length === view.nodes.length && !isBehind)
    return { state: 'done', summary: words.done(joined.length), view, findings };
  const off = stillOff(context, machines).filter(({ name }) =>
    view.nodes.some((node) => node.name === name && !node.hasJoined),
  );
  if (off.length > 0) return { state: 'needed', summary: words.toPowerOn(off.length), view, findings };
  if (expected.length > 0) return { state: 'needed', summary: words.needed(expected.length), view, findings };
  if (boot.there < machines.length && !(await isServerRunning(context))) {
    return { state: 'needed', summary: steps.boot.serverGone, view, findings };
  }
  if (isBehind) return { state: 'needed', summary: steps.infra.moves['lb-add'] ?? '', view, findings };
  return { state: 'waiting', summary: words.waiting(joined.length, view.nodes.length), view, findings };
}

/** The load balancer does not know the infra nodes yet, although the bootstrap is out of it. */
export function isBalancerBehind(context: StepContext): boolean {
  const { design } = context;
  const hasInfra = nodesWithRole(design, 'infra').length > 0 && design.services.loadBalancer.kind === 'haproxy';
  return hasInfra && hasReached(context, 'bootstrap-removed') && !hasReached(context, 'infra-added');
}

/** When the first machine was powered on, as far as we know: no request of a node is older. */
export function bootedSince(context: StepContext): number | null {
  const times = Object.values(poweredOn(context));
  return times.length === 0 ? null : Math.min(...times);
}

async function viewOf(
  context: StepContext,
  snapshot: Snapshot | null,
  boot: BootView,
): Promise<{ readonly view: CertificatesView; readonly foreign: readonly Finding[] }> {
  const { design, clock } = context;
  const nodes = snapshot?.nodes ?? [];
  const requests = judgeAll(snapshot?.requests ?? [], {
    design,
    nodes,
    now: clock.now(),
    bootedSince: bootedSince(context),
  });
  const served = servedNodes(context, requests);
  const waiting = new Set(
    requests.flatMap(({ kind, verdict, node }) => (kind === 'serving' && verdict !== 'decided' && node ? [node] : [])),
  );
  const members = design.nodes.filter(({ role }) => role !== 'bootstrap');
  const isReady = ({ name, ip }: DesignNode) => {
    const seen = nodes.find((candidate) => candidate.name === nodeFqdn(design, { name }));
    return (seen?.isReady ?? false) && (seen?.addresses.some(({ address }) => ip.includes(address)) ?? false);
  };
  const shown = await servedVerdicts(context, members.filter(isReady), {
    requests: snapshot?.requests ?? [],
    judgements: requests,
  });
  const foreign = members.filter((node) => shown.get(nodeFqdn(design, node)) === 'foreign');
  const view: CertificatesView = {
    requests: requests.toSorted(byInterest).map((one) => ({ ...one, isOverrulable: mayApproveByName(one) })),
    apiDetail: snapshot?.api.line ?? null,
    nodes: members.map((node) => {
      const { name, role } = node;
      const fqdn = nodeFqdn(design, { name });
      const createdAt = nodes.find((candidate) => candidate.name === fqdn)?.createdAt ?? null;
      // Where the kubelet cannot be asked, what is known of its requests has to do.
      const isSettled = isReady(node) && createdAt !== null && clock.now() - createdAt > SETTLED_AFTER;
      const isLikely = served.has(fqdn) || (isSettled && !waiting.has(fqdn));
      const verdict = shown.get(fqdn) ?? 'unsure';
      const hasServingCertificate = verdict === 'own' || (verdict === 'unsure' && isLikely);
      const stage = boot.nodes.find((machine) => machine.name === name)?.stage ?? null;
      const hasJoined = isReady(node) && hasServingCertificate;
      return { name, role, stage, isReady: isReady(node), hasServingCertificate, hasJoined };
    }),
  };
  return { view, foreign: foreign.map(({ name, ip }) => foreignFinding(name, ip[0] ?? '')) };
}

/**
 * The nodes whose serving certificate was seen issued. Requests disappear an hour after their approval, so what was seen is
 * remembered.
 */
function servedNodes(context: StepContext, requests: readonly Judgement[]): Set<string> {
  const known = context.memory.get<string[]>('served') ?? [];
  const issued = requests.flatMap(({ kind, isIssued, node }) =>
    kind === 'serving' && isIssued && node !== null ? [node] : [],
  );
  const served = new Set([...known, ...issued]);
  if (served.size > known.length) context.memory.set('served', [...served]);
  return served;
}

const RANK = { expected: 0, refused: 1, 'not-ours': 2, superseded: 3, decided: 4 } as const;

function byInterest(a: Judgement, b: Judgement): number {
  return (
    RANK[a.verdict] - RANK[b.verdict] || (b.requestedAt ?? 0) - (a.requestedAt ?? 0) || a.name.localeCompare(b.name)
  );
}

function refusedFindings(requests: readonly Judgement[]): Finding[] {
  return requests
    .filter(({ verdict }) => verdict === 'refused')
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
    });
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
