import { chmodSync } from 'node:fs';
import { createServer as createProxy, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Design } from '../../../src/design/model.ts';
import { createTar } from '../../../src/host/tar.ts';
import { takeSnapshot } from '../../../src/kube/snapshot.ts';
import { shouldBypassProxy } from '../../../src/probes/https-proxy.ts';
import { checkSite } from '../../../src/steps/check/index.ts';
import { gatherUpdateEvidence } from '../../../src/steps/report/update-evidence.ts';
import { createClusterContext } from '../../../src/steps/shared/cluster-access.ts';
import { eventually } from '../../support/eventually.ts';
import { exampleSite } from '../../support/example-design.ts';
import { infraWorld } from '../../support/infra-world.ts';
import { type Authority, createAuthority } from '../../support/kube-server.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';
import { createSigningKey, RegistryStore } from '../../support/registry-store.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

// A registry with its own token server (distribution/distribution, docs/content/spec/auth/token.md) and a proxy, all on
// loopback. Only the design's trust bundle contains the CA that signs their TLS certificates.
const LOGIN = Buffer.from('eva:correct-horse').toString('base64');
const WRONG = Buffer.from('eva:battery-staple').toString('base64');
const PROXY_LOGIN = Buffer.from('squid:ink').toString('base64');
const TOKEN = 'token.of.eva';
const CODES = ['pull-secret-registry', 'registry-mirror', 'registry-proxy'];

const SOURCE = 'quay.io/openshift-release-dev/ocp-release';
const ART = 'quay.io/openshift-release-dev/ocp-v4.0-art-dev';

let authority: Authority;
const servers: Server[] = [];
let fixture: StepFixture | null = null;
let requests: string[] = [];
/**
 * The content of ocp/release in the mirror, its status for all that it does not have, and a path that it never answers.
 */
let store = new RegistryStore();
/** The content of ocp/images in the mirror. */
let images = new RegistryStore(ART);
let missing = 404;
let intercept: (path: string, response: ServerResponse) => boolean = () => false;
beforeAll(async () => {
  authority = await createAuthority('the mirror of the company');
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await fixture?.remove();
  requests = [];
  [store, images] = [new RegistryStore(), new RegistryStore(ART)];
  [missing, intercept] = [404, () => false];
});

