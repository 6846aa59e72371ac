import { expect, test } from 'vitest';
import { appRows } from '../../../screens/app/app.ts';
import type { Finding } from '../../../src/checks/check.ts';
import { MINUTE } from '../../../src/platform/clock.ts';
import { getRowText } from '../../../src/rows/page-rows.ts';
import type { Probe, StepId } from '../../../src/steps/contract.ts';
import { estimateWait } from '../../../src/steps/wait-progress.ts';
import { deriveInstallProgress } from '../../../src/wizard/live/install-progress.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { bootView, certificatesView, operatorsView } from '../../screens/views.ts';
import { applyInputs, buildProbe, START, safePlan, wizardState } from '../../support/wizard-state.ts';

/** A screen, some minutes after the first machine was powered on. */
const createStateAt = (screen: StepId, minutes: number): WizardState =>
  applyInputs(
    { ...wizardState({}, { screen }), firstPowerOnAt: START },
    { type: 'clock/ticked', now: START + minutes * MINUTE },
  );
const WIDE_TERMINAL = { columns: 120, rows: 30, hasUnicode: true, canAnimate: false };
const progressInMinutes = (state: WizardState) => {
  const progress = deriveInstallProgress(state);
  return (
    progress && {
      share: progress.share,
      elapsed: progress.elapsedMs / MINUTE,
      remaining: progress.remainingMs?.map((ms) => ms / MINUTE) ?? null,
    }
  );
};

test('nothing is known before a machine was powered on, and nothing is left at the report', () => {
  expect(deriveInstallProgress(wizardState({}, { screen: 'boot' }))).toBeNull();
  expect(deriveInstallProgress(createStateAt('report', 200))).toBeNull();
});

test('the usual remaining time is that of the open steps, less the elapsed time of the current one', () => {
  expect(progressInMinutes(createStateAt('boot', 0))).toEqual({ share: 0, elapsed: 0, remaining: [60, 144] });
  const waiting = applyInputs(
    { ...createStateAt('operators', 60), now: START + 50 * MINUTE },
    { type: 'step/probed', step: 'operators', probe: buildProbe('needed', {}), plan: safePlan },
    { type: 'step/ask', action: 'apply' },
    { type: 'clock/ticked', now: START + 60 * MINUTE },
  );
  expect(progressInMinutes(waiting)).toMatchObject({ elapsed: 60, remaining: [19, 64] });
  const done = applyInputs(
    waiting,
    { type: 'step/applied', step: 'operators' },
    { type: 'step/probed', step: 'operators', probe: buildProbe('done', {}), plan: safePlan },
  );
  expect(progressInMinutes(done)).toMatchObject({ remaining: [9, 39] });
});

test('the bootstrap counts from power-on before its wait begins, and by the stages that the probe has observed', () => {
  const createState = (minutes: number, progress?: Probe<unknown>['progress']) => {
    const probe = { ...buildProbe('needed', {}), ...(progress === undefined ? {} : { progress }) };
    const state = createStateAt('bootstrap', minutes);
    return progressInMinutes(applyInputs(state, { type: 'step/probed', step: 'bootstrap', probe, plan: safePlan }));
  };
  expect([6, 20, 80].map((minutes) => createState(minutes)?.remaining)).toEqual([
    [57, 138],
    [43, 124],
    [40, 104],
  ]);
  const halfDone = createState(10, [
    { usualMinutes: [10, 20], share: 1, startedAt: START },
    { usualMinutes: [10, 20], share: 0, startedAt: START + 9 * MINUTE },
  ]);
  expect(halfDone).toMatchObject({ remaining: [49, 123] });
  expect(halfDone?.share).toBeGreaterThan(createState(10)?.share ?? 1);
  const halfDrawn = createState(19, [{ usualMinutes: [10, 20], share: 0, startedAt: START, hasHiddenProgress: true }]);
  expect(halfDrawn?.share).toBeGreaterThan(
    createState(19, [{ usualMinutes: [10, 20], share: 0, startedAt: START }])?.share ?? 1,
  );
});

test('while a part of a step is later than usual, neither its page nor the frame estimates a time', () => {
  const progress = [{ usualMinutes: [30, 60], share: 0.98, startedAt: START }] as const;
  const show = (isLate: boolean) => {
    const probe = { ...buildProbe('waiting', operatorsView), progress, isLate };
    const event = { type: 'step/probed', step: 'operators', probe, plan: safePlan } as const;
    const state = applyInputs(createStateAt('operators', 50), event);
    return { state, text: appRows(state, WIDE_TERMINAL, { resumeCommand: '' }).map(getRowText).join('\n') };
  };
  expect(show(false).text).toContain('98 %  less than 1 min left');
  expect(show(true).text).toContain('98 %  longer than usual');
  expect(progressInMinutes(show(false).state)?.remaining).not.toBeNull();
  expect(progressInMinutes(show(true).state)?.remaining).toBeNull();
});

