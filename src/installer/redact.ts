const HIDDEN = '[hidden]';

// What openshift-install may print or log that must never leave here. The password of kubeadmin is four groups of five
// (pkg/asset/password of openshift/installer); quotes may be escaped once more when a value was quoted inside a message.
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, HIDDEN],
  [/\{\s*\\*"auths\\*"\s*:(?:[\s\S]*\}|[\s\S]*$)/g, HIDDEN],
  [/(pullSecret\\*["']?\s*[:=]\s*).+/gi, `$1${HIDDEN}`],
  [/(\\*"(?:auth|password|token|identitytoken)\\*"\s*:\s*\\*")[^"\\]*/gi, `$1${HIDDEN}`],
  [/(password:?\s*\\*["'])[^"'\\]+/gi, `$1${HIDDEN}`],
  [/\b[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3}\b/g, HIDDEN],
  [/\bsha256~[\w-]+/g, HIDDEN],
  [/(\bBearer\s+)\S+/gi, `$1${HIDDEN}`],
  [/(:\/\/)[^\s/@]+@/g, `$1${HIDDEN}@`],
];

/** The text without passwords, pull secrets, private keys, tokens and credentials in URLs. */
export function redactSecrets(text: string): string {
  return SECRETS.reduce((safe, [pattern, replacement]) => safe.replace(pattern, replacement), text);
}

/** Takes what is secret out of a text. */
export type Redact = (text: string) => string;

/** Shorter than this is no secret that could be told from ordinary words. */
const LEAST = 8;

/**
 * Hides the patterns above, and these very secrets in the forms in which a log may hold them: as they are, quoted once or
 * twice, percent-encoded, inside a base64 text, and broken over lines.
 * @param secrets the password of kubeadmin, the tokens of the pull secret
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.filter(({ length }) => length >= LEAST).flatMap(formsOf))];
  // The longest first: a part of a secret that is hidden would leave the rest of it in sight.
  const known = forms.sort((a, b) => b.length - a.length);
  const heads = known.map((form) => form.slice(0, LEAST - 2));
  return (text) => {
    const safe = known.reduce((rest, form) => (rest.includes(form) ? rest.replaceAll(form, HIDDEN) : rest), text);
    const redacted = redactSecrets(safe);
    // A secret that is broken by newlines, blanks, quotes or backslashes: nothing of such a text is shown.
    const joined = redacted.replace(/(?:\\[nrt]|[\s"'+\\])+/g, '');
    if (joined.length === redacted.length || !heads.some((head) => joined.includes(head))) return redacted;
    return known.some((form) => joined.includes(form)) ? HIDDEN : redacted;
  };
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
