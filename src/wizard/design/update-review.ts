import { catalogue } from '../../i18n/catalogue.ts';
import type { InputOf } from '../intents.ts';
import { goTo } from '../navigation.ts';
import { screenIndex, type WizardState } from '../state.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { getActiveForm, getFocusedField } from './active-form.ts';
import { listReviewProblems } from './review.ts';
import { updateNodes } from './update-nodes.ts';

type ReviewIntent = InputOf<'review'>;

/** Handles an input to the review. */
export function updateReview(state: WizardState, intent: ReviewIntent): Update {
  switch (intent.type) {
    case 'review/scroll':
      return withoutEffects({
        ...state,
        reviewTop: Math.max(0, Math.min(state.reviewTop + intent.by, intent.count - 1)),
      });
    case 'review/move': {
      const last = listReviewProblems(state).length - 1;
      return withoutEffects({
        ...state,
        reviewRow: Math.max(0, Math.min(state.reviewRow + intent.by, last)),
        notice: null,
      });
    }
    case 'review/jump':
      return jumpToProblem(state);
  }
}

/**
 * Accepts every answer from this page to the review, as Enter on each of them would. Stops at the first error on these
 * pages, with the cursor at its answer.
 */
export function acceptUpToReview(state: WizardState): Update {
  const closedForm = state.nodes.edit === null ? withoutEffects(state) : updateNodes(state, { type: 'node/close' });
  const firstError = listReviewProblems(closedForm.state).find(
    ({ page, severity }) => severity === 'error' && screenIndex(page) >= screenIndex(state.screen),
  );
  const next =
    firstError === undefined
      ? goTo(closedForm.state, 'review')
      : goTo(closedForm.state, firstError.page, firstError.path, {
          kind: 'error',
          text: catalogue().pages.problem(firstError.message, firstError.fix),
        });
  return { ...next, effects: [...closedForm.effects, ...next.effects] };
}

/** Goes to the answer of the selected problem; for a node, to its form over the table. */
function jumpToProblem(state: WizardState): Update {
  const problems = listReviewProblems(state);
  const problem = problems[Math.min(state.reviewRow, problems.length - 1)];
  if (!problem) return withoutEffects(state);
  const { path, page } = problem;
  const next = goTo(state, page, path);
  const field = getFocusedField(next.state);
  const answerPath = field ? `${getActiveForm(next.state)?.prefix ?? ''}${field.path}` : path;
  return { ...next, state: { ...next.state, fromReview: answerPath } };
}
