import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tarOf } from '../../../src/bastion/tar.ts';
import { type FoundFile, readArchive, type Share } from '../../../src/bastion/untar.ts';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { type Entry, packed, tarball } from '../../support/archive.ts';
import { exampleSite } from '../../support/example-design.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const LIMITS = { taken: 100_000, unpacked: 10_000_000, entries: 1000 };
const design = exampleSite();
const ROOT = 'log-bundle-20261122120000';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-bundle-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const file = () => join(dir, 'bundle.tar.gz');
function bundle(files: Readonly<Record<string, string>>, change: (bytes: Buffer) => Buffer = (bytes) => bytes): string {
  const members = Object.entries(files).map(([path, text]) => ({
    path: `${ROOT}/${path}`,
    content: Buffer.from(text),
  }));
  writeFileSync(file(), change(gzipSync(tarOf(members, NOW))));
  return file();
}
const journal = (unit: string, ...messages: readonly string[]) =>
  messages.map((message) => `Nov 22 11:59:00 bs.ocp45.example.localdomain ${unit}[1234]: ${message}\n`).join('');
const PULL =
  'Error: initializing source docker://quay.io/openshift-release-dev/ocp-release@sha256:ab: reading manifest sha256:ab in quay.io: unauthorized: authentication required';

test.each([
  [
    { 'bootstrap/journals/release-image.log': journal('release-image-download.sh', PULL) },
    'pull-secret-rejected',
    'bs',
  ],
  [
    {
      'control-plane/172.16.0.21/journals/kubelet.log': journal(
        'kubenswrapper',
        'dial tcp: lookup api-int.ocp45.example.localdomain on 8.8.8.8:53: no such host',
      ),
    },
    'api-int-missing',
    'm1',
  ],
  [
    {
      'control-plane/172.16.0.22/journals/chronyd.log': journal(
        'ignition',
        'x509: certificate has expired or is not yet valid: current time 2019-01-01T00:00:00Z is before 2026-11-22T10:00:00Z',
      ),
    },
    'clock-skew',
    'm2',
  ],
  [
    {
      'bootstrap/services/release-image.json': JSON.stringify([
        { phase: 'service start' },
        {
          phase: 'service end',
          result: 'failure',
          errorMessage:
            'pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp 1.2.3.4:443: i/o timeout',
        },
      ]),
    },
    'registry-unreachable',
    'bs',
  ],
  [
    {
      'resources/clusteroperators.json': JSON.stringify({
        items: [
          {
            apiVersion: 'config.openshift.io/v1',
            kind: 'ClusterOperator',
            metadata: { name: 'monitoring' },
            status: {
              conditions: [
                {
                  type: 'Degraded',
                  status: 'True',
                  reason: 'InvalidConfiguration',
                  message: 'InvalidConfiguration: unknown field',
                },
              ],
            },
          },
        ],
      }),
    },
    'monitoring-config-invalid',
    'monitoring',
  ],
  [
    {
      'cluster-scoped-resources/core/nodes/w1.yaml':
        'apiVersion: v1\nkind: Node\nmetadata: { name: w1 }\nstatus:\n  conditions:\n  - { type: DiskPressure, status: "True" }\n',
    },
    'disk-too-small',
    'w1',
  ],
  [
    {
      'resources/machineconfigpools.json':
        '{"items":[{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPool","metadata":{"name":"worker"},"status":{"conditions":[{"type":"NodeDegraded","status":"True","message":"Node w1"}]}}]}',
    },
    'pool-degraded',
    'worker',
  ],
  [
    {
      'm/namespaces/old/old.yaml':
        'apiVersion: v1\nkind: Namespace\nmetadata: { name: old, deletionTimestamp: "2026-11-22T11:00:00Z" }\n',
    },
    'namespace-terminating',
    'old',
  ],
  [
    {
      'bootstrap/network/ip-addr.txt':
        '1: lo: <UP>\n    inet 127.0.0.1/8 scope host lo\n2: ens3: <UP>\n    inet 172.16.0.99/24 scope global ens3\n',
    },
    'node-address-unexpected',
    'bs',
  ],
])('a bundle is judged by the same rules, %#', async (files, rule, subject) => {
  const { found } = await diagnoseBundle(bundle(files), design, NOW);
  expect(found[0]).toMatchObject({ rule, subjects: [subject] });
});

