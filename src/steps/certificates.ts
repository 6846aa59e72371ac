import type { Cluster } from '../cluster/client.ts';
import { approveRequests, judgeFresh } from '../cluster/csr/approve.ts';
import { judgeAll } from '../cluster/csr/judge-all.ts';
import type { Judgement } from '../cluster/csr/judgement.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import type { DesignNode } from '../design/model.ts';
import { nodeFqdn, nodesWithRole } from '../design/names.ts';
import type { BootStage } from '../diagnosis/boot.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import { csr as csrWords } from '../text/en/csr.ts';
import { findings as findingWords } from '../text/en/findings.ts';
import { steps } from '../text/en/steps.ts';
import { TroubleError } from '../text/trouble.ts';
import { look, openCluster } from './access.ts';
import {
  type BootView,
  laterMachines,
  powerChanges,
  poweredOn,
  powerInstructions,
  powerOn,
  stillOff,
  watchBoot,
} from './boot.ts';
import type { Change, Probe, Step, StepContext } from './contract.ts';
import { applyStage, hasReached, stageChanges } from './load-balancer.ts';
import { isServerRunning, serve } from './serving.ts';

const words = steps.certificates;
/** A node that booted this long ago and has not joined is missing (writing the disk, two reboots and the pull take 10-20 min). */
const MISSING_AFTER = 45 * MINUTE;
/** A node that is Ready this long without a serving request that waits has its certificate: kubelets ask within a minute. */
const SETTLED_AFTER = 10 * MINUTE;
/** Following ends when nothing has moved for this long. */
const IDLE_FOR = 30 * MINUTE;

