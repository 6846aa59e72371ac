import { sanitize, sanitizeLine } from '../platform/sanitize.ts';
import type { WizardState } from './state.ts';

/**
 * A function that makes texts safe, with a cache of its results. The cache is valid because parts of the state are
 * never changed in place.
 */
interface Sanitizer {
  readonly clean: (text: string) => string;
  readonly cache: WeakMap<object, unknown>;
}

const NO_LIMIT = Number.POSITIVE_INFINITY;
const LINE_SANITIZER: Sanitizer = { clean: (text) => sanitizeLine(text, NO_LIMIT), cache: new WeakMap() };
/** Keeps the line breaks of pasted lines. */
const TEXT_SANITIZER: Sanitizer = { clean: (text) => sanitize(text, NO_LIMIT), cache: new WeakMap() };

/**
 * Returns the state as it is safe to draw. Answers from a session, an imported file or an answers file may hold control
 * or bidirectional characters, which are marked here. Results of the steps are safe already.
 */
export function sanitizeState(state: WizardState): WizardState {
  const { document, design, problems, credentialProblems, forms, nodes, overlay } = state;
  const answers = { document, design, problems, credentialProblems, forms, nodes };
  const safeAnswers = sanitizeObject(answers, LINE_SANITIZER);
  const safeOverlay = sanitizeValue(overlay, TEXT_SANITIZER) as typeof overlay;
  return safeAnswers === answers && safeOverlay === overlay
    ? state
    : { ...state, ...safeAnswers, overlay: safeOverlay };
}

function sanitizeObject<T extends object>(value: T, sanitizer: Sanitizer): T {
  const entries = Object.entries(value);
  const safeEntries = entries.map(
    ([name, innerValue]) => [sanitizer.clean(name), sanitizeValue(innerValue, sanitizer)] as const,
  );
  const isSame = safeEntries.every(
    ([name, innerValue], index) => entries[index]?.[0] === name && entries[index]?.[1] === innerValue,
  );
  return isSame ? value : (Object.fromEntries(safeEntries) as T);
}

function sanitizeValue(value: unknown, sanitizer: Sanitizer): unknown {
  if (typeof value === 'string') return sanitizer.clean(value);
  if (typeof value !== 'object' || value === null) return value;
  const { cache } = sanitizer;
  if (!cache.has(value))
    cache.set(value, Array.isArray(value) ? sanitizeList(value, sanitizer) : sanitizeObject(value, sanitizer));
  return cache.get(value);
}

function sanitizeList(list: readonly unknown[], sanitizer: Sanitizer): readonly unknown[] {
  const safeList = list.map((element) => sanitizeValue(element, sanitizer));
  return safeList.every((element, index) => element === list[index]) ? list : safeList;
}
