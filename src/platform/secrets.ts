/**
 * Parses a pull secret: the fields of each login, by registry.
 * @returns null for a text that is not a pull secret
 */
export function parsePullSecret(text: string): ReadonlyMap<string, Readonly<Record<string, unknown>>> | null {
  try {
    const { auths } = toRecord(JSON.parse(text));
    return new Map(Object.entries(toRecord(auths)).map(([registry, login]) => [registry, toRecord(login)]));
  } catch {
    return null;
  }
}

/** @throws TypeError for a value that is not an object */
function toRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return { ...value };
}

/** Replaces a secret in redacted text. */
const REDACTION_MARK = '[hidden]';

// Secrets that openshift-install and other programs print or log, and that must not leave this machine. The kubeadmin
// password is four groups of five (pkg/asset/password of openshift/installer). Quotes may be escaped once more when a
// value was quoted inside a message. A pattern runs only if the lowercase text contains one of its keywords: hardly
// any log line does.
//
// Hostile text may be built to make a regular expression slow or to exhaust its memory. A regular expression keeps a
// backtracking position for each repetition, and throws after some millions. So a head has no unlimited repetition. The
// text after the head is only searched for the end of the secret, which keeps no positions and visits none twice.
interface SecretPattern {
  readonly keywords: readonly string[];
  /** The beginning of a secret, or the text in front of it. */
  readonly head: RegExp;
  /** Finds the end of the secret after the head; null if there is no secret. */
  readonly findEnd: EndFinder;
  /** `head`: head and rest are hidden; `rest`: only the text after the head. */
  readonly hiddenPart: 'head' | 'rest';
}

/** Returns the index after the secret, starting at the index after its head; null if there is no secret. */
type EndFinder = (text: string, startIndex: number) => number | null;

/**
 * Creates a finder of the first match of `stop`, else of the end of the text. It returns null for a secret shorter than
 * `minLength` characters.
 */
const createEndFinder =
  (stop: RegExp, minLength: number): EndFinder =>
  (text, startIndex) => {
    stop.lastIndex = startIndex;
    const end = stop.exec(text)?.index ?? text.length;
    return end - startIndex < minLength ? null : end;
  };

const findKeyEnd: EndFinder = (text, startIndex) => {
  KEY_END.lastIndex = startIndex;
  return KEY_END.exec(text) === null ? text.length : KEY_END.lastIndex;
};

/** Finds the end of a JSON Web Token: header, payload and, if present, signature. Null without a payload. */
const findWebTokenEnd: EndFinder = (text, startIndex) => {
  const header = findTokenPartEnd(text, startIndex);
  const payload = header === null || text[header] !== '.' ? null : findTokenPartEnd(text, header + 1);
  return payload === null || text[payload] !== '.' ? payload : findSignatureEnd(text, payload + 1);
};
const findTokenPartEnd = createEndFinder(/[^\w-]/g, 6);
const findSignatureEnd = createEndFinder(/[^\w-]/g, 0);