test('lines are rules of a bundle without a design too; control characters and secrets do not come through', async () => {
  const token =
    'eyJhbGciOiJSUzI1NiIsImtpZCI6ImFiYyJ9.eyJzdWIiOiJzeXN0ZW06YWRtaW4ifQ.c2lnbmF0dXJlLXNpZ25hdHVyZS1zaWduYXR1cmU';
  const text = journal('release-image-download.sh', `\u001b]52;c;aGk=\u0007${PULL} Authorization: Bearer ${token}`);
  const { found, files, isCut } = await diagnoseBundle(
    bundle({ 'bootstrap/journals/release-image.log': text }),
    null,
    NOW,
  );
  expect({ rules: found.map(({ rule }) => rule), files, isCut }).toEqual({
    rules: ['pull-secret-rejected'],
    files: 1,
    isCut: false,
  });
  expect(JSON.stringify(found)).not.toMatch(/\\u001b|eyJhbGci/);
});

test('a bundle of a site that is well, and one whose trouble is long over, say nothing', async () => {
  const old = `Nov 22 11:00:00 bs release-image-download.sh[1]: ${PULL}\n`;
  const { found } = await diagnoseBundle(
    bundle({ 'bootstrap/journals/release-image.log': old + journal('release-image-download.sh', 'Pulled') }),
    design,
    NOW,
  );
  expect(found).toEqual([]);
});

test('keys and ignition files of a bundle are never read; an archive without anything known is told', async () => {
  const secret = { 'rendered-assets/openshift/tls/root-ca.key': 'KEY', 'bootstrap/bootstrap.ign': '{}' };
  await expect(diagnoseBundle(bundle(secret), design, NOW)).rejects.toMatchObject({
    trouble: { code: 'bundle-unreadable' },
  });
  writeFileSync(file(), 'this is a letter, and no archive '.repeat(100));
  await expect(diagnoseBundle('/dev/zero', design, NOW)).rejects.toMatchObject({
    trouble: { cause: expect.stringContaining('not a plain file') },
  });
  await expect(diagnoseBundle(file(), design, NOW)).rejects.toMatchObject({ trouble: { code: 'bundle-unreadable' } });
  await expect(diagnoseBundle(join(dir, 'none'), design, NOW)).rejects.toMatchObject({
    trouble: { code: 'bundle-unreadable' },
  });
});

test('of an archive that was cut, what came before is read, and that it was cut is told', async () => {
  const noise = Array.from({ length: 40_000 }, (_, index) => `${(index * 7919) % 10_007}`).join(' ');
  const whole = {
    'bootstrap/journals/release-image.log': journal('release-image', PULL),
    'bootstrap/journals/kubelet.log': noise,
  };
  const { found, isCut } = await diagnoseBundle(
    bundle(whole, (bytes) => bytes.subarray(0, bytes.length - 3000)),
    design,
    NOW,
  );
  expect({ rules: found.map(({ rule }) => rule), isCut }).toEqual({ rules: ['pull-secret-rejected'], isCut: true });
});

test('a hostile archive: nothing outside of it, no link, no device, no name that leads a terminal astray, and no size that fills the memory', async () => {
  const log = Buffer.from(journal('release-image-download.sh', PULL));
  const evil = 'bootstrap/journals/\u001b]0;x\u0007$(touch x).log';
  const entries: readonly Entry[] = [
    { path: `${ROOT}/`, type: '5' },
    { path: `../${ROOT}/bootstrap/journals/a.log`, content: log },
    { path: `/${ROOT}/bootstrap/journals/b.log`, content: log },
    { path: `${ROOT}/x/../../bootstrap/journals/c.log`, content: log },
    { path: `${ROOT}/bootstrap/journals/d.log`, type: '2', link: '/etc/shadow' },
    { path: `${ROOT}/bootstrap/journals/e.log`, type: '1', link: '/etc/shadow' },
    { path: `${ROOT}/bootstrap/journals/f.log`, type: '3' },
    { path: `${ROOT}/${evil}`, content: log },
    { path: `${ROOT}/bootstrap/journals/huge.log`, size: 2 ** 50 },
  ];
  writeFileSync(file(), gzipSync(tarball(entries)));
  const { found, files, isCut } = await diagnoseBundle(file(), null, NOW);
  expect({ rules: found.map(({ rule }) => rule), files, isCut }).toEqual({
    rules: ['pull-secret-rejected'],
    files: 2,
    isCut: true,
  });
  expect(found[0]?.seeInBundle).toBe(null);
  expect(JSON.stringify(found)).not.toMatch(/\\u001b|\\u0007/);
});