async function listenOnLoopback(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function startTlsServer(
  name: string,
  answer: (
    request: IncomingMessage,
    response: ServerResponse,
  ) => { status: number; headers?: object; body?: string | Buffer } | null,
) {
  const { cert, key } = await authority.issue(name);
  const server = createServer({ cert, key }, (request, response) => {
    requests.push(`${name} ${request.url} ${request.headers.authorization ?? '-'}`);
    const answered = answer(request, response);
    if (answered === null) return;
    const { status, headers = {}, body = '' } = answered;
    response.writeHead(status, { ...headers }).end(body);
  });
  return await listenOnLoopback(server);
}

/**
 * Starts all servers.
 * @returns their ports by host name, in place of DNS
 */
async function startServers(): Promise<Map<string, number>> {
  const registry = await startTlsServer('mirror.test', ({ url, headers }, response) => {
    const challenge = { 'WWW-Authenticate': 'Bearer realm="https://auth.test/token",service="mirror.test"' };
    if (headers.authorization !== `Bearer ${TOKEN}`) return { status: 401, headers: challenge };
    if (url === '/v2/' || /^\/v2\/(?:ocp\/|openshift-release-dev\/ocp-)(?:release|images)\/tags\/list$/.test(url ?? ''))
      return { status: 200, body: '{}' };
    const [, repository = '', path = ''] =
      /^\/v2\/(?:ocp\/|openshift-release-dev\/ocp-)(release|images)\/(.*)$/.exec(url ?? '') ?? [];
    if (intercept(path, response)) return null;
    return (repository === 'images' ? images : store).answer(path, headers.accept) ?? { status: missing };
  });
  const auth = await startTlsServer('auth.test', ({ headers }) =>
    headers.authorization === `Basic ${LOGIN}`
      ? { status: 200, body: JSON.stringify({ token: TOKEN }) }
      : { status: 401 },
  );
  const clear = await startTlsServer('clear.test', () => ({
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer realm="http://auth.test/token"' },
  }));
  const basic = await startTlsServer('basic.test', ({ headers }) =>
    headers.authorization === `Basic ${LOGIN}`
      ? { status: 200 }
      : { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="basic"' } },
  );
  const ports = new Map([
    ['mirror.test', registry],
    ['auth.test', auth],
    ['clear.test', clear],
    ['basic.test', basic],
  ]);
  const proxy = createProxy();
  proxy.on('connect', (request: IncomingMessage, socket, head) => {
    requests.push(`proxy ${request.url}`);
    const [name = ''] = (request.url ?? '').split(':');
    const port = ports.get(name);
    if (request.headers['proxy-authorization'] !== `Basic ${PROXY_LOGIN}`) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    if (port === undefined) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
      return;
    }
    const target = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  ports.set('proxy.test', await listenOnLoopback(proxy));
  return ports;
}

interface SiteOptions {
  readonly design?: Partial<Design>;
  readonly isOnline?: boolean;
  readonly hasTrustBundle?: boolean;
  /** The release of openshift-install. */
  readonly releaseImage?: string;
  readonly clock?: ManualClock;
}

async function createContext(
  ports: ReadonlyMap<string, number>,
  logins: Readonly<Record<string, string>>,
  options: SiteOptions,
) {
  const { isOnline = true, hasTrustBundle: trusts = true } = options;
  const mirrors = [{ source: 'quay.io/openshift-release-dev/ocp-release', mirrors: ['mirror.test/ocp/release'] }];
  const design: Design = { ...exampleSite(), imageDigestSources: mirrors, ...options.design };
  const resolveEndpoint = (host: string) => ({ host: '127.0.0.1', port: ports.get(host) ?? 1 });
  await fixture?.remove();
  const { clock } = options;
  fixture = createStepFixture({ design, resolveEndpoint, ...(clock === undefined ? {} : { clock }) });
  const auths = Object.fromEntries(Object.entries(logins).map(([name, auth]) => [name, { auth }]));
  fixture.write('pull-secret.txt', JSON.stringify({ auths }));
  fixture.write('ca.pem', authority.pem);
  const { credentials } = fixture.context;
  const trustBundleFile = trusts ? join(fixture.dir, 'ca.pem') : null;
  const { programDirectories } = fixture.context;
  if (options.releaseImage !== undefined) writeInstaller(fixture, options.releaseImage);
  return {
    ...fixture.context,
    programDirectories: options.releaseImage === undefined ? programDirectories : [join(fixture.dir, 'bin')],
    credentials: { ...credentials, trustBundleFile },
    isOnline,
  };
}

async function runChecks(
  ports: ReadonlyMap<string, number>,
  logins: Readonly<Record<string, string>>,
  options: SiteOptions = {},
) {
  const results = await checkSite(await createContext(ports, logins, options), { only: CODES });
  const text = JSON.stringify(results);
  for (const secret of [LOGIN, WRONG, PROXY_LOGIN, TOKEN, 'correct-horse', 'battery-staple', 'squid:ink', ':ink'])
    expect(text).not.toContain(secret);
  return results.map(({ finding: { code, subject, state, severity, cause, remedy } }) => ({
    what: `${code} ${subject}`,
    state,
    severity,
    cause,
    remedy,
  }));
}

test('a login is tried like a node does, with and without a token; a missing repository is found', async () => {
  const ports = await startServers();
  const logins = { 'cloud.openshift.com': LOGIN, 'mirror.test': LOGIN, 'basic.test': LOGIN, 'clear.test': LOGIN };
  expect(await runChecks(ports, logins)).toMatchObject([
    { what: 'pull-secret-registry mirror.test', state: 'ok' },
    { what: 'pull-secret-registry basic.test', state: 'ok' },
    {
      what: 'pull-secret-registry clear.test',
      state: 'failed',
      severity: 'warning',
      cause: expect.stringContaining('without TLS'),
    },
    { what: 'registry-mirror mirror.test/ocp/release', state: 'ok' },
  ]);
  expect(requests).toContain(`auth.test /token?service=mirror.test Basic ${LOGIN}`);
  expect(requests).toContain(
    `auth.test /token?service=mirror.test&scope=repository%3Aocp%2Frelease%3Apull Basic ${LOGIN}`,
  );
  const imageDigestSources = [{ source: 'quay.io/x', mirrors: ['mirror.test/other'] }];
  expect(await runChecks(ports, { 'mirror.test': LOGIN }, { design: { imageDigestSources } })).toMatchObject([
    { state: 'ok' },
    {
      what: 'registry-mirror mirror.test/other',
      state: 'failed',
      cause: 'https://mirror.test/v2/other/tags/list answers with status 404',
    },
  ]);
});

function writeInstaller({ dir, write }: StepFixture, releaseImage: string): void {
  const lines = ['openshift-install 4.22.1', 'built from commit 5f1a', `release image ${releaseImage}`];
  write(
    'bin/openshift-install',
    `#!/bin/sh\n[ "$1" = version ] || exit 1\nprintf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')}\n`,
  );
  chmodSync(join(dir, 'bin', 'openshift-install'), 0o755);
}

/** Checks the mirror for the release with this digest. Returns the result in one line. */
async function checkMirror(ports: ReadonlyMap<string, number>, version: string, image: string, clock?: ManualClock) {
  const { openshift } = exampleSite();
  const design = { openshift: { ...openshift, version } };
  const options = { design, releaseImage: image, ...(clock === undefined ? {} : { clock }) };
  const results = await runChecks(ports, { 'mirror.test': LOGIN }, options);
  const found = results.find(({ what }) => what.startsWith('registry-mirror'));
  return `${found?.state} ${found?.severity}: ${found?.cause}`;
}

test('a mirror is asked for the release of openshift-install and, from 4.21 on, for its signature', async () => {
  const ports = await startServers();
  const digest = store.pushRelease({});
  const absent = new RegistryStore().pushImage('another release');
  const tag = `${digest.replace(':', '-')}.sig`;
  const check = (version: string) => checkMirror(ports, version, `${SOURCE}@${digest}`);
  expect(await checkMirror(ports, '4.20.3', `${SOURCE}@${absent}`)).toBe(
    `failed fatal: it has the repository, but not the release ${absent}`,
  );
  expect(await checkMirror(ports, '4.22.1', `${SOURCE}@${absent}`)).toContain('failed fatal: it has the repository');
  expect(await check('4.20.3')).toBe('ok fatal: it has the release of openshift-install');
  // The node refuses it from 4.22 on, before that the cluster does, once it runs.
  expect(await check('4.21.3')).toBe(
    `failed warning: it has the release, but no signature of it in the tag ${tag}. The cluster refuses the release without it: the Cluster Version Operator cannot start on another node, and no update works`,
  );
  for (const version of ['4.22.1', '4.23', '5.0'])
    expect(await check(version)).toBe(
      `failed fatal: it has the release, but no signature of it in the tag ${tag}. Nodes refuse images without a signature at their first boot`,
    );
  store.sign(digest, 'tag');
  for (const version of ['4.21.3', '4.22.1', '5.0'])
    expect(await check(version)).toBe('ok fatal: it has the release of openshift-install and its signature');
  // A release that is named by its tag, or comes from elsewhere, is not looked for.
  for (const image of [`${SOURCE}:4.22.1`, `quay.io/okd/scos-release@${digest}`])
    expect(await checkMirror(ports, '4.22.1', image)).toBe('ok fatal: it accepts the login');
});

test('the report asks the mirror of the release for its signature, and no other mirror', async () => {
  const ports = await startServers();
  const digest = store.pushRelease({});
  const world = infraWorld('4.22.1');
  const read = async (isOnline: boolean) => {
    const imageDigestSources = [
      { source: SOURCE, mirrors: ['mirror.test/ocp/release'] },
      { source: 'quay.io/team', mirrors: ['mirror.test/team'] },
    ];
    const options = { design: { imageDigestSources }, releaseImage: `${SOURCE}@${digest}`, isOnline };
    const context = await createContext(ports, { 'mirror.test': LOGIN }, options);
    const source = { ...createClusterContext(context), connect: async () => world.cluster, hasUserDesign: true };
    const snapshot = await takeSnapshot(world.cluster, ['clusterVersion', 'operators'], 0);
    const evidence = await gatherUpdateEvidence(source, snapshot, world.cluster);
    return evidence !== null && 'value' in evidence.mirrors ? evidence.mirrors.value : null;
  };
  const name = 'mirror.test/ocp/release';
  expect(await read(true)).toMatchObject([{ name, answer: { release: { digest, signature: 'none' } } }]);
  store.sign(digest, 'tag');
  expect(await read(true)).toMatchObject([{ name, answer: { release: { digest, signature: 'tag' } } }]);
  // A registry on the internet is not asked without the user.
  requests = [];
  expect(await read(false)).toMatchObject([{ name, answer: { state: 'not-queried' } }]);
  expect(requests).toEqual([]);
});

test('only a signature counts, and only in the tag: nodes read no referrers', async () => {
  const ports = await startServers();
  const digest = store.pushRelease({});
  const check = () => checkMirror(ports, '4.22.1', `${SOURCE}@${digest}`);
  const none = 'failed fatal: it has the release, but no signature of it';
  store.refer(digest, null);
  expect(await check()).toContain(none);
  store.refer(digest, { digest: 'sha256:cd', artifactType: 'application/spdx+json' });
  expect(await check()).toContain(none);
  store.sign(digest, 'referrer');
  expect(await check()).toContain('failed fatal: it has the release, and its signature only as a referrer. Nodes read');
  // An attestation is no signature, in the same tag.
  store.sign(digest, 'tag', { layerType: 'application/vnd.dsse.envelope.v1+json' });
  expect(await check()).toContain('failed fatal: it has the release, and its signature only as a referrer');
  store.sign(digest, 'tag');
  expect(await check()).toBe('ok fatal: it has the release of openshift-install and its signature');
});

test('some images of the release are looked for where the design mirrors them', async () => {
  const ports = await startServers();
  const names = Array.from({ length: 24 }, (_, index) => `part-${index}`);
  const digests = names.map((name) => images.pushImage(name));
  const references = (all: readonly string[]) =>
    Object.fromEntries(all.map((digest, index) => [names[index] ?? '', `${ART}@${digest}`]));
  const imageDigestSources = [
    { source: SOURCE, mirrors: ['mirror.test/ocp/release'] },
    { source: ART, mirrors: ['elsewhere.test/images', 'mirror.test/ocp/images'] },
  ];
  const check = async (digest: string, sources = imageDigestSources, version = '4.20') => {
    const { openshift } = exampleSite();
    const design = { openshift: { ...openshift, version }, imageDigestSources: sources };
    const options = { design, releaseImage: `${SOURCE}@${digest}` };
    const results = await runChecks(ports, { 'mirror.test': LOGIN }, options);
    const found = results.find(({ what }) => what === 'registry-mirror mirror.test/ocp/release');
    return `${found?.state} ${found?.severity}: ${found?.cause}`;
  };
  const release = store.pushRelease(references(digests));
  requests = [];
  expect(await check(release)).toBe(
    'ok fatal: it has the release of openshift-install; 8 of its 24 images were looked for, and are there',
  );
  // Each repository has its own token, and each image is requested once.
  expect(requests).toContain(
    `auth.test /token?service=mirror.test&scope=repository%3Aocp%2Fimages%3Apull Basic ${LOGIN}`,
  );
  expect(requests.filter((each) => each.includes('/v2/ocp/images/manifests/'))).toHaveLength(8);
  expect(requests.filter((each) => each.includes('scope=repository%3Aocp%2Fimages'))).toHaveLength(2);
  // A release for several architectures leads to the one of the design.
  const index = store.pushIndex({ arm64: store.pushRelease({}), amd64: release });
  expect(await check(index)).toContain('; 8 of its 24 images were looked for');
  const absent = digests.map((digest, at) => (at === 3 || at === 9 ? `sha256:${'ab12'.repeat(16)}` : digest));
  expect(await check(store.pushRelease(references(absent)))).toBe(
    'failed fatal: it has the release, but lacks 2 of the 8 images that were looked for: part-3, part-9',
  );
  // Images of a source without a mirror here are not looked for.
  const [first = { source: SOURCE, mirrors: ['mirror.test/ocp/release'] }] = imageDigestSources;
  expect(await check(release, [first])).toBe('ok fatal: it has the release of openshift-install');
  missing = 503;
  expect(await check(store.pushRelease(references(absent)))).toBe('ok fatal: it has the release of openshift-install');
  missing = 404;
  // Nodes of 4.22 verify these images, too. Those that they pull first are always looked for.
  const early = { ...references(digests), 'machine-config-operator': `${ART}@${digests[5]}` };
  const signed = store.pushRelease(early);
  store.sign(signed, 'tag');
  expect(await check(signed, imageDigestSources, '4.21')).toMatch(/^ok .* its signature; 8 of its 25 images/);
  for (const digest of digests) if (digest !== digests[5]) images.sign(digest, 'tag');
  expect(await check(signed, imageDigestSources, '4.22')).toBe(
    'failed fatal: it has the release and its signature, but no signature of 1 of the 8 images that were looked for: machine-config-operator. Nodes refuse images without a signature at their first boot',
  );
  images.sign(digests[5] ?? '', 'tag');
  expect(await check(signed, imageDigestSources, '5.0')).toMatch(/^ok .* its signature; 8 of its 25 images/);
  // A layer that is no archive, has no list of images, or unpacks to a gigabyte.
  const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
  for (const layer of ['no archive', gzipSync('no archive'), gzipSync(createTar([], 0)), bomb, bomb.subarray(0, 900)])
    expect(await check(store.pushImage(layer))).toBe('ok fatal: it has the release of openshift-install');
});

test('a signature that the policy of the release refuses fails, with its reason', async () => {
  const ports = await startServers();
  const digest = store.pushRelease({});
  const check = (version: string) => checkMirror(ports, version, `${SOURCE}@${digest}`);
  const tag = `${digest.replace(':', '-')}.sig`;
  const refused = `it has the release, but the policy of the release refuses its signature in the tag ${tag}`;
  store.sign(digest, 'tag', { key: createSigningKey() });
  expect(await check('4.22.1')).toBe(
    `failed fatal: ${refused}: it is not by the key of the policy. Nodes refuse such images at their first boot`,
  );
  expect(await check('4.21.3')).toBe(
    `failed warning: ${refused}: it is not by the key of the policy. The cluster refuses the release: the Cluster Version Operator cannot start on another node, and no update works`,
  );
  expect(await check('4.20.3')).toBe('ok fatal: it has the release of openshift-install');
  const other = `sha256:${'ab12'.repeat(16)}`;
  store.sign(digest, 'tag', { signedDigest: other });
  expect(await check('4.22.1')).toContain(`${refused}: it is of another image, ${other}. `);
  store.sign(digest, 'tag', { reference: 'quay.io/x/y:\u202e1\u001b[2J' });
  expect(await check('4.22.1')).toMatch(/: it names another repository, quay\.io\/x\/y:[\x20-\x7e\ufffd]*\. Nodes/);
  const [path = ''] = store.sign(digest, 'tag');
  store.remove(path);
  expect(await check('4.22.1')).toContain(`${refused}: a file of it is missing or damaged. `);
  // A release whose policy cannot be read, and one that the policy does not cover.
  const unknown = store.pushRelease({}, null);
  store.sign(unknown, 'tag');
  expect(await checkMirror(ports, '4.22.1', `${SOURCE}@${unknown}`)).toContain(
    'unknown fatal: it has the release and a signature, but it could not be determined whether the signature is valid',
  );
  expect(await checkMirror(ports, '4.22.1', `mirror.test/ocp/release@${digest}`)).toBe(
    'ok fatal: it has the release of openshift-install',
  );
});

test('a signature of an image of the release is verified, too; OKD has none', async () => {
  const ports = await startServers();
  const digest = images.pushImage('etcd');
  const release = store.pushRelease({ etcd: `${ART}@${digest}` });
  store.sign(release, 'tag');
  const okd = store.pushRelease({}, null);
  const check = async (version: string, image: string, source: string) => {
    const imageDigestSources = [
      { source, mirrors: ['mirror.test/ocp/release'] },
      { source: ART, mirrors: ['mirror.test/ocp/images'] },
    ];
    const design = { openshift: { ...exampleSite().openshift, version }, imageDigestSources };
    const results = await runChecks(ports, { 'mirror.test': LOGIN }, { design, releaseImage: `${source}@${image}` });
    const found = results.find(({ what }) => what === 'registry-mirror mirror.test/ocp/release');
    return `${found?.state}: ${found?.cause}`;
  };
  images.sign(digest, 'tag', { key: createSigningKey() });
  expect(await check('4.22.1', release, SOURCE)).toBe(
    'failed: it has the release and its signature; the policy of the release refuses the signature of 1 of the 1 image looked for: etcd (it is not by the key of the policy). Nodes refuse such images at their first boot',
  );
  images.sign(digest, 'tag');
  expect(await check('4.22.1', release, SOURCE)).toMatch(/^ok: .* and its signature; 1 of its 1 image/);
  expect(await check('4.22.0-okd-scos.1', okd, 'quay.io/okd/scos-release')).toBe(
    'ok: it has the release of openshift-install',
  );
});

test('OKD needs no login at quay.io; a mirror without a login is queried as it is', async () => {
  const list = async (version: string, imageDigestSources: Design['imageDigestSources']) => {
    const openshift = { ...exampleSite().openshift, version };
    const credentials = { pullSecretFile: null, sshKeyFile: null, fencingFile: null };
    const design = { openshift, credentials, imageDigestSources };
    const results = await runChecks(await startServers(), {}, { design, isOnline: imageDigestSources.length > 0 });
    return results.map(({ what, state }) => `${what}: ${state}`);
  };
  expect(await list('4.20', [])).toEqual(['pull-secret-registry quay.io: unknown']);
  expect(await list('4.20.0-okd-scos.3', [])).toEqual([]);
  expect(await list('4.20.0-okd-scos.3', [{ source: 'quay.io/okd', mirrors: ['basic.test/okd'] }])).toEqual([
    'pull-secret-registry basic.test: failed',
    'registry-mirror basic.test/okd: failed',
  ]);
});

test('a mirror of a whole registry has the release at its own path', async () => {
  const ports = await startServers();
  const digest = store.pushRelease({});
  const check = async (version: string) => {
    const { openshift } = exampleSite();
    const imageDigestSources = [{ source: 'quay.io', mirrors: ['mirror.test'] }];
    const design = { openshift: { ...openshift, version }, imageDigestSources };
    const results = await runChecks(ports, { 'mirror.test': LOGIN }, { design, releaseImage: `${SOURCE}@${digest}` });
    return results.map(({ what, state, cause }) => `${what}: ${state}, ${cause}`);
  };
  expect(await check('4.18')).toEqual([
    'pull-secret-registry mirror.test: ok, it accepts the login',
    'registry-mirror mirror.test: ok, it has the release of openshift-install',
  ]);
  expect(requests.some((each) => each.includes(`/v2/openshift-release-dev/ocp-release/manifests/${digest}`))).toBe(
    true,
  );
  expect((await check('5.0'))[1]).toContain('failed, it has the release, but no signature');
});

test('a mirror that fails, or answers something else, proves nothing about the release', async () => {
  const ports = await startServers();
  const digest = store.pushRelease({});
  const check = (image = digest) => checkMirror(ports, '4.22.1', `${SOURCE}@${image}`);
  const unknownSignature = 'unknown fatal: it has the release, but does not report whether it has its signature';
  for (const status of [401, 403, 429, 503]) {
    missing = status;
    expect(await check()).toContain(unknownSignature);
    const absent = `sha256:${'ab12'.repeat(16)}`;
    expect(await check(absent)).toBe(`unknown fatal: it does not report whether it has the release ${absent}`);
  }
  missing = 404;
  const image = `manifests/${digest}`;
  const tag = `manifests/${digest.replace(':', '-')}.sig`;
  for (const body of [
    '',
    '<html>log in</html>',
    '[]',
    '{"layers":7}',
    '{"layers":[null]}',
    '{"layers":[{"mediaType":1}]}',
  ]) {
    store.replace(tag, body);
    store.replace(`referrers/${digest}`, body);
    expect(await check()).toContain('failed fatal: it has the release, but no signature of it');
  }
  store.replace(image, '<html>log in</html>');
  expect(await check()).toBe(`unknown fatal: it does not report whether it has the release ${digest}`);
  // A body without an end is left after 1 MiB.
  let sent = 0;
  intercept = (path, response) => {
    if (path !== image) return false;
    response.writeHead(200);
    const chunk = Buffer.alloc(65_536, ' ');
    const send = (): void => {
      do sent += chunk.length;
      while (response.write(chunk) && !response.destroyed);
    };
    response.on('drain', send);
    send();
    return true;
  };
  expect(await check()).toBe(`unknown fatal: it does not report whether it has the release ${digest}`);
  expect(sent).toBeGreaterThan(1024 * 1024 - 65_536);
});

test('a mirror that is silent about the signature is left after ten seconds', async () => {
  const ports = await startServers();
  const digest = store.pushRelease({});
  store.sign(digest, 'tag');
  const clock = manualClock(Date.parse('2026-11-24T08:00:00Z'));
  let isAsked = false;
  intercept = (path) => {
    isAsked ||= path.endsWith('.sig');
    return path.endsWith('.sig');
  };
  const result = checkMirror(ports, '4.22.1', `${SOURCE}@${digest}`, clock);
  await eventually(() => expect(isAsked).toBe(true));
  await clock.advance(10_000);
  expect(await result).toContain('unknown fatal: it has the release, but does not report whether it has its signature');
});

test('the remedy has the commands of the version', async () => {
  const ports = await startServers();
  const mirrors = [{ source: SOURCE, mirrors: ['mirror.test/ocp/none'] }];
  const findRemedy = async (version: string, sources = mirrors) => {
    const { openshift } = exampleSite();
    const design = { openshift: { ...openshift, version }, imageDigestSources: sources };
    const [found] = (await runChecks(ports, { 'mirror.test': LOGIN }, { design })).slice(-1);
    return found?.remedy ?? '';
  };
  expect(await findRemedy('4.12.9')).toContain(
    '`oc adm release mirror --registry-config pull-secret.txt --from quay.io/openshift-release-dev/ocp-release:4.12.9-x86_64 --to mirror.test/ocp/none --to-release-image mirror.test/ocp/none:4.12.9-x86_64`',
  );
  expect(await findRemedy('4.12')).toContain('ocp-release:4.12.Z-x86_64');
  expect(await findRemedy('4.18.3')).toMatch(
    /channels: \[\{name: stable-4\.18, minVersion: 4\.18\.3, maxVersion: 4\.18\.3/,
  );
  expect(await findRemedy('4.18.3')).not.toMatch(/release mirror|signatures/);
  for (const version of ['4.21', '4.22', '4.23', '5.0']) {
    const remedy = await findRemedy(version);
    expect(remedy).toContain(`channels: [{name: stable-${version}}]`);
    expect(remedy).toContain(
      '`oc mirror --v2 -c imageset-config.yaml --workspace file://mirror --remove-signatures=false docker://mirror.test`',
    );
    expect(remedy).toContain('`oc adm release mirror` and `oc image mirror` do not, and must not be used');
  }
  const okd = [{ source: 'quay.io/okd/scos-release', mirrors: ['mirror.test/ocp/none'] }];
  expect(await findRemedy('4.22.0-okd-scos.1', okd)).toContain(
    '--from quay.io/okd/scos-release:4.22.0-okd-scos.1 --to mirror.test/ocp/none --to-release-image mirror.test/ocp/none:4.22.0-okd-scos.1`',
  );
  // The commands would not fill a mirror of other images.
  const other = [{ source: 'quay.io/x', mirrors: ['mirror.test/ocp/none'] }];
  expect(await findRemedy('4.22', other)).toBe(
    'Copy the images to the mirror, or correct imageDigestSources of the design.',
  );
});

test('a wrong or missing password fails, and so does a CA outside of the trust bundle', async () => {
  const ports = await startServers();
  const runPullSecretChecks = async (...args: Parameters<typeof runChecks>) =>
    (await runChecks(...args)).filter(({ what }) => what.startsWith('pull'));
  expect(await runPullSecretChecks(ports, { 'mirror.test': WRONG, 'basic.test': WRONG })).toMatchObject([
    {
      what: 'pull-secret-registry mirror.test',
      state: 'failed',
      severity: 'fatal',
      cause: 'https://auth.test/token answers with status 401',
    },
    { what: 'pull-secret-registry basic.test', state: 'failed', severity: 'warning' },
  ]);
  expect(await runPullSecretChecks(ports, {})).toMatchObject([
    { state: 'failed', cause: expect.stringContaining('has none for it') },
  ]);
  requests = [];
  const untrusted = await runPullSecretChecks(ports, { 'mirror.test': LOGIN }, { hasTrustBundle: false });
  expect(untrusted).toMatchObject([{ state: 'failed', cause: expect.stringMatching(/unable to verify|self-signed/) }]);
  expect(requests).toEqual([]);
});

test('without --online nothing is queried, and every result is unknown', async () => {
  const ports = await startServers();
  const results = await runChecks(ports, { 'mirror.test': WRONG }, { isOnline: false });
  expect(results.map(({ state }) => state)).toEqual(['unknown', 'unknown']);
  expect(results[0]?.cause).toContain('--online');
  expect(requests).toEqual([]);
});

test('a mirror inside of the site is queried without --online, unless a proxy leads to it', async () => {
  const ports = await startServers();
  ports.set('127.0.0.1', ports.get('mirror.test') ?? 1);
  const imageDigestSources = [{ source: 'quay.io/x', mirrors: ['127.0.0.1/ocp/release'] }];
  const [login, mirror] = await runChecks(
    ports,
    { '127.0.0.1': LOGIN },
    { isOnline: false, design: { imageDigestSources } },
  );
  for (const result of [login, mirror]) expect(result?.cause).not.toContain('--online');
  requests = [];
  const proxy = { httpProxy: '', httpsProxy: 'http://proxy.test:3128', noProxy: '' };
  const viaProxy = await runChecks(
    ports,
    { 'registry.test': LOGIN },
    { isOnline: false, design: { proxy, imageDigestSources: [{ source: 'quay.io/x', mirrors: ['registry.test/x'] }] } },
  );
  expect(new Set(viaProxy.map(({ state }) => state))).toEqual(new Set(['unknown']));
  // A registry that is no mirror of the design is on the internet, and a simulated site has none.
  const others = [{ source: 'quay.io/x', mirrors: ['other.test/x'] }];
  const noMirror = await runChecks(
    ports,
    { '127.0.0.1': LOGIN },
    { isOnline: false, design: { imageDigestSources: others } },
  );
  const simulated = [{ source: 'quay.io/x', mirrors: ['127.0.0.9/x'] }];
  const mapped = await runChecks(
    ports,
    { '127.0.0.9': LOGIN },
    { isOnline: false, design: { imageDigestSources: simulated } },
  );
  for (const { cause } of [...noMirror, ...mapped]) expect(cause).toContain('--online');
  expect(requests).toEqual([]);
});

test('behind a proxy each connection goes through it, and failures name it', async () => {
  const ports = await startServers();
  const proxy = (httpsProxy: string, noProxy = '') => ({ design: { proxy: { httpProxy: '', httpsProxy, noProxy } } });
  const good = 'http://squid:ink@proxy.test:3128';
  const viaProxy = await runChecks(ports, { 'mirror.test': LOGIN, 'gone.test': LOGIN }, proxy(good));
  expect(viaProxy).toMatchObject([
    {
      what: 'pull-secret-registry mirror.test',
      state: 'ok',
      cause: 'it accepts the login, through the proxy proxy.test port 3128',
    },
    {
      what: 'pull-secret-registry gone.test',
      state: 'failed',
      cause: 'the proxy answers CONNECT with status 503, through the proxy proxy.test port 3128',
    },
    { what: 'registry-mirror mirror.test/ocp/release', state: 'ok' },
    { what: 'registry-proxy proxy.test:3128', state: 'ok' },
  ]);
  expect(requests).toContain('proxy mirror.test:443');
  expect(requests).toContain('proxy auth.test:443');
  const withoutLogin = await runChecks(ports, { 'mirror.test': LOGIN }, proxy('http://proxy.test:3128'));
  expect(withoutLogin.at(-1)).toMatchObject({ state: 'failed', cause: 'the proxy answers CONNECT with status 407' });
  const unknownProxy = await runChecks(ports, { 'mirror.test': LOGIN }, proxy('http://nobody.test:3128'));
  expect(unknownProxy.at(-1)).toMatchObject({
    what: 'registry-proxy nobody.test:3128',
    state: 'failed',
    cause: expect.stringContaining('nobody.test'),
  });
  requests = [];
  const direct = await runChecks(ports, { 'mirror.test': LOGIN, 'gone.test': LOGIN }, proxy(good, '.test'));
  expect(direct).toMatchObject([
    { state: 'ok', cause: 'it accepts the login' },
    { state: 'unknown' },
    {},
    { state: 'ok' },
  ]);
  expect(requests.filter((each) => each.startsWith('proxy'))).toEqual([]);
});

test.each([
  ['mirror.example.com', 'example.com', true],
  ['example.com', 'example.com', true],
  ['example.com', '.example.com', false],
  ['badexample.com', 'example.com', false],
  ['a.example.com', '*.example.com', true],
  ['172.16.0.9', '10.0.0.0/8, 172.16.0.0/24', true],
  ['172.16.1.9', '172.16.0.0/24', false],
  ['fd00::9', 'fd00::/64', true],
  ['quay.io', 'quay.io:5000', false],
  ['quay.io', '*', true],
  ['quay.io', '', false],
])('%s with noProxy %j bypasses the proxy: %s', (host, noProxy, expected) => {
  expect(shouldBypassProxy(host, 443, noProxy)).toBe(expected);
});
