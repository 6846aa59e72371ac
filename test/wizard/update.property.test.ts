// Any keys in any order, also on invalid documents: nothing throws, and the invariants of the screens hold.

import { expect, test } from 'vitest';
import { SCREENS } from '../../screens/app/app.ts';
import { type DesignDocument, getAt } from '../../src/design/paths.ts';
import { splitGraphemes } from '../../src/platform/text.ts';
import { resolveKey } from '../../src/rows/bindings.ts';
import { STEP_IDS } from '../../src/steps/contract.ts';
import { getActiveForm } from '../../src/wizard/design/active-form.ts';
import { readNodeDrafts } from '../../src/wizard/design/node-table.ts';
import { createInitialState } from '../../src/wizard/initial-state.ts';
import type { Event, Intent } from '../../src/wizard/intents.ts';
import type { StepRun } from '../../src/wizard/live/step-run.ts';
import { isStep, SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';
import type { KeyEvent, KeyName } from '../../src/wizard/text-input.ts';
import { update } from '../../src/wizard/update.ts';
import fc from '../support/property.ts';
import { VIEWPORT } from '../support/viewport.ts';
import { dangerousPlan, exampleDocument, flattenRun, retypeText, START, safePlan } from '../support/wizard-state.ts';

const KEYS: KeyName[] = [
  ...(['enter', 'escape', 'tab', 'shift-tab', 'backspace', 'delete', 'up', 'down', 'left', 'right'] as const),
  ...(['home', 'end', 'page-up', 'page-down', 'ctrl-c', 'ctrl-g', 'ctrl-u', 'ctrl-w', 'ctrl-y', 'ctrl-z'] as const),
];
const key: fc.Arbitrary<KeyEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...KEYS).map((name): KeyEvent => ({ kind: 'key', name })) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...'abcdefghiklmnopqrstuvwxyzABCDEFINOPRSUV?!> 1./,-本')
      .map((text): KeyEvent => ({ kind: 'char', text })),
  },
  { weight: 1, arbitrary: fc.string().map((text): KeyEvent => ({ kind: 'paste', text })) },
);

const anyEvent: fc.Arbitrary<Event> = fc.constantFrom(...STEP_IDS).chain((step) =>
  fc.constantFrom<Event>(
    ...(['done', 'needed', 'waiting', 'blocked'] as const).flatMap((state): Event[] => [
      { type: 'step/probed', step, probe: { state, summary: '', view: {}, findings: [] }, plan: safePlan },
      { type: 'step/probed', step, probe: { state, summary: '', view: {}, findings: [] }, plan: dangerousPlan },
    ]),
    { type: 'step/reported', step, line: 'a line' },
    { type: 'step/applied', step },
    { type: 'step/failed', step, during: 'run', userError: { code: 'x', title: 'x', cause: '', remedy: '' } },
    { type: 'session/saved', at: START },
    { type: 'clock/ticked', now: START + 1000 },
  ),
);

const document: fc.Arbitrary<DesignDocument> = fc.oneof(
  fc.constant(exampleDocument()),
  fc.json().map((text): unknown => JSON.parse(text)),
  fc.record({ nodes: fc.array(fc.jsonValue()), services: fc.jsonValue(), networks: fc.jsonValue() }),
);

const start = (doc: DesignDocument, screen: (typeof SCREEN_IDS)[number]) =>
  update(
    createInitialState({
      dir: '/d',
      document: doc,
      now: START,
      isResumed: true,
      rehearsal: null,
      furthestScreen: screen,
    }),
    {
      type: 'screen/go',
      screen,
    },
  ).state;

/**
 * Returns the intent of a key on the current screen. Step screens need probe results to list their bindings, so
 * `stepIntent` maps their keys.
 */
function resolveIntent(state: WizardState, event: KeyEvent): Intent | null {
  if (isStep(state.screen)) return stepIntent(event);
  if (state.overlay) return { type: 'overlay/close' };
  const resolution = resolveKey(SCREENS[state.screen].bindings(state, VIEWPORT), event);
  if (resolution.kind === 'intent') return resolution.intent;
  if (resolution.kind === 'disabled')
    return { type: 'notice/show', notice: { kind: 'warning', text: resolution.reason } };
  return SCREENS[state.screen].onText?.(state, event, VIEWPORT) ?? null;
}

