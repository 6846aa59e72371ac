import { tcpProbe } from '../bastion/probes.ts';
import { nodesWithRole } from '../design/names.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import { steps } from '../text/en/steps.ts';
import { look } from './access.ts';
import { bootstrapStep } from './bootstrap.ts';
import type { Change, Probe, Step, StepContext } from './contract.ts';
import { applyStage, hasReached, stageChanges, stageInstructions } from './load-balancer.ts';

const words = steps.removal;

export interface RemovalView {
  readonly changes: readonly Change[];
  readonly isApiUp: boolean;
  readonly bootstrap: string | null;
}

/** Takes the bootstrap node out of the load balancer: as soon as it is safe, and not before. */
export const bootstrapRemovalStep: Step<RemovalView> = {
  id: 'bootstrap-removal',
  lookEvery: 3 * SECOND,
  patience: 10 * MINUTE,
  probe,
  async plan(context) {
    return { changes: await pendingChanges(context), isDangerous: true, instructions: stageInstructions(context) };
  },
  async apply(context, report) {
    if (!hasReached(context, 'bootstrap-removed')) await applyStage(context, 'bootstrap-removed', report);
    for (const { name } of nodesWithRole(context.design, 'bootstrap')) {
      report(words.powerOff(name));
      await context.hands.powerOff(name);
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

async function probe(context: StepContext): Promise<Probe<RemovalView>> {
  const bootstrap = nodesWithRole(context.design, 'bootstrap')[0] ?? null;
  const [changes, snapshot] = await Promise.all([pendingChanges(context), look(context, ['bootstrapStatus'])]);
  const isApiUp = snapshot?.api.state === 'up';
  const view: RemovalView = { changes, isApiUp, bootstrap: bootstrap?.name ?? null };
  if (bootstrap === null) return { state: 'done', summary: words.nothing, view, findings: [] };
  if (!hasReached(context, 'bootstrap-removed')) {
    const before = await bootstrapStep.probe(context);
    if (before.state !== 'done') {
      const finding: Finding = {
        code: 'bootstrap-needed',
        severity: 'warning',
        subject: null,
        title: words.tooEarly,
        cause: before.summary,
        whatToDo: words.tooEarlyFix,
      };
      return { state: 'blocked', summary: words.tooEarly, view, findings: [finding] };
    }
    return { state: 'needed', summary: words.needed, view, findings: [] };
  }
  // The proof is the running balancer: the API answers through it while the bootstrap's own port is closed.
  const address = bootstrap?.ip[0];
  const direct = address === undefined ? null : await tcpProbe(context.reach, context.clock, address, 6443, 2 * SECOND);
  if (isApiUp && direct?.state !== 'open') return { state: 'done', summary: words.done, view, findings: [] };
  const summary = isApiUp ? words.powerOff(bootstrap?.name ?? '') : words.verifyFailed;
  // A bootstrap that still runs is out of the balancer all the same: it can be switched off later.
  return { state: isApiUp ? 'done' : 'waiting', summary, view, findings: [] };
}