test('a step that takes longer than usual has no remaining time, and its bar is full', () => {
  const moving = applyInputs(
    createStateAt('infra', 0),
    { type: 'step/probed', step: 'infra', probe: buildProbe('needed', {}), plan: safePlan },
    { type: 'step/ask', action: 'apply' },
    { type: 'clock/ticked', now: START + 500 * MINUTE },
  );
  expect(progressInMinutes(moving)).toEqual({ share: 1, elapsed: 500, remaining: null });
});

test('a last step whose parts are all done, and which is not done itself, is not late', () => {
  const progress = [{ usualMinutes: [5, 10], share: 1, startedAt: null }] as const;
  const settling = applyInputs(
    createStateAt('infra', 0),
    { type: 'step/probed', step: 'infra', probe: buildProbe('needed', {}), plan: safePlan },
    { type: 'step/ask', action: 'apply' },
    { type: 'step/probed', step: 'infra', probe: buildProbe('needed', {}, { progress }), plan: safePlan },
    { type: 'clock/ticked', now: START + MINUTE },
  );
  expect(progressInMinutes(settling)).toEqual({ share: 1, elapsed: 1, remaining: [0, 0] });
});

test('what is left of the infra moves is the same as on their page, also with more moves than the example has', () => {
  const parts = [10, 20, 40].map((most) => ({ usualMinutes: [5, most], share: 0, startedAt: null }) as const);
  const moving = applyInputs(createStateAt('infra', 0), {
    type: 'step/probed',
    step: 'infra',
    probe: buildProbe('needed', {}, { progress: parts }),
    plan: safePlan,
  });
  const { remaining } = estimateWait(parts, START);
  expect(progressInMinutes(moving)?.remaining).toEqual(remaining.map((ms) => ms / MINUTE));
});

test('a single node has only its elapsed time; a site without infra nodes has no moves', () => {
  const state = createStateAt('boot', 7);
  const { design } = state;
  if (design === null) throw new Error('the example is a design');
  expect(progressInMinutes({ ...state, design: { ...design, topology: 'single-node' } })).toEqual({
    share: null,
    elapsed: 7,
    remaining: null,
  });
  const nodes = design.nodes.filter(({ role }) => role !== 'infra');
  expect(progressInMinutes({ ...state, design: { ...design, nodes } })).toMatchObject({ remaining: [51, 105] });
});

test('without infra nodes, the clock ends with the Operators; without workers, no certificates are awaited', () => {
  const { design } = createStateAt('operators', 60);
  if (design === null) throw new Error('the example is a design');
  const finish = (state: WizardState, step: 'operators' | 'bootstrap-removal') =>
    applyInputs(state, { type: 'step/probed', step, probe: buildProbe('done', {}), plan: safePlan });
  const nodes = design.nodes.filter(({ role }) => role !== 'infra');
  const done = finish({ ...createStateAt('operators', 60), design: { ...design, nodes } }, 'operators');
  expect(deriveInstallProgress(done)).toBeNull();
  const compact = { ...design, nodes: design.nodes.filter(({ role }) => role !== 'infra' && role !== 'compute') };
  const removed = finish({ ...createStateAt('boot', 60), design: compact }, 'bootstrap-removal');
  expect(progressInMinutes(removed)).toMatchObject({ remaining: [20, 35] });
});

test('it follows what is observed, never goes back, and ends with the last step although an earlier one is looked at', () => {
  const probeOperators = (share: number) =>
    buildProbe('waiting', {}, { progress: [{ usualMinutes: [30, 60], share, startedAt: null }] });
  const observe = (state: WizardState, share: number) =>
    applyInputs(state, { type: 'step/probed', step: 'operators', probe: probeOperators(share), plan: safePlan });
  const half = observe(createStateAt('operators', 60), 0.5);
  const nearly = observe(half, 0.95);
  const back = observe(nearly, 0.4);
  const [first, second, third] = [half, nearly, back].map((state) => progressInMinutes(state)?.share ?? 0);
  expect(second).toBeGreaterThan(first ?? 1);
  expect(third).toBe(second);
  expect(progressInMinutes(nearly)?.remaining?.map(Math.round)).toEqual([11, 42]);
  const moved = applyInputs(createStateAt('infra', 90), {
    type: 'step/probed',
    step: 'infra',
    probe: buildProbe('done', {}),
    plan: safePlan,
  });
  expect(deriveInstallProgress(moved)).toBeNull();
  expect(deriveInstallProgress({ ...moved, screen: 'certificates' })).toBeNull();
});

