import { parseNetwork, toCanonicalMac } from '../../design/address.ts';
import { HOST_OS_NAMES, MAX_IPV4_HOST_PREFIX, OS_IMAGE_STREAMS } from '../../design/choices.ts';
import { describeDesignValue } from '../../design/keys.ts';
import type { Problem } from '../../design/model.ts';
import { type DesignDocument, getAt, setAt } from '../../design/paths.ts';
import { getCpuLevel, getVersionProfile, isVersionAtLeast } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import type { FieldWords, VersionContext } from '../../i18n/field-words.ts';
import { findEntry } from '../../platform/table-lookup.ts';

/**
 * The type of a field: how its text becomes a value of the document. `space-separated`: a list separated by blanks
 * alone. `mac`: an address in any notation, saved with colons and in lower case. `hosts`: the entries of a list after
 * the first, `ns2 172.16.0.103, ns3 172.16.0.104 debian`. `mirrors`: `source=mirror` pairs.
 */
type FieldType =
  | 'text'
  | 'mac'
  | 'number'
  | 'list'
  | 'space-separated'
  | 'addresses'
  | 'choice'
  | 'flag'
  | 'hosts'
  | 'mirrors';

type Entry = Readonly<Record<string, unknown>>;

/** Formats a value of the document as text; empty for a missing one. */
export function formatFieldValue(type: FieldType, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (type === 'hosts') return toEntries(value).slice(1).map(formatHost).join(', ');
  if (type === 'mirrors') return toEntries(value).flatMap(formatMirrors).join(', ');
  if (Array.isArray(value)) return value.map(String).join(type === 'space-separated' ? ' ' : ', ');
  return String(value);
}

/** Parses a text into a value; `currentValue` is the value that the document has now. */
export function parseFieldValue(type: FieldType, text: string, currentValue: unknown): unknown {
  switch (type) {
    case 'number':
      return /^\d+$/.test(text) ? Number(text) : text;
    case 'mac':
      return toCanonicalMac(text) ?? text;
    case 'flag':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'list':
      return splitParts(text, /[,\s]+/);
    case 'space-separated':
      return splitParts(text, /\s+/);
    case 'addresses': {
      const list = splitParts(text, /[,\s]+/);
      return list.length > 1 ? list : (list[0] ?? '');
    }
    case 'hosts':
      return [...toEntries(currentValue).slice(0, 1), ...splitParts(text, /[,;]/).map(parseHost)];
    case 'mirrors':
      return groupMirrors(splitParts(text, /[,;\s]+/));
    case 'choice':
    case 'text':
      return text;
  }
}

