import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tarOf } from '../../../src/bastion/tar.ts';
import { readArchive } from '../../../src/bastion/untar.ts';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { exampleSite } from '../../support/example-design.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const LIMITS = { perFile: 1000, kept: 100_000, unpacked: 10_000_000, entries: 1000 };
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

test('limits: of each file the end, of all so much, so many entries; links and paths that lead out are left out', async () => {
  const read = (limits: Partial<typeof LIMITS>) => readArchive(file(), () => true, { ...LIMITS, ...limits });
  bundle({ a: `${'x'.repeat(5000)}END`, b: 'b'.repeat(900), c: 'c' });
  const { files } = await read({});
  expect(files.map(({ content }) => content.length)).toEqual([1000, 900, 1]);
  expect(files[0]?.content.toString().endsWith('xEND')).toBe(true);
  expect((await read({ kept: 1500 })).isCut).toBe(true);
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
  expect((await read({})).files.map(({ path }) => path)).toEqual(['in']);
});

test('what tar itself packs is read: long names, links, directories', async () => {
  const long = join(ROOT, 'control-plane/172.16.0.21/containers', `${'very-long-name-'.repeat(5)}.log`);
  mkdirSync(join(dir, dirname(long)), { recursive: true });
  writeFileSync(join(dir, long), 'a line');
  execFileSync('ln', ['-s', '/etc/passwd', join(dir, ROOT, 'link.log')]);
  for (const format of ['gnu', 'pax', 'ustar']) {
    execFileSync('tar', ['-C', dir, `--format=${format}`, '-czf', file(), ROOT]);
    const { files, isCut } = await readArchive(file(), (path) => path.endsWith('.log'), LIMITS);
    expect({ files: files.map(({ path, content }) => [path, content.toString()]), isCut }).toEqual({
      files: [[long, 'a line']],
      isCut: false,
    });
  }
});
