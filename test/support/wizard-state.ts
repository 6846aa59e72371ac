import { inspect } from 'node:util';
import { setAt } from '../../src/design/paths.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import type { Catalogue } from '../../src/i18n/en/index.ts';
import { splitGraphemes } from '../../src/platform/text.ts';
import type { Plan, Probe } from '../../src/steps/contract.ts';
import { createInitialState } from '../../src/wizard/initial-state.ts';
import type { Effect, Event, Intent } from '../../src/wizard/intents.ts';
import { getOpenPrompt, getStepError, getStopState, type StepRun } from '../../src/wizard/live/step-run.ts';
import type { ImportState } from '../../src/wizard/overlays/overlay.ts';
import type { ScreenId, WizardState } from '../../src/wizard/state.ts';
import { update } from '../../src/wizard/update.ts';
import { exampleDocument } from './example-document.ts';

export { exampleDocument };

/** 2024-03-01 12:00 UTC. */
export const START = Date.UTC(2024, 2, 1, 12);

/** Cache by language, because problems of a design are text. No test changes a state, so all can share them. */
const cachedStates = new WeakMap<Catalogue, Map<string, WizardState>>();

/** State of the wizard at its start, on the documented example with some answers replaced (dotted path -> value). */
export function wizardState(
  changes: Readonly<Record<string, unknown>> = {},
  options: { readonly screen?: ScreenId; readonly dir?: string } = {},
): WizardState {
  const states = cachedStates.get(catalogue()) ?? new Map<string, WizardState>();
  cachedStates.set(catalogue(), states);
  const name = inspect([changes, options], { depth: null, maxArrayLength: null, maxStringLength: null });
  const state = states.get(name) ?? createState(changes, options);
  states.set(name, state);
  return state;
}

function createState(
  changes: Readonly<Record<string, unknown>>,
  options: { readonly screen?: ScreenId; readonly dir?: string },
): WizardState {
  const document = Object.entries(changes).reduce((old, [path, value]) => setAt(old, path, value), exampleDocument());
  const { screen, dir = '/home/user/upi-cluster' } = options;
  const initial = createInitialState({
    dir,
    document,
    now: START,
    isResumed: false,
    rehearsal: null,
    furthestScreen: 'welcome',
  });
  return screen ? update(initial, { type: 'screen/go', screen }).state : initial;
}

/** Applies inputs one after the other. */
export function applyInputs(state: WizardState, ...inputs: readonly (Intent | Event)[]): WizardState {
  return inputs.reduce((old, input) => update(old, input).state, state);
}

export function getEffects(state: WizardState, input: Intent | Event): readonly Effect[] {
  return update(state, input).effects;
}

/** Inputs that replace an answer: Ctrl-U, and the new text. */
export function retypeText(text: string): Intent[] {
  return [{ type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } }, ...typeText(text)];
}

/** Inputs that type a text, key by key. */
export function typeText(text: string): Intent[] {
  return splitGraphemes(text).map((grapheme) => ({ type: 'field/edit', event: { kind: 'char', text: grapheme } }));
}

export function buildProbe<View>(state: Probe<View>['state'], view: View, changes: Partial<Probe<View>> = {}) {
  return { state, summary: `it is ${state}`, view, findings: [], ...changes };
}

export const safePlan: Plan = { changes: [], isDangerous: false, instructions: [] };
export const dangerousPlan: Plan = {
  changes: [{ object: 'haproxy.cfg', what: 'a server leaves', before: 'a\nb\n', after: 'a\n' }],
  isDangerous: true,
  instructions: [],
};

/** Adds the fields that only some phases of a step run have, or null. */
export function flattenRun(run: StepRun) {
  return { ...run, userError: getStepError(run), stop: getStopState(run), prompt: getOpenPrompt(run) };
}

/** Returns the import while its overlay is open; null otherwise. */
export function getImport({ overlay }: WizardState): ImportState | null {
  return overlay?.kind === 'import' ? overlay.importState : null;
}