function stepIntent(event: KeyEvent): Intent | null {
  const name = event.kind === 'key' ? event.name : event.kind === 'char' ? event.text : '';
  const known: Readonly<Record<string, Intent>> = {
    enter: { type: 'step/ask', action: 'apply' },
    a: { type: 'step/ask', action: 'apply-one', subject: 'x' },
    u: { type: 'step/ask', action: 'undo', subject: 'x' },
    y: { type: 'step/answer', isYes: true },
    n: { type: 'step/answer', isYes: false },
    r: { type: 'step/probe' },
    down: { type: 'row/move', by: 1, count: 3 },
    up: { type: 'row/move', by: -1, count: 3 },
    tab: { type: 'screen/next' },
    escape: { type: 'screen/back' },
  };
  return known[name] ?? null;
}

const FIELD_PHASES: Readonly<Record<string, readonly StepRun['phase'][]>> = {
  prompt: ['asking'],
  failure: ['asking', 'failed'],
  attempt: ['applying'],
  isStopping: ['applying'],
  wasStopped: ['probing', 'ready', 'watching', 'asking'],
};

function checkInvariants(state: WizardState): void {
  const editing = getActiveForm(state);
  if (editing) {
    expect(editing.form.focus).toBeGreaterThanOrEqual(0);
    expect(editing.fields[editing.form.focus], `field ${editing.form.focus} of ${state.screen}`).toBeDefined();
    expect(editing.form.editor.cursor).toBeLessThanOrEqual(splitGraphemes(editing.form.editor.text).length);
  }
  const nodes = readNodeDrafts(state.document).length;
  expect(state.nodes.row).toBeLessThanOrEqual(Math.max(0, nodes - 1));
  if (state.nodes.edit) expect(state.nodes.edit.index).toBeLessThan(nodes);
  expect(SCREEN_IDS).toContain(state.screen);
  expect(state.document).toBeDefined();
  for (const run of Object.values(state.runs)) {
    expect(run.row).toBeGreaterThanOrEqual(-1);
    const { prompt, userError } = flattenRun(run);
    expect(prompt !== null, `${run.phase} ${JSON.stringify(prompt)}`).toBe(run.phase === 'asking');
    if (run.phase === 'failed') expect(userError).not.toBeNull();
    // An earlier failure stays known while the next question is open.
    if (userError) expect(['failed', 'asking']).toContain(run.phase);
    // No field of another phase is kept: probes without changes are detected by comparing runs.
    for (const [key, phases] of Object.entries(FIELD_PHASES)) expect(key in run).toBe(phases.includes(run.phase));
  }
}

test('property: no keys or events throw, and the cursor is always on a field', () => {
  fc.assert(
    fc.property(
      document,
      fc.constantFrom(...SCREEN_IDS),
      fc.array(fc.oneof({ weight: 5, arbitrary: key }, { weight: 1, arbitrary: anyEvent }), { maxLength: 60 }),
      (doc, screen, inputs) => {
        let state = start(doc, screen);
        checkInvariants(state);
        for (const input of inputs) {
          const intent = 'kind' in input ? resolveIntent(state, input) : input;
          if (intent) state = update(state, intent).state;
          checkInvariants(state);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('property: keys that only navigate change no answer', () => {
  const navigation = fc.constantFrom<Intent>(
    { type: 'screen/next' },
    { type: 'screen/back' },
    { type: 'field/move', by: 1 },
    { type: 'field/move', by: -1 },
    { type: 'field/accept' },
    { type: 'node/move', by: 1 },
    { type: 'node/edit' },
    { type: 'node/close' },
    { type: 'review/scroll', by: 5, count: 40 },
    { type: 'review/jump' },
    { type: 'overlay/open', overlay: 'help' },
    { type: 'overlay/close' },
    { type: 'step/ask', action: 'apply' },
    { type: 'step/answer', isYes: false },
  );
  fc.assert(
    fc.property(fc.constantFrom(...SCREEN_IDS), fc.array(navigation, { maxLength: 40 }), (screen, intents) => {
      const doc = exampleDocument();
      let state = start(doc, screen);
      for (const intent of intents) state = update(state, intent).state;
      expect(state.document).toEqual(doc);
      expect(state.design).not.toBeNull();
    }),
    { numRuns: 50 },
  );
});

test('property: what is typed into a field and left is in the document', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abz019.-'), minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(
      text,
      fc.constantFrom<Intent>({ type: 'screen/next' }, { type: 'field/move', by: 1 }, { type: 'session/quit' }),
      (name, leave) => {
        let state = start(exampleDocument(), 'cluster');
        state = update(state, { type: 'screen/go', screen: 'cluster', field: 'cluster.name' }).state;
        for (const intent of retypeText('')) state = update(state, intent).state;
        for (const char of name)
          state = update(state, { type: 'field/edit', event: { kind: 'char', text: char } }).state;
        state = update(state, leave).state;
        expect(getAt(state.document, 'cluster.name')).toBe(name);
      },
    ),
    { numRuns: 50 },
  );
});
