import { catalogue } from '../i18n/catalogue.ts';
import { findEntry } from '../platform/table-lookup.ts';
import { getDisplayWidth, truncate } from '../platform/text.ts';
import type { KeyEvent, KeyName } from '../wizard/text-input.ts';

const words = () => catalogue().ui;

/** A key and its effect on a page. One declaration defines the behaviour, the footer and the help page. */
export interface Binding<I> {
  /** Names of keys (`enter`, `ctrl-s`, `page-up`) or single characters (`a`, `?`, ` `); the first is the one shown. */
  readonly keys: readonly string[];
  /** One to three words, lower case: the effect. */
  readonly label: string;
  /** A shorter label, for a footer in which not all keys fit. */
  readonly shortLabel?: string;
  readonly intent: I | null;
  /** The reason why the key has no effect now; shown in the help page and when it is pressed. */
  readonly disabledReason?: string;
  /** The intent of the disabled key, which leads to what prevents the effect. Absent: the key only shows the reason. */
  readonly disabledIntent?: I;
  /** The mark of the notice that shows the reason: `error` for a problem on the page, by default `info`. */
  readonly disabledKind?: DisabledKind;
  /** The footer names the keys Up and Down as one: another binding has the opposite effect. */
  readonly isUpAndDown?: true;
  /** The entry of the footer for this key and its opposite, which is hidden there. */
  readonly footer?: { readonly key: string; readonly label: string };
  /** Works and is in the help page, but not in the footer. */
  readonly isHidden?: boolean;
  /** The footer always shows the key; `help`: the key opens the page with the keys that do not fit. */
  readonly staysVisible?: true | 'help';
}

type DisabledKind = 'info' | 'error';

type KeyResolution<I> =
  | { readonly kind: 'intent'; readonly intent: I }
  | { readonly kind: 'disabled'; readonly reason: string; readonly reasonKind?: DisabledKind }
  /** The key is not bound; a text field may take it. */
  | { readonly kind: 'none' };

/**
 * Resolves a key event under these bindings; the first binding that names the key decides. A paste is never a command.
 */
export function resolveKey<I>(bindings: readonly Binding<I>[], event: KeyEvent): KeyResolution<I> {
  if (event.kind === 'paste') return { kind: 'none' };
  const key = event.kind === 'char' ? event.text : event.name;
  const binding = bindings.find(({ keys }) => keys.includes(key));
  if (!binding) return { kind: 'none' };
  const { disabledReason, disabledKind } = binding;
  if (disabledReason !== undefined && binding.disabledIntent !== undefined)
    return { kind: 'intent', intent: binding.disabledIntent };
  if (disabledReason !== undefined)
    return {
      kind: 'disabled',
      reason: disabledReason,
      ...(disabledKind === undefined ? {} : { reasonKind: disabledKind }),
    };
  return binding.intent === null ? { kind: 'none' } : { kind: 'intent', intent: binding.intent };
}

/** Keys with names; a character is its own name. */
type NamedKey = Exclude<KeyName, `ctrl-${string}`> | ' ';

/** Returns the display name of a key: `ctrl-s` is Ctrl-S. */
export function getKeyLabel(key: string): string {
  const control = /^ctrl-([a-z])$/.exec(key)?.[1];
  const names: Readonly<Record<NamedKey, string>> = words().keyNames;
  return control ? words().controlKey(control) : (findEntry(names, key) ?? key);
}

/** Maximum cells of a label: a long name must not push other keys out of the footer. The help page shows it in full. */
const MAX_LABEL_WIDTH = 30;

/** The rank of the keys that a footer hides first. */
const LAST_RANK = 4;

/** Returns the bindings that a wide footer shows: those that work, and the first in any case. */
export const listFooterBindings = (bindings: readonly Binding<unknown>[]) =>
  bindings
    .filter(({ isHidden, keys }) => !isHidden && keys.length > 0)
    .filter(({ disabledReason }, index) => index === 0 || disabledReason === undefined);

/** An entry of a footer: a key with its effect, or, without a key, the number of hidden keys. */
interface FooterEntry {
  readonly key: string | null;
  readonly label: string;
}

/** Cells between two entries of a footer. */
export const FOOTER_GAP = '  ';

const formatFooterEntry = ({ key, label }: FooterEntry) => (key === null ? label : `${key} ${label}`);

