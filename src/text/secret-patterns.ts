/** What stands where something secret was. */
export const HIDDEN = '[hidden]';

// What may be printed or logged, by openshift-install above all, and must never leave here. The password of kubeadmin is four
// groups of five (pkg/asset/password of openshift/installer); quotes may be escaped once more when a value was quoted inside a
// message. A pattern is tried only where one of its words is, in lower case: hardly any line of a log has one.
//
// Text from outside may be made to take long, or to take all memory that a regular expression may have: it keeps a place to go back
// to for each repetition, and throws after some millions. So a head repeats nothing without a limit, and what follows it is not
// matched: the search for its end is, which keeps no such places and never looks at one place again and again.
interface Pattern {
  readonly words: readonly string[];
  /** What a secret begins with, or stands behind. */
  readonly head: RegExp;
  /** Where the secret behind the head ends; null: this is none. */
  readonly end: End;
  /** What of the head is hidden as well. */
  readonly hides: 'head' | 'rest';
}

/** From the place behind the head: the place behind the secret. */
type End = (text: string, from: number) => number | null;

/** All up to what `stop` finds, and at least so many characters. */
const upTo =
  (stop: RegExp, least: number): End =>
  (text, from) => {
    stop.lastIndex = from;
    const end = stop.exec(text)?.index ?? text.length;
    return end - from < least ? null : end;
  };

const behindKey: End = (text, from) => {
  KEY_END.lastIndex = from;
  return KEY_END.exec(text) === null ? text.length : KEY_END.lastIndex;
};

/** Header, payload and signature, if there is one: the signature of a token that is cut is nobody's. */
const behindWebToken: End = (text, from) => {
  const header = webTokenPart(text, from);
  const payload = header === null || text[header] !== '.' ? null : webTokenPart(text, header + 1);
  return payload === null || text[payload] !== '.' ? payload : lastWebTokenPart(text, payload + 1);
};
const webTokenPart = upTo(/[^\w-]/g, 6);
const lastWebTokenPart = upTo(/[^\w-]/g, 0);

/** Up to the last @ of what may be user and password of a URL. */
const behindCredentials: End = (text, from) => {
  const end = authority(text, from) ?? from;
  const at = text.slice(from, end).lastIndexOf('@');
  return at === -1 ? null : from + at;
};
const authority = upTo(/[\s/"'<>]/g, 0);

const lastBrace: End = (text, from) => {
  const last = text.lastIndexOf('}');
  return last < from ? text.length : last + 1;
};

const KEY_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/g;
const KEY: Pattern = { words: ['private key-----'], head: KEY_HEAD, end: behindKey, hides: 'head' };
const PATTERNS: readonly Pattern[] = [
  KEY,
  // The same in base64, as kubeconfigs have it; certificates are public.
  {
    words: ['ls0tls1crudjti'],
    head: /LS0tLS1CRUdJTi(?!BDRVJU)/g,
    end: upTo(/[^\w+/=]/g, 16),
    hides: 'head',
  },
  { words: ['auths'], head: /\{\s{0,99}\\{0,9}"auths\\{0,9}"\s{0,99}:/g, end: lastBrace, hides: 'head' },
  {
    words: ['pullsecret'],
    head: /pullSecret\\{0,9}["']?\s{0,99}[:=]\s{0,99}/gi,
    end: upTo(/[\n\r\u2028\u2029]/g, 1),
    hides: 'rest',
  },
  {
    words: ['"auth', 'password', 'token', 'client-key-data'],
    head: /"(?:auth|password|token|identitytoken|registrytoken|client-key-data)\\{0,9}"\s{0,99}:\s{0,99}\\{0,9}"/gi,
    end: upTo(/["\\]/g, 0),
    hides: 'rest',
  },
  { words: ['password'], head: /password:?\s{0,99}\\{0,9}["']/gi, end: upTo(/["'\\]/g, 1), hides: 'rest' },
  {
    words: ['password=', 'passwd=', 'token='],
    head: /\b(?:password|passwd|token)=/gi,
    end: upTo(/[\s"'\\&;,]/g, 1),
    hides: 'rest',
  },
  {
    words: ['password:', 'passwd:', 'token:', 'client-key-data:'],
    head: /\b(?:password|passwd|token|client-key-data):\s{1,99}/gi,
    end: upTo(/[\s"'\\,]/g, 16),
    hides: 'rest',
  },
  {
    words: ['-'],
    head: /\b[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3}\b/g,
    end: (_, from) => from,
    hides: 'head',
  },
  { words: ['sha256~'], head: /\bsha256~/g, end: upTo(/[^\w-]/g, 1), hides: 'head' },
  // A JSON Web Token.
  { words: ['eyj'], head: /(?<![\w-])eyJ/g, end: behindWebToken, hides: 'head' },
  {
    words: ['authorization'],
    head: /\bAuthorization\\{0,9}["']?\s{0,99}[:=]\s{0,99}\\{0,9}["']?(?:Basic|Bearer|Digest|Negotiate)\s{1,99}/gi,
    end: upTo(/[\s"'\\]/g, 1),
    hides: 'rest',
  },
  { words: ['bearer'], head: /\bBearer\s{1,99}(?!\[hidden\])/gi, end: upTo(/[\s"'\\]/g, 1), hides: 'rest' },
  // The files inside an ignition file.
  {
    words: ['data:'],
    head: /\bdata:[\w/+.-]{0,127}(?:;[\w=-]{1,127}){0,9},/g,
    end: upTo(/[\s"'\\]/g, 16),
    hides: 'rest',
  },
  { words: ['://'], head: /:\/\//g, end: behindCredentials, hides: 'rest' },
];

/** The text without passwords, pull secrets, private keys, tokens and credentials in URLs, as far as they look like such. */
export function redactPatterns(text: string): string {
  const lower = text.toLowerCase();
  return PATTERNS.reduce(
    (safe, pattern) => (pattern.words.some((word) => lower.includes(word)) ? hide(safe, pattern) : safe),
    text,
  );
}

function hide(text: string, { head, end, hides }: Pattern): string {
  let safe = '';
  let done = 0;
  head.lastIndex = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const behind = end(text, head.lastIndex);
    if (behind === null) continue;
    safe += text.slice(done, hides === 'head' ? found.index : head.lastIndex) + HIDDEN;
    done = behind;
    head.lastIndex = behind;
  }
  return safe + text.slice(done);
}

/** The text without private keys, also without the end of one whose beginning was cut off. */
export function redactKeys(text: string): string {
  return hide(withoutCutKey(text), KEY);
}

function withoutCutKey(text: string): string {
  KEY_END.lastIndex = 0;
  const isCut = KEY_END.test(text);
  const end = KEY_END.lastIndex;
  const begin = text.indexOf('-----BEGIN ');
  return isCut && (begin === -1 || begin >= end) ? HIDDEN + text.slice(end) : text;
}
