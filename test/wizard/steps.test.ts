import { expect, test } from 'vitest';
import { catalogue } from '../../src/i18n/catalogue.ts';
import type { UserError } from '../../src/i18n/user-error.ts';
import type { Event, Intent } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import {
  applyInputs,
  buildProbe,
  dangerousPlan,
  flattenRun,
  getEffects,
  safePlan,
  wizardState,
} from '../support/wizard-state.ts';

const ask: Intent = { type: 'step/ask', action: 'apply' };
const yes: Intent = { type: 'step/answer', isYes: true };
const no: Intent = { type: 'step/answer', isYes: false };
const userError: UserError = { code: 'x', title: 'It broke', cause: 'because', remedy: 'mend it' };
const boot = () => wizardState({}, { screen: 'boot' });
const probeEvent = (state: 'done' | 'needed' | 'waiting' | 'blocked', plan = safePlan): Event => ({
  type: 'step/probed',
  step: 'boot',
  probe: buildProbe(state, { nodes: [], refusedMacs: [] }),
  plan,
});
const applied: Event = { type: 'step/applied', step: 'boot' };
const createFailure = (during: 'probe' | 'run'): Event => ({ type: 'step/failed', step: 'boot', during, userError });
const getPhase = (state: WizardState) => state.runs.boot.phase;

test('entering a step probes it and saves the current screen', () => {
  const effects = getEffects(wizardState({}, { screen: 'prepare' }), { type: 'screen/next' });
  expect(effects).toEqual([{ type: 'save' }, { type: 'probe', step: 'boot' }]);
  expect(getPhase(boot())).toBe('probing');
});

test.each([
  ['done', 'done'],
  ['needed', 'ready'],
  ['blocked', 'ready'],
  ['waiting', 'watching'],
] as const)('a probe that finds %s leads to the phase %s', (found, expected) => {
  const state = applyInputs(boot(), probeEvent(found));
  expect(getPhase(state)).toBe(expected);
  expect(state.runs.boot.probe?.summary).toBe(`it is ${found}`);
});

test('the untouched cursor stays on its first row, and a moved one where the user moved it', () => {
  const found = (selectedRowId: string): Event => {
    const event = probeEvent('waiting');
    return event.type === 'step/probed' ? { ...event, probe: { ...event.probe, selectedRowId } } : event;
  };
  const untouched = applyInputs(boot(), found('csr-a'), found('csr-b'));
  expect(untouched.runs.boot.rowId).toBe('csr-a');
  const moved = applyInputs(untouched, { type: 'row/move', by: 1, count: 2, from: 0, id: 'csr-c' }, found('csr-b'));
  expect(moved.runs.boot.rowId).toBe('csr-c');
});

test('the untouched cursor leaves a row that needs nothing any more; a moved one stays', () => {
  const found = (selectedRowId: string, settledRowIds: readonly string[]): Event => {
    const event = probeEvent('waiting');
    return event.type === 'step/probed' ? { ...event, probe: { ...event.probe, selectedRowId, settledRowIds } } : event;
  };
  const untouched = applyInputs(boot(), found('csr-a', ['csr-a']), found('csr-b', ['csr-a']));
  expect(untouched.runs.boot.rowId).toBe('csr-b');
  expect(applyInputs(untouched, found('csr-c', ['csr-a'])).runs.boot.rowId).toBe('csr-b');
  const moved = applyInputs(untouched, { type: 'row/move', by: 1, count: 2, from: 0, id: 'csr-a' });
  expect(applyInputs(moved, found('csr-c', ['csr-a', 'csr-b'])).runs.boot.rowId).toBe('csr-a');
});

