import { catalogue } from '../i18n/catalogue.ts';
import { findEntry } from '../platform/files.ts';
import { displayWidth, truncate } from '../platform/text.ts';
import type { KeyEvent, KeyName } from '../wizard/typing.ts';

const words = () => catalogue().ui;

/** A key and its effect here. One declaration defines the behaviour, the footer and the help page. */
export interface Binding<I> {
  /** Names of keys (`enter`, `ctrl-s`, `page-up`) or single characters (`a`, `?`, ` `); the first is the one shown. */
  readonly keys: readonly string[];
  /** One to three words, lower case: the effect. */
  readonly label: string;
  readonly intent: I | null;
  /** The reason why the key has no effect now; shown in the help page and when it is pressed. */
  readonly disabled?: string;
  /** Works and is in the help page, but not in the footer. */
  readonly hidden?: boolean;
}

type KeyResolution<I> =
  | { readonly kind: 'intent'; readonly intent: I }
  | { readonly kind: 'disabled'; readonly reason: string }
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
  if (binding.disabled !== undefined) return { kind: 'disabled', reason: binding.disabled };
  return binding.intent === null ? { kind: 'none' } : { kind: 'intent', intent: binding.intent };
}

/** Keys with names; a character is its own name. */
type NamedKey = Exclude<KeyName, `ctrl-${string}`> | ' ';

/** Returns the display name of a key: `ctrl-s` is Ctrl-S. */
export function keyLabel(key: string): string {
  const control = /^ctrl-([a-z])$/.exec(key)?.[1];
  const names: Readonly<Record<NamedKey, string>> = words().keyNames;
  return control ? words().controlKey(control) : (findEntry(names, key) ?? key);
}

/** A long name in a label must not push other keys out of the footer; the help page shows it in full. */
const MAX_LABEL_WIDTH = 30;

/**
 * The keys that work now, on one line of at most `width` cells. Keys that do not fit are dropped from the right; the
 * first always stays. If it has no effect now, words mark it, since colour may be missing.
 * @param mark replaces the cut end of a label
 */
export function footerText(bindings: readonly Binding<unknown>[], width: number, mark = '\u2026'): string {
  const visible = bindings.filter(({ hidden, keys }) => !hidden && keys.length > 0);
  const shown = visible.filter(({ disabled }, index) => index === 0 || disabled === undefined);
  let line = '';
  for (const [index, { keys, label, disabled }] of shown.entries()) {
    const shortLabel = truncate(label, MAX_LABEL_WIDTH, mark);
    const action = disabled === undefined ? shortLabel : words().notNow(shortLabel);
    const next = `${line}${index === 0 ? '' : '  '}${keyLabel(keys[0] ?? '')} ${action}`;
    if (index > 0 && displayWidth(next) > width) break;
    line = next;
  }
  return line;
}

interface HelpLine {
  readonly keys: string;
  readonly label: string;
  readonly disabled?: string;
}

/** Lists every binding for the help page, including hidden ones. */
export function helpLines(bindings: readonly Binding<unknown>[]): HelpLine[] {
  return bindings.map(({ keys, label, disabled }) => ({
    keys: keys.map(keyLabel).join(', '),
    label,
    ...(disabled === undefined ? {} : { disabled }),
  }));
}
