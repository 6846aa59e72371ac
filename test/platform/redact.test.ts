import { expect, test } from 'vitest';
import {
  containsSecret,
  createRedactor,
  listPullSecretSecrets,
  redact as redactAll,
  redactJson,
  redactLines,
  redactPatterns,
  registerSecrets,
} from '../../src/platform/secrets.ts';
import fc from '../support/property.ts';

const PASSWORD = 'aB3dE-fGh1J-kLm2N-pQr5T';
const TOKEN = 'b3BlbnNoaWZ0K3VzZXI6Tk9UQVJFQUxUT0tFTjEyMzQ1Njc4OTA=';
const TOKEN_PASSWORD = 'NOTAREALTOKEN1234567890';
const redact = createRedactor([PASSWORD, TOKEN, TOKEN_PASSWORD]);

const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => `before ${secret} after`,
  'inside a word': (secret) => `x${secret}x`,
  quoted: (secret) => JSON.stringify({ some: secret }),
  'quoted twice': (secret) => JSON.stringify(JSON.stringify({ some: secret })),
  'percent-encoded': (secret) => `https://x/?q=${encodeURIComponent(secret)}&y`,
  'in base64': (secret) => `data:;base64,${Buffer.from(`{"a": "${secret}"}`).toString('base64')}`,
  'in base64, shifted by one byte': (secret) => Buffer.from(`.{"a": "${secret}"}`).toString('base64'),
  'in base64, shifted by two bytes': (secret) => Buffer.from(`..{"a": "${secret}"}`).toString('base64'),
  'over two lines': (secret) => `a ${secret.slice(0, 9)}\n    ${secret.slice(9)} b`,
  'as two strings': (secret) => `"${secret.slice(0, 9)}" + "${secret.slice(9)}"`,
  'broken by an escaped newline': (secret) => `${secret.slice(0, 9)}\\n${secret.slice(9)}`,
};

test.each(
  Object.keys(FORMS).flatMap((form) => [PASSWORD, TOKEN, TOKEN_PASSWORD].map((secret) => [form, secret] as const)),
)('a secret does not show %s', (form, secret) => {
  const out = redact(FORMS[form]?.(secret) ?? '');
  expect(out).toContain('[hidden]');
  for (let start = 0; start + 12 <= secret.length; start += 1)
    expect(out).not.toContain(secret.slice(start, start + 12));
  for (const shift of [0, 1, 2]) {
    const middle = Buffer.from('.'.repeat(shift) + secret)
      .toString('base64')
      .slice(4, 20);
    expect(out).not.toContain(middle);
  }
});

test('other text stays as it is', () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 40 }), (text) => {
      expect(redact(text)).toBe(text);
    }),
  );
  expect(redact('level=info msg="API v1.31.6 up"\n  more')).toBe('level=info msg="API v1.31.6 up"\n  more');
});

const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIEcanary\nMIIEcanary\n-----END RSA PRIVATE KEY-----';
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl';

test.each([
  ['a private key', `before\n${PEM}\nafter`, 'before\n[hidden]\nafter'],
  ['a private key in base64', `key: ${Buffer.from(PEM).toString('base64')} after`, 'key: [hidden] after'],
  [
    'an entry of a pull secret',
    '"quay.io": {"auth": "dXNlcjpwdw==", "email": "a"}',
    '"quay.io": {"auth": "[hidden]", "email": "a"}',
  ],
  [
    'the line of the password',
    'user: \\"kubeadmin\\", and password: \\"x1\\"',
    'user: \\"kubeadmin\\", and password: \\"[hidden]\\"',
  ],
  ['a header', 'Authorization: Basic dXNlcjpwdw==\nHost: x', 'Authorization: Basic [hidden]\nHost: x'],
  ['a bearer token', 'curl -H "Authorization: Bearer abc.def"', 'curl -H "Authorization: Bearer [hidden]"'],
  ['a token of OpenShift', 'login with sha256~Ab_c-1 ok', 'login with [hidden] ok'],
  ['a web token', `token ${JWT}, then`, 'token [hidden], then'],
  ['a token in YAML', 'token: 0123456789abcdef0123', 'token: [hidden]'],
  [
    'a file of an ignition file',
    'source: data:text/plain;charset=utf-8;base64,aGVsbG8gaGVsbG8gaGVsbG8=',
    'source: data:text/plain;charset=utf-8;base64,[hidden]',
  ],
  ['credentials in a URL', 'proxy http://me:p@ss@proxy:3128/x failed', 'proxy http://[hidden]@proxy:3128/x failed'],
])('%s is hidden wherever it occurs', (_, text, expected) => {
  expect(redactPatterns(text)).toBe(expected);
});

test.each([
  'https://api.ocp45.example.localdomain:6443/readyz?verbose',
  'certificate LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUR',
  'quay.io/openshift-release-dev/ocp-release@sha256:0123456789abcdef',
  'error: token: expired',
])('%s is not secret', (text) => {
  expect(redactPatterns(text)).toBe(text);
});

test('text built to exhaust the time or memory of a regular expression is redacted like other text', () => {
  const long = (part: string, length = 2 ** 23) => part.repeat(length / part.length);
  for (const part of ['\\', '"', '://', 'eyJ-', '-----BEGIN ', 'password ', 'data:', 'token: ', '{ ', '"auths"'])
    expect(redactPatterns(long(part, 2 ** 21))).toBeTypeOf('string');
  expect(redactPatterns(`${long('eyJa')}.payload`)).toBe('[hidden]');
  expect(redactPatterns(long('LS0tLS1CRUdJTi'))).toBe('[hidden]');
  expect(redactPatterns(`token: ${long('a')} b`)).toBe('token: [hidden] b');
  expect(redactPatterns(`data:,${long('a')}" b`)).toBe('data:,[hidden]" b');
});

test('the secrets of a pull secret are its whole text, each auth value, and its decoded parts', () => {
  const auth = Buffer.from('user:the:password').toString('base64');
  const text = JSON.stringify({ auths: { 'quay.io': { auth, email: 'a@b' }, x: { identitytoken: 'tok' } } });
  expect(listPullSecretSecrets(`${text}\n`)).toEqual([text, auth, 'user:the:password', 'the:password', 'tok']);
  expect(listPullSecretSecrets('no JSON')).toEqual([]);
  expect(listPullSecretSecrets('{"auths": {"x": null}}')).toEqual([]);
});

test('a registered secret is hidden in texts, in JSON values and across lines', () => {
  registerSecrets(['a-canary-of-this-test\n', 'short']);
  expect(redactAll('x a-canary-of-this-test short')).toBe('x [hidden] short');
  expect(redactJson({ a: ['a-canary-of-this-test', 1, null], password: 'x', 'a-canary-of-this-test': true })).toEqual({
    a: ['[hidden]', 1, null],
    password: '[hidden]',
    '[hidden]': true,
  });
  expect(redactLines(`one\n{"auths": {"x": {"auth": "y"}}}\n${PEM}\ntwo`)).toBe('one\n[hidden]\n[hidden]\ntwo');
  expect(containsSecret('a-canary-of\n  -this-test')).toBe(true);
  expect(redactLines('a-canary-of\n  -this-test')).toBe('[hidden]');
  expect(containsSecret('nothing of it')).toBe(false);
});
