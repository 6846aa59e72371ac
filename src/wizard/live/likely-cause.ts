import type { Finding } from '../../checks/check.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { StepId } from '../../steps/contract.ts';
import type { WizardState } from '../state.ts';
import type { Update } from '../update-result.ts';
import type { StepRun } from './step-run.ts';

/** A cause may change while the findings of the step stay: the diagnosis is repeated. */
const REPEAT_AFTER = 5 * MINUTE;

/** Returns the failed findings that block a step. */
export const listFatalFindings = (run: StepRun): readonly Finding[] =>
  (run.probe?.findings ?? []).filter(({ state, severity }) => state === 'failed' && severity === 'fatal');

/** Requests the diagnosis after a probe of a step that waits: once, when its failed findings have changed. */
export function requestLikelyCause({ state, effects }: Update, step: StepId): Update {
  const run = state.runs[step];
  const fatalFindings = run.phase === 'watching' ? listFatalFindings(run) : [];
  const previous = state.likelyCause?.step === step ? state.likelyCause : null;
  if (fatalFindings.length === 0)
    return { state: previous === null ? state : { ...state, likelyCause: null }, effects };
  const findings = JSON.stringify(fatalFindings.map(({ code, subject }) => [code, subject]).toSorted());
  const key = `${findings} ${Math.floor(state.now / REPEAT_AFTER)}`;
  if (previous?.key === key) return { state, effects };
  const first = previous?.key.startsWith(`${findings} `) ? previous.first : null;
  return {
    state: { ...state, likelyCause: { step, key, first } },
    effects: [...effects, { type: 'find-cause', step, key }],
  };
}

/** Records the cause that the diagnosis found, unless the step shows something else by now. */
export function recordLikelyCause(state: WizardState, step: StepId, first: Finding | null, key?: string): WizardState {
  const { likelyCause } = state;
  if (likelyCause?.step !== step || (key !== undefined && likelyCause.key !== key)) return state;
  return { ...state, likelyCause: { ...likelyCause, first } };
}

/** Returns the cause to show above the findings of a step; null if there is none, or if it is one of them. */
export function findLikelyCause({ likelyCause }: Pick<WizardState, 'likelyCause'>, step: StepId, run: StepRun) {
  const first = likelyCause?.step === step ? likelyCause.first : null;
  return first !== null && run.probe?.findings.every(({ code }) => code !== first.code) ? first : null;
}
