import { inspect } from 'node:util';
import type { Plan, Probe } from '../../src/steps/contract.ts';
import { type Catalogue, catalogue } from '../../src/text/catalogue.ts';
import { graphemesOf } from '../../src/text/width.ts';
import { setAt } from '../../src/wizard/design/document.ts';
import { initialState } from '../../src/wizard/initial.ts';
import type { Effect, Event, Intent } from '../../src/wizard/intents.ts';
import { openQuestion, type StepRun, stopOf, troubleOf } from '../../src/wizard/live/step-run.ts';
import type { ImportState } from '../../src/wizard/overlays/overlay.ts';
import type { ScreenId, WizardState } from '../../src/wizard/state.ts';
import { update } from '../../src/wizard/update.ts';
import { exampleDocument } from './example-document.ts';

export { exampleDocument };

/** 2024-03-01 12:00 UTC. */
export const START = Date.UTC(2024, 2, 1, 12);

/** By the language that speaks: problems of a design are told in it. Nobody changes a state, so all may have the same. */
const made = new WeakMap<Catalogue, Map<string, WizardState>>();

/** The wizard as it starts, on the documented example with some answers replaced (dotted path -> value). */
export function wizardState(
  changes: Readonly<Record<string, unknown>> = {},
  options: { readonly screen?: ScreenId; readonly dir?: string } = {},
): WizardState {
  const states = made.get(catalogue()) ?? new Map<string, WizardState>();
  made.set(catalogue(), states);
  const name = inspect([changes, options], { depth: null, maxArrayLength: null, maxStringLength: null });
  const state = states.get(name) ?? newState(changes, options);
  states.set(name, state);
  return state;
}

function newState(
  changes: Readonly<Record<string, unknown>>,
  options: { readonly screen?: ScreenId; readonly dir?: string },
): WizardState {
  const document = Object.entries(changes).reduce((old, [path, value]) => setAt(old, path, value), exampleDocument());
  const { screen, dir = '/home/user/upi-cluster' } = options;
  const initial = initialState({
    dir,
    document,
    now: START,
    isResumed: false,
    rehearsal: null,
    reached: 'welcome',
  });
  return screen ? update(initial, { type: 'screen/go', screen }).state : initial;
}

/** All inputs, one after the other. */
export function after(state: WizardState, ...inputs: readonly (Intent | Event)[]): WizardState {
  return inputs.reduce((old, input) => update(old, input).state, state);
}

export function effectsOf(state: WizardState, input: Intent | Event): readonly Effect[] {
  return update(state, input).effects;
}

/** Typing another answer: Ctrl-U, and its text. */
export function retyped(text: string): Intent[] {
  return [{ type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } }, ...typed(text)];
}

/** Typing a text, key by key. */
export function typed(text: string): Intent[] {
  return graphemesOf(text).map((grapheme) => ({ type: 'field/edit', event: { kind: 'char', text: grapheme } }));
}

export function probeOf<View>(state: Probe<View>['state'], view: View, changes: Partial<Probe<View>> = {}) {
  return { state, summary: `it is ${state}`, view, findings: [], ...changes };
}

export const safePlan: Plan = { changes: [], isDangerous: false, instructions: [] };
export const dangerousPlan: Plan = {
  changes: [{ object: 'haproxy.cfg', what: 'a server leaves', before: 'a\nb\n', after: 'a\n' }],
  isDangerous: true,
  instructions: [],
};

/** A step as a person sees it: with the fields that only some of its phases have, or null. */
export function told(run: StepRun) {
  return { ...run, trouble: troubleOf(run), stop: stopOf(run), question: openQuestion(run) };
}

/** The import, while it lies over the screen; null otherwise. */
export function importingOf({ overlay }: WizardState): ImportState | null {
  return overlay?.kind === 'import' ? overlay.importing : null;
}
