import { sanitize, sanitizeLine } from '../text/sanitize.ts';
import type { WizardState } from './state.ts';

/** How a text is made safe, and what was found safe or made so: parts of the state are never changed in place. */
interface Way {
  readonly safe: (text: string) => string;
  readonly known: WeakMap<object, unknown>;
}

const ALL = Number.POSITIVE_INFINITY;
const IN_LINES: Way = { safe: (text) => sanitizeLine(text, ALL), known: new WeakMap() };
/** Pasted lines stay lines. */
const AS_TEXT: Way = { safe: (text) => sanitize(text, ALL), known: new WeakMap() };

/**
 * The state as it may be drawn. Answers are drawn as they were given, and a session, an imported file or an answers file may hold
 * some that nobody could type: what draws, hides or turns text is marked. What the steps saw is safe already.
 */
export function shownState(state: WizardState): WizardState {
  const { document, design, problems, credentialProblems, forms, nodes, overlay } = state;
  const answers = { document, design, problems, credentialProblems, forms, nodes };
  const safe = safeParts(answers, IN_LINES);
  const over = safeValue(overlay, AS_TEXT) as typeof overlay;
  return safe === answers && over === overlay ? state : { ...state, ...safe, overlay: over };
}

function safeParts<T extends object>(value: T, way: Way): T {
  const entries = Object.entries(value);
  const safe = entries.map(([name, inner]) => [way.safe(name), safeValue(inner, way)] as const);
  const isSame = safe.every(([name, inner], index) => entries[index]?.[0] === name && entries[index]?.[1] === inner);
  return isSame ? value : (Object.fromEntries(safe) as T);
}

function safeValue(value: unknown, way: Way): unknown {
  if (typeof value === 'string') return way.safe(value);
  if (typeof value !== 'object' || value === null) return value;
  const { known } = way;
  if (!known.has(value)) known.set(value, Array.isArray(value) ? safeList(value, way) : safeParts(value, way));
  return known.get(value);
}

function safeList(list: readonly unknown[], way: Way): readonly unknown[] {
  const safe = list.map((each) => safeValue(each, way));
  return safe.every((each, index) => each === list[index]) ? list : safe;
}
