import { loginsIn } from './pull-secret.ts';
import { HIDDEN, redactKeys, redactPatterns } from './secret-patterns.ts';

/** Takes what is secret out of a text. */
export type Redact = (text: string) => string;

/** Shorter than this is no secret that could be told from ordinary words. */
const LEAST = 8;

const remembered = new Set<string>();
let redactNow: Redact = redactPatterns;

/** From now on this process hides these secrets in all that passes `redact`; they are kept in memory only. */
export function rememberSecrets(secrets: readonly string[]): void {
  const before = remembered.size;
  for (const secret of secrets) if (secret.trim().length >= LEAST) remembered.add(secret.trim());
  if (remembered.size > before) redactNow = createRedactor([...remembered]);
}

/** Text that leaves us (screens, errors, logs, journal, report, bundle) without anything that is or looks secret. */
export function redact(text: string): string {
  return redactNow(text);
}

/** The same for all texts inside a JSON value, its names included. */
export function redactJson(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(redactJson);
  if (typeof value !== 'object' || value === null) return value;
  // A value is judged with its name: `"password": "x"` says more than "x".
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
 * Text of many lines, each on its own, so that nothing of a line hides the next; a private key is hidden over its lines, and where
 * a remembered secret is still there, broken over lines, nothing is left.
 */
export function redactLines(text: string): string {
  const whole = redactKeys(text);
  const lines = whole.split('\n').map(redact).join('\n');
  return holdsSecret(lines) ? HIDDEN : lines;
}

/** Whether a remembered secret is in the text, in any of its forms, also broken by newlines, blanks, quotes or backslashes. */
export function holdsSecret(text: string): boolean {
  const forms = [...remembered].flatMap(formsOf);
  const whole = joined(text);
  return forms.some((form) => text.includes(form) || whole.includes(form));
}

/** The pull secret as it is, the `auth` of each registry, what is inside it, and its password; empty for what is no pull secret. */
export function secretsOfPullSecret(text: string): string[] {
  const logins = loginsIn(text);
  if (logins === null) return [];
  const inLogins = [...logins.values()].flatMap(({ auth, password, identitytoken, registrytoken }) => {
    const inside = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString('utf8') : '';
    return [auth, inside, inside.slice(inside.indexOf(':') + 1), password, identitytoken, registrytoken].filter(
      (secret): secret is string => typeof secret === 'string' && secret !== '',
    );
  });
  return [text.trim(), ...inLogins];
}

/**
 * Hides what looks secret, and these very secrets in the forms in which a log may hold them: as they are, quoted once or
 * twice, percent-encoded, inside a base64 text, and broken over lines.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter(({ length }) => length >= LEAST).flatMap(formsOf))];
  // The longest first: a part of a secret that is hidden would leave the rest of it in sight.
  const known = forms.sort((a, b) => b.length - a.length);
  const heads = known.map((form) => form.slice(0, LEAST - 2));
  return (text) => {
    const safe = known.reduce((rest, form) => (rest.includes(form) ? rest.replaceAll(form, HIDDEN) : rest), text);
    const redacted = redactPatterns(safe);
    // A secret that is broken by newlines, blanks, quotes or backslashes: nothing of such a text is shown.
    const whole = joined(redacted);
    if (whole.length === redacted.length || !heads.some((head) => whole.includes(head))) return redacted;
    return known.some((form) => whole.includes(form)) ? HIDDEN : redacted;
  };
}

function joined(text: string): string {
  return text.replace(/(?:\\[nrt]|[\s"'+\\]){1,99}/g, '');
}

function formsOf(secret: string): string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  return [secret, quoted, JSON.stringify(quoted).slice(1, -1), encodeURIComponent(secret), ...base64Forms(secret)];
}

/** What every base64 text that has the secret somewhere inside holds, at each of the three places it may begin. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and the last characters depend on what stands around the secret.
    const first = shift === 0 ? 0 : shift + 1;
    const whole = Math.floor(((shift + bytes.length) * 8) / 6);
    return encoded.slice(first, whole);
  });
}
