import type { Problem } from '../../design/model.ts';
import { type DesignDocument, getAt } from '../../design/paths.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { DESIGN_PAGES, type DesignPage, type WizardState } from '../state.ts';
import { type AnswerContext, isExampleAnswer, isSiteAnswer } from './active-form.ts';
import { compareBySeverity, type Field, listVisibleFields, ownsPath, readFieldText, toPageMessage } from './fields.ts';
import { readNodeDrafts } from './node-table.ts';
import { FORMS, type FormId, nodeFields } from './pages/index.ts';

/** A problem as the review shows it. */
export interface ReviewProblem extends Pick<Problem, 'path' | 'severity' | 'message' | 'fix'> {
  readonly page: DesignPage;
  /** The labels that identify the answer on its page: `m1`, `MAC address`. */
  readonly subject: readonly string[];
}

/** The answers with their problems, and whether they are those of a rehearsal. */
export type ReviewContext = AnswerContext &
  Pick<WizardState, 'problems' | 'credentialProblems'> & { readonly welcome: { readonly rehearsal: object | null } };

/** Lists the problems of the design and of its credential files: by page, errors before warnings. */
export function listReviewProblems(state: ReviewContext): ReviewProblem[] {
  const problems = [...state.problems, ...state.credentialProblems].map((problem): ReviewProblem => {
    const { path, severity } = problem;
    return {
      path,
      severity,
      ...pickMessage(toPageMessage(problem, state.document)),
      page: findPageForPath(path),
      subject: describeSubject(state, path),
    };
  });
  const exampleNodes = listNodesWithLeftoverMac(state);
  const [firstNode] = exampleNodes;
  if (firstNode !== undefined) {
    const { exampleMacs, fixExampleMacs } = catalogue().pages.review;
    const names = exampleNodes.map(({ name }) => name).join(', ');
    problems.push({
      path: `nodes.${firstNode.index}.mac`,
      severity: 'warning',
      message: exampleMacs(exampleNodes.length),
      fix: fixExampleMacs(names),
      page: 'nodes',
      subject: [],
    });
  }
  return DESIGN_PAGES.flatMap((page) => problems.filter((problem) => problem.page === page).sort(compareBySeverity));
}

const pickMessage = ({ message, fix }: Pick<Problem, 'message' | 'fix'>) => ({ message, fix });

/** Finds the row that the review selects at first: the first error, else the first problem. */
export function findInitialProblemRow(state: WizardState): number {
  return Math.max(
    0,
    listReviewProblems(state).findIndex(({ severity }) => severity === 'error'),
  );
}

/** Finds the design page with the field for a path; else the page with a field below that path, or beside it. */
export function findPageForPath(path: string): DesignPage {
  const [part = ''] = path.split('.');
  if (part === 'nodes') return 'nodes';
  const forms = Object.keys(FORMS) as FormId[];
  const getFields = (id: FormId): readonly Field[] => FORMS[id];
  const page =
    forms.find((id) => getFields(id).some((field) => ownsPath(field, path))) ??
    forms.find((id) => getFields(id).some((field) => field.path.startsWith(`${path}.`))) ??
    forms.find((id) => getFields(id).some((field) => field.path.startsWith(`${part}.`)));
  return page ?? 'cluster';
}

/** Formats page and label of the field for a path; the path itself if no page has such a field. */
export function describePath(document: DesignDocument, path: string): string {
  const subject = describeSubject({ document }, path);
  if (subject.length === 0) return sanitizeLine(path);
  const { pages, fieldLocation } = catalogue().pages.review;
  return fieldLocation(pages[findPageForPath(path)], sanitizeLine(subject.join(': ')));
}

/** Returns the node name and the field label for a path of the document. */
function describeSubject(state: Pick<WizardState, 'document'>, path: string): string[] {
  const [, index, rest = ''] = /^nodes\.(\d+)(?:\.(.+))?$/.exec(path) ?? [];
  const fields: readonly Field[] = index === undefined ? Object.values(FORMS).flat() : nodeFields;
  const localPath = index === undefined ? path : rest;
  const field =
    fields.find((candidate) => ownsPath(candidate, localPath)) ??
    fields.find((candidate) => candidate.path.startsWith(`${localPath}.`));
  const node = index === undefined ? '' : String(readNodeDrafts(state.document)[Number(index)]?.name ?? '');
  return [node, field?.words().label ?? ''].filter((part) => part !== '');
}

/** An answer about the site that is still the example's, with the labels of its place. */
interface ExampleAnswer {
  readonly label: string;
  readonly text: string;
}

/** Whether every answer about the site is still that of the example. */
export function isExampleSite(state: AnswerContext): boolean {
  const { document } = state;
  const nodePaths = readNodeDrafts(document).flatMap((_node, index) => [`nodes.${index}.ip`, `nodes.${index}.mac`]);
  const paths = [...listVisibleFields(Object.values(FORMS).flat(), document).map(({ path }) => path), ...nodePaths];
  return paths.every((path) => !isSiteAnswer(path) || isExampleAnswer(state, path));
}

/** Whether the user must confirm the site: a real installation would start with that of the example. */
export const mustConfirmSite = (state: WizardState): boolean =>
  state.welcome.rehearsal === null && !state.hasReachedStep && isExampleSite(state);

/**
 * Lists the answers about the site that are still the example's, those of the nodes as one. Empty in a rehearsal, and
 * while no answer about the site has changed: the verdict says so then.
 */
export function listExampleAnswers(state: ReviewContext): readonly ExampleAnswer[] {
  const { document, welcome } = state;
  if (welcome.rehearsal !== null || isExampleSite(state)) return [];
  const fields = listVisibleFields(Object.values(FORMS).flat(), document);
  const { exampleNodes, pages, fieldLocation } = catalogue().pages.review;
  const answers = fields
    .filter(({ path }) => isExampleAnswer(state, path))
    .map((field) => ({
      label: fieldLocation(pages[findPageForPath(field.path)], field.words().label),
      text: sanitizeLine(readFieldText(document, field), 60),
    }));
  const names = listNodesWithExampleMac(state).map(({ name }) => name);
  return names.length === 0 ? answers : [...answers, { label: pages.nodes, text: exampleNodes(names.join(', ')) }];
}

/** Finds the nodes with a MAC address of the example, in the order of the table. */
const listNodesWithExampleMac = (state: AnswerContext): readonly { readonly index: number; readonly name: string }[] =>
  readNodeDrafts(state.document).flatMap(({ name }, index) =>
    isExampleAnswer(state, `nodes.${index}.mac`) ? [{ index, name: sanitizeLine(String(name ?? ''), 40) }] : [],
  );

/**
 * Lists the nodes whose MAC address is still one of the example. Empty in a rehearsal, and before a machine network or
 * a MAC address was changed.
 */
export function listNodesWithLeftoverMac(
  state: ReviewContext,
): readonly { readonly index: number; readonly name: string }[] {
  if (state.welcome.rehearsal !== null) return [];
  const nodes = listNodesWithExampleMac(state);
  const networks = getAt(state.document, 'networks.machine');
  const isNetworkChanged =
    Array.isArray(networks) && networks.some((_, index) => !isExampleAnswer(state, `networks.machine.${index}.cidr`));
  const macCount = readNodeDrafts(state.document).filter(({ mac = '' }) => mac !== '').length;
  return isNetworkChanged || nodes.length < macCount ? nodes : [];
}
