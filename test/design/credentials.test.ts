import 'reflect-metadata';
import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { X509CertificateGenerator } from '@peculiar/x509';
import { expect, test } from 'vitest';
import { type CredentialTexts, checkCredentials, PLACEHOLDER_PULL_SECRET } from '../../src/design/credentials.ts';
import type { Design } from '../../src/design/model.ts';
import { checkDocument } from '../../src/design/parse.ts';
import fc, { anyCharacter } from '../support/property.ts';
import { type Changes, exampleWith } from './support.ts';

const SECRET = 'VERYSECRETvalue';
const auth = Buffer.from(`user:${SECRET}`).toString('base64');
const registries = ['cloud.openshift.com', 'quay.io', 'registry.redhat.io', 'registry.connect.redhat.com'];
const pullSecret = JSON.stringify({ auths: Object.fromEntries(registries.map((name) => [name, { auth }])) });

/** `type base64 comment`, built by RFC 4253: every part is preceded by its length. */
function createSshKey(type: string, parts: readonly Buffer[]): string {
  const packed = [Buffer.from(type), ...parts].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  return `${type} ${Buffer.concat(packed).toString('base64')} core@bastion`;
}

const ed25519 = createSshKey('ssh-ed25519', [Buffer.alloc(32, 7)]);
const rsa = createSshKey('ssh-rsa', [Buffer.from([1, 0, 1]), Buffer.alloc(257, 9)]);
const privateKey = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));

function createDesign(changes: Changes = []): Design {
  const { design } = checkDocument(exampleWith(changes));
  if (!design) throw new Error('the example is wrong');
  return design;
}

function listProblems(texts: Partial<CredentialTexts>, changes: Changes = []) {
  const problems = checkCredentials(
    { pullSecret, sshKey: ed25519, trustBundle: null, ...texts },
    createDesign(changes),
  );
  // No message repeats the content of a file.
  expect(JSON.stringify(problems)).not.toContain(SECRET);
  expect(JSON.stringify(problems)).not.toContain(auth);
  return problems.map(({ severity, rule, path }) => `${severity} ${rule} ${path}`);
}

test('a mirror without a host needs no entry of the pull secret', () => {
  const imageDigestSources = [{ source: 'quay.io/a/b', mirrors: ['/mnt/usb'] }];
  const texts = { pullSecret, sshKey: ed25519, trustBundle: null };
  expect(checkCredentials(texts, { ...createDesign(), imageDigestSources })).toEqual([]);
});

test('good files have no problems', () => {
  expect(listProblems({})).toEqual([]);
  expect(listProblems({ sshKey: `${rsa}\n${ed25519}\n` })).toEqual([]);
});

test('missing files are warnings', () => {
  expect(listProblems({ pullSecret: null, sshKey: null }, [['additionalTrustBundleFile', 'ca.pem']])).toEqual([
    'warning pull-secret-missing credentials.pullSecretFile',
    'warning ssh-key-missing credentials.sshKeyFile',
    'warning trust-bundle-missing additionalTrustBundleFile',
  ]);
});

test('OKD needs no pull secret: one that is named has to exist, and a mirror may want a login', () => {
  const version = ['openshift.version', '4.20.0-okd-scos.3'] as const;
  const none = { pullSecret: null };
  expect(listProblems(none, [version, ['credentials.pullSecretFile', null]])).toEqual([]);
  expect(listProblems(none, [version])).toEqual(['warning pull-secret-missing credentials.pullSecretFile']);
  expect(listProblems({ pullSecret: PLACEHOLDER_PULL_SECRET }, [version])).toEqual([]);
  expect(listProblems({ pullSecret: '{' }, [version])).toEqual(['error pull-secret credentials.pullSecretFile']);
  const texts = { pullSecret: '{', sshKey: ed25519, trustBundle: null };
  expect(checkCredentials(texts, createDesign([version]))[0]?.fix).toMatch(/^OKD needs none/);
  const mirrors = ['imageDigestSources', [{ source: 'quay.io/okd', mirrors: ['registry.example.com/okd'] }]] as const;
  expect(listProblems(none, [version, ['credentials.pullSecretFile', null], mirrors])).toEqual([
    'warning pull-secret-registry credentials.pullSecretFile',
  ]);
  // OpenShift needs one, whatever the design names.
  expect(listProblems(none, [['credentials.pullSecretFile', null]])).toEqual([
    'warning pull-secret-missing credentials.pullSecretFile',
  ]);
});