/**
 * Lists the keys that work now, in their order, for one line of at most `width` cells. The first, Esc and those with
 * `staysVisible` stay; the others get what is left. Keys that do not fit are counted at the end: `… 3 more (?)`.
 * If the first has no effect now, words mark it, since colour may be missing.
 * @param mark replaces the cut end of a label, and stands before the number of hidden keys
 * @param upAndDown the sign for both keys; by default, their names
 */
export function listFooterEntries(
  bindings: readonly Binding<unknown>[],
  width: number,
  mark = '\u2026',
  upAndDown = '',
): readonly FooterEntry[] {
  const shownBindings = listFooterBindings(bindings);
  const helpKeyName = getKeyLabel(shownBindings.find(({ staysVisible }) => staysVisible === 'help')?.keys[0] ?? '');
  const toEntry = ({ keys, label, disabledReason, isUpAndDown, footer }: Binding<unknown>): FooterEntry => {
    if (footer !== undefined) return footer;
    const shownLabel = truncate(label, MAX_LABEL_WIDTH, mark);
    const bothKeys = upAndDown || `${getKeyLabel('up')}/${getKeyLabel('down')}`;
    return {
      key: isUpAndDown ? bothKeys : getKeyLabel(keys[0] ?? ''),
      label: disabledReason === undefined ? shownLabel : words().notNow(shownLabel),
    };
  };
  const canFit = (line: readonly FooterEntry[]) =>
    getDisplayWidth(line.map(formatFooterEntry).join(FOOTER_GAP)) <= width;
  const fullEntries = shownBindings.map(toEntry);
  if (canFit(fullEntries)) return fullEntries;
  const entries = shownBindings.map((binding) => toEntry({ ...binding, label: binding.shortLabel ?? binding.label }));
  const createEntries = (visibleIndexes: ReadonlySet<number>, helpKey: string): FooterEntry[] => [
    ...entries.filter((_, index) => visibleIndexes.has(index)),
    ...(visibleIndexes.size < entries.length
      ? [{ key: null, label: words().moreKeys(mark, entries.length - visibleIndexes.size, helpKey) }]
      : []),
  ];
  const getRank = (index: number) => {
    const { staysVisible, keys = [] } = shownBindings[index] ?? {};
    // Esc is the only way out that every user knows.
    const isEsc = keys[0] === 'escape';
    return index === 0 ? 0 : staysVisible === 'help' ? 1 : isEsc ? 2 : staysVisible ? 3 : LAST_RANK;
  };
  const indexesByImportance = [...entries.keys()].toSorted((a, b) => getRank(a) - getRank(b));
  const selectIndexes = (helpKey: string) => {
    let visibleIndexes: ReadonlySet<number> = new Set(indexesByImportance.slice(0, 1));
    for (const index of indexesByImportance) {
      const candidate = new Set([...visibleIndexes, index]);
      if (canFit(createEntries(candidate, helpKey))) visibleIndexes = candidate;
    }
    return visibleIndexes;
  };
  // Another key is more useful than the help key's name at the end: the help key has an entry
  // anyway. A name of one character takes little space.
  const indexesWithName = selectIndexes(helpKeyName);
  const hasAllVisible = indexesByImportance.every(
    (index) => getRank(index) === LAST_RANK || indexesWithName.has(index),
  );
  const selectedIndexes = helpKeyName.length === 1 && hasAllVisible ? indexesWithName : selectIndexes('');
  return [helpKeyName, ''].map((key) => createEntries(selectedIndexes, key)).find(canFit) ?? entries.slice(0, 1);
}

interface HelpLine {
  readonly keys: string;
  readonly label: string;
  readonly disabledReason?: string;
}

/**
 * Lists the keys for the help page, those with the same effect in one line. Hidden keys are included, unless they only
 * give the reason why they have no effect here.
 */
export function listHelpLines(bindings: readonly Binding<unknown>[]): HelpLine[] {
  const lines = new Map<string, Omit<HelpLine, 'keys'> & { readonly names: ReadonlySet<string> }>();
  for (const { keys, label, disabledReason, isHidden } of bindings) {
    if (isHidden && disabledReason !== undefined) continue;
    const effect = `${label}\n${disabledReason ?? ''}`;
    const names = new Set([...(lines.get(effect)?.names ?? []), ...keys.map(getKeyLabel)]);
    lines.set(effect, { names, label, ...(disabledReason === undefined ? {} : { disabledReason }) });
  }
  return [...lines.values()].map(({ names, ...line }) => ({ keys: [...names].join(', '), ...line }));
}