test('after a no, the detail of the page begins at its start, however far the question was scrolled', () => {
  const asking = applyInputs(boot(), probeEvent('needed', dangerousPlan), ask);
  const scrolled = applyInputs(asking, { type: 'row/scroll', by: 5, count: 20 });
  expect([scrolled.runs.boot.phase, scrolled.runs.boot.top]).toEqual(['asking', 5]);
  expect(applyInputs(scrolled, no).runs.boot.top).toBe(0);
  // So does the detail after an action: while it ran, its messages stood there.
  const scroll = { type: 'row/scroll', by: 5, count: 20 } as const;
  const running = applyInputs(scrolled, { type: 'step/answer', isYes: true }, scroll);
  const userError = { code: 'x', title: 'x', cause: 'x', remedy: 'x' };
  for (const end of [
    { type: 'step/applied', step: 'boot' },
    { type: 'step/cancelled', step: 'boot' },
    { type: 'step/failed', step: 'boot', during: 'run', userError },
  ] as const)
    expect([running.runs.boot.phase, running.runs.boot.top, applyInputs(running, end).runs.boot.top]).toEqual([
      'applying',
      5,
      0,
    ]);
});

test('a safe action starts without a question; then the step is probed until it is done', () => {
  const ready = applyInputs({ ...boot(), now: 77 }, probeEvent('needed'));
  expect(getEffects(ready, ask)).toEqual([{ type: 'run', step: 'boot', action: 'apply', subject: null }]);
  // The text about the absence of the user is about the time before this run.
  const returned = applyInputs(ready, { type: 'session/absence', text: 'Since you left (5 min): no change.' });
  expect([returned.absenceSummary === null, applyInputs(returned, ask).absenceSummary]).toEqual([false, null]);
  const running = applyInputs(ready, ask, { type: 'step/reported', step: 'boot', line: 'power on bs' });
  expect(flattenRun(running.runs.boot)).toMatchObject({ phase: 'applying', lines: ['power on bs'], appliedAt: 77 });
  expect(getEffects(running, applied)).toEqual([{ type: 'save' }, { type: 'probe', step: 'boot' }]);
  const watching = applyInputs(running, applied);
  expect(getPhase(watching)).toBe('probing');
  expect(getPhase(applyInputs(watching, probeEvent('waiting'), probeEvent('done')))).toBe('done');
});

test('a wait after the step was done once is not counted from its first action', () => {
  const ran = applyInputs({ ...boot(), now: 77 }, probeEvent('needed'), ask, applied, probeEvent('waiting'));
  expect(ran.runs.boot.appliedAt).toBe(77);
  expect(flattenRun(applyInputs(ran, probeEvent('done'), probeEvent('waiting')).runs.boot)).toMatchObject({
    phase: 'watching',
    appliedAt: null,
  });
});

test('a dangerous action asks first: n goes back, y starts it', () => {
  const ready = applyInputs(boot(), probeEvent('needed', dangerousPlan));
  expect(getEffects(ready, ask)).toEqual([{ type: 'save' }]);
  const asking = applyInputs(ready, ask);
  expect(flattenRun(asking.runs.boot)).toMatchObject({ phase: 'asking', prompt: { action: 'apply', subject: null } });
  expect(flattenRun(applyInputs(asking, no).runs.boot)).toMatchObject({ phase: 'ready', prompt: null });
  expect(getEffects(asking, no)).toEqual([{ type: 'save' }]);
  expect(getEffects(asking, yes)).toEqual([
    { type: 'save' },
    { type: 'run', step: 'boot', action: 'apply', subject: null },
  ]);
  expect(getPhase(applyInputs(asking, yes))).toBe('applying');
});

test('a step that checks block can be overridden with a reason, the subject of the action', () => {
  const asking = applyInputs(boot(), probeEvent('blocked'), { type: 'step/ask', action: 'override', words: [] });
  const type = (text: string): Intent => ({ type: 'step/type', event: { kind: 'paste', text } });
  expect(getEffects(applyInputs(asking, type('go on')), yes)).toEqual([]);
  const reason = 'the PTR records come tomorrow';
  expect(getEffects(applyInputs(asking, type(reason)), yes)).toEqual([
    { type: 'save' },
    { type: 'run', step: 'boot', action: 'override', subject: reason },
  ]);
  expect(getPhase(applyInputs(asking, type(reason), no))).toBe('ready');
});

