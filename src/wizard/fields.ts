import type { Problem } from '../design/model.ts';
import { type FieldWords, pages } from '../text/en/pages.ts';
import { type Document, getAt, setAt } from './document.ts';

/** How a field's text becomes a value of the document. */
export type FieldType = 'text' | 'number' | 'list' | 'addresses' | 'choice' | 'flag';

/** One question of a form: where its answer lives in the document, how it is typed, and what is said about it. */
export interface Field {
  /** Dotted path in the document; also the field's id. */
  readonly path: string;
  readonly type: FieldType;
  readonly words: FieldWords;
  /** For `choice`: the values, in the order shown. */
  readonly choices?: readonly string[];
  /** May be left empty; the value is then removed. */
  readonly isOptional?: boolean;
  /** What is wrong with it is put right on a later page, so it keeps nobody from going there; the review still does. */
  readonly isSettledLater?: boolean;
  /** What follows from the answer, in a few words, while it is typed. */
  readonly facts?: (document: Document, text: string) => string;
  readonly isVisible?: (document: Document) => boolean;
  /** Other paths whose own problems belong to this answer (a rule may report at the block around it); not what is in them. */
  readonly alsoOwns?: readonly string[];
}

/** The text of a field as the document has it. */
export function fieldText(document: Document, field: Field): string {
  const value = getAt(document, field.path);
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(String).join(', ');
  return String(value);
}

/**
 * The document with the answer in it. A text that does not fit the type is kept as it is, so that nothing typed is lost:
 * the rules then say what is wrong with it.
 */
export function acceptText(document: Document, field: Field, text: string): Document {
  return setAt(document, field.path, parsedValue(field, text.trim()));
}

function parsedValue(field: Field, text: string): unknown {
  if (text === '' && field.isOptional) return undefined;
  switch (field.type) {
    case 'number':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'list':
      return parts(text);
    case 'addresses': {
      const list = parts(text);
      return list.length > 1 ? list : (list[0] ?? '');
    }
    case 'choice':
    case 'text':
      return text;
  }
}

function parts(text: string): string[] {
  return text
    .split(/[,\s]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The problems that stand beside a field, the worst first. */
export function fieldProblems(problems: readonly Problem[], field: Field): Problem[] {
  return problems.filter(({ path }) => ownsPath(field, path)).sort((a, b) => rank(a) - rank(b));
}

/** A problem at this path stands beside the field. */
export function ownsPath(field: Field, path: string): boolean {
  return path === field.path || path.startsWith(`${field.path}.`) || (field.alsoOwns?.includes(path) ?? false);
}

/** A problem in one line: what is wrong, and how to put it right. */
export function problemText({ message, fix }: Pick<Problem, 'message' | 'fix'>): string {
  const short = message.replace(LONG_QUOTE, '"$1…"');
  return `${short}${/[.!?:]$/.test(short) ? '' : '.'} ${fix}`;
}

/** What was typed is quoted by its beginning: a pasted page must not push the fix off the screen. */
const LONG_QUOTE = /"([^"]{30})[^"]{10,}"/gu;

/** The same for an answer that is not there: a rule would quote the empty text. */
export function problemOfText(problem: Pick<Problem, 'message' | 'fix'>, text: string): string {
  return text === '' && problem.message.includes('""')
    ? problemText({ message: pages.missing, fix: problem.fix })
    : problemText(problem);
}

const rank = (problem: Problem) => (problem.severity === 'error' ? 0 : 1);

/** The fields of a page that are asked, given the answers so far. */
export function visibleFields(fields: readonly Field[], document: Document): Field[] {
  return fields.filter((field) => field.isVisible?.(document) ?? true);
}
