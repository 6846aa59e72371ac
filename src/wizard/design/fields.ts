import type { Problem } from '../../design/model.ts';
import { isSince, minorOf, versionProfile } from '../../design/versions.ts';
import { catalogue } from '../../text/catalogue.ts';
import { entryOf } from '../../text/entry.ts';
import type { FieldWords, VersionWords } from '../../text/field-words.ts';
import { answerOf, type FieldType, textOf } from './answers.ts';
import { type Document, getAt, setAt } from './document.ts';

/** One question of a form: where its answer lives in the document, how a person types it, and the words about it. */
export interface Field {
  /** Dotted path in the document; also the field's id. */
  readonly path: string;
  readonly type: FieldType;
  readonly words: () => FieldWords;
  /** For `choice`: the values, in the order shown. */
  readonly choices?: readonly string[];
  /** May be left empty, which removes the value. */
  readonly isOptional?: boolean;
  /** A later page corrects it, so a wrong answer keeps nobody from going there; the review still does. */
  readonly isSettledLater?: boolean;
  /** What follows from the answer, in a few words, while a person types it. */
  readonly facts?: (document: Document, text: string) => string;
  readonly isVisible?: (document: Document) => boolean;
  /** Rarely needed: asked only when a person wants more questions. */
  readonly isAdvanced?: boolean;
  /** The default while the document has no value; shown as the answer, and written only when changed. */
  readonly fallback?: (document: Document) => string;
  /** What else the answer changes in the (part of the) document. */
  readonly follow?: (document: Document) => Document;
  /** Paths whose own problems belong to this answer (rules may report at the block around it); not those inside. */
  readonly alsoOwns?: readonly string[];
}

/** A question, as the tables of the pages have it. */
export function field(
  path: string,
  type: FieldType,
  words: Field['words'],
  rest: Omit<Field, 'path' | 'type' | 'words'> = {},
): Field {
  return { path, type, words, ...rest };
}

/** A text of a field as people read it: yes and no, where files and the design's keys have true and false. */
export function shownText({ type }: Pick<Field, 'type'>, text: string): string {
  return type === 'flag' ? (entryOf(catalogue().ui.flags, text) ?? text) : text;
}

/** The text of a field as the document has it, or its default. */
export function fieldText(document: Document, field: Field): string {
  const value = getAt(document, field.path);
  return value === undefined || value === null ? (field.fallback?.(document) ?? '') : textOf(field.type, value);
}

/**
 * The document with the answer in it. Keeps a text that does not fit the type as it is, so that nothing typed is lost:
 * the rules then report what is wrong with it.
 */
export function acceptText(document: Document, field: Field, text: string): Document {
  const typed = text.trim();
  // The first host of a list has questions of its own, and stays.
  const isTaken = typed === '' && field.isOptional === true && field.type !== 'hosts';
  const value = isTaken ? undefined : answerOf(field.type, typed, getAt(document, field.path));
  const accepted = setAt(document, field.path, value);
  return field.follow?.(accepted) ?? accepted;
}

/** The problems that stand beside a field, the worst first. */
export function fieldProblems(problems: readonly Problem[], field: Field): Problem[] {
  return problems.filter(({ path }) => ownsPath(field, path)).sort((a, b) => rank(a) - rank(b));
}

/** A problem at this path stands beside the field. */
export function ownsPath(field: Field, path: string): boolean {
  if (field.alsoOwns?.includes(path)) return true;
  if (field.type === 'hosts') return isLaterEntry(field.path, path);
  return path === field.path || path.startsWith(`${field.path}.`);
}

/** The first host of a list has questions of its own. */
function isLaterEntry(list: string, path: string): boolean {
  const [index = ''] = path.startsWith(`${list}.`) ? path.slice(list.length + 1).split('.') : [];
  return /^[1-9]\d*$/.test(index);
}

/** A problem in one line: what is wrong, and how to correct it. */
export function problemText(problem: Judged, document: Document): string {
  const { message, fix } = inPageWords(problem, document);
  return catalogue().pages.problem(message.replace(LONG_QUOTE, '"$1…"'), fix);
}

type Judged = Pick<Problem, 'path' | 'rule' | 'message' | 'fix'>;

/** Quotes only the beginning of a typed text: a pasted page must not push the fix off the screen. */
const LONG_QUOTE = /"([^"]{30})[^"]{10,}"/gu;

/**
 * What a file lacks is, on a page, an answer not given yet; a rule would quote the empty text, or speak of keys.
 * @param document the one with the problem
 */
export function inPageWords(problem: Judged, document: Document): Pick<Problem, 'message' | 'fix'> {
  const isOpen = isEmpty(getAt(document, problem.path));
  if (problem.rule === 'required' || (problem.rule === 'length' && isOpen))
    return { message: catalogue().pages.missing, fix: catalogue().pages.fixMissing };
  // The fix for a file refers to something that no page shows.
  if (problem.rule === 'type') return { message: problem.message, fix: catalogue().pages.fixType };
  return isOpen ? { message: catalogue().pages.missing, fix: problem.fix } : problem;
}

/** Not answered: an empty text, or a list of nothing else. */
const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.every(isEmpty));

const rank = (problem: Problem) => (problem.severity === 'error' ? 0 : 1);

/** The fields of a page to ask, given the answers so far. */
export function visibleFields(fields: readonly Field[], document: Document, hasMore = false): Field[] {
  return fields.filter((field) => (hasMore || !field.isAdvanced) && (field.isVisible?.(document) ?? true));
}

/** The long explanation of a question for the document's version; empty where there is none. */
export function fieldHelp({ words }: Field, document: Document): string {
  const { help } = words();
  return typeof help === 'string' ? help : help(versionWords(document));
}

/** The facts about a version that words may use; for an unknown version, those of the nearest known one. */
function versionWords(document: Document): VersionWords {
  const version = String(getAt(document, 'openshift.version') ?? '');
  const minor = minorOf(version) ?? versionProfile(version).minor;
  return { minor, since: (other) => isSince(minor, other) };
}
