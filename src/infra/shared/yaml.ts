import { type Document, parseDocument } from 'yaml';

/** Text that every YAML parser reads as a string, and that needs no quotes. */
const PLAIN_SCALAR = /^[A-Za-z_][\w./-]*$/;
/** Words that some YAML parsers read as a boolean, null or a number. */
const RESERVED_WORD = /^(?:true|false|yes|no|on|off|y|n|null|nan|inf|infinity)$/i;
/**
 * Lines that a block scalar preserves: no trailing spaces, and one newline after the last line. The first line is not
 * empty and does not begin with a space.
 */
const BLOCK_SCALAR_TEXT = /^(?![ \n])(?:[\x20-\x7e]*[\x21-\x7e]\n|\n(?!\n*$))+$/;

/**
 * Formats a value as YAML if its content is simple, as in most objects: the same text as that of the library, but
 * faster. A plan shows dozens of objects.
 * @returns null if the value needs the library, for example for numbers that are no integers, or text that needs quotes
 */
export function formatPlainYaml(value: unknown): string | null {
  const lines: string[] = [];
  return isMap(value) && Object.keys(value).length > 0 && writeFields(value, '', '', lines)
    ? `${lines.join('\n')}\n`
    : null;
}

/** @param firstPrefix the text before the first key: the dash of an item */
function writeFields(fields: object, indent: string, firstPrefix: string, lines: string[]): boolean {
  let prefix = firstPrefix === '' ? indent : firstPrefix;
  for (const [key, value] of Object.entries(fields)) {
    if (!isPlain(key) || !writeValue(`${prefix}${key}:`, value, indent, lines)) return false;
    prefix = indent;
  }
  return true;
}

function writeValue(head: string, value: unknown, indent: string, lines: string[]): boolean {
  const innerIndent = `${indent}  `;
  if (Array.isArray(value) && value.length > 0) {
    lines.push(head);
    return value.every((item) => writeItem(item, innerIndent, lines));
  }
  if (isMap(value) && Object.keys(value).length > 0) {
    lines.push(head);
    return writeFields(value, innerIndent, '', lines);
  }
  if (typeof value === 'string' && value.includes('\n')) {
    if (!BLOCK_SCALAR_TEXT.test(value)) return false;
    const text = value.slice(0, -1).split('\n');
    lines.push(`${head} |`, ...text.map((line) => (line === '' ? '' : `${innerIndent}${line}`)));
    return true;
  }
  const scalar = formatScalar(value);
  if (scalar !== null) lines.push(`${head} ${scalar}`);
  return scalar !== null;
}

function writeItem(item: unknown, indent: string, lines: string[]): boolean {
  if (isMap(item) && Object.keys(item).length > 0) return writeFields(item, `${indent}  `, `${indent}- `, lines);
  const scalar = typeof item === 'string' && item.includes('\n') ? null : formatScalar(item);
  if (scalar !== null) lines.push(`${indent}- ${scalar}`);
  return scalar !== null;
}

function formatScalar(value: unknown): string | null {
  if (value === null || typeof value === 'boolean') return `${value}`;
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? `${value}` : null;
  if (value === '') return '""';
  if (typeof value === 'string') return isPlain(value) ? value : null;
  if (Array.isArray(value) && value.length === 0) return '[]';
  return isMap(value) && Object.keys(value).length === 0 ? '{}' : null;
}

const isPlain = (text: string) => PLAIN_SCALAR.test(text) && !RESERVED_WORD.test(text);

const isMap = (value: unknown): value is object => value !== null && typeof value === 'object' && !Array.isArray(value);

/** A YAML text, as parsed document and as plain value. */
interface YamlText {
  readonly document: Document;
  readonly value: unknown;
}

/**
 * Reads a YAML text as operators do (sigs.k8s.io/yaml): with merge keys. A string that is added to the document stays a
 * string for operators: `yes` gets quotes.
 * @returns `error` for invalid YAML, an alias without its anchor, or far too many aliases
 */
export function readYaml(text: string): YamlText | { readonly error: string } {
  const document = parseDocument(text, { merge: true, compat: 'yaml-1.1' });
  const [firstError] = document.errors;
  if (firstError) return { error: getFirstLine(firstError) };
  try {
    return { document, value: document.toJS() };
  } catch (error) {
    return { error: getFirstLine(error) };
  }
}

function getFirstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
