import { expect, test } from 'vitest';
import type { Trouble } from '../../src/text/trouble.ts';
import type { Event, Intent } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { after, dangerousPlan, effectsOf, probeOf, safePlan, told, wizardState } from '../support/wizard-state.ts';

const ask: Intent = { type: 'step/ask', action: 'apply' };
const yes: Intent = { type: 'step/answer', isYes: true };
const no: Intent = { type: 'step/answer', isYes: false };
const trouble: Trouble = { code: 'x', title: 'It broke', cause: 'because', whatToDo: 'mend it' };
const boot = () => wizardState({}, { screen: 'boot' });
const looked = (state: 'done' | 'needed' | 'waiting' | 'blocked', plan = safePlan): Event => ({
  type: 'step/looked',
  step: 'boot',
  probe: probeOf(state, { nodes: [], refusedMacs: [] }),
  plan,
});
const applied: Event = { type: 'step/applied', step: 'boot' };
const failed = (during: 'look' | 'run'): Event => ({ type: 'step/failed', step: 'boot', during, trouble });
const phase = (state: WizardState) => state.runs.boot.phase;

test('entering a step looks at the world, and saves where the person is', () => {
  const effects = effectsOf(wizardState({}, { screen: 'prepare' }), { type: 'screen/next' });
  expect(effects).toEqual([{ type: 'save' }, { type: 'look', step: 'boot' }]);
  expect(phase(boot())).toBe('looking');
});

test.each([
  ['done', 'done'],
  ['needed', 'ready'],
  ['blocked', 'ready'],
  ['waiting', 'watching'],
] as const)('a look that finds %s gives %s', (found, expected) => {
  const state = after(boot(), looked(found));
  expect(phase(state)).toBe(expected);
  expect(state.runs.boot.probe?.summary).toBe(`it is ${found}`);
});

test('what is safe just happens; then it is looked at again until it is done', () => {
  const ready = after({ ...boot(), now: 77 }, looked('needed'));
  expect(effectsOf(ready, ask)).toEqual([{ type: 'run', step: 'boot', action: 'apply', subject: null }]);
  const running = after(ready, ask, { type: 'step/reported', step: 'boot', line: 'power on bs' });
  expect(told(running.runs.boot)).toMatchObject({ phase: 'applying', lines: ['power on bs'], appliedAt: 77 });
  expect(effectsOf(running, applied)).toEqual([{ type: 'save' }, { type: 'look', step: 'boot' }]);
  const watching = after(running, applied);
  expect(phase(watching)).toBe('looking');
  expect(phase(after(watching, looked('waiting'), looked('done')))).toBe('done');
});

test('what was done once and is waited for again is not said to last since then', () => {
  const ran = after({ ...boot(), now: 77 }, looked('needed'), ask, applied, looked('waiting'));
  expect(ran.runs.boot.appliedAt).toBe(77);
  expect(told(after(ran, looked('done'), looked('waiting')).runs.boot)).toMatchObject({
    phase: 'watching',
    appliedAt: null,
  });
});

test('what can hurt is asked about first: n goes back, y begins', () => {
  const ready = after(boot(), looked('needed', dangerousPlan));
  expect(effectsOf(ready, ask)).toEqual([{ type: 'save' }]);
  const asking = after(ready, ask);
  expect(told(asking.runs.boot)).toMatchObject({ phase: 'asking', question: { action: 'apply', subject: null } });
  expect(told(after(asking, no).runs.boot)).toMatchObject({ phase: 'ready', question: null });
  expect(effectsOf(asking, no)).toEqual([{ type: 'save' }]);
  expect(effectsOf(asking, yes)).toEqual([
    { type: 'save' },
    { type: 'run', step: 'boot', action: 'apply', subject: null },
  ]);
  expect(phase(after(asking, yes))).toBe('applying');
});

test('a step that checks block goes on for a reason, which is what the act is about', () => {
  const asking = after(boot(), looked('blocked'), { type: 'step/ask', action: 'override', words: [] });
  const type = (text: string): Intent => ({ type: 'step/type', event: { kind: 'paste', text } });
  expect(effectsOf(after(asking, type('go on')), yes)).toEqual([]);
  const reason = 'the PTR records come tomorrow';
  expect(effectsOf(after(asking, type(reason)), yes)).toEqual([
    { type: 'save' },
    { type: 'run', step: 'boot', action: 'override', subject: reason },
  ]);
  expect(phase(after(asking, type(reason), no))).toBe('ready');
});

test('without a plan, and for one part, it is asked as well', () => {
  const ready = after(boot(), { ...looked('needed'), plan: null } as Event);
  expect(phase(after(ready, ask))).toBe('asking');
  const one = after(after(boot(), looked('needed')), { type: 'step/ask', action: 'apply-one', subject: 'csr-1' });
  expect(told(one.runs.boot).question).toEqual({ action: 'apply-one', subject: 'csr-1', typed: null });
  expect(effectsOf(one, yes)).toEqual([
    { type: 'save' },
    { type: 'run', step: 'boot', action: 'apply-one', subject: 'csr-1' },
  ]);
});