export interface CertificatesView {
  readonly requests: readonly Judgement[];
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

/**
 * Boots the nodes that join the control plane, and approves the requests that fit the design, as they appear, until every
 * node has joined. A request that does not fit is
 * shown and left alone: nothing is denied, and nothing else is approved without a person naming it.
 */
export const certificatesStep: Step<CertificatesView> = {
  id: 'certificates',
  lookEvery: 3 * SECOND,
  patience: 60 * MINUTE,
  probe,
  async plan(context, { view }) {
    const machines = stillOff(context, laterMachines(context.design));
    const balancer = isBalancerBehind(context) ? await stageChanges(context, 'infra-added') : [];
    return {
      changes: [...powerChanges(machines), ...changesOf(view), ...balancer],
      isDangerous: true,
      instructions: powerInstructions(context, machines),
    };
  },
  async apply(context, report) {
    // Infra nodes are compute nodes at first: a router may land on one before the moves, and must be reachable there.
    if (isBalancerBehind(context)) await applyStage(context, 'infra-added', report);
    await serve(context, report);
    await powerOn(context, laterMachines(context.design), report);
    await follow(context, report);
  },
  async applyOne(context, name, report) {
    const cluster = await clusterOrTrouble(context);
    const targets = [{ name, uid: null, isByName: true }];
    const [result] = await approveRequests(cluster, targets, judgeNow(context, cluster), {
      clock: context.clock,
      signal: context.signal,
    });
    if (result) report(words.notIssued(result.name, result.detail));
  },
  verify: probe,
};

/** The load balancer does not know the infra nodes yet, although the bootstrap is out of it. */
function isBalancerBehind(context: StepContext): boolean {
  const { design } = context;
  const hasInfra = nodesWithRole(design, 'infra').length > 0 && design.services.loadBalancer.kind === 'haproxy';
  return hasInfra && hasReached(context, 'bootstrap-removed') && !hasReached(context, 'infra-added');
}

async function probe(context: StepContext): Promise<Probe<CertificatesView>> {
  const machines = laterMachines(context.design);
  const [snapshot, boot] = await Promise.all([look(context, ['nodes', 'requests']), watchBoot(context, machines)]);
  const view = viewOf(context, snapshot, boot.view);
  const expected = view.requests.filter(({ verdict }) => verdict === 'expected');
  const joined = view.nodes.filter(({ hasJoined }) => hasJoined);
  const findings = [...boot.findings, ...refusedFindings(view.requests), ...missingFindings(context, view)];
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

/** Approves what is expected, again and again: a node asks a second time only after its first certificate. */
async function follow(context: StepContext, report: (line: string) => void): Promise<void> {
  let moved = context.clock.now();
  while (context.clock.now() - moved < IDLE_FOR) {
    const { state, view, findings } = await probe(context);
    if (state === 'done' || findings.some(({ severity }) => severity === 'fatal')) return;
    const expected = view.requests.filter(({ verdict }) => verdict === 'expected');
    if (expected.length > 0) {
      const cluster = await clusterOrTrouble(context);
      const targets = expected.map(({ name, uid }) => ({ name, uid, isByName: false }));
      const results = await approveRequests(cluster, targets, judgeNow(context, cluster), {
        clock: context.clock,
        signal: context.signal,
      });
      for (const { name, judgement, outcome, detail } of results) {
        report(
          outcome === 'issued' || outcome === 'approved'
            ? words.approved(name, judgement?.node ?? '')
            : words.notIssued(name, detail),
        );
      }
      moved = context.clock.now();
    }
    await context.clock.sleep(3 * SECOND, context.signal);
  }
}

function judgeNow(context: StepContext, cluster: Cluster) {
  return judgeFresh(cluster, { design: context.design, bootedSince: bootedSince(context) }, context.clock);
}

async function clusterOrTrouble(context: StepContext): Promise<Cluster> {
  const cluster = await openCluster(context);
  if (cluster) return cluster;
  const { usedDirectory, usedDirectoryFix } = steps.prepare;
  throw new TroubleError({
    code: 'kubeconfig-missing',
    title: usedDirectory,
    cause: context.dir,
    whatToDo: usedDirectoryFix,
  });
}

function bootedSince(context: StepContext): number | null {
  const times = Object.values(poweredOn(context));
  return times.length === 0 ? null : Math.min(...times);
}

function viewOf(context: StepContext, snapshot: Snapshot | null, boot: BootView): CertificatesView {
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
  return {
    requests: [...requests].sort(byInterest),
    apiDetail: snapshot?.api.trouble?.cause ?? null,
    nodes: members.map(({ name, role, ...node }) => {
      const fqdn = nodeFqdn(design, { name });
      const seen = nodes.find((candidate) => candidate.name === fqdn);
      const hasPlannedAddress = seen?.addresses.some(({ address }) => node.ip.includes(address)) ?? false;
      const isReady = (seen?.isReady ?? false) && hasPlannedAddress;
      const isSettled = isReady && seen?.createdAt != null && clock.now() - seen.createdAt > SETTLED_AFTER;
      const hasServingCertificate = served.has(fqdn) || (isSettled && !waiting.has(fqdn));
      const stage = boot.nodes.find((machine) => machine.name === name)?.stage ?? null;
      return { name, role, stage, isReady, hasServingCertificate, hasJoined: isReady && hasServingCertificate };
    }),
  };
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

function changesOf(view: CertificatesView): Change[] {
  return view.requests
    .filter(({ verdict }) => verdict === 'expected')
    .map(({ name, node, kind }) => ({
      object: node ?? name,
      what: words.approve(name, words.kinds[kind]),
      before: null,
      after: null,
    }));
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

function missingFindings(context: StepContext, view: CertificatesView): Finding[] {
  const { title, cause, whatToDo } = findingWords.missingNode;
  const powered = poweredOn(context);
  const now = context.clock.now();
  return view.nodes
    .filter(
      ({ name, hasJoined }) =>
        !hasJoined && powered[name] !== undefined && now - (powered[name] ?? now) > MISSING_AFTER,
    )
    .map(({ name }) => ({
      code: 'node-missing',
      severity: 'warning',
      subject: name,
      title: title(name),
      cause: cause(Math.floor((now - (powered[name] ?? now)) / MINUTE)),
      whatToDo,
    }));
}
