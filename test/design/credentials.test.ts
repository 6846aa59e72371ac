import 'reflect-metadata';
import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { X509CertificateGenerator } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { type CredentialTexts, credentialProblems } from '../../src/design/credentials.ts';
import type { Design } from '../../src/design/model.ts';
import { checkDocument } from '../../src/design/parse.ts';
import fc, { anyCharacter } from '../support/property.ts';
import { type Changes, exampleWith } from './support.ts';

const SECRET = 'VERYSECRETvalue';
const auth = Buffer.from(`user:${SECRET}`).toString('base64');
const registries = ['cloud.openshift.com', 'quay.io', 'registry.redhat.io', 'registry.connect.redhat.com'];
const pullSecret = JSON.stringify({ auths: Object.fromEntries(registries.map((name) => [name, { auth }])) });

/** `type base64 comment`, built by RFC 4253: every part is preceded by its length. */
function sshKey(type: string, parts: readonly Buffer[]): string {
  const packed = [Buffer.from(type), ...parts].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  return `${type} ${Buffer.concat(packed).toString('base64')} core@bastion`;
}

const ed25519 = sshKey('ssh-ed25519', [Buffer.alloc(32, 7)]);
const rsa = sshKey('ssh-rsa', [Buffer.from([1, 0, 1]), Buffer.alloc(257, 9)]);
const privateKey = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));

function designWith(changes: Changes = []): Design {
  const { design } = checkDocument(exampleWith(changes));
  if (!design) throw new Error('the example is wrong');
  return design;
}

function judge(texts: Partial<CredentialTexts>, changes: Changes = []) {
  const problems = credentialProblems(
    { pullSecret, sshKey: ed25519, trustBundle: null, ...texts },
    designWith(changes),
  );
  // Whatever is wrong: what the files hold is not repeated.
  expect(JSON.stringify(problems)).not.toContain(SECRET);
  expect(JSON.stringify(problems)).not.toContain(auth);
  return problems.map(({ severity, rule, path }) => `${severity} ${rule} ${path}`);
}

test('good files have no problems', () => {
  expect(judge({})).toEqual([]);
  expect(judge({ sshKey: `${rsa}\n${ed25519}\n` })).toEqual([]);
});

test('missing files are warnings', () => {
  expect(judge({ pullSecret: null, sshKey: null }, [['additionalTrustBundleFile', 'ca.pem']])).toEqual([
    'warning pull-secret-missing credentials.pullSecretFile',
    'warning ssh-key-missing credentials.sshKeyFile',
    'warning trust-bundle-missing additionalTrustBundleFile',
  ]);
});

test.each([
  ['no JSON', `{"auths": ${SECRET}`],
  ['no object', '[]'],
  ['no auths', '{"auths":{}}'],
  ['an entry without auth', JSON.stringify({ auths: { 'quay.io': { email: SECRET } } })],
  ['an auth that is no base64 of user:password', JSON.stringify({ auths: { 'quay.io': { auth: SECRET } } })],
])('a pull secret with %s is an error', (_what, text) => {
  expect(judge({ pullSecret: text })).toEqual(['error pull-secret credentials.pullSecretFile']);
});

test('without the registry of the release nothing can be installed; others are told of', () => {
  const without = (name: string) =>
    JSON.stringify({
      auths: Object.fromEntries(registries.filter((one) => one !== name).map((one) => [one, { auth }])),
    });
  expect(judge({ pullSecret: without('quay.io') })).toEqual(['error pull-secret-release credentials.pullSecretFile']);
  for (const name of registries.filter((one) => one !== 'quay.io')) {
    const texts = { pullSecret: without(name), sshKey: ed25519, trustBundle: null };
    const [problem, ...others] = credentialProblems(texts, designWith());
    expect(problem).toMatchObject({ severity: 'warning', rule: 'pull-secret-registry' });
    expect(problem?.message).toContain(name);
    expect(others).toEqual([]);
  }
});

test('a pull secret has an entry for where images come from', () => {
  const only = JSON.stringify({ auths: { 'quay.io': { auth } } });
  expect(judge({ pullSecret: only })).toEqual(['warning pull-secret-registry credentials.pullSecretFile']);
  const mirror: Changes = [['imageDigestSources', [{ source: 'quay.io/a/b', mirrors: ['mirror.example.com:5000/a'] }]]];
  const withMirror = JSON.stringify({ auths: { 'mirror.example.com:5000': { auth } } });
  expect(judge({ pullSecret: withMirror }, mirror)).toEqual([]);
  expect(judge({ pullSecret: only }, mirror)).toEqual(['warning pull-secret-registry credentials.pullSecretFile']);
});

test('a private key is refused and not repeated', () => {
  const problems = credentialProblems({ pullSecret, sshKey: privateKey, trustBundle: null }, designWith());
  expect(problems.map(({ rule }) => rule)).toEqual(['ssh-key-private']);
  expect(JSON.stringify(problems)).not.toContain(privateKey.split('\n')[1]);
});