test('without a plan, and for one item, it asks as well', () => {
  const ready = applyInputs(boot(), { ...probeEvent('needed'), plan: null } as Event);
  expect(getPhase(applyInputs(ready, ask))).toBe('asking');
  const one = applyInputs(applyInputs(boot(), probeEvent('needed')), {
    type: 'step/ask',
    action: 'apply-one',
    subject: 'csr-1',
  });
  expect(flattenRun(one.runs.boot).prompt).toEqual({ action: 'apply-one', subject: 'csr-1', input: null });
  expect(getEffects(one, yes)).toEqual([
    { type: 'save' },
    { type: 'run', step: 'boot', action: 'apply-one', subject: 'csr-1' },
  ]);
});

test('a probe that ends while a question is open does not close it, and counts after n', () => {
  const asking = applyInputs(boot(), probeEvent('needed', dangerousPlan), ask);
  const later = applyInputs(asking, probeEvent('done'));
  expect(flattenRun(later.runs.boot)).toMatchObject({ phase: 'asking', plan: dangerousPlan });
  expect(getPhase(applyInputs(later, no))).toBe('done');
  expect(getPhase(applyInputs(asking, probeEvent('waiting'), no))).toBe('watching');
});

test('no action starts twice, and an answer without a question does nothing', () => {
  const running = applyInputs(boot(), probeEvent('needed'), ask);
  expect(getEffects(running, ask)).toEqual([]);
  expect(getPhase(applyInputs(running, probeEvent('waiting')))).toBe('applying');
  expect(getEffects(boot(), ask)).toEqual([]);
  expect(getEffects(applyInputs(boot(), probeEvent('needed')), yes)).toEqual([]);
});

test('a failed action is shown until it is tried again or its screen is opened again', () => {
  const broken = applyInputs(boot(), probeEvent('needed'), ask, createFailure('run'));
  expect(flattenRun(broken.runs.boot)).toMatchObject({ phase: 'failed', userError });
  const later = applyInputs(broken, probeEvent('waiting'), probeEvent('needed'), createFailure('probe'));
  expect(flattenRun(later.runs.boot)).toMatchObject({ phase: 'failed', userError });
  expect(getEffects(later, ask)).toEqual([{ type: 'run', step: 'boot', action: 'apply', subject: null }]);
  expect(flattenRun(applyInputs(later, ask).runs.boot)).toMatchObject({ phase: 'applying', userError: null });
  expect(flattenRun(applyInputs(later, probeEvent('done')).runs.boot)).toMatchObject({
    phase: 'done',
    userError: null,
  });
  expect(flattenRun(applyInputs(later, { type: 'screen/go', screen: 'boot' }).runs.boot)).toMatchObject({
    phase: 'probing',
    userError: null,
  });
});

test('a failed probe is shown until the next probe, and does not affect a running action', () => {
  const broken = applyInputs(boot(), createFailure('probe'));
  expect(flattenRun(broken.runs.boot)).toMatchObject({ phase: 'failed', userError });
  expect(flattenRun(applyInputs(broken, probeEvent('waiting')).runs.boot)).toMatchObject({
    phase: 'watching',
    userError: null,
  });
  expect(getPhase(applyInputs(boot(), probeEvent('needed'), ask, createFailure('probe')))).toBe('applying');
  expect(getPhase(applyInputs(boot(), probeEvent('needed', dangerousPlan), ask, createFailure('probe')))).toBe(
    'asking',
  );
});