test.each([
  ['no JSON', `{"auths": ${SECRET}`],
  ['no object', '[]'],
  ['no auths', '{"auths":{}}'],
  ['an entry without auth', JSON.stringify({ auths: { 'quay.io': { email: SECRET } } })],
  ['an auth that is no base64 of user:password', JSON.stringify({ auths: { 'quay.io': { auth: SECRET } } })],
])('a pull secret with %s is an error', (_what, text) => {
  expect(listProblems({ pullSecret: text })).toEqual(['error pull-secret credentials.pullSecretFile']);
});

test('a missing release registry is an error, other missing registries are warnings', () => {
  const without = (name: string) =>
    JSON.stringify({
      auths: Object.fromEntries(registries.filter((one) => one !== name).map((one) => [one, { auth }])),
    });
  expect(listProblems({ pullSecret: without('quay.io') })).toEqual([
    'error pull-secret-release credentials.pullSecretFile',
  ]);
  for (const name of registries.filter((one) => one !== 'quay.io')) {
    const texts = { pullSecret: without(name), sshKey: ed25519, trustBundle: null };
    const [problem, ...others] = checkCredentials(texts, createDesign());
    expect(problem).toMatchObject({ severity: 'warning', rule: 'pull-secret-registry' });
    expect(problem?.message).toContain(name);
    expect(others).toEqual([]);
  }
});

test('a pull secret needs an entry for each registry that serves images', () => {
  const onlyQuay = JSON.stringify({ auths: { 'quay.io': { auth } } });
  expect(listProblems({ pullSecret: onlyQuay })).toEqual(['warning pull-secret-registry credentials.pullSecretFile']);
  const mirror: Changes = [['imageDigestSources', [{ source: 'quay.io/a/b', mirrors: ['mirror.example.com:5000/a'] }]]];
  const withMirror = JSON.stringify({ auths: { 'mirror.example.com:5000': { auth } } });
  expect(listProblems({ pullSecret: withMirror }, mirror)).toEqual([]);
  expect(listProblems({ pullSecret: onlyQuay }, mirror)).toEqual([
    'warning pull-secret-registry credentials.pullSecretFile',
  ]);
});

test('a private key is refused and not repeated', () => {
  const problems = checkCredentials({ pullSecret, sshKey: privateKey, trustBundle: null }, createDesign());
  expect(problems.map(({ rule }) => rule)).toEqual(['ssh-key-private']);
  expect(JSON.stringify(problems)).not.toContain(privateKey.split('\n')[1]);
});

test('a private key in the place of any file is an error', () => {
  const texts = { pullSecret: privateKey, sshKey: 'PuTTY-User-Key-File-3: ssh-ed25519', trustBundle: privateKey };
  const problems = checkCredentials(texts, createDesign([['additionalTrustBundleFile', 'ca.pem']]));
  expect(problems.map(({ severity, rule }) => `${severity} ${rule}`)).toEqual([
    'error pull-secret',
    'error ssh-key-private',
    'error trust-bundle',
  ]);
  expect(new Set(problems.map(({ message }) => message)).size).toBe(1);
});

test('comments and empty lines of a key file are passed over', () => {
  expect(listProblems({ sshKey: `# mine\n\n${ed25519}\r\n` })).toEqual([]);
  expect(listProblems({ sshKey: '# mine\n' })).toEqual(['error ssh-key credentials.sshKeyFile']);
});

