import { completeDesign, withoutForeignHosts } from './defaults.ts';
import type { Design, Problem } from './model.ts';
import { isRecord, type Path, pathText } from './paths.ts';
import { judge } from './rules/judge.ts';
import { checkShape } from './shape.ts';
import { type Place, readSource } from './source.ts';

export interface Parsed {
  /** Null when any problem is an error. */
  readonly design: Design | null;
  /** The file as plain data, right or wrong; undefined when it could not be read at all. */
  readonly document: unknown;
  /** In the order of the file. */
  readonly problems: readonly Problem[];
  /** Where a dotted path stands in the text, 1-based; the nearest block around it when it is not there. */
  readonly placeOf: (path: string) => Place;
}

/** Reads a design file (YAML or JSON) and judges it; each problem carries its line and column. Never throws. */
export function parseDesign(text: string): Parsed {
  const source = readSource(text);
  const placeOf = (path: string) => source.place(path.split('.'));
  if (!source.isReadable) return { design: null, document: source.document, problems: source.problems, placeOf };
  const { design, problems } = judgeDocument(source.document, source.place);
  const ordered = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  return { design, document: source.document, problems: ordered, placeOf };
}

/**
 * Judges a design that is held as plain data (as the wizard holds it); lines and columns are 0. Never throws.
 * @param isErrorsOnly for whoever only wants to know whether it is one: without warnings
 */
export function checkDocument(document: unknown, isErrorsOnly = false): Pick<Parsed, 'design' | 'problems'> {
  const { design, problems } = judgeDocument(document, () => ({ line: 0, column: 0 }), isErrorsOnly);
  if (problems.length < 2) return { design, problems };
  const order = documentOrder(document);
  const rank = ({ path }: Problem) => rankOf(path, order);
  return { design, problems: [...problems].sort((a, b) => rank(a) - rank(b)) };
}

/**
 * As much of a design as a document gives, to be looked at while it still has errors: what is missing or cannot be read is
 * empty text. Null where it has no shape at all.
 */
export function draftDesign(document: unknown): Design | null {
  const { file } = checkShape(document);
  return file && completeDesign(file);
}

function judgeDocument(
  document: unknown,
  place: (path: Path, isAboutKey?: boolean) => Place,
  isErrorsOnly = false,
): { design: Design | null; problems: Problem[] } {
  const shape = checkShape(document);
  const shapeProblems = shape.problems.map(({ at, isAboutKey, ...said }) => ({
    ...said,
    path: pathText(at),
    ...place(at, isAboutKey),
  }));
  if (!shape.file) return { design: null, problems: shapeProblems };
  const design = completeDesign(shape.file);
  const judged = judge(design, shape.repaired, isErrorsOnly).map(({ at, ...said }) => ({
    ...said,
    path: pathText(at),
    ...place(at),
  }));
  const problems = [...shapeProblems, ...judged];
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  return { design: hasErrors ? null : withoutForeignHosts(design), problems };
}

/** Every path of a document in reading order. */
function documentOrder(document: unknown): ReadonlyMap<string, number> {
  const order = new Map<string, number>();
  const visit = (value: unknown, path: string) => {
    if (order.has(path)) return;
    order.set(path, order.size);
    if (!isRecord(value)) return;
    for (const [key, child] of Object.entries(value)) visit(child, path === '' ? key : `${path}.${key}`);
  };
  visit(document, '');
  return order;
}

function rankOf(path: string, order: ReadonlyMap<string, number>): number {
  for (let rest = path; ; rest = rest.slice(0, rest.lastIndexOf('.'))) {
    const rank = order.get(rest);
    if (rank !== undefined) return rank;
    if (!rest.includes('.')) return 0;
  }
}