test('a look that comes back while a question is open does not take it away, and counts after n', () => {
  const asking = after(boot(), looked('needed', dangerousPlan), ask);
  const later = after(asking, looked('done'));
  expect(told(later.runs.boot)).toMatchObject({ phase: 'asking', plan: dangerousPlan });
  expect(phase(after(later, no))).toBe('done');
  expect(phase(after(asking, looked('waiting'), no))).toBe('watching');
});

test('nothing is begun twice, and an answer without a question is nothing', () => {
  const running = after(boot(), looked('needed'), ask);
  expect(effectsOf(running, ask)).toEqual([]);
  expect(phase(after(running, looked('waiting')))).toBe('applying');
  expect(effectsOf(boot(), ask)).toEqual([]);
  expect(effectsOf(after(boot(), looked('needed')), yes)).toEqual([]);
});

test('what failed when it was asked for is said until it is tried again or entered anew', () => {
  const broken = after(boot(), looked('needed'), ask, failed('run'));
  expect(told(broken.runs.boot)).toMatchObject({ phase: 'failed', trouble });
  const later = after(broken, looked('waiting'), looked('needed'), failed('look'));
  expect(told(later.runs.boot)).toMatchObject({ phase: 'failed', trouble });
  expect(effectsOf(later, ask)).toEqual([{ type: 'run', step: 'boot', action: 'apply', subject: null }]);
  expect(told(after(later, ask).runs.boot)).toMatchObject({ phase: 'applying', trouble: null });
  expect(told(after(later, looked('done')).runs.boot)).toMatchObject({ phase: 'done', trouble: null });
  expect(told(after(later, { type: 'screen/go', screen: 'boot' }).runs.boot)).toMatchObject({
    phase: 'looking',
    trouble: null,
  });
});

test('a look that failed is said until the next look, and takes nothing away that is under way', () => {
  const broken = after(boot(), failed('look'));
  expect(told(broken.runs.boot)).toMatchObject({ phase: 'failed', trouble });
  expect(told(after(broken, looked('waiting')).runs.boot)).toMatchObject({ phase: 'watching', trouble: null });
  expect(phase(after(boot(), looked('needed'), ask, failed('look')))).toBe('applying');
  expect(phase(after(boot(), looked('needed', dangerousPlan), ask, failed('look')))).toBe('asking');
});

test('n to what is asked after a failure says the failure again', () => {
  const one: Intent = { type: 'step/ask', action: 'apply-one', subject: 'csr-1' };
  for (const during of ['run', 'look'] as const) {
    const asking = after(boot(), looked('needed'), failed(during), one);
    expect(phase(asking)).toBe('asking');
    expect(told(after(asking, no).runs.boot)).toMatchObject({ phase: 'failed', trouble, question: null });
    expect(told(after(asking, looked('done'), no).runs.boot)).toMatchObject({ phase: 'done', trouble: null });
    expect(told(after(asking, yes).runs.boot)).toMatchObject({ phase: 'applying', trouble: null });
  }
  const looksAgain = after(boot(), looked('needed'), failed('look'), one, looked('waiting'), no);
  expect(told(looksAgain.runs.boot)).toMatchObject({ phase: 'watching', trouble: null });
});

test('what runs goes on when its screen is left and entered again', () => {
  const away = after(boot(), looked('needed'), ask, { type: 'screen/back' });
  const back = after(away, { type: 'screen/next' });
  expect([back.screen, phase(back)]).toEqual(['boot', 'applying']);
  expect(phase(after(away, applied))).toBe('looking');
});

test('a word about a key that did nothing goes when the step moves on', () => {
  const waiting = after(boot(), looked('waiting'), {
    type: 'notice/show',
    notice: { kind: 'warning', text: 'Not finished yet.' },
  });
  expect(after(waiting, looked('waiting')).notice).not.toBeNull();
  expect(after(waiting, looked('done')).notice).toBeNull();
  // What is said at the start is not taken away by the first look, before anybody could read it.
  const first = after(boot(), { type: 'notice/show', notice: { kind: 'warning', text: 'Recovered.' } });
  expect(after(first, looked('done')).notice).not.toBeNull();
  expect(after(waiting, { type: 'row/move', by: 1, count: 3 }).notice).toBeNull();
});

test('rows stay within the list, and only the last lines of a long report are kept', () => {
  const rows = (by: number, count: number) => after(boot(), { type: 'row/move', by, count }).runs.boot.row;
  expect([rows(1, 3), rows(9, 3), rows(-1, 3), rows(1, 0)]).toEqual([1, 2, 0, 0]);
  const lines = Array.from({ length: 250 }, (_, n): Event => ({ type: 'step/reported', step: 'boot', line: `${n}` }));
  const kept = after(boot(), ...lines).runs.boot.lines;
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([200, '50', '249']);
});

test('step keys do nothing on other screens', () => {
  const state = wizardState({}, { screen: 'review' });
  for (const intent of [ask, yes, { type: 'step/look' }, { type: 'row/move', by: 1, count: 4 }] as const) {
    expect(after(state, intent).runs).toEqual(state.runs);
    expect(effectsOf(state, intent)).toEqual([]);
  }
});
