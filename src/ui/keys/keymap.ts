import { catalogue } from '../../text/catalogue.ts';
import { entryOf } from '../../text/entry.ts';
import { cut, widthOf } from '../../text/width.ts';
import type { KeyEvent, KeyName } from '../../wizard/typing/key-event.ts';

const words = () => catalogue().ui;

/** What a key does here. One declaration gives the behaviour, the footer and the help page. */
export interface Binding<I> {
  /** Names of keys (`enter`, `ctrl-s`, `page-up`) or single characters (`a`, `?`, ` `); the first is the one shown. */
  readonly keys: readonly string[];
  /** One to three words, lower case: what it does. */
  readonly label: string;
  readonly intent: I | null;
  /** It does nothing now: the reason, shown in the help page and when it is pressed. */
  readonly disabled?: string;
  /** Works, is in the help page, but not in the footer. */
  readonly hidden?: boolean;
}

export type Resolution<I> =
  | { readonly kind: 'intent'; readonly intent: I }
  | { readonly kind: 'disabled'; readonly reason: string }
  /** The key is not bound; a text field may take it. */
  | { readonly kind: 'none' };

/** What a key event means under these bindings; the first that names the key decides. A paste is never a command. */
export function resolveKey<I>(bindings: readonly Binding<I>[], event: KeyEvent): Resolution<I> {
  if (event.kind === 'paste') return { kind: 'none' };
  const key = event.kind === 'char' ? event.text : event.name;
  const binding = bindings.find(({ keys }) => keys.includes(key));
  if (!binding) return { kind: 'none' };
  if (binding.disabled !== undefined) return { kind: 'disabled', reason: binding.disabled };
  return binding.intent === null ? { kind: 'none' } : { kind: 'intent', intent: binding.intent };
}

/** The keys with names of their own; a character is called by itself. */
type NamedKey = Exclude<KeyName, `ctrl-${string}`> | ' ';

/** How a key is written for people: `ctrl-s` is Ctrl-S. */
export function keyLabel(key: string): string {
  const control = /^ctrl-([a-z])$/.exec(key)?.[1];
  const names: Readonly<Record<NamedKey, string>> = words().keyNames;
  return control ? words().controlKey(control) : (entryOf(names, key) ?? key);
}

/** A name in a label must not push other keys out of sight; the help page has it in full. */
const LONGEST_LABEL = 30;

/**
 * The keys that work now, on one line of at most `width` cells: what does not fit is dropped from the right, the first
 * always stays, and where it only says why it does nothing now it is told apart in words: colour is not everywhere.
 * @param mark stands where a label is cut
 */
export function footerText(bindings: readonly Binding<unknown>[], width: number, mark = '\u2026'): string {
  const seen = bindings.filter(({ hidden, keys }) => !hidden && keys.length > 0);
  const shown = seen.filter(({ disabled }, index) => index === 0 || disabled === undefined);
  let line = '';
  for (const [index, { keys, label, disabled }] of shown.entries()) {
    const named = cut(label, LONGEST_LABEL, mark);
    const does = disabled === undefined ? named : words().notNow(named);
    const next = `${line}${index === 0 ? '' : '  '}${keyLabel(keys[0] ?? '')} ${does}`;
    if (index > 0 && widthOf(next) > width) break;
    line = next;
  }
  return line;
}

export interface HelpLine {
  readonly keys: string;
  readonly label: string;
  readonly disabled?: string;
}

/** Every binding for the help page, hidden ones too. */
export function helpLines(bindings: readonly Binding<unknown>[]): HelpLine[] {
  return bindings.map(({ keys, label, disabled }) => ({
    keys: keys.map(keyLabel).join(', '),
    label,
    ...(disabled === undefined ? {} : { disabled }),
  }));
}
