import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { beforeAll, expect, test } from 'vitest';
import { parseImagePolicy, requiresSignature, type SignatureVerdict } from '../../src/probes/image-policy.ts';
import { probeRegistry } from '../../src/probes/registry-probe.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { type Authority, createAuthority } from '../support/kube-server.ts';
import { createImagePolicy, createSigningKey, RegistryStore, type SignOptions } from '../support/registry-store.ts';

/** A signature in a mirror, and the verdict of the policy of the release on it. */
interface SignatureCase {
  readonly name: string;
  /** The key of the policy; the store signs with it, too. */
  readonly key?: KeyObject;
  /** signedIdentity of the ClusterImagePolicy, as YAML. */
  readonly signedIdentity?: string;
  readonly signatures?: readonly SignOptions[];
  /** Damages what is at the path of the first payload. */
  readonly damage?: (store: RegistryStore, path: string) => void;
  readonly expected: SignatureVerdict['state'];
}

const RELEASE_SOURCE = 'quay.io/openshift-release-dev/ocp-release';
const RELEASE_KEY = createSigningKey();
const OTHER_KEY = createSigningKey();
const OTHER_DIGEST = `sha256:${'ab12'.repeat(16)}`;
const OTHER_REFERENCE = 'quay.io/openshift-release-dev/ocp-release-nightly:4.22.1-x86_64';
const MAPPED_REFERENCE = 'registry.example.com/ocp/ocp-release:4.22.1-x86_64';
const REMAP = `{matchPolicy: RemapIdentity, remapIdentity: {prefix: ${RELEASE_SOURCE.replace('/ocp-release', '')}, signedPrefix: registry.example.com/ocp}}`;
const critical = (more: object = {}) => ({
  critical: {
    identity: { 'docker-reference': `${RELEASE_SOURCE}:4.22.1-x86_64` },
    image: { 'docker-manifest-digest': OTHER_DIGEST },
    type: 'cosign container image signature',
    ...more,
  },
  optional: null,
});

const SIGNATURE_CASES: readonly SignatureCase[] = [
  { name: 'by the key of the policy, RSA', expected: 'accepted' },
  {
    name: 'by the key of the policy, P-256',
    key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    expected: 'accepted',
  },
  { name: 'by the key of the policy, Ed25519', key: generateKeyPairSync('ed25519').privateKey, expected: 'accepted' },
  { name: 'by another key', signatures: [{ key: OTHER_KEY }], expected: 'other-key' },
  { name: 'by several keys', signatures: [{ key: OTHER_KEY }, {}], expected: 'accepted' },
  { name: 'of another image', signatures: [{ signedDigest: OTHER_DIGEST }], expected: 'other-image' },
  { name: 'of another repository', signatures: [{ reference: OTHER_REFERENCE }], expected: 'other-identity' },
  { name: 'of a repository without a tag', signatures: [{ reference: RELEASE_SOURCE }], expected: 'other-identity' },
  { name: 'of a name that is none', signatures: [{ reference: `${RELEASE_SOURCE} x` }], expected: 'other-identity' },
  {
    name: 'with a digest in the name',
    signatures: [{ reference: `${RELEASE_SOURCE}@${OTHER_DIGEST}` }],
    expected: 'accepted',
  },
  {
    name: 'of the mapped name',
    signedIdentity: REMAP,
    signatures: [{ reference: MAPPED_REFERENCE }],
    expected: 'accepted',
  },
  { name: 'of the name before it is mapped', signedIdentity: REMAP, expected: 'other-identity' },
  {
    name: 'of a repository without a tag, where only the repository counts',
    signedIdentity: '{matchPolicy: MatchRepository}',
    signatures: [{ reference: RELEASE_SOURCE }],
    expected: 'accepted',
  },
  {
    name: 'of the exact repository that the policy names',
    signedIdentity:
      '{matchPolicy: ExactRepository, exactRepository: {repository: registry.example.com/ocp/ocp-release}}',
    signatures: [{ reference: MAPPED_REFERENCE }],
    expected: 'accepted',
  },
  { name: 'that is no base64', signatures: [{ annotation: 'c2ln!' }], expected: 'broken' },
  { name: 'with an empty annotation', signatures: [{ annotation: '' }], expected: 'broken' },
  { name: 'with a payload that is no JSON', signatures: [{ payload: '<html>' }], expected: 'broken' },
  {
    name: 'with another field in the payload',
    signatures: [{ payload: JSON.stringify(critical({ more: 1 })) }],
    expected: 'broken',
  },
  {
    name: 'of another type',
    signatures: [{ payload: JSON.stringify(critical({ type: 'atomic container signature' })) }],
    expected: 'broken',
  },
  {
    name: 'with a truncated payload',
    damage: (store, path) => store.replace(path, '{"critical":'),
    expected: 'broken',
  },
  { name: 'without its payload', damage: (store, path) => store.remove(path), expected: 'broken' },
  {
    name: 'that is right, beside one without its payload',
    signatures: [{ key: OTHER_KEY, reference: OTHER_REFERENCE }, {}],
    damage: (store, path) => store.remove(path),
    expected: 'broken',
  },
  {
    name: 'with a payload of more than 4 MiB',
    signatures: [{ payload: ' '.repeat(4 * 1024 * 1024 + 1) }],
    expected: 'broken',
  },
];