test('keys that the nodes refuse are warned of', () => {
  const short = createSshKey('ssh-rsa', [Buffer.from([1, 0, 1]), Buffer.alloc(129, 9)]);
  const dsa = createSshKey('ssh-dss', [
    Buffer.alloc(129, 1),
    Buffer.alloc(21, 1),
    Buffer.alloc(128, 1),
    Buffer.alloc(128, 1),
  ]);
  const minimum = createSshKey('ssh-rsa', [Buffer.from([1, 0, 1]), Buffer.alloc(257, 9)]);
  for (const key of [short, dsa, `${ed25519}\n${short}`]) {
    expect(listProblems({ sshKey: key })).toEqual(['warning ssh-key-weak credentials.sshKeyFile']);
  }
  expect(listProblems({ sshKey: minimum })).toEqual([]);
});

test('the suggested key type suits FIPS', () => {
  const getFix = (fips: boolean) =>
    checkCredentials({ pullSecret, sshKey: null, trustBundle: null }, createDesign([['fips', fips]]))[0]?.fix;
  expect(getFix(false)).toContain('ed25519');
  expect(getFix(true)).toMatch(/ecdsa/);
  expect(getFix(true)).not.toContain('ed25519');
});

test.each([
  ['empty', '\n'],
  ['cut short', ed25519.slice(0, 50)],
  ['of another type inside', ed25519.replace('ssh-ed25519', 'ssh-rsa')],
  ['of an unknown type', ed25519.replace('ssh-ed25519', 'ssh-what')],
  ['with a control character', `${ed25519}\u001b[2J`],
  ['with a bad second line', `${ed25519}\n${SECRET}`],
])('an SSH key that is %s is an error', (_what, text) => {
  expect(listProblems({ sshKey: text })).toEqual(['error ssh-key credentials.sshKeyFile']);
});

test('FIPS takes RSA and ECDSA only', () => {
  expect(listProblems({}, [['fips', true]])).toEqual(['error ssh-key-fips credentials.sshKeyFile']);
  expect(listProblems({ sshKey: rsa }, [['fips', true]])).toEqual([]);
});

test('a trust bundle is certificates and nothing else', () => {
  const withBundle: Changes = [['additionalTrustBundleFile', 'ca.pem']];
  expect(listProblems({ trustBundle: SECRET }, withBundle)).toEqual(['error trust-bundle additionalTrustBundleFile']);
  expect(listProblems({ trustBundle: privateKey }, withBundle)).toEqual([
    'error trust-bundle additionalTrustBundleFile',
  ]);
  const fake = `-----BEGIN CERTIFICATE-----\n${auth}\n-----END CERTIFICATE-----\n`;
  expect(listProblems({ trustBundle: fake }, withBundle)).toEqual(['error trust-bundle additionalTrustBundleFile']);
});

test('certificates pass, and nothing may follow them', async () => {
  const withBundle: Changes = [['additionalTrustBundleFile', 'ca.pem']];
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=test',
    keys,
    signingAlgorithm: algorithm,
  });
  const pem = `${certificate.toString('pem')}\n`;
  expect(listProblems({ trustBundle: pem + pem }, withBundle)).toEqual([]);
  expect(listProblems({ trustBundle: `# from the proxy\n${pem}` }, withBundle)).toEqual([]);
  expect(listProblems({ trustBundle: `${pem}${SECRET}` }, withBundle)).toEqual([
    'error trust-bundle additionalTrustBundleFile',
  ]);
});

test('no text makes it throw', () => {
  const design = createDesign([['additionalTrustBundleFile', 'ca.pem']]);
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.oneof(fc.json(), fc.string()), (text, json) => {
      const problems = checkCredentials({ pullSecret: json, sshKey: text, trustBundle: text }, design);
      expect(problems.filter(({ severity }) => severity === 'error')).toHaveLength(3);
    }),
  );
});

test('no message repeats the content of a file', () => {
  const designs = [
    createDesign(),
    createDesign([['fips', true]]),
    createDesign([['additionalTrustBundleFile', 'ca.pem']]),
  ];
  const secret = fc.uint8Array({ minLength: 18, maxLength: 48 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  const wrapText = (text: string) => [
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
      for (const file of wrapText(text)) {
        const output = JSON.stringify(checkCredentials({ pullSecret: file, sshKey: file, trustBundle: file }, design));
        for (let start = 0; start + 8 <= text.length; start += 4)
          expect(output).not.toContain(text.slice(start, start + 8));
      }
    }),
  );
});
