import { isReason } from '../../diagnosis/prepare/gate.ts';
import { checksumOf } from '../../session/checksum.ts';
import type { OpenQuestion } from '../../session/conversation.ts';
import type { SavedQuestion } from '../../session/state.ts';
import { type Plan, STEP_ACTIONS, STEP_IDS, type StepAction, type StepId } from '../../steps/contract.ts';
import { catalogue } from '../../text/catalogue.ts';
import { changedThing } from '../../text/host-file.ts';
import { saysYes } from '../../text/yes.ts';
import type { Intent } from '../../wizard/intents.ts';
import type { Asked } from '../../wizard/live/step-run.ts';
import { SCREEN_IDS, screenIndex, unansweredOf, type WizardState } from '../../wizard/state.ts';

/** The question that waits for an answer, as it is saved; null where none does. */
export function savedQuestion(state: WizardState): SavedQuestion | null {
  const open = unansweredOf(state);
  if (open === null) return null;
  const { step, asked } = open;
  const { plan } = state.runs[step];
  return { step, ...asked, plan: asked.action === 'apply' && plan ? planChecksum(plan) : null };
}

/** Tells whether a plan is the one that was asked about: the yes to another one does not count. */
export function planChecksum({ changes }: Plan): string {
  return checksumOf({ changes });
}

/** The step and the action of a saved question; null for those of a later program. */
export function knownQuestion({
  step,
  action,
}: SavedQuestion): { readonly step: StepId; readonly action: StepAction } | null {
  const known = STEP_IDS.find((id) => id === step);
  const act = STEP_ACTIONS.find((each) => each === action);
  return known && act ? { step: known, action: act } : null;
}

/** Has the wizard ask again, as soon as it has looked at the step. */
export function recallOf(question: SavedQuestion): Intent[] {
  const known = knownQuestion(question);
  if (known === null) return [];
  const { subject, words } = question;
  return [{ type: 'step/recall', step: known.step, asked: { action: known.action, subject, words } }];
}

/** How many changes are told; the rest are counted. */
const MOST_CHANGES = 12;

/** A question as a person reads it where no screen shows it. @param plan what it is about; null where that is not known */
export function describeQuestion(step: StepId, { action, subject, words }: Asked, plan: Plan | null): OpenQuestion {
  const { titles } = catalogue().steps;
  const { heading, plan: told, more } = catalogue().plain;
  const changes = action === 'apply' ? (plan?.changes ?? []) : [];
  const shown = changes.slice(0, MOST_CHANGES).map((change) => told(changedThing(change), change.what).trim());
  const rest = changes.length - shown.length;
  return {
    step,
    title: heading(screenIndex(step) + 1, SCREEN_IDS.length, titles[step]),
    question: catalogue().screens.step.question[action](subject ?? titles[step]),
    lines: rest > 0 ? [...shown, more(rest).trim()] : shown,
    words,
  };
}

/** What an answer in words says to a question. @param words what has to be typed for a yes, a reason where there are none; null where "yes" is enough */
export function answerOf(
  text: string,
  words: readonly string[] | null,
): { readonly isYes: boolean } | { readonly refused: string } {
  const { yesOrNo, typed, reason } = catalogue().holder.answer;
  const said = text.trim().toLowerCase();
  if (/^no?$/.test(said)) return { isYes: false };
  if (words === null) return saysYes(said) ? { isYes: true } : { refused: yesOrNo };
  if (words.length === 0) return isReason(text.trim()) ? { isYes: true } : { refused: reason };
  return words.some((word) => word.toLowerCase() === said) ? { isYes: true } : { refused: typed(words.join(', ')) };
}