test('n to a question after a failure shows the failure again', () => {
  const one: Intent = { type: 'step/ask', action: 'apply-one', subject: 'csr-1' };
  for (const during of ['run', 'probe'] as const) {
    const asking = applyInputs(boot(), probeEvent('needed'), createFailure(during), one);
    expect(getPhase(asking)).toBe('asking');
    expect(flattenRun(applyInputs(asking, no).runs.boot)).toMatchObject({ phase: 'failed', userError, prompt: null });
    expect(flattenRun(applyInputs(asking, probeEvent('done'), no).runs.boot)).toMatchObject({
      phase: 'done',
      userError: null,
    });
    expect(flattenRun(applyInputs(asking, yes).runs.boot)).toMatchObject({ phase: 'applying', userError: null });
  }
  const afterProbe = applyInputs(boot(), probeEvent('needed'), createFailure('probe'), one, probeEvent('waiting'), no);
  expect(flattenRun(afterProbe.runs.boot)).toMatchObject({ phase: 'watching', userError: null });
});

test('a running action continues when its screen is left and entered again', () => {
  const away = applyInputs(boot(), probeEvent('needed'), ask, { type: 'screen/back' });
  const back = applyInputs(away, { type: 'screen/next' });
  expect([back.screen, getPhase(back)]).toEqual(['boot', 'applying']);
  expect(getPhase(applyInputs(away, applied))).toBe('probing');
});

test('a notice about a key that did nothing disappears when the step moves on', () => {
  const waiting = applyInputs(boot(), probeEvent('waiting'), {
    type: 'notice/show',
    notice: { kind: 'warning', text: 'Not finished yet.' },
  });
  expect(applyInputs(waiting, probeEvent('waiting')).notice).not.toBeNull();
  expect(applyInputs(waiting, probeEvent('done')).notice).toBeNull();
  // A notice from the start is not cleared by the first probe, before you could read it.
  const first = applyInputs(boot(), { type: 'notice/show', notice: { kind: 'warning', text: 'Recovered.' } });
  expect(applyInputs(first, probeEvent('done')).notice).not.toBeNull();
  expect(applyInputs(waiting, { type: 'row/move', by: 1, count: 3 }).notice).toBeNull();
  // A key that came before the first probe shows a notice to wait for it: the result ends the wait.
  const tooEarly = applyInputs(boot(), {
    type: 'notice/show',
    notice: { kind: 'info', text: 'Still checking: one moment.', context: { kind: 'not-now' } },
  });
  expect(tooEarly.runs.boot.phase).toBe('probing');
  expect(applyInputs(tooEarly, probeEvent('done')).notice).toBeNull();
  expect(applyInputs(tooEarly, probeEvent('needed')).notice).toBeNull();
  const userError = { code: 'x', title: 'It broke', cause: 'because', remedy: 'mend it' };
  expect(applyInputs(tooEarly, { type: 'step/failed', step: 'boot', during: 'probe', userError }).notice).toBeNull();
});

test('rows stay within the list, and only the last lines of a long report are kept', () => {
  const rows = (by: number, count: number) => applyInputs(boot(), { type: 'row/move', by, count }).runs.boot.row;
  expect([rows(1, 3), rows(9, 3), rows(-1, 3), rows(1, 0)]).toEqual([1, 2, 0, 0]);
  const lines = Array.from({ length: 250 }, (_, n): Event => ({ type: 'step/reported', step: 'boot', line: `${n}` }));
  const lastLines = applyInputs(boot(), ...lines).runs.boot.lines;
  expect([lastLines.length, lastLines[0], lastLines.at(-1)]).toEqual([200, '50', '249']);
});

test('a repeated check is over with the first result that it asked for, or with its failure', () => {
  const probe = { type: 'step/probe' } as const;
  const isRechecking = (...inputs: readonly (Intent | Event)[]) =>
    applyInputs(boot(), ...inputs).runs.boot.isRechecking;
  const done = probeEvent('done');
  const superseded = { ...done, isSuperseded: true } as Event;
  expect(isRechecking(probe)).toBe(false);
  expect(isRechecking(done, probe)).toBe(true);
  expect(isRechecking(done, probe, superseded)).toBe(true);
  expect(isRechecking(done, probe, superseded, done)).toBe(false);
  const userError = { code: 'silent', title: 'no answer', cause: 'silent', remedy: 'wait' };
  expect(isRechecking(done, probe, { type: 'step/failed', step: 'boot', during: 'probe', userError })).toBe(false);
});

