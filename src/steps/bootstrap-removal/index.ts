import { nodesWithRole } from '../../design/names.ts';
import {
  type BalancerEvidence,
  type BalancerProof,
  REMOVAL,
  removalProof,
} from '../../diagnosis/hosts/bootstrap-out.ts';
import { judge } from '../../diagnosis/rule.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { beginWait } from '../../ports/waiting.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import { bootstrapStep } from '../bootstrap/index.ts';
import type { Change, Probe, Step, StepContext } from '../contract.ts';
import { balancerProof } from '../shared/hosts/balancer-proof.ts';
import {
  applyStage,
  areBalancersOutdated,
  hasReached,
  putBalancers,
  stageChanges,
  stageInstructions,
  writeStage,
} from '../shared/hosts/load-balancer.ts';
import { isDone } from '../shared/installer/bootstrap-progress.ts';
import { installOverSsh } from './remote-install.ts';

const words = () => catalogue().steps.removal;

/** For how long a bootstrap that was over may not look so. */
const AWAY_FOR = 2 * MINUTE;
const LEAST_LOOKS = 10;

/**
 * What the screen draws. `changes`: what leaves the files of the load balancers, empty once it has left. `bootstrap`:
 * the node's short name, null where there is none.
 */
export interface RemovalView {
  readonly changes: readonly Change[];
  readonly bootstrap: string | null;
  /** What the load balancers report themselves; empty where none is ours. */
  readonly balancers: readonly BalancerEvidence[];
  /** The load balancers that we could set up over SSH now, for the question; null where there are none, or not yet. */
  readonly overSsh: string | null;
}

/** Takes the bootstrap node out of the load balancer as soon as that is safe, and not before. */
export const bootstrapRemovalStep: Step<RemovalView> = {
  id: 'bootstrap-removal',
  lookEvery: 3 * SECOND,
  patience: 10 * MINUTE,
  probe,
  async plan(context) {
    return { changes: await pendingChanges(context), isDangerous: true, instructions: stageInstructions(context) };
  },
  async apply(context, report) {
    if (!hasReached(context, 'bootstrap-removed')) {
      await assertSafe(context, report);
      await applyStage(context, 'bootstrap-removed', report);
    } else if (areBalancersOutdated(context)) {
      await putBalancers(context, report);
    }
    for (const { name } of nodesWithRole(context.design, 'bootstrap')) {
      report(words().powerOff(name));
      await context.hands.powerOff(name);
    }
  },
  /** Over SSH, on every load balancer but this machine, one after the other: the API stays reachable through the others. */
  async applyOne(context, _subject, report) {
    if (!hasReached(context, 'bootstrap-removed')) {
      await assertSafe(context, report);
      await writeStage(context, 'bootstrap-removed', report);
    }
    for (const name of remoteBalancers(context)) {
      context.signal.throwIfAborted();
      await installOverSsh(context, name, report);
    }
  },
  verify: probe,
  async undo(context, _subject, report) {
    await applyStage(context, 'install', report);
  },
};

function pendingChanges(context: StepContext): Promise<Change[]> {
  return hasReached(context, 'bootstrap-removed') ? Promise.resolve([]) : stageChanges(context, 'bootstrap-removed');
}

function remoteBalancers({ design, hands }: StepContext): string[] {
  if (!hands.isPerson) return [];
  const { bastion, loadBalancer } = design.services;
  return loadBalancer.servers.map(({ name }) => name).filter((name) => name !== bastion.name);
}

/**
 * What was safe when we asked may not be safe when the person answers. While the bootstrap's part of it goes, the API may be away
 * for a moment: one look that does not see it proves nothing.
 */
async function assertSafe(context: StepContext, report: (line: string) => void): Promise<void> {
  const { clock, signal } = context;
  const wait = beginWait(clock);
  let before = await bootstrapStep.probe(context);
  while (before.state !== 'done' && isDone(context, 'complete') && !wait.isOver(AWAY_FOR, LEAST_LOOKS)) {
    report(before.summary);
    await clock.sleep(2 * SECOND, signal);
    before = await bootstrapStep.probe(context);
  }
  if (before.state === 'done') return;
  const said = catalogue().diagnosis.hosts['bootstrap-needed'];
  throw new TroubleError({ code: 'bootstrap-needed', ...said, cause: before.summary });
}

async function probe(context: StepContext): Promise<Probe<RemovalView>> {
  const bootstrap = nodesWithRole(context.design, 'bootstrap')[0] ?? null;
  const changes = await pendingChanges(context);
  const nothing: RemovalView = { changes, bootstrap: bootstrap?.name ?? null, balancers: [], overSsh: null };
  if (bootstrap === null) return { state: 'done', summary: words().nothing, view: nothing, findings: [] };
  if (!hasReached(context, 'bootstrap-removed')) {
    const before = await bootstrapStep.probe(context);
    // It was over when somebody looked: the API is away for a moment, or a last thing is.
    if (before.state !== 'done' && isDone(context, 'complete'))
      return { state: 'waiting', summary: before.summary, view: nothing, findings: [] };
    if (before.state !== 'done') {
      const evidence = { bootstrap: bootstrap.name, waitsFor: before.summary, balancers: [] };
      const { title } = catalogue().diagnosis.hosts['bootstrap-needed'];
      return { state: 'blocked', summary: title, view: nothing, findings: judge(REMOVAL, evidence) };
    }
    return { state: 'needed', summary: words().needed, view: { ...nothing, overSsh: overSsh(context) }, findings: [] };
  }
  const proof = await balancerProof(context);
  const { state, summary, findings } = verdictOf(proof, bootstrap.name);
  const isOpen = state !== 'done';
  // Ended between writing the files and putting them in place.
  if (isOpen && areBalancersOutdated(context))
    return { state: 'needed', summary: words().needed, view: { ...nothing, balancers: proof.balancers }, findings };
  return {
    state,
    summary,
    findings,
    view: { ...nothing, balancers: proof.balancers, overSsh: isOpen ? overSsh(context) : null },
  };
}

function overSsh(context: StepContext): string | null {
  return remoteBalancers(context).join(', ') || null;
}

/** The running balancer is the proof: its own report, or answers through it while the bootstrap's ports are closed. */
function verdictOf(
  proof: BalancerProof,
  bootstrap: string,
): Pick<Probe<RemovalView>, 'state' | 'summary' | 'findings'> {
  const findings = judge(REMOVAL, { bootstrap, waitsFor: null, balancers: proof.balancers });
  const [first] = findings;
  if (first) return { state: 'waiting', summary: first.title, findings };
  switch (removalProof(proof)) {
    case 'out':
      return { state: 'done', summary: words().done, findings };
    case 'still-on':
      return { state: 'done', summary: words().doneStillOn(bootstrap), findings };
    case 'no-answer':
      return { state: 'waiting', summary: words().verifyFailed, findings };
    case 'unproven':
      return { state: 'waiting', summary: words().unproven(bootstrap), findings };
  }
}
