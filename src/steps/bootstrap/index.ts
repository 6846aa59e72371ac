import { nodesWithRole } from '../../design/names.ts';
import type { BootstrapEvidence, BootstrapStage } from '../../diagnosis/bootstrap/evidence.ts';
import { judgeStuck } from '../../diagnosis/bootstrap/index.ts';
import { judgeLines } from '../../diagnosis/bootstrap/lines.ts';
import {
  doneStages,
  evidenceLine,
  signatureOf,
  stagesOf,
  stuckAfter,
  usualOf,
} from '../../diagnosis/bootstrap/stages.ts';
import { judgeGaveUp } from '../../diagnosis/installer/gave-up.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import type { Probe, Step, StepContext } from '../contract.ts';
import { apiFindings } from '../shared/access.ts';
import { type BootstrapProgress, noteProgress } from '../shared/installer/bootstrap-progress.ts';
import { ignitionLife } from '../shared/installer/ignition-life.ts';
import { type BookPages, readInstallerLog } from '../shared/installer/log.ts';
import { type WaitState, waitActions, waitState } from '../shared/installer/wait-for.ts';
import { closeDoors } from '../shared/machines/doors.ts';
import { type Exposure, exposures, toggleIgnition } from '../shared/machines/exposure.ts';
import { type BootstrapSight, gatherEvidence, stuckEvidence } from './evidence.ts';

const words = () => catalogue().steps.bootstrap;

/** One stage of the bootstrap in words: how long it usually takes, what it means, and what proves it. */
export interface StageView {
  readonly id: BootstrapStage;
  readonly title: string;
  readonly state: 'done' | 'running' | 'stuck' | 'pending';
  /** When it began and ended, ms of the clock; null: not yet, or not observed. */
  readonly startedAt: number | null;
  readonly doneAt: number | null;
  readonly usual: string;
  readonly meaning: string;
  readonly evidence: string;
}

/** What the bootstrap screen draws. `log`: the installer's and the node's own; `wait`: the installer's own wait. */
export interface BootstrapView {
  readonly stages: readonly StageView[];
  /** When anything last changed, ms of the clock. */
  readonly changedAt: number;
  readonly log: BookPages;
  readonly wait: WaitState['state'];
  /** The ignition file of the bootstrap machine, while it is served. */
  readonly exposure: Exposure | null;
}

/** Watches until the control plane runs on its own and the bootstrap node may go; the installer waits in a job. */
export const bootstrapStep: Step<BootstrapView> = {
  id: 'bootstrap',
  lookEvery: 3 * SECOND,
  patience: 90 * MINUTE,
  probe,
  ...waitActions(
    'bootstrap-complete',
    () => words().start,
    () => words().needed,
  ),
  async applyOne(context, _subject, report) {
    const names = nodesWithRole(context.design, 'bootstrap').map(({ name }) => name);
    await toggleIgnition(context, names, report);
  },
  verify: probe,
};