function splitParts(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function toEntries(value: unknown): Entry[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.map((entry) => (typeof entry === 'object' && entry !== null ? (entry as Entry) : { name: entry }));
}

/** Formats a host: `ns2 172.16.0.103 fd00::103 debian`. */
function formatHost({ name, ip, os }: Entry): string {
  return [name, ...(Array.isArray(ip) ? ip : [ip]), os]
    .filter((part) => part !== undefined && part !== null && part !== '')
    .map(String)
    .join(' ');
}

/** Parses a host, with its words in any order: a word that is neither an address nor a system is the name. */
function parseHost(text: string): Entry {
  const words = splitParts(text, /\s+/);
  const os = words.find((part) => (HOST_OS_NAMES as readonly string[]).includes(part));
  const ips = words.filter((part) => part !== os && /^[\d.]+$|:/.test(part));
  const names = words.filter((part) => part !== os && !ips.includes(part));
  return { name: names.join(' '), ip: ips.length > 1 ? ips : (ips[0] ?? ''), ...(os === undefined ? {} : { os }) };
}

function formatMirrors({ source, mirrors }: Entry): string[] {
  const list: readonly unknown[] = Array.isArray(mirrors) ? mirrors : [];
  return list.map((mirror) => `${String(source ?? '')}=${String(mirror)}`);
}

/** Groups mirrors by source, in the order in which the text names the sources. */
function groupMirrors(pairs: readonly string[]): Entry[] {
  const mirrorsBySource = new Map<string, string[]>();
  for (const pair of pairs) {
    const index = pair.indexOf('=');
    const [source, mirror] = index < 0 ? [pair, ''] : [pair.slice(0, index), pair.slice(index + 1)];
    mirrorsBySource.set(source, [...(mirrorsBySource.get(source) ?? []), mirror]);
  }
  return [...mirrorsBySource].map(([source, mirrors]) => ({ source, mirrors }));
}

/** One field of a form: its path in the document, its type, and its texts. */
export interface Field {
  /** Dotted path in the document, also the id of the field. */
  readonly path: string;
  readonly type: FieldType;
  readonly words: () => FieldWords;
  /** For `choice`: the values in display order. */
  readonly choices?: readonly string[];
  /** An empty text is allowed and removes the value. */
  readonly isOptional?: boolean;
  /** A later page corrects the answer: an error does not block leaving the field, but the review still reports it. */
  readonly isFixedOnLaterPage?: boolean;
  /** Short facts derived from the text, shown while the user types. */
  readonly formatFacts?: (document: DesignDocument, text: string) => string;
  readonly isVisible?: (document: DesignDocument) => boolean;
  /** Rarely needed: shown only after the user asks for more fields, or where its answer is not the default. */
  readonly isAdvanced?: boolean;
  /** Whether the answer is not the default; missing: the document has another value than the default. */
  readonly isChanged?: (document: DesignDocument) => boolean;
  /** The default while the document has no value. It is displayed as the answer, and written only when changed. */
  readonly fallback?: (document: DesignDocument) => string;
  /** Makes the other changes that the answer implies in the document, or in the part that holds the field. */
  readonly applyFollowUp?: (document: DesignDocument) => DesignDocument;
  /**
   * Further paths whose own problems are shown at this field, because rules may report at the enclosing block. Problems
   * below those paths do not count.
   */
  readonly extraPaths?: readonly string[];
}

/**
 * Creates a field. Choices and default are those of the schema of the design, unless the page has its own.
 * @param designPath the path in the design; it differs from `path` if `path` is relative to a block
 */
export function createField(
  path: string,
  type: FieldType,
  words: Field['words'],
  options: Omit<Field, 'path' | 'type' | 'words'> = {},
  designPath = path,
): Field {
  const { choices = [], defaultValue = null } = describeDesignValue(designPath) ?? {};
  return {
    path,
    type,
    words,
    ...(type === 'choice' ? { choices } : {}),
    ...(defaultValue === null ? {} : { fallback: () => defaultValue }),
    ...options,
  };
}

/** Returns the text of a field for display: yes and no, where files and the keys of the design have true and false. */
export function getDisplayText({ type }: Pick<Field, 'type'>, text: string): string {
  return type === 'flag' ? (findEntry(catalogue().ui.flags, text) ?? text) : text;
}

/** Reads the text of a field in the document, or its default. */
export function readFieldText(document: DesignDocument, field: Field): string {
  const value = getAt(document, field.path);
  return value === undefined || value === null
    ? (field.fallback?.(document) ?? '')
    : formatFieldValue(field.type, value);
}

/**
 * Writes an answer into the document. A text that does not fit the type is kept as it is, so that no input is lost: the
 * rules then report the error.
 */
export function writeFieldText(document: DesignDocument, field: Field, text: string): DesignDocument {
  const typedText = text.trim();
  // The first host of a list has fields of its own, and stays.
  const isRemoved = typedText === '' && field.isOptional === true && field.type !== 'hosts';
  const value = isRemoved ? undefined : parseFieldValue(field.type, typedText, getAt(document, field.path));
  const acceptedDocument = setAt(document, field.path, value);
  return field.applyFollowUp?.(acceptedDocument) ?? acceptedDocument;
}

/** Lists the problems shown at a field, errors first. A problem of two values is shown at both fields. */
export function listFieldProblems(problems: readonly Problem[], field: Field): Problem[] {
  return problems
    .filter(({ path, otherPath }) => ownsPath(field, path) || (otherPath !== undefined && ownsPath(field, otherPath)))
    .sort(compareBySeverity);
}

/** Whether a problem at this path is shown at the field. */
export function ownsPath(field: Field, path: string): boolean {
  if (field.extraPaths?.includes(path)) return true;
  if (field.type === 'hosts') return isLaterEntry(field.path, path);
  return path === field.path || path.startsWith(`${field.path}.`);
}

/** Whether a path is in an entry of a host list after the first, which has fields of its own. */
function isLaterEntry(listPath: string, path: string): boolean {
  const [index = ''] = path.startsWith(`${listPath}.`) ? path.slice(listPath.length + 1).split('.') : [];
  return /^[1-9]\d*$/.test(index);
}

/** Formats a problem in one line: the error and its fix. */
export function formatProblem(problem: ProblemMessage, document: DesignDocument): string {
  const { message, fix } = toPageMessage(problem, document);
  return catalogue().pages.problem(message.replace(LONG_QUOTE, '"$1…"'), fix);
}

type ProblemMessage = Pick<Problem, 'path' | 'rule' | 'message' | 'fix'>;

/** Shortens long quotes of typed text: a pasted page must not push the fix off the screen. */
const LONG_QUOTE = /"([^"]{30})[^"]{10,}"/gu;

/**
 * Converts the message of a problem for a page, on which a missing key is an unanswered field. The message of the rule
 * would quote an empty text or name the key.
 * @param document the document with the problem
 */
export function toPageMessage(problem: ProblemMessage, document: DesignDocument): Pick<Problem, 'message' | 'fix'> {
  const isUnanswered = isEmpty(getAt(document, problem.path));
  if (problem.rule === 'required' || (problem.rule === 'length' && isUnanswered))
    return { message: catalogue().pages.missing, fix: catalogue().pages.fixMissing };
  // The fix for a file refers to things that no page shows.
  if (problem.rule === 'type') return { message: problem.message, fix: createTypeFix(problem.path, document) };
  return isUnanswered ? { message: catalogue().pages.missing, fix: problem.fix } : problem;
}

/** Creates the fix for an answer of a wrong type; for a host prefix, with its range. */
function createTypeFix(path: string, document: DesignDocument): string {
  const entry = /^(networks\.cluster\.\d+)\.hostPrefix$/.exec(path)?.[1];
  const cidr = entry === undefined ? null : getAt(document, `${entry}.cidr`);
  const network = typeof cidr === 'string' ? parseNetwork(cidr) : null;
  const { fixNumber, fixAddresses, fixHostPrefix } = catalogue().pages;
  if (network === null) return Array.isArray(getAt(document, path)) ? fixAddresses : fixNumber;
  return network.family === 6 ? fixHostPrefix.v6 : fixHostPrefix.v4(network.prefixLength, MAX_IPV4_HOST_PREFIX);
}

/** Whether a value is an empty text, or a list of empty values. */
const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.every(isEmpty));