test('a private key in the place of any file is an error', () => {
  const texts = { pullSecret: privateKey, sshKey: 'PuTTY-User-Key-File-3: ssh-ed25519', trustBundle: privateKey };
  const problems = credentialProblems(texts, designWith([['additionalTrustBundleFile', 'ca.pem']]));
  expect(problems.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual([
    'error pull-secret',
    'error ssh-key-private',
    'error trust-bundle',
  ]);
  expect(new Set(problems.map(({ message }) => message)).size).toBe(1);
});

test('comments and empty lines of a key file are passed over', () => {
  expect(judge({ sshKey: `# mine\n\n${ed25519}\r\n` })).toEqual([]);
  expect(judge({ sshKey: '# mine\n' })).toEqual(['error ssh-key credentials.sshKeyFile']);
});

test('keys that the nodes refuse are warned of', () => {
  const short = sshKey('ssh-rsa', [Buffer.from([1, 0, 1]), Buffer.alloc(129, 9)]);
  const dsa = sshKey('ssh-dss', [
    Buffer.alloc(129, 1),
    Buffer.alloc(21, 1),
    Buffer.alloc(128, 1),
    Buffer.alloc(128, 1),
  ]);
  const edge = sshKey('ssh-rsa', [Buffer.from([1, 0, 1]), Buffer.alloc(257, 9)]);
  for (const key of [short, dsa, `${ed25519}\n${short}`]) {
    expect(judge({ sshKey: key })).toEqual(['warning ssh-key-weak credentials.sshKeyFile']);
  }
  expect(judge({ sshKey: edge })).toEqual([]);
});

test('the key to make suits FIPS', () => {
  const fixOf = (fips: boolean) =>
    credentialProblems({ pullSecret, sshKey: null, trustBundle: null }, designWith([['fips', fips]]))[0]?.fix;
  expect(fixOf(false)).toContain('ed25519');
  expect(fixOf(true)).toMatch(/ecdsa/);
  expect(fixOf(true)).not.toContain('ed25519');
});

test.each([
  ['empty', '\n'],
  ['cut short', ed25519.slice(0, 50)],
  ['of another type inside', ed25519.replace('ssh-ed25519', 'ssh-rsa')],
  ['of an unknown type', ed25519.replace('ssh-ed25519', 'ssh-what')],
  ['with a control character', `${ed25519}\u001b[2J`],
  ['with a bad second line', `${ed25519}\n${SECRET}`],
])('an SSH key that is %s is an error', (_what, text) => {
  expect(judge({ sshKey: text })).toEqual(['error ssh-key credentials.sshKeyFile']);
});

test('FIPS takes RSA and ECDSA only', () => {
  expect(judge({}, [['fips', true]])).toEqual(['error ssh-key-fips credentials.sshKeyFile']);
  expect(judge({ sshKey: rsa }, [['fips', true]])).toEqual([]);
});

test('a trust bundle is certificates and nothing else', () => {
  const named: Changes = [['additionalTrustBundleFile', 'ca.pem']];
  expect(judge({ trustBundle: SECRET }, named)).toEqual(['error trust-bundle additionalTrustBundleFile']);
  expect(judge({ trustBundle: privateKey }, named)).toEqual(['error trust-bundle additionalTrustBundleFile']);
  const fake = `-----BEGIN CERTIFICATE-----\n${auth}\n-----END CERTIFICATE-----\n`;
  expect(judge({ trustBundle: fake }, named)).toEqual(['error trust-bundle additionalTrustBundleFile']);
});

test('certificates pass, and nothing may follow them', async () => {
  const named: Changes = [['additionalTrustBundleFile', 'ca.pem']];
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=test',
    keys,
    signingAlgorithm: algorithm,
  });
  const pem = `${certificate.toString('pem')}\n`;
  expect(judge({ trustBundle: pem + pem }, named)).toEqual([]);
  expect(judge({ trustBundle: `# from the proxy\n${pem}` }, named)).toEqual([]);
  expect(judge({ trustBundle: `${pem}${SECRET}` }, named)).toEqual(['error trust-bundle additionalTrustBundleFile']);
});

test('no text makes it throw', () => {
  const design = designWith([['additionalTrustBundleFile', 'ca.pem']]);
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.oneof(fc.json(), fc.string()), (text, json) => {
      const problems = credentialProblems({ pullSecret: json, sshKey: text, trustBundle: text }, design);
      expect(problems.filter(({ severity }) => severity === 'error')).toHaveLength(3);
    }),
  );
});

test('nothing of what the files hold is repeated, whatever they hold', () => {
  const designs = [designWith(), designWith([['fips', true]]), designWith([['additionalTrustBundleFile', 'ca.pem']])];
  const secret = fc.uint8Array({ minLength: 18, maxLength: 48 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  const wrapped = (text: string) => [
    text,
    `{"auths": {"quay.io": {"auth": "${text}"}}}`,
    `{"auths": {"${text}": {"auth": "${auth}"}}}`,
    `{"auths": {"quay.io": {"auth": "${Buffer.from(`u:${text}`).toString('base64')}"}, "x": ${text}}}`,
    `{"auths": "${text}"}`,
    `ssh-ed25519 ${text} ${text}`,
    `${ed25519}\n${text}`,
    `${text} ${ed25519}`,
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${text}\n-----END OPENSSH PRIVATE KEY-----\n`,
    `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
    `-----BEGIN ${text}-----\n`,
  ];
  fc.assert(
    fc.property(secret, fc.constantFrom(...designs), (text, design) => {
      for (const file of wrapped(text)) {
        const said = JSON.stringify(credentialProblems({ pullSecret: file, sshKey: file, trustBundle: file }, design));
        for (let at = 0; at + 8 <= text.length; at += 4) expect(said).not.toContain(text.slice(at, at + 8));
      }
    }),
  );
});