async function probe(context: StepContext): Promise<Probe<BootstrapView>> {
  // The installer's earlier messages come before the bootstrap node's new ones.
  await readInstallerLog(context);
  const [evidence, wait, log] = await Promise.all([
    gatherEvidence(context),
    waitState(context, 'bootstrap-complete'),
    readInstallerLog(context),
  ]);
  const { design } = context;
  const order = stagesOf(design, evidence.inside !== null);
  const done = doneStages(design, evidence);
  const progress = noteProgress(context, {
    order,
    done,
    signature: signatureOf(evidence),
    startedAt: poweredOnAt(context),
    told: toldTimes(evidence, log),
  });
  const running = order.find((id) => !done.has(id)) ?? null;
  // A message never seen before is progress as well.
  const changedAt = Math.max(progress.changedAt, Math.min(log.newsAt ?? 0, context.clock.now()));
  const quietFor = context.clock.now() - changedAt;
  // What nobody waits for yet cannot be stuck: the machines may not even be switched on.
  const isStuck = running !== null && wait.state !== 'none' && quietFor > stuckAfter(running, design);
  const bootstraps = new Set(nodesWithRole(design, 'bootstrap').map(({ name }) => name));
  const view: BootstrapView = {
    exposure: (await exposures(context)).find(({ nodes }) => nodes.some((name) => bootstraps.has(name))) ?? null,
    log,
    wait: wait.state,
    changedAt,
    stages: order.map((id) => {
      const state = done.has(id) ? 'done' : id !== running ? 'pending' : isStuck ? 'stuck' : 'running';
      return stageView(context, id, state, progress, evidence);
    }),
  };
  const isSingle = design.topology === 'single-node';
  // Whoever fetches the bootstrap's ignition file has the keys of the cluster.
  if (done.has('complete')) await closeDoors(context);
  const said = isSingle ? { ...words(), ...words().inPlace } : words();
  if (running === null) return { state: 'done', summary: said.done, view, findings: [] };
  const title = said.stages[running];
  const stuck = { stage: running, stageTitle: title, quietFor };
  const causes = isStuck ? judgeStuck(await stuckEvidence(context, evidence, stuck)) : [];
  const findings = [...judgeLines(log.lines, context.clock.now()), ...apiFindings(evidence.snapshot), ...causes];
  if (wait.state === 'none') return { state: 'needed', summary: words().needed, view, findings };
  if (wait.state === 'gave-up') {
    const gaveUp = judgeGaveUp(wait, log.lines.filter(({ source }) => source === 'installer').slice(-500));
    return { state: 'needed', summary: gaveUp[0]?.title ?? words().needed, view, findings: [...gaveUp, ...findings] };
  }
  const summary = isStuck ? words().stuck(title, timeOfDay(changedAt)) : words().waiting(title);
  return { state: 'waiting', summary, remark: await ignitionLife(context), view, findings };
}

function stageView(
  { design }: StepContext,
  id: BootstrapStage,
  state: StageView['state'],
  progress: BootstrapProgress,
  evidence: BootstrapEvidence,
): StageView {
  const said = design.topology === 'single-node' ? words().inPlace : words();
  const { startedAt = null, doneAt = null } = progress.stages[id] ?? {};
  return {
    id,
    title: said.stages[id],
    state,
    startedAt,
    // A stage that was done and is not any more (the balancer restarts) has been running again since it began.
    doneAt: state === 'done' ? doneAt : null,
    usual: words().usually(...usualOf(id, design)),
    meaning: said.meaning[id],
    evidence: evidenceLine(id, evidence),
  };
}

/** When stages were done, by the installer's log and the API: nobody may have watched meanwhile. */
function toldTimes(
  { snapshot, members }: BootstrapSight,
  { lines }: BookPages,
): Partial<Record<BootstrapStage, number>> {
  const said = (pattern: RegExp) =>
    lines.find(({ source, text, at }) => source === 'installer' && at !== null && pattern.test(text))?.at ?? null;
  const apiUp = said(/^API v\S+ up$/);
  const complete = said(/^(?:Bootstrap status: complete|It is now safe to remove the bootstrap resources)/);
  const joined = (snapshot?.nodes ?? []).flatMap(({ createdAt }) => createdAt ?? []).sort((a, b) => a - b);
  const last = joined[members.length - 1] ?? null;
  return {
    ...(apiUp === null ? {} : { 'release-image': apiUp, bootkube: apiUp, 'bootstrap-up': apiUp, api: apiUp }),
    ...(last === null ? {} : { joined: last }),
    ...(complete === null ? {} : { complete }),
  };
}

/** When the machine of the bootstrap was switched on, as far as we know. */
function poweredOnAt({ design, memory }: StepContext): number | null {
  const machine = nodesWithRole(design, 'bootstrap')[0] ?? nodesWithRole(design, 'control-plane')[0];
  return memory.get('powered-on')?.[machine?.name ?? ''] ?? null;
}