const getSeverityRank = ({ severity }: Pick<Problem, 'severity'>) => (severity === 'error' ? 0 : 1);

/** Compares two problems for sorting: errors come before warnings. */
export const compareBySeverity = (a: Pick<Problem, 'severity'>, b: Pick<Problem, 'severity'>): number =>
  getSeverityRank(a) - getSeverityRank(b);

/** Whether the document has an answer other than the default of the field. */
const hasOwnAnswer = (field: Field, document: DesignDocument) =>
  getAt(document, field.path) !== undefined && readFieldText(document, field) !== (field.fallback?.(document) ?? '');

/** Lists the fields that a page shows with the current answers. A rarely needed one with an answer is shown. */
export function listVisibleFields(
  fields: readonly Field[],
  document: DesignDocument,
  areAdvancedFieldsShown = false,
): Field[] {
  return fields.filter(
    (field) =>
      (areAdvancedFieldsShown || !field.isAdvanced || (field.isChanged?.(document) ?? hasOwnAnswer(field, document))) &&
      (field.isVisible?.(document) ?? true),
  );
}

/** Returns the long help text of a field for the version in the document; empty if there is none. */
export function getFieldHelp({ words }: Field, document: DesignDocument): string {
  const { help } = words();
  return typeof help === 'string' ? help : help(createVersionContext(document));
}

const readVersion = (document: DesignDocument) => String(getAt(document, 'openshift.version') ?? '');

/** Returns the profile of the version in a document; for an unknown version, that of the nearest known one. */
export const getDocumentProfile = (document: DesignDocument) => getVersionProfile(readVersion(document));

/** Creates the version facts that texts may use; for an unknown version, those of the nearest known one. */
function createVersionContext(document: DesignDocument): VersionContext {
  const version = readVersion(document);
  const { minor, product } = getVersionProfile(version);
  const stream = OS_IMAGE_STREAMS.find((candidate) => candidate === getAt(document, 'openshift.osImageStream')) ?? null;
  const level = getCpuLevel({ version, osImageStream: stream });
  const isX86 = (getAt(document, 'openshift.architecture') ?? 'x86_64') === 'x86_64';
  return {
    minor,
    isOkd: product === 'OKD',
    isAtLeast: (other) => isVersionAtLeast(minor, other),
    cpuLevel: isX86 && level !== 'v1' ? `x86-64-${level}` : null,
  };
}