test('step keys do nothing on other screens', () => {
  const state = wizardState({}, { screen: 'review' });
  for (const intent of [ask, yes, { type: 'step/probe' }, { type: 'row/move', by: 1, count: 4 }] as const) {
    expect(applyInputs(state, intent).runs).toEqual(state.runs);
    expect(getEffects(state, intent)).toEqual([]);
  }
});

test('an action that goes on without the wizard is stopped by a second Esc in a row only', () => {
  const press = { type: 'step/cancel', needsSecondPress: true } as const;
  const down = { type: 'row/move', by: 1, count: 4 } as const;
  const running = applyInputs(boot(), probeEvent('needed'), ask);
  const asked = applyInputs(running, press);
  expect(asked.notice?.text).toContain('Press Esc again');
  expect(getEffects(running, press)).toEqual([]);
  expect(getEffects(asked, press)).toEqual([{ type: 'cancel', step: 'boot' }]);
  const later = applyInputs(asked, down);
  expect(later.notice).toBeNull();
  expect(getEffects(later, press)).toEqual([]);
  // The second Esc comes too late: it stays on the page and says so; the next one goes back.
  const ended = applyInputs(asked, applied);
  expect(ended.notice).toEqual({
    ...{ kind: 'info', text: catalogue().screens.step.stops.ended },
    context: { kind: 'ended' },
  });
  const stayed = applyInputs(ended, { type: 'screen/back' });
  expect([stayed.screen, stayed.notice]).toEqual(['boot', null]);
  expect(applyInputs(stayed, { type: 'screen/back' }).screen).toBe('prepare');
});

test('the first Esc at the moment the action ends stays and says so; a moment later it goes back', () => {
  const running = applyInputs(boot(), probeEvent('needed'), ask);
  // The probe after the action shows that it ended.
  const probing = applyInputs(running, applied);
  for (const [before, end] of [
    [running, createFailure('run')],
    [probing, probeEvent('done')],
  ] as const) {
    expect(getEffects(before, end)).toContainEqual({ type: 'wait-at-end' });
    const ended = applyInputs(before, end);
    const stayed = applyInputs(ended, { type: 'screen/back' });
    expect([stayed.screen, stayed.notice?.text]).toEqual(['boot', catalogue().screens.step.stops.ended]);
    expect(applyInputs(stayed, { type: 'screen/back' }).screen).toBe('prepare');
    expect(applyInputs(ended, { type: 'end/waited' }, { type: 'screen/back' }).screen).toBe('prepare');
  }
  expect(applyInputs(probing, { type: 'screen/back' }).screen).toBe('boot');
  // After an Esc that stopped the action, the next one is meant to go back.
  const cancelled = applyInputs(running, { type: 'step/cancel' }, { type: 'step/cancelled', step: 'boot' });
  expect(applyInputs(cancelled, { type: 'screen/back' }).screen).toBe('prepare');
  // On the next page, Esc was not meant for the action.
  const onNextPage = applyInputs(running, applied, { type: 'screen/next' });
  expect(applyInputs(onNextPage, { type: 'screen/back' }).screen).toBe('boot');
  const returned = applyInputs(onNextPage, { type: 'screen/back' }, { type: 'screen/back' });
  expect(returned.screen).toBe('prepare');
});

test('the reason why a key did nothing while an action ran does not stand beside its result', () => {
  const notice = { kind: 'warning', text: 'Still working. Esc stops it.', context: { kind: 'not-now' } } as const;
  const running = applyInputs(boot(), probeEvent('needed'), ask, { type: 'notice/show', notice });
  expect(running.notice).toEqual(notice);
  expect(applyInputs(running, applied, probeEvent('done')).notice).toBeNull();
  // A notice about the session stays.
  const other = { kind: 'warning', text: 'The command of --on-event failed.' } as const;
  expect(applyInputs(running, { type: 'notice/show', notice: other }, applied).notice).toEqual(other);
});
