import type { InputOf } from '../intents.ts';
import { goTo } from '../navigate.ts';
import type { WizardState } from '../state.ts';
import { textFieldOf } from '../typing/text-field.ts';
import { type Update, unchanged } from '../update-result.ts';
import { editingOf, enterForm, focusedField } from './editing.ts';
import { reviewProblems } from './review.ts';

type ReviewIntent = InputOf<'review'>;

/** What an input makes of the review. */
export function updateReview(state: WizardState, intent: ReviewIntent): Update {
  switch (intent.type) {
    case 'review/scroll':
      return unchanged({ ...state, reviewTop: Math.max(0, Math.min(state.reviewTop + intent.by, intent.count - 1)) });
    case 'review/move': {
      const last = reviewProblems(state).length - 1;
      return unchanged({
        ...state,
        reviewRow: Math.max(0, Math.min(state.reviewRow + intent.by, last)),
        notice: null,
      });
    }
    case 'review/jump':
      return jump(state);
  }
}

/** To the answer that the selected problem is about; for a node, in the form over the table. */
function jump(state: WizardState): Update {
  const problems = reviewProblems(state);
  const problem = problems[Math.min(state.reviewRow, problems.length - 1)];
  if (!problem) return unchanged(state);
  const { path, page } = problem;
  const gone = goTo(state, page, path);
  const there = withNodeOpen(gone.state, path);
  const field = focusedField(there);
  const answer = field ? `${editingOf(there)?.prefix ?? ''}${field.path}` : path;
  return { ...gone, state: { ...there, fromReview: answer } };
}

function withNodeOpen(state: WizardState, path: string): WizardState {
  const [, index] = /^nodes\.(\d+)\../.exec(path) ?? [];
  if (index === undefined) return state;
  const edit = { index: Number(index), isNew: false, focus: 0, editor: textFieldOf(''), made: null, ahead: null };
  return enterForm({ ...state, nodes: { ...state.nodes, edit } }, path);
}
