import { parsePullSecret } from './pull-secret.ts';
import { HIDDEN, redactKeys, redactPatterns } from './secret-patterns.ts';

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/** Minimum length: a shorter secret cannot be distinguished from ordinary words. */
const MIN_LENGTH = 8;

const knownSecrets = new Set<string>();
let activeRedactor: Redact = redactPatterns;

/** Makes this process hide these secrets in everything that passes `redact`. They are held in memory only. */
export function registerSecrets(secrets: readonly string[]): void {
  const before = knownSecrets.size;
  for (const secret of secrets) if (secret.trim().length >= MIN_LENGTH) knownSecrets.add(secret.trim());
  if (knownSecrets.size > before) activeRedactor = createRedactor([...knownSecrets]);
}

/**
 * Removes everything that is or looks secret from text that leaves the process (screens, errors, logs, journal, report,
 * bundle).
 */
export function redact(text: string): string {
  return activeRedactor(text);
}

/** Returns the same for all texts inside a JSON value, its property names included. */
export function redactJson(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(redactJson);
  if (typeof value !== 'object' || value === null) return value;
  // The name of a value decides as well: `"password": "x"` is a secret, "x" alone is not.
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      redact(name),
      SECRET_NAME.test(name) && typeof inner === 'string' ? HIDDEN : redactJson(inner),
    ]),
  );
}

const SECRET_NAME =
  /^(?:auth|password|passwd|token|identitytoken|registrytoken|client-key-data|pullSecret|kubeadmin)$/i;

/**
 * Redacts a text line by line, so that a match on one line does not hide the next one. A private key is hidden across
 * its lines. If a known secret that is broken over lines remains, the whole text is hidden.
 */
export function redactLines(text: string): string {
  const withoutKeys = redactKeys(text);
  const lines = withoutKeys.split('\n').map(redact).join('\n');
  return containsSecret(lines) ? HIDDEN : lines;
}

/**
 * Whether the text contains a registered secret in any of its encodings, also broken by newlines, blanks, quotes or
 * backslashes.
 */
export function containsSecret(text: string): boolean {
  const forms = [...knownSecrets].flatMap(listEncodings);
  const compact = removeSeparators(text);
  return forms.some((form) => text.includes(form) || compact.includes(form));
}

/**
 * All secrets of a pull secret: its text, the `auth` of each registry, the decoded `auth`, and its password. Empty for
 * a text that is not a pull secret.
 */
export function listPullSecretSecrets(text: string): string[] {
  const logins = parsePullSecret(text);
  if (logins === null) return [];
  const inLogins = [...logins.values()].flatMap(({ auth, password, identitytoken, registrytoken }) => {
    const decoded = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString('utf8') : '';
    return [auth, decoded, decoded.slice(decoded.indexOf(':') + 1), password, identitytoken, registrytoken].filter(
      (secret): secret is string => typeof secret === 'string' && secret !== '',
    );
  });
  return [text.trim(), ...inLogins];
}

/**
 * Creates a redactor for text that looks secret and for these secrets in the encodings that a log may hold: plain,
 * quoted once or twice, percent-encoded, inside a base64 text, and broken over lines.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter(({ length }) => length >= MIN_LENGTH).flatMap(listEncodings))];
  // The longest first: hiding a part of a secret first would leave the rest of it visible.
  const ordered = forms.sort((a, b) => b.length - a.length);
  const heads = ordered.map((form) => form.slice(0, MIN_LENGTH - 2));
  return (text) => {
    const safe = ordered.reduce((rest, form) => (rest.includes(form) ? rest.replaceAll(form, HIDDEN) : rest), text);
    const redacted = redactPatterns(safe);
    // A secret that is broken by newlines, blanks, quotes or backslashes hides the whole text.
    const compact = removeSeparators(redacted);
    if (compact.length === redacted.length || !heads.some((head) => compact.includes(head))) return redacted;
    return ordered.some((form) => compact.includes(form)) ? HIDDEN : redacted;
  };
}

function removeSeparators(text: string): string {
  return text.replace(/(?:\\[nrt]|[\s"'+\\]){1,99}/g, '');
}

function listEncodings(secret: string): string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    quoted,
    JSON.stringify(quoted).slice(1, -1),
    encodeURIComponent(secret),
    ...listBase64Encodings(secret),
  ];
}

/** Lists the base64 substring that every text with this secret inside contains, for each of the three byte offsets. */
function listBase64Encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and the last characters depend on the bytes around the secret.
    const first = shift === 0 ? 0 : shift + 1;
    const end = Math.floor(((shift + bytes.length) * 8) / 6);
    return encoded.slice(first, end);
  });
}