/** Starts a registry with one repository, `ocp/release`, which asks for no login. Returns its port. */
async function serveStore(store: RegistryStore, isFailing: (path: string) => boolean) {
  const server = createServer(await authority.issue('localhost'), ({ url = '', headers }, response) => {
    const path = url.startsWith('/v2/ocp/release/') ? url.slice('/v2/ocp/release/'.length) : null;
    const answered = path === null ? null : store.answer(path, headers.accept);
    if (url === '/v2/' || path === 'tags/list') response.writeHead(200).end('{}');
    else if (path !== null && isFailing(path)) response.writeHead(503).end();
    else response.writeHead(answered?.status ?? 404, { ...answered?.headers }).end(answered?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

let authority: Authority;
beforeAll(async () => {
  authority = await createAuthority();
});

/** Probes a registry with this content for the release; some paths fail with status 503. */
async function probeRelease(
  store: RegistryStore,
  digest: string,
  source = RELEASE_SOURCE,
  isFailing: (path: string) => boolean = () => false,
) {
  const { port, close } = await serveStore(store, isFailing);
  const findMirror = () => null;
  const release = { source, digest, architecture: 'amd64', needsSignedImages: true, findMirror };
  const query = { registry: `localhost:${port}`, repository: 'ocp/release', release, login: null };
  const network = { httpsProxy: '', noProxy: '', authorities: [authority.pem] };
  const resolveEndpoint = () => ({ host: '127.0.0.1', port });
  const answer = await probeRegistry(resolveEndpoint, createFrozenClock(), { ...query, ...network }, 10_000);
  close();
  return 'release' in answer ? answer.release : null;
}

test.each(SIGNATURE_CASES)('a signature $name: $expected', async (each) => {
  const { key = RELEASE_KEY } = each;
  const store = new RegistryStore(RELEASE_SOURCE, key);
  const digest = store.pushRelease({}, createImagePolicy(key, each));
  const [path = ''] = store.sign(digest, 'tag', ...(each.signatures ?? []));
  each.damage?.(store, path);
  const found = await probeRelease(store, digest);
  expect(found).toMatchObject({ signature: 'tag', verdict: { state: each.expected } });
});

test('only the policy of the release itself counts, and only if it can be read', async () => {
  const store = new RegistryStore(RELEASE_SOURCE, RELEASE_KEY);
  const policy = createImagePolicy(RELEASE_KEY);
  for (const broken of [
    null,
    '',
    'kind: [',
    policy.replace('PublicKey', 'PKI'),
    policy.replace('name: openshift', 'name: other'),
    policy.replace('keyData: ', 'keyData: AAAA'),
    policy.replace('{keyData', '{rekorKeyData: eA==, keyData'),
    `${policy}\n    signedIdentity: {matchPolicy: Anything}`,
    `${policy}\n# ${'x'.repeat(65_536)}`,
  ]) {
    const digest = store.pushRelease({}, broken);
    store.sign(digest, 'tag');
    expect(await probeRelease(store, digest)).toMatchObject({ signature: 'tag', verdict: null });
  }
  // A mirror cannot replace the policy by one of its own.
  const digest = store.pushRelease({}, policy);
  const forged = new RegistryStore(RELEASE_SOURCE, createSigningKey());
  const own = forged.pushRelease({});
  const { body = '' } = store.answer(`manifests/${digest}`, 'application/vnd.oci.image.manifest.v1+json') ?? {};
  const { body: ownBody = '' } = forged.answer(`manifests/${own}`, 'application/vnd.oci.image.manifest.v1+json') ?? {};
  const readLayer = (manifest: string | Buffer): string => JSON.parse(manifest.toString()).layers[0].digest;
  store.replace(`blobs/${readLayer(body)}`, forged.answer(`blobs/${readLayer(ownBody)}`)?.body ?? '');
  forged.sign(digest, 'tag');
  const tag = `manifests/${digest.replace(':', '-')}.sig`;
  store.replace(tag, forged.answer(tag, 'application/vnd.oci.image.manifest.v1+json')?.body ?? '');
  expect(await probeRelease(store, digest)).toMatchObject({ signature: 'tag', verdict: null, payload: null });
});

test('a failing registry, or one with too many signatures, leaves it unknown', async () => {
  const store = new RegistryStore(RELEASE_SOURCE, RELEASE_KEY);
  const digest = store.pushRelease({});
  store.sign(digest, 'tag', ...Array.from({ length: 33 }, () => ({})));
  expect(await probeRelease(store, digest)).toMatchObject({ signature: 'tag', verdict: null });
  const [path = ''] = store.sign(digest, 'tag');
  expect(await probeRelease(store, digest, RELEASE_SOURCE, (each) => each === path)).toMatchObject({
    signature: 'tag',
    verdict: null,
  });
  // A digest that is none is no path.
  const tag = `manifests/${digest.replace(':', '-')}.sig`;
  const layer = { mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json', digest: '../../x' };
  store.replace(tag, JSON.stringify({ layers: [layer] }));
  expect(await probeRelease(store, digest)).toMatchObject({ signature: 'tag', verdict: { state: 'broken' } });
});

test('an image outside of the scopes needs no signature', async () => {
  const store = new RegistryStore(RELEASE_SOURCE, RELEASE_KEY);
  const digest = store.pushRelease({});
  expect(await probeRelease(store, digest)).toMatchObject({ signature: 'none', verdict: null });
  expect(await probeRelease(store, digest, 'localhost/ocp/release')).toMatchObject({
    verdict: { state: 'not-required' },
  });
});

test.each([
  ['quay.io/openshift-release-dev', true],
  ['quay.io', true],
  ['*.io', true],
  [`quay.io/openshift-release-dev/ocp-release@sha256:${'0'.repeat(64)}`, true],
  [`quay.io/openshift-release-dev/ocp-release@sha256:${'1'.repeat(64)}`, false],
  ['quay.io/openshift-release-dev/ocp', false],
  ['*.quay.io', false],
  ['quay', false],
])('the scope %s holds the release: %s', (scope, expected) => {
  const policy = parseImagePolicy(Buffer.from(createImagePolicy(RELEASE_KEY, { scopes: [scope] })));
  const image = { repository: RELEASE_SOURCE, digest: `sha256:${'0'.repeat(64)}` };
  expect(policy && requiresSignature(policy, image)).toBe(expected);
});

test('the policy of the releases of 4.21 is read', () => {
  // The YAML of openshift/cluster-update-keys at 8c17c5ef, manifests.rhel/0000_90_openshift-cluster-image-policy.yaml.
  const policy = parseImagePolicy(Buffer.from(RED_HAT_POLICY));
  expect(policy).toMatchObject({ scopes: [RELEASE_SOURCE], identity: { matchPolicy: 'MatchRepoDigestOrExact' } });
  expect(policy?.key.asymmetricKeyDetails?.modulusLength).toBe(4096);
});

const RED_HAT_POLICY = `apiVersion: config.openshift.io/v1
kind: ClusterImagePolicy
metadata:
  name: openshift
  annotations:
    kubernetes.io/description: Require Red Hat signatures for quay.io/openshift-release-dev/ocp-release container images.
    exclude.release.openshift.io/internal-openshift-hosted: "true"
    include.release.openshift.io/self-managed-high-availability: "true"
spec:
  scopes:
  - quay.io/openshift-release-dev/ocp-release
  policy:
    rootOfTrust:
      policyType: PublicKey
      publicKey:
        keyData: LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0KTUlJQ0lqQU5CZ2txaGtpRzl3MEJBUUVGQUFPQ0FnOEFNSUlDQ2dLQ0FnRUEwQVN5dUgyVExXdkJVcVBIWjRJcAo3NWc3RW5jQmtnUUhkSm5qenhBVzVLUVRNaC9zaUJvQi9Cb1NydGlQTXduQ2hiVENuUU9JUWVadURpRm5odUo3Ck0vRDNiN0pvWDBtMTIzTmNDU242N21BZGpCYTZCZzZrdWtaZ0NQNFpVWmVFU2FqV1gvRWp5bEZjUkZPWFc1N3AKUkRDRU40MkovallsVnF0K2c5K0dya2VyOFN6ODZIM2wwdGJxT2RqYnovVnhIWWh3RjBjdFVNSHN5VlJEcTJRUAp0cXpOWGxtbE1oUy9Qb0ZyNlI0dS83SENuL0srTGVnY08yZkFGT2I0MEt2S1NLS1ZENmxld1VaRXJob3AxQ2dKClhqRHRHbW1POWRHTUY3MW1mNkhFZmFLU2R5K0VFNmlTRjJBMlZ2OVFoQmF3TWlxMmtPekVpTGc0bkFkSlQ4d2cKWnJNQW1QQ3FHSXNYTkdaNC9RK1lUd3dsY2UzZ2xxYjVMOXRmTm96RWRTUjlOODVERVNmUUxRRWRZM0NhbHdLTQpCVDFPRWhFWDF3SFJDVTRkck1PZWo2Qk5XMFZ0c2NHdEhtQ3JzNzRqUGV6aHdOVDh5cGt5UytUMHpUNFRzeTZmClZYa0o4WVNIeWVuU3pNQjJPcDJidnNFM2dyWStzNzRXaEc5VUlBNkRCeGNUaWUxNU5Tekt3Znphb05XT0RjTEYKcDdCWThhYUhFMk1xRnhZRlgrSWJqcGtRUmZhZVFRc291REZkQ2tYRUZWZlBwYkQyZGs2RmxlYU1UUHV5eHRJVApnalZFdEdRSzJxR0NGR2lRSEZkNGhmVitlQ0E2M0pybzF6MHpvQk01QmJJSVEzK2VWRnd0M0FsWnA1VVZ3cjZkCnNlY3FraS95cm12M1kwZHFaOVZPbjNVQ0F3RUFBUT09Ci0tLS0tRU5EIFBVQkxJQyBLRVktLS0tLQ==
`;

test('a registry without TLS, one without a certificate, and one with an unknown CA are reported as what they are', async () => {
  const other = await createAuthority();
  const probe = async (server: Server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const query = { registry: 'localhost:5000', repository: null, release: null, login: null };
    const network = { httpsProxy: '', noProxy: '', authorities: [authority.pem] };
    const resolveEndpoint = () => ({ host: '127.0.0.1', port });
    const answer = await probeRegistry(resolveEndpoint, createFrozenClock(), { ...query, ...network }, 10_000);
    server.close();
    return answer;
  };
  const plainServer = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect(await probe(plainServer)).toMatchObject({
    state: 'no-registry',
    detail: 'localhost port 5000 does not speak TLS',
  });
  expect(await probe(createTlsServer({}))).toMatchObject({
    state: 'no-registry',
    detail: 'localhost port 5000 refuses the TLS handshake (ssl/tls alert handshake failure)',
  });
  expect(await probe(createServer(await other.issue('localhost')))).toMatchObject({
    state: 'untrusted',
    detail: expect.stringMatching(/^localhost port 5000 presents a certificate that nodes do not trust \(/),
  });
});