/** Finds the last @ in the authority of a URL, where user and password end. */
const findCredentialsEnd: EndFinder = (text, startIndex) => {
  const end = findAuthorityEnd(text, startIndex) ?? startIndex;
  const atSign = text.slice(startIndex, end).lastIndexOf('@');
  return atSign === -1 ? null : startIndex + atSign;
};
const findAuthorityEnd = createEndFinder(/[\s/"'<>]/g, 0);

const findObjectEnd: EndFinder = (text, startIndex) => {
  const lastBrace = text.lastIndexOf('}');
  return lastBrace < startIndex ? text.length : lastBrace + 1;
};

const KEY_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;
const PRIVATE_KEY_PATTERN: SecretPattern = {
  keywords: ['private key-----'],
  head: KEY_HEAD,
  findEnd: findKeyEnd,
  hiddenPart: 'head',
};
const SECRET_PATTERNS: readonly SecretPattern[] = [
  PRIVATE_KEY_PATTERN,
  // A private key in base64, as in kubeconfigs; certificates are public.
  {
    keywords: ['ls0tls1crudjti'],
    head: /LS0tLS1CRUdJTi(?!BDRVJU)/g,
    findEnd: createEndFinder(/[^\w+/=]/g, 16),
    hiddenPart: 'head',
  },
  {
    keywords: ['auths'],
    head: /\{\s{0,99}\\{0,9}"auths\\{0,9}"\s{0,99}:/g,
    findEnd: findObjectEnd,
    hiddenPart: 'head',
  },
  {
    keywords: ['pullsecret'],
    head: /pullSecret\\{0,9}["']?\s{0,99}[:=]\s{0,99}/gi,
    findEnd: createEndFinder(/[\n\r\u2028\u2029]/g, 1),
    hiddenPart: 'rest',
  },
  {
    keywords: ['"auth', 'password', 'token', 'client-key-data'],
    head: /"(?:auth|password|token|identitytoken|registrytoken|client-key-data)\\{0,9}"\s{0,99}:\s{0,99}\\{0,9}"/gi,
    findEnd: createEndFinder(/["\\]/g, 0),
    hiddenPart: 'rest',
  },
  {
    keywords: ['password'],
    head: /password:?\s{0,99}\\{0,9}["']/gi,
    findEnd: createEndFinder(/["'\\]/g, 1),
    hiddenPart: 'rest',
  },
  {
    keywords: ['password=', 'passwd=', 'token='],
    head: /\b(?:password|passwd|token)=/gi,
    findEnd: createEndFinder(/[\s"'\\&;,]/g, 1),
    hiddenPart: 'rest',
  },
  {
    keywords: ['password:', 'passwd:', 'token:', 'client-key-data:'],
    head: /\b(?:password|passwd|token|client-key-data):\s{1,99}/gi,
    findEnd: createEndFinder(/[\s"'\\,]/g, 16),
    hiddenPart: 'rest',
  },
  {
    keywords: ['-'],
    head: /\b[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3}\b/g,
    findEnd: (_, startIndex) => startIndex,
    hiddenPart: 'head',
  },
  { keywords: ['sha256~'], head: /\bsha256~/g, findEnd: createEndFinder(/[^\w-]/g, 1), hiddenPart: 'head' },
  // A JSON Web Token.
  { keywords: ['eyj'], head: /(?<![\w-])eyJ/g, findEnd: findWebTokenEnd, hiddenPart: 'head' },
  {
    keywords: ['authorization'],
    head: /\bAuthorization\\{0,9}["']?\s{0,99}[:=]\s{0,99}\\{0,9}["']?(?:Basic|Bearer|Digest|Negotiate)\s{1,99}/gi,
    findEnd: createEndFinder(/[\s"'\\]/g, 1),
    hiddenPart: 'rest',
  },
  {
    keywords: ['bearer'],
    head: /\bBearer\s{1,99}(?!\[hidden\])/gi,
    findEnd: createEndFinder(/[\s"'\\]/g, 1),
    hiddenPart: 'rest',
  },
  // Contents of files inside an ignition config.
  {
    keywords: ['data:'],
    head: /\bdata:[\w/+.-]{0,127}(?:;[\w=-]{1,127}){0,9},/g,
    findEnd: createEndFinder(/[\s"'\\]/g, 16),
    hiddenPart: 'rest',
  },
  { keywords: ['://'], head: /:\/\//g, findEnd: findCredentialsEnd, hiddenPart: 'rest' },
];

/** Removes passwords, pull secrets, private keys, tokens and credentials in URLs, as far as their form reveals them. */
export function redactPatterns(text: string): string {
  const lowerText = text.toLowerCase();
  return SECRET_PATTERNS.reduce(
    (redactedText, pattern) =>
      pattern.keywords.some((word) => lowerText.includes(word)) ? hideMatches(redactedText, pattern) : redactedText,
    text,
  );
}

function hideMatches(text: string, { head, findEnd, hiddenPart }: SecretPattern): string {
  let redactedText = '';
  let position = 0;
  head.lastIndex = 0;
  for (let match = head.exec(text); match !== null; match = head.exec(text)) {
    const secretEnd = findEnd(text, head.lastIndex);
    if (secretEnd === null) continue;
    redactedText += text.slice(position, hiddenPart === 'head' ? match.index : head.lastIndex) + REDACTION_MARK;
    position = secretEnd;
    head.lastIndex = secretEnd;
  }
  return redactedText + text.slice(position);
}

/** Removes private keys, also the end of a key whose beginning was cut off. */
function redactKeys(text: string): string {
  return hideMatches(hideTruncatedKey(text), PRIVATE_KEY_PATTERN);
}

function hideTruncatedKey(text: string): string {
  KEY_END.lastIndex = 0;
  const isCut = KEY_END.test(text);
  const end = KEY_END.lastIndex;
  const begin = text.indexOf('-----BEGIN ');
  return isCut && (begin === -1 || begin >= end) ? REDACTION_MARK + text.slice(end) : text;
}

/** Removes secrets from a text. */
type Redactor = (text: string) => string;

/** Minimum length: a shorter secret cannot be distinguished from ordinary words. */
const MIN_SECRET_LENGTH = 8;

const registeredSecrets = new Set<string>();
let activeRedactor: Redactor = redactPatterns;

/** Makes this process hide these secrets in everything that passes `redact`. They are held in memory only. */
export function registerSecrets(secrets: readonly string[]): void {
  const previousSize = registeredSecrets.size;
  for (const secret of secrets) if (secret.trim().length >= MIN_SECRET_LENGTH) registeredSecrets.add(secret.trim());
  if (registeredSecrets.size > previousSize) activeRedactor = createRedactor([...registeredSecrets]);
}

/**
 * Removes everything that is or looks secret from text that leaves the process (screens, errors, logs, journal, report,
 * bundle).
 */
export function redact(text: string): string {
  return activeRedactor(text);
}

/** Redacts all texts inside a JSON value, its property names included. */
export function redactJson(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(redactJson);
  if (typeof value !== 'object' || value === null) return value;
  // The name of a value decides as well: `"password": "x"` is a secret, "x" alone is not.
  return Object.fromEntries(
    Object.entries(value).map(([name, innerValue]) => [
      redact(name),
      SECRET_NAME.test(name) && typeof innerValue === 'string' ? REDACTION_MARK : redactJson(innerValue),
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
  const textWithoutKeys = redactKeys(text);
  const lines = textWithoutKeys.split('\n').map(redact).join('\n');
  return containsSecret(lines) ? REDACTION_MARK : lines;
}

/**
 * Whether the text contains a registered secret in any of its encodings, also broken by newlines, blanks, quotes or
 * backslashes.
 */
export function containsSecret(text: string): boolean {
  const encodings = [...registeredSecrets].flatMap(listEncodings);
  const compactText = removeSeparators(text);
  return encodings.some((encoding) => text.includes(encoding) || compactText.includes(encoding));
}

/**
 * Lists all secrets of a pull secret: its text, and for each registry the `auth`, the decoded `auth`, its password and
 * the tokens. Empty for a text that is not a pull secret.
 */
export function listPullSecretSecrets(text: string): string[] {
  const logins = parsePullSecret(text);
  if (logins === null) return [];
  const loginSecrets = [...logins.values()].flatMap(({ auth, password, identitytoken, registrytoken }) => {
    const credentials = typeof auth === 'string' ? Buffer.from(auth, 'base64').toString('utf8') : '';
    return [
      auth,
      credentials,
      credentials.slice(credentials.indexOf(':') + 1),
      password,
      identitytoken,
      registrytoken,
    ].filter((secret): secret is string => typeof secret === 'string' && secret !== '');
  });
  return [text.trim(), ...loginSecrets];
}

/**
 * Creates a redactor for text that looks secret and for these secrets in the encodings that a log may hold: plain,
 * quoted once or twice, percent-encoded, inside a base64 text, and broken over lines.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const encodings = [...new Set(secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH).flatMap(listEncodings))];
  // The longest first: hiding a part of a secret first would leave the rest of it visible.
  const orderedEncodings = encodings.sort((a, b) => b.length - a.length);
  const prefixes = orderedEncodings.map((encoding) => encoding.slice(0, MIN_SECRET_LENGTH - 2));
  return (text) => {
    const textWithoutEncodings = orderedEncodings.reduce(
      (rest, encoding) => (rest.includes(encoding) ? rest.replaceAll(encoding, REDACTION_MARK) : rest),
      text,
    );
    const redactedText = redactPatterns(textWithoutEncodings);
    // A secret that is broken by newlines, blanks, quotes or backslashes hides the whole text.
    const compactText = removeSeparators(redactedText);
    if (compactText.length === redactedText.length || !prefixes.some((prefix) => compactText.includes(prefix)))
      return redactedText;
    return orderedEncodings.some((encoding) => compactText.includes(encoding)) ? REDACTION_MARK : redactedText;
  };
}

function removeSeparators(text: string): string {
  return text.replace(/(?:\\[nrt]|[\s"'+\\]){1,99}/g, '');
}

function listEncodings(secret: string): string[] {
  const quotedSecret = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    quotedSecret,
    JSON.stringify(quotedSecret).slice(1, -1),
    encodeURIComponent(secret),
    ...listBase64Encodings(secret),
  ];
}

/** Lists, for each byte alignment, the part of the base64 encoding that every text with the secret contains. */
function listBase64Encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((shift) => {
    const base64Text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and the last characters depend on the bytes around the secret.
    const start = shift === 0 ? 0 : shift + 1;
    const end = Math.floor(((shift + bytes.length) * 8) / 6);
    return base64Text.slice(start, end);
  });
}

/**
 * A text that may be shown on the screen and nowhere else: code that writes, logs or inspects it by accident gets a
 * placeholder. `reveal` is for the line that is drawn.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return SECRET_PLACEHOLDER;
  }

  toJSON(): string {
    return SECRET_PLACEHOLDER;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return SECRET_PLACEHOLDER;
  }
}

const SECRET_PLACEHOLDER = '(hidden)';