test('what is packed with something else is told with the program that unpacks it; a name is one word of that command', async () => {
  const words: readonly (readonly [string, string])[] = [
    ['fd377a585a00', 'xz -dk'],
    ['425a6839', 'bunzip2 -k'],
    ['28b52ffd', 'zstd -dk'],
    ['504b0304', 'unzip -d bundle'],
    ['377abcaf271c', '7z x -obundle'],
  ];
  for (const [magic, command] of words) {
    const odd = join(dir, 'my bundle; touch x');
    writeFileSync(odd, Buffer.concat([Buffer.from(magic, 'hex'), Buffer.alloc(2000)]));
    await expect(diagnoseBundle(odd, null, NOW)).rejects.toMatchObject({
      trouble: { cause: expect.stringContaining(`${command} '${odd}'`) },
    });
  }
});

test('an unpacked bundle is read as its archive is; links in it are left out, and so is a directory that only holds one', async () => {
  const place = join(dir, 'unpacked');
  const write = (path: string, text: string) => {
    mkdirSync(join(place, dirname(path)), { recursive: true });
    writeFileSync(join(place, path), text);
  };
  write(`${ROOT}/bootstrap/journals/kubelet.log`, '');
  writeFileSync(join(dir, 'elsewhere.log'), journal('release-image-download.sh', PULL));
  symlinkSync(join(dir, 'elsewhere.log'), join(place, ROOT, 'bootstrap/journals/release-image.log'));
  symlinkSync(place, join(place, ROOT, 'bootstrap/journals/again'));
  expect(await diagnoseBundle(place, null, NOW)).toMatchObject({ found: [], files: 1, isCut: false });
  write(`${ROOT}/bootstrap/journals/crio.log`, journal('release-image-download.sh', PULL));
  const { found } = await diagnoseBundle(place, null, NOW);
  expect(found[0]).toMatchObject({
    rule: 'pull-secret-rejected',
    seeInBundle: expect.stringMatching(/^grep -nF 'Error: init[^']+' \S+\/bootstrap\/journals\/crio\.log$/),
  });
  const above = join(dir, 'above');
  mkdirSync(above);
  writeFileSync(join(above, 'log-bundle-20261122120000.tar.gz'), '');
  await expect(diagnoseBundle(above, null, NOW)).rejects.toMatchObject({
    trouble: { cause: expect.stringContaining('above/log-bundle-20261122120000.tar.gz') },
  });
});

test('lists that are too large for one value, or end in the middle, are read as far as they are whole', async () => {
  const item = (index: number, message = '') => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `n${index}` },
    status: {
      images: [{ names: ['quay.io/x@sha256:"}{"'], sizeBytes: 1, padding: 'x'.repeat(4000) }],
      conditions: [
        {
          type: 'Ready',
          status: message === '' ? 'True' : 'Unknown',
          message,
          lastTransitionTime: '2026-11-22T11:00:00Z',
        },
      ],
    },
  });
  const items = Array.from({ length: 1200 }, (_, index) =>
    item(index, index === 1198 ? 'Kubelet stopped posting node status.' : ''),
  );
  const text = JSON.stringify({ apiVersion: 'v1', items, kind: 'List', metadata: {} });
  for (const [content, isWhole] of [
    [text, true],
    [text.slice(0, -200), false],
  ] as const) {
    const { found, isCut } = await diagnoseBundle(bundle({ 'resources/nodes.json': content }), null, NOW);
    expect(found.map(({ rule, subjects }) => [rule, subjects])).toEqual([['node-gone', ['n1198']]]);
    expect(isCut).toBe(!isWhole);
  }
  const yaml =
    'apiVersion: v1\nkind: PodList\nitems:\n- metadata: { name: router-a, namespace: openshift-ingress }\n  status:\n    phase: Pen';
  const cut = await diagnoseBundle(
    bundle({ 'm/namespaces/openshift-ingress/core/pods.yaml': yaml, 'resources/csr.json': '{"items":[{"kind":' }),
    null,
    NOW,
  );
  expect(cut).toMatchObject({ found: [] });
});