test('after a session was left, the rest is unknown until its step has been looked at', () => {
  const state = createStateAt('operators', 60);
  expect(progressInMinutes({ ...state, screen: 'certificates' })).toEqual({
    share: null,
    elapsed: 60,
    remaining: null,
  });
});

test('a step that waits for a repair estimates nothing, and its share stands still', () => {
  const finding: Finding = {
    code: 'boot-silent',
    state: 'failed',
    severity: 'fatal',
    subject: 'm1',
    title: 'm1 has sent no request',
    cause: '',
    remedy: '',
  };
  const probe = (findings: readonly Finding[]) =>
    ({ type: 'step/probed', step: 'boot', probe: buildProbe('waiting', bootView, { findings }), plan: null }) as const;
  const stuck = applyInputs(createStateAt('boot', 2), probe([finding]));
  const later = applyInputs(stuck, { type: 'clock/ticked', now: START + 60 * MINUTE }, probe([finding]));
  expect(deriveInstallProgress(later)).toEqual({
    ...deriveInstallProgress(stuck),
    elapsedMs: 60 * MINUTE,
    needsRepair: true,
  });
  const rows = appRows(later, WIDE_TERMINAL, { resumeCommand: '' }).map(getRowText).join('\n');
  expect(rows).toContain('1 h since power-on, waiting for a repair');
  expect(deriveInstallProgress(applyInputs(later, probe([])))?.needsRepair).toBe(false);
});

test('a page whose own bar waits for a repair says so once', () => {
  const progress = [{ usualMinutes: [10, 25], share: 0.5, startedAt: null }] as const;
  const waiting = applyInputs(createStateAt('certificates', 60), {
    ...{ type: 'step/probed', step: 'certificates', plan: null },
    probe: buildProbe('waiting', certificatesView, { progress, awaitsRepair: true }),
  });
  const rows = appRows(waiting, WIDE_TERMINAL, { resumeCommand: '' }).map(getRowText).join('\n');
  expect(rows.match(/waiting for a repair/g)).toHaveLength(1);
  expect(rows).toContain('1 h since power-on ');
});

test('infra moves that are all blocked wait for a repair, and promise no time', () => {
  const createProbedState = (state: 'blocked' | 'needed') =>
    applyInputs(createStateAt('infra', 0), {
      type: 'step/probed',
      step: 'infra',
      probe: buildProbe(state, {}, { progress: [{ usualMinutes: [5, 10], share: 0, startedAt: null }] }),
      plan: null,
    });
  expect(deriveInstallProgress(createProbedState('needed'))?.needsRepair).toBe(false);
  expect(deriveInstallProgress(createProbedState('blocked'))?.needsRepair).toBe(true);
});

test('while a lost node awaits its repair on the page, nothing is estimated for the steps after it', () => {
  const probeBoot = (changes: object) =>
    ({ type: 'step/probed', step: 'boot', probe: buildProbe('done', bootView, changes), plan: null }) as const;
  const moving = applyInputs(
    createStateAt('infra', 80),
    { type: 'step/probed', step: 'infra', probe: buildProbe('needed', {}), plan: safePlan },
    { type: 'screen/go', screen: 'boot' },
  );
  const lost = applyInputs(moving, probeBoot({ awaitsRepair: true }));
  expect(deriveInstallProgress(lost)?.needsRepair).toBe(true);
  const rows = appRows(lost, WIDE_TERMINAL, { resumeCommand: '' }).map(getRowText).join('\n');
  expect(rows).toContain('1 h 20 min since power-on, waiting for a repair');
  expect(deriveInstallProgress(applyInputs(lost, probeBoot({})))?.needsRepair).toBe(false);
  // Only a page on the screen is probed: its last result says nothing about the present elsewhere.
  expect(deriveInstallProgress(applyInputs(lost, { type: 'screen/go', screen: 'infra' }))?.needsRepair).toBe(false);
});

test('a lost node awaits its repair also in a session in which no later step was probed', () => {
  const resumed = applyInputs(
    { ...createStateAt('infra', 80), screen: 'boot' },
    {
      type: 'step/probed',
      step: 'boot',
      probe: buildProbe('done', bootView, { awaitsRepair: true }),
      plan: null,
    },
  );
  const rows = appRows(resumed, WIDE_TERMINAL, { resumeCommand: '' }).map(getRowText).join('\n');
  expect(rows).toContain('1 h 20 min since power-on, waiting for a repair');
});

test('far beyond the usual time of the whole installation, nothing is estimated', () => {
  expect(progressInMinutes(createStateAt('operators', 200))?.remaining).not.toBeNull();
  expect(progressInMinutes(createStateAt('operators', 258))).toEqual({ share: null, elapsed: 258, remaining: null });
});
