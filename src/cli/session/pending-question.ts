import { isValidReason } from '../../checks/prepare/gate.ts';
import { catalogue, isYesAnswer } from '../../i18n/catalogue.ts';
import { formatChangedObject } from '../../i18n/user-error.ts';
import { computeChecksum } from '../../session/safe-file.ts';
import type { OpenQuestion } from '../../session/session-protocol.ts';
import type { SavedQuestion } from '../../session/state.ts';
import { type Plan, STEP_ACTIONS, STEP_IDS, type StepAction, type StepId } from '../../steps/contract.ts';
import type { Intent } from '../../wizard/intents.ts';
import type { PromptSpec } from '../../wizard/live/step-run.ts';
import { findUnansweredPrompt, SCREEN_IDS, screenIndex, type WizardState } from '../../wizard/state.ts';

/** Returns the pending question in saved form; null if there is none. */
export function toSavedQuestion(state: WizardState): SavedQuestion | null {
  const open = findUnansweredPrompt(state);
  if (open === null) return null;
  const { step, prompt } = open;
  const { plan } = state.runs[step];
  return { step, ...prompt, plan: prompt.action === 'apply' && plan ? computePlanChecksum(plan) : null };
}

/** Checksum of a plan. A yes to another plan than the one that was asked about does not count. */
export function computePlanChecksum({ changes }: Plan): string {
  return computeChecksum({ changes });
}

/** Returns the step and the action of a saved question; null if a newer version saved it. */
export function parseSavedQuestion({
  step,
  action,
}: SavedQuestion): { readonly step: StepId; readonly action: StepAction } | null {
  const knownStep = STEP_IDS.find((id) => id === step);
  const knownAction = STEP_ACTIONS.find((each) => each === action);
  return knownStep && knownAction ? { step: knownStep, action: knownAction } : null;
}

/** Intents that make the wizard ask again, as soon as it has probed the step. */
export function createAskAgainIntents(question: SavedQuestion): Intent[] {
  const known = parseSavedQuestion(question);
  if (known === null) return [];
  const { subject, words } = question;
  return [{ type: 'step/recall', step: known.step, prompt: { action: known.action, subject, words } }];
}

/** Maximum number of listed changes; the rest are counted. */
const MAX_CHANGES = 12;

/**
 * Describes a question in text, for use without screens.
 * @param plan the plan that it is about; null if unknown
 */
export function describeQuestion(
  step: StepId,
  { action, subject, words }: PromptSpec,
  plan: Plan | null,
): OpenQuestion {
  const { titles } = catalogue().steps;
  const { heading, plan: formatChange, more } = catalogue().plain;
  const changes = action === 'apply' ? (plan?.changes ?? []) : [];
  const shown = changes
    .slice(0, MAX_CHANGES)
    .map((change) => formatChange(formatChangedObject(change), change.what).trim());
  const rest = changes.length - shown.length;
  return {
    step,
    title: heading(screenIndex(step) + 1, SCREEN_IDS.length, titles[step]),
    question: catalogue().screens.step.question[action](subject ?? titles[step]),
    lines: rest > 0 ? [...shown, more(rest).trim()] : shown,
    words,
  };
}

/**
 * Parses an answer in words.
 * @param words the words that mean yes; empty: a reason is required; null: "yes" is enough
 * @returns `refused`: why the answer is not accepted
 */
export function parseAnswer(
  text: string,
  words: readonly string[] | null,
): { readonly isYes: boolean } | { readonly refused: string } {
  const { yesOrNo, expectedWords, reasonRequired } = catalogue().holder.answer;
  const reply = text.trim().toLowerCase();
  if (/^no?$/.test(reply)) return { isYes: false };
  if (words === null) return isYesAnswer(reply) ? { isYes: true } : { refused: yesOrNo };
  if (words.length === 0) return isValidReason(text.trim()) ? { isYes: true } : { refused: reasonRequired };
  return words.some((word) => word.toLowerCase() === reply)
    ? { isYes: true }
    : { refused: expectedWords(words.join(', ')) };
}