test('what is packed by itself is unpacked; one that is damaged, or grows beyond measure, is told as missing', async () => {
  const path = 'host_service_logs/masters/kubelet_service.log.gz';
  const log = gzipSync(journal('kubenswrapper', ...Array.from({ length: 5 }, () => PULL)));
  const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024));
  for (const [content, rules, isCut] of [
    [log, ['pull-secret-rejected'], false],
    [log.subarray(0, 40), [], true],
    [bomb, [], true],
  ] as const) {
    writeFileSync(file(), packed({ [`must-gather/${path}`]: content }));
    const read = await diagnoseBundle(file(), null, NOW);
    expect({ rules: read.found.map(({ rule }) => rule), isCut: read.isCut }).toEqual({ rules, isCut });
  }
});

test('a bundle of another cluster is judged by itself', async () => {
  const files = {
    'control-plane/10.9.8.7/journals/kubelet.log': journal('kubenswrapper', 'all is well'),
    'resources/nodes.json': JSON.stringify({
      items: [
        {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: 'other-1' },
          status: {
            addresses: [{ type: 'InternalIP', address: '10.9.8.7' }],
            conditions: [{ type: 'Ready', status: 'True' }],
          },
        },
      ],
    }),
  };
  expect(await diagnoseBundle(bundle(files), design, NOW)).toMatchObject({ found: [], isOfAnother: true });
});

/** All files that an archive gives, and what is said of the whole. */
async function read(limits: Partial<typeof LIMITS> = {}, share: Share = { part: 'end', most: 1000 }) {
  const files: { readonly path: string; readonly text: string; readonly isWhole: boolean }[] = [];
  const reader = {
    wanted: () => share,
    take: ({ path, content, isWhole }: FoundFile) => void files.push({ path, text: content.toString(), isWhole }),
  };
  return { files, ...(await readArchive(file(), reader, { ...LIMITS, ...limits })) };
}

test('limits: of each file its end or its beginning, of all so much, so many entries; paths that lead out are left out', async () => {
  bundle({ a: `BEGIN${'x'.repeat(5000)}END`, b: 'b'.repeat(900), c: 'c' });
  const { files } = await read();
  expect(files.map(({ text, isWhole }) => [text.length, isWhole])).toEqual([
    [1000, false],
    [900, true],
    [1, true],
  ]);
  expect(files[0]?.text.endsWith('xEND')).toBe(true);
  const [first] = (await read({}, { part: 'start', most: 7 })).files;
  expect(first).toMatchObject({ text: 'BEGINxx', isWhole: false });
  expect((await read({ taken: 1500 })).isCut).toBe(true);
  expect((await read({ unpacked: 100 })).isCut).toBe(true);
  const outside = tarOf(
    [
      { path: '../../etc/passwd', content: Buffer.from('root') },
      { path: '/etc/shadow', content: Buffer.from('root') },
      { path: 'in', content: Buffer.from('in') },
    ],
    NOW,
  );
  writeFileSync(file(), outside);
  expect((await read()).files.map(({ path }) => path)).toEqual(['in']);
});

test('what tar itself packs is read: long names, links, directories', async () => {
  const long = join(ROOT, 'control-plane/172.16.0.21/containers', `${'very-long-name-'.repeat(5)}.log`);
  mkdirSync(join(dir, dirname(long)), { recursive: true });
  writeFileSync(join(dir, long), 'a line');
  execFileSync('ln', ['-s', '/etc/passwd', join(dir, ROOT, 'link.log')]);
  for (const format of ['gnu', 'pax', 'ustar']) {
    execFileSync('tar', ['-C', dir, `--format=${format}`, '-czf', file(), ROOT]);
    expect(await read()).toEqual({ files: [{ path: long, text: 'a line', isWhole: true }], isCut: false });
  }
});
