import { tcpProbe } from '../bastion/probes.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { nodeFqdn, nodesWithRole } from '../design/names.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import { findings as findingWords } from '../text/en/findings.ts';
import { steps } from '../text/en/steps.ts';
import { apiFindings, look } from './access.ts';
import type { Probe, Step, StepContext } from './contract.ts';
import { type LogLine, tailInstallerLog } from './installer-log.ts';
import { gaveUpFinding, type WaitState, waitActions, waitState } from './wait-for.ts';

const words = steps.bootstrap;

export const BOOTSTRAP_STAGES = ['bootstrap-up', 'api', 'control-plane', 'complete', 'etcd'] as const;
/** A single node is its own bootstrap: there is no other machine to ask. */
const IN_PLACE_STAGES = BOOTSTRAP_STAGES.filter((id) => id !== 'bootstrap-up');
export type BootstrapStage = (typeof BOOTSTRAP_STAGES)[number];

export interface BootstrapView {
  readonly stages: readonly {
    readonly id: BootstrapStage;
    readonly title: string;
    readonly state: 'done' | 'running' | 'pending';
    /** When it was first seen so, ms of the clock. */
    readonly since: number | null;
    readonly usual: string;
    readonly meaning: string;
    readonly evidence: string;
  }[];
  readonly log: readonly LogLine[];
  readonly wait: WaitState['state'];
}

export const bootstrapStep: Step<BootstrapView> = {
  id: 'bootstrap',
  lookEvery: 3 * SECOND,
  patience: 90 * MINUTE,
  probe,
  ...waitActions('bootstrap-complete', words.start, words.needed),
  verify: probe,
};

interface Evidence {
  readonly done: Readonly<Record<BootstrapStage, boolean>>;
  readonly lines: Readonly<Record<BootstrapStage, string>>;
  readonly findings: readonly Finding[];
}

async function probe(context: StepContext): Promise<Probe<BootstrapView>> {
  const [evidence, wait, log] = await Promise.all([
    gather(context),
    waitState(context, 'bootstrap-complete'),
    tailInstallerLog(context, 200),
  ]);
  const since = remember(context, evidence.done);
  const isSingle = context.design.topology === 'single-node';
  const stages = isSingle ? IN_PLACE_STAGES : BOOTSTRAP_STAGES;
  const said = isSingle ? { ...words, ...words.inPlace } : words;
  const running = stages.find((id) => !evidence.done[id]);
  const view: BootstrapView = {
    log,
    wait: wait.state,
    stages: stages.map((id) => ({
      id,
      title: said.stages[id],
      state: evidence.done[id] ? 'done' : id === running ? 'running' : 'pending',
      since: since[id] ?? null,
      usual: said.usual[id],
      meaning: said.meaning[id],
      evidence: evidence.lines[id],
    })),
  };
  if (!running) return { state: 'done', summary: said.done, view, findings: [] };
  if (wait.state === 'none') return { state: 'needed', summary: words.needed, view, findings: evidence.findings };
  const summary = words.waiting(said.stages[running]);
  if (wait.state !== 'gave-up') return { state: 'waiting', summary, view, findings: evidence.findings };
  const gaveUp = gaveUpFinding(wait.code, log.at(-1)?.text ?? '');
  return { state: 'needed', summary: words.failed(wait.code), view, findings: [...evidence.findings, gaveUp] };
}

/** Asks the bootstrap node, the load balancer and the API; whether it is done is never taken from what we did. */
async function gather(context: StepContext): Promise<Evidence> {
  const { design, reach, clock } = context;
  const ask = (host: string, port: number) => tcpProbe(reach, clock, host, port, 3 * SECOND);
  const bootstrapIp = nodesWithRole(design, 'bootstrap')[0]?.ip[0] ?? null;
  const api = design.endpoints.api[0] ?? '';
  const [api6443, direct, config, snapshot] = await Promise.all([
    ask(api, 6443),
    bootstrapIp === null ? null : ask(bootstrapIp, 6443),
    bootstrapIp === null ? null : ask(bootstrapIp, 22623),
    look(context, ['nodes', 'bootstrapStatus', 'etcdBootstrapMemberRemoved']),
  ]);
  const isApiUp = snapshot?.api.state === 'up';
  const joined = controlPlaneReady(context, snapshot);
  const planned = nodesWithRole(design, 'control-plane').length;
  const isComplete = snapshot?.bootstrapStatus === 'complete';
  const servesDirectly = direct?.state === 'open' && config?.state === 'open';
  const isBootstrapUp = servesDirectly || isApiUp;
  const findings: Finding[] = apiFindings(snapshot);
  if (servesDirectly && !isApiUp && api6443.state !== 'open') {
    const { title, cause, whatToDo } = findingWords.lbWithoutBootstrap;
    // The balancer's own checks need up to half a minute to see a member come up.
    const since = remember(context, { 'bootstrap-up': true })['bootstrap-up'] ?? clock.now();
    if (clock.now() - since > 2 * MINUTE) {
      findings.push({
        code: 'lb-without-bootstrap',
        severity: 'fatal',
        subject: null,
        title,
        cause: cause(bootstrapIp ?? ''),
        whatToDo,
      });
    }
  }
  return {
    findings,
    done: {
      'bootstrap-up': isBootstrapUp,
      api: isApiUp,
      'control-plane': joined.length >= planned,
      complete: isComplete,
      // Null: the operator does not say. Versions before 4.16 have no such condition, and complete is all there is.
      etcd: isComplete && snapshot?.etcdBootstrapMemberRemoved !== false,
    },
    lines: {
      'bootstrap-up': `${bootstrapIp ?? '—'}:6443 ${direct?.state ?? '—'}, :22623 ${config?.state ?? '—'}`,
      api: isApiUp ? `${snapshot?.api.gitVersion ?? ''}` : (snapshot?.api.line ?? api6443.detail),
      'control-plane': `${joined.length}/${planned} Ready${joined.length > 0 ? `: ${joined.join(', ')}` : ''}`,
      complete: `kube-system/bootstrap: ${snapshot?.bootstrapStatus ?? '—'}`,
      etcd: `EtcdBootstrapMemberRemoved: ${snapshot?.etcdBootstrapMemberRemoved ?? '—'}`,
    },
  };
}

function controlPlaneReady(context: StepContext, snapshot: Snapshot | null): string[] {
  const ready = new Set(snapshot?.nodes?.filter(({ isReady }) => isReady).map(({ name }) => name));
  return nodesWithRole(context.design, 'control-plane')
    .filter((node) => ready.has(nodeFqdn(context.design, node)))
    .map(({ name }) => name);
}

/** Since when each stage has been done: written down at first sight, so that durations survive a restart. */
function remember(
  context: StepContext,
  done: Partial<Record<BootstrapStage, boolean>>,
): Partial<Record<BootstrapStage, number>> {
  const known = context.memory.get<Partial<Record<BootstrapStage, number>>>('bootstrap-stages') ?? {};
  const fresh = BOOTSTRAP_STAGES.filter((id) => done[id] && known[id] === undefined);
  if (fresh.length === 0) return known;
  const now = context.clock.now();
  const next = { ...known, ...Object.fromEntries(fresh.map((id) => [id, now])) };
  context.memory.set('bootstrap-stages', next);
  return next;
}
