import { catalogue } from '../../i18n/catalogue.ts';
import type { InputOf } from '../intents.ts';
import { clampIndex } from '../list-filter.ts';
import { type LogIntent, updateLogPosition } from '../live/log-position.ts';
import { goTo } from '../navigation.ts';
import { getScreenIndex, type WizardState } from '../state.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { getActiveForm, getFocusedField, listActiveFieldProblems } from './active-form.ts';
import { listReviewProblems, type ReviewProblem } from './review.ts';
import { updateNodes } from './update-nodes.ts';

type ReviewIntent = InputOf<'review'>;

/** Handles an input to the review. */
export function updateReview(state: WizardState, intent: ReviewIntent): Update {
  switch (intent.type) {
    case 'review/scroll':
      return withoutEffects({
        ...state,
        reviewTop: clampIndex(state.reviewTop + intent.by, intent.count),
      });
    case 'review/move': {
      return withoutEffects({
        ...state,
        reviewRow: clampIndex(state.reviewRow + intent.by, listReviewProblems(state).length),
        notice: null,
      });
    }
    case 'review/jump':
      return jumpToProblem(state);
  }
}

/** Handles an input to the search in the design: it works like the search in a log. */
export function updateReviewSearch(state: WizardState, intent: LogIntent): WizardState {
  const position = { ...state.reviewSearch, top: state.reviewTop };
  const { top, ...reviewSearch } = updateLogPosition(position, intent);
  return { ...state, notice: null, reviewSearch, reviewTop: top ?? state.reviewTop };
}

/**
 * Accepts every answer from this page to the review, as Enter on each of them would. Stops at the first error on these
 * pages, with the cursor at its answer.
 */
export function acceptUpToReview(state: WizardState): Update {
  const closingUpdate = state.nodes.edit === null ? withoutEffects(state) : updateNodes(state, { type: 'node/close' });
  const errors = listReviewProblems(closingUpdate.state).filter(
    ({ page, severity }) => severity === 'error' && getScreenIndex(page) >= getScreenIndex(state.screen),
  );
  const [firstError] = errors;
  const nextUpdate =
    firstError === undefined
      ? goTo(closingUpdate.state, 'review')
      : withErrorNotice(goTo(closingUpdate.state, firstError.page, firstError.path), firstError, errors.length);
  return { ...nextUpdate, effects: [...closingUpdate.effects, ...nextUpdate.effects] };
}

/**
 * Adds a notice. If the field under the cursor shows the first error, the notice has the number of errors, otherwise
 * that error.
 */
function withErrorNotice({ state, effects }: Update, { message, fix }: ReviewProblem, count: number): Update {
  const field = getFocusedField(state);
  const isShown = field !== null && listActiveFieldProblems(state, field).some((problem) => problem.fix === fix);
  const text = isShown ? catalogue().pages.pageHasErrors(count) : catalogue().pages.problem(message, fix);
  return { state: { ...state, notice: { kind: 'error', text } }, effects };
}

/** Goes to the answer of the selected problem; for a node, to its form over the table. */
function jumpToProblem(state: WizardState): Update {
  const problems = listReviewProblems(state);
  const problem = problems[Math.min(state.reviewRow, problems.length - 1)];
  if (!problem) return withoutEffects(state);
  const { path, page } = problem;
  const nextUpdate = goTo(state, page, path);
  const field = getFocusedField(nextUpdate.state);
  const answerPath = field ? `${getActiveForm(nextUpdate.state)?.prefix ?? ''}${field.path}` : path;
  return { ...nextUpdate, state: { ...nextUpdate.state, correctionPath: answerPath } };
}
