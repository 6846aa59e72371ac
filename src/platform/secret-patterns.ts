/** Replaces a secret in redacted text. */
export const HIDDEN = '[hidden]';

// Secrets that openshift-install and other programs print or log, and that must not leave this machine. The kubeadmin
// password is four groups of five (pkg/asset/password of openshift/installer). Quotes may be escaped once more when a
// value was quoted inside a message. A pattern runs only if the lower-case text contains one of its keywords: hardly
// any log line does.
//
// Hostile text may be built to make a regular expression slow or exhaust its memory: it keeps a backtracking position
// for each repetition, and throws after some millions. So a head has no unlimited repetition. The text behind it is not
// matched but searched for its end, which keeps no positions and never visits one twice.
interface Pattern {
  readonly keywords: readonly string[];
  /** The beginning of a secret, or the text in front of it. */
  readonly head: RegExp;
  /** Finds the end of the secret behind the head; null if there is no secret. */
  readonly end: FindEnd;
  /** Whether the head is hidden as well, or only the rest. */
  readonly hidden: 'head' | 'rest';
}

/** Returns the index behind the secret, from the index behind the head. */
type FindEnd = (text: string, from: number) => number | null;

/** The end is the first match of `stop`, at least `minimum` characters behind the head. */
const endBefore =
  (stop: RegExp, minimum: number): FindEnd =>
  (text, from) => {
    stop.lastIndex = from;
    const end = stop.exec(text)?.index ?? text.length;
    return end - from < minimum ? null : end;
  };

const endOfKey: FindEnd = (text, from) => {
  KEY_END.lastIndex = from;
  return KEY_END.exec(text) === null ? text.length : KEY_END.lastIndex;
};

/** Header, payload and, if present, signature. The signature of a truncated token belongs to no token. */
const endOfWebToken: FindEnd = (text, from) => {
  const header = endOfTokenPart(text, from);
  const payload = header === null || text[header] !== '.' ? null : endOfTokenPart(text, header + 1);
  return payload === null || text[payload] !== '.' ? payload : endOfSignature(text, payload + 1);
};
const endOfTokenPart = endBefore(/[^\w-]/g, 6);
const endOfSignature = endBefore(/[^\w-]/g, 0);

/** The last @ of what may be user and password of a URL. */
const endOfCredentials: FindEnd = (text, from) => {
  const end = endOfAuthority(text, from) ?? from;
  const atSign = text.slice(from, end).lastIndexOf('@');
  return atSign === -1 ? null : from + atSign;
};
const endOfAuthority = endBefore(/[\s/"'<>]/g, 0);

const endOfObject: FindEnd = (text, from) => {
  const last = text.lastIndexOf('}');
  return last < from ? text.length : last + 1;
};

const KEY_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;
const KEY: Pattern = { keywords: ['private key-----'], head: KEY_HEAD, end: endOfKey, hidden: 'head' };
const PATTERNS: readonly Pattern[] = [
  KEY,
  // A private key in base64, as in kubeconfigs; certificates are public.
  {
    keywords: ['ls0tls1crudjti'],
    head: /LS0tLS1CRUdJTi(?!BDRVJU)/g,
    end: endBefore(/[^\w+/=]/g, 16),
    hidden: 'head',
  },
  { keywords: ['auths'], head: /\{\s{0,99}\\{0,9}"auths\\{0,9}"\s{0,99}:/g, end: endOfObject, hidden: 'head' },
  {
    keywords: ['pullsecret'],
    head: /pullSecret\\{0,9}["']?\s{0,99}[:=]\s{0,99}/gi,
    end: endBefore(/[\n\r\u2028\u2029]/g, 1),
    hidden: 'rest',
  },
  {
    keywords: ['"auth', 'password', 'token', 'client-key-data'],
    head: /"(?:auth|password|token|identitytoken|registrytoken|client-key-data)\\{0,9}"\s{0,99}:\s{0,99}\\{0,9}"/gi,
    end: endBefore(/["\\]/g, 0),
    hidden: 'rest',
  },
  { keywords: ['password'], head: /password:?\s{0,99}\\{0,9}["']/gi, end: endBefore(/["'\\]/g, 1), hidden: 'rest' },
  {
    keywords: ['password=', 'passwd=', 'token='],
    head: /\b(?:password|passwd|token)=/gi,
    end: endBefore(/[\s"'\\&;,]/g, 1),
    hidden: 'rest',
  },
  {
    keywords: ['password:', 'passwd:', 'token:', 'client-key-data:'],
    head: /\b(?:password|passwd|token|client-key-data):\s{1,99}/gi,
    end: endBefore(/[\s"'\\,]/g, 16),
    hidden: 'rest',
  },
  {
    keywords: ['-'],
    head: /\b[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3}\b/g,
    end: (_, from) => from,
    hidden: 'head',
  },
  { keywords: ['sha256~'], head: /\bsha256~/g, end: endBefore(/[^\w-]/g, 1), hidden: 'head' },
  // A JSON Web Token.
  { keywords: ['eyj'], head: /(?<![\w-])eyJ/g, end: endOfWebToken, hidden: 'head' },
  {
    keywords: ['authorization'],
    head: /\bAuthorization\\{0,9}["']?\s{0,99}[:=]\s{0,99}\\{0,9}["']?(?:Basic|Bearer|Digest|Negotiate)\s{1,99}/gi,
    end: endBefore(/[\s"'\\]/g, 1),
    hidden: 'rest',
  },
  { keywords: ['bearer'], head: /\bBearer\s{1,99}(?!\[hidden\])/gi, end: endBefore(/[\s"'\\]/g, 1), hidden: 'rest' },
  // Contents of files inside an ignition config.
  {
    keywords: ['data:'],
    head: /\bdata:[\w/+.-]{0,127}(?:;[\w=-]{1,127}){0,9},/g,
    end: endBefore(/[\s"'\\]/g, 16),
    hidden: 'rest',
  },
  { keywords: ['://'], head: /:\/\//g, end: endOfCredentials, hidden: 'rest' },
];

/** Removes passwords, pull secrets, private keys, tokens and credentials in URLs, as far as their form reveals them. */
export function redactPatterns(text: string): string {
  const lower = text.toLowerCase();
  return PATTERNS.reduce(
    (safe, pattern) => (pattern.keywords.some((word) => lower.includes(word)) ? hide(safe, pattern) : safe),
    text,
  );
}

function hide(text: string, { head, end, hidden }: Pattern): string {
  let safe = '';
  let position = 0;
  head.lastIndex = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const secretEnd = end(text, head.lastIndex);
    if (secretEnd === null) continue;
    safe += text.slice(position, hidden === 'head' ? found.index : head.lastIndex) + HIDDEN;
    position = secretEnd;
    head.lastIndex = secretEnd;
  }
  return safe + text.slice(position);
}

/** Removes private keys, also the end of one whose beginning was cut off. */
export function redactKeys(text: string): string {
  return hide(hideTruncatedKey(text), KEY);
}

function hideTruncatedKey(text: string): string {
  KEY_END.lastIndex = 0;
  const isCut = KEY_END.test(text);
  const end = KEY_END.lastIndex;
  const begin = text.indexOf('-----BEGIN ');
  return isCut && (begin === -1 || begin >= end) ? HIDDEN + text.slice(end) : text;
}
