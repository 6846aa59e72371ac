import { isDeepStrictEqual } from 'node:util';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { DesignPage } from '../state.ts';
import { type Document, getAt } from './document.ts';
import { type Field, fieldText, shownText } from './fields.ts';
import { typedNodes } from './node-table.ts';
import { FORMS } from './pages/index.ts';
import { nodeFields } from './pages/nodes.ts';
import { pageOfPath } from './review.ts';

const words = () => catalogue().pages.undo;

/** One answer that two documents differ in: where it is asked, and its text in either. */
export interface ChangedAnswer {
  readonly page: DesignPage;
  /** Of the document that has it; of a node that is in one of them only, `nodes.3`. */
  readonly path: string;
  /** Nodes > w1 > Address */
  readonly place: readonly string[];
  readonly was: string;
  readonly is: string;
  /** A whole node came or went, or all are there in another order. */
  readonly kind: 'answer' | 'came' | 'went' | 'order';
}

/** What differs between two documents, answer by answer, in the order of the pages; their nodes by their places. */
export function changedAnswers(before: Document, after: Document): ChangedAnswer[] {
  const forms = Object.values(FORMS)
    .flat()
    .flatMap((field: Field) => changedAnswer(before, after, field));
  return [...forms, ...changedNodes(before, after)];
}

function changedAnswer(before: Document, after: Document, field: Field): ChangedAnswer[] {
  const [was, is] = [fieldText(before, field), fieldText(after, field)];
  if (was === is) return [];
  const page = pageOfPath(field.path);
  const place = [catalogue().screens.rail[page], field.words().label];
  return [{ page, path: field.path, place, was: shownText(field, was), is: shownText(field, is), kind: 'answer' }];
}

/** Of as many nodes, one by one; where some came or went, those between what both begin and end with. */
function changedNodes(before: Document, after: Document): ChangedAnswer[] {
  const [was, is] = [typedNodes(before), typedNodes(after)];
  if (was.length === is.length) {
    if (isReordered(was, is)) return [aboutNodes('order', 0, [])];
    return is.flatMap((node, index) =>
      isDeepStrictEqual(node, was[index]) ? [] : changedNode(before, after, index, String(node.name ?? '')),
    );
  }
  const [fewer, more] = was.length < is.length ? [was, is] : [is, was];
  const kind = was.length < is.length ? 'came' : 'went';
  const first = more.findIndex((node, index) => !isDeepStrictEqual(node, fewer[index]));
  const found = more.slice(first, first + more.length - fewer.length);
  const nearest = Math.min(first, Math.max(0, fewer.length - 1));
  return found.map(({ name }, index) =>
    aboutNodes(kind, kind === 'came' ? first + index : nearest, [nameOf(String(name ?? ''))]),
  );
}

function aboutNodes(kind: ChangedAnswer['kind'], index: number, place: readonly string[]): ChangedAnswer {
  return {
    page: 'nodes',
    path: `nodes.${index}`,
    place: [catalogue().screens.rail.nodes, ...place],
    was: '',
    is: '',
    kind,
  };
}

function isReordered(was: readonly unknown[], is: readonly unknown[]): boolean {
  const [before, after] = [was, is].map((nodes) => nodes.map((node) => JSON.stringify(node)));
  return !isDeepStrictEqual(before, after) && isDeepStrictEqual(before?.sort(), after?.sort());
}

function changedNode(before: Document, after: Document, index: number, name: string): ChangedAnswer[] {
  const path = `nodes.${index}`;
  return nodeFields.flatMap((field) =>
    changedAnswer(getAt(before, path), getAt(after, path), field).map((answer) => ({
      ...answer,
      page: 'nodes' as const,
      path: `${path}.${field.path}`,
      place: [catalogue().screens.rail.nodes, nameOf(name), field.words().label],
    })),
  );
}

const nameOf = (name: string) => (name === '' ? words().unnamed : name);

/** In one line: Nodes > w1 > Address 172.16.0.36 (was 172.16.0.99), and 16 more answers. */
export function describeAnswers(answers: readonly ChangedAnswer[]): string {
  const [first] = answers;
  if (first === undefined) return words().other;
  const place = first.place.map((part) => short(part)).join(' > ');
  const told =
    first.kind === 'answer'
      ? words().answer(place, short(first.is) || words().none, short(first.was) || words().none)
      : words()[first.kind](place);
  return answers.length === 1 ? told : words().andMore(told, answers.length - 1);
}

/** Cells of a name or an answer in the line. */
const LONGEST = 40;
const short = (text: string) => sanitizeLine(text, LONGEST);
