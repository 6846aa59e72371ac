import type { Problem } from '../../design/model.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { DESIGN_PAGES, type DesignPage, type WizardState } from '../state.ts';
import type { Document } from './document.ts';
import { type Field, inPageWords, ownsPath } from './fields.ts';
import { FORMS, type FormId } from './pages/index.ts';
import { nodeFields } from './pages/nodes.ts';
import { documentNodes } from './update-nodes.ts';

/** A problem as the review shows it. */
export interface ReviewProblem extends Pick<Problem, 'path' | 'severity' | 'message' | 'fix'> {
  readonly page: DesignPage;
  /** Its subject, in the words of its page: `m1`, `MAC address`. */
  readonly subject: readonly string[];
}

/** Problems of the design and of the credential files that it names: by page, errors before warnings. */
export function reviewProblems(state: WizardState): ReviewProblem[] {
  const found = [...state.problems, ...state.credentialProblems].map((problem): ReviewProblem => {
    const { path, severity } = problem;
    return {
      path,
      severity,
      ...pick(inPageWords(problem, state.document)),
      page: pageOfPath(path),
      subject: subjectOf(state, path),
    };
  });
  const rank = ({ severity }: ReviewProblem) => (severity === 'error' ? 0 : 1);
  return DESIGN_PAGES.flatMap((page) =>
    found.filter((problem) => problem.page === page).sort((a, b) => rank(a) - rank(b)),
  );
}

const pick = ({ message, fix }: Pick<Problem, 'message' | 'fix'>) => ({ message, fix });

/** The row of the first error, else of the first problem: where the review begins. */
export function firstProblemRow(state: WizardState): number {
  return Math.max(
    0,
    reviewProblems(state).findIndex(({ severity }) => severity === 'error'),
  );
}

/** The design page that asks for the answer at a path; else the one that asks for something in it, or beside it. */
export function pageOfPath(path: string): DesignPage {
  const [part = ''] = path.split('.');
  if (part === 'nodes') return 'nodes';
  const forms = Object.keys(FORMS) as FormId[];
  const fields = (id: FormId): readonly Field[] => FORMS[id];
  const page =
    forms.find((id) => fields(id).some((field) => ownsPath(field, path))) ??
    forms.find((id) => fields(id).some((field) => field.path.startsWith(`${path}.`))) ??
    forms.find((id) => fields(id).some((field) => field.path.startsWith(`${part}.`)));
  return page ?? 'cluster';
}

/** Where a person answers what stands at a path, as the title line and the page call it; the path itself where no page asks for it. */
export function placeOf(document: Document, path: string): string {
  const subject = subjectOf({ document }, path);
  if (subject.length === 0) return sanitizeLine(path);
  const { pages, place } = catalogue().pages.review;
  return place(pages[pageOfPath(path)], sanitizeLine(subject.join(': ')));
}

/** What a path of the document is about, in the words of its page: the node, and the question. */
export function subjectOf(state: Pick<WizardState, 'document'>, path: string): string[] {
  const [, index, rest = ''] = /^nodes\.(\d+)(?:\.(.+))?$/.exec(path) ?? [];
  const fields: readonly Field[] = index === undefined ? Object.values(FORMS).flat() : nodeFields;
  const local = index === undefined ? path : rest;
  const field =
    fields.find((candidate) => ownsPath(candidate, local)) ??
    fields.find((candidate) => candidate.path.startsWith(`${local}.`));
  const node = index === undefined ? '' : String(documentNodes(state)[Number(index)]?.name ?? '');
  return [node, field?.words().label ?? ''].filter((part) => part !== '');
}
