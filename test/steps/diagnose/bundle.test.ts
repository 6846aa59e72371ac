import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { exampleSite } from '../../support/example-design.ts';
import { journal, NOW, PULL_ERROR, setUpBundleFixture } from './bundle-fixture.ts';

// Findings from the files of a bundle. bundle-archive.test.ts tests how the files are read.

const design = exampleSite();
const OPERATOR = {
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
};
const { dir, file, packBundle: bundle } = setUpBundleFixture();

test.each([
  [
    { 'bootstrap/journals/release-image.log': journal('release-image-download.sh', PULL_ERROR) },
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
    'resolver-elsewhere',
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
        items: [OPERATOR],
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
])('a bundle is evaluated by the same rules, %#', async (files, rule, subject) => {
  const { findings } = await diagnoseBundle(bundle(files), design, NOW);
  expect(findings[0]).toMatchObject({ rule, subjects: [subject] });
});

test('log lines of a bundle match rules without a design, too; control characters and secrets do not come through', async () => {
  const token =
    'eyJhbGciOiJSUzI1NiIsImtpZCI6ImFiYyJ9.eyJzdWIiOiJzeXN0ZW06YWRtaW4ifQ.c2lnbmF0dXJlLXNpZ25hdHVyZS1zaWduYXR1cmU';
  const text = journal(
    'release-image-download.sh',
    `\u001b]52;c;aGk=\u0007${PULL_ERROR} Authorization: Bearer ${token}`,
  );
  const { findings, fileCount, isCut } = await diagnoseBundle(
    bundle({ 'bootstrap/journals/release-image.log': text }),
    null,
    NOW,
  );
  expect({ rules: findings.map(({ rule }) => rule), fileCount, isCut }).toEqual({
    rules: ['pull-secret-rejected'],
    fileCount: 1,
    isCut: false,
  });
  expect(JSON.stringify(findings)).not.toMatch(/\\u001b|eyJhbGci/);
});

test('an error that is long over is no finding of a bundle', async () => {
  const old = `Nov 22 11:00:00 bs release-image-download.sh[1]: ${PULL_ERROR}\n`;
  const { findings } = await diagnoseBundle(
    bundle({ 'bootstrap/journals/release-image.log': old + journal('release-image-download.sh', 'Pulled') }),
    design,
    NOW,
  );
  expect(findings).toEqual([]);
});

test('keys and ignition files of a bundle are never read; an archive without known files is an error', async () => {
  const secret = { 'rendered-assets/openshift/tls/root-ca.key': 'KEY', 'bootstrap/bootstrap.ign': '{}' };
  await expect(diagnoseBundle(bundle(secret), design, NOW)).rejects.toMatchObject({
    userError: { code: 'bundle-unreadable' },
  });
  await expect(diagnoseBundle('/dev/zero', design, NOW)).rejects.toMatchObject({
    userError: { cause: expect.stringContaining('not a regular file') },
  });
  // Generated files are no logs of a machine.
  const generated = { 'lb1/etc/haproxy/haproxy.cfg': 'backend api\n    server m1 172.16.0.21:6443 check\n' };
  await expect(diagnoseBundle(bundle(generated), design, NOW)).rejects.toMatchObject({
    userError: { cause: expect.stringContaining('contains no journals, logs or objects') },
  });
  for (const content of ['', '\n', Buffer.alloc(4096, 1).fill(0, 99)]) {
    writeFileSync(file(), content);
    await expect(diagnoseBundle(file(), design, NOW)).rejects.toMatchObject({
      userError: { code: 'bundle-unreadable', cause: expect.stringContaining('contains no text') },
    });
  }
  await expect(diagnoseBundle(join(dir(), 'none'), design, NOW)).rejects.toMatchObject({
    userError: { code: 'bundle-unreadable' },
  });
});

test('a single text file is evaluated line by line, whatever the age of the lines; a letter shows no problem', async () => {
  const text = join(dir(), 'pasted journal');
  writeFileSync(
    text,
    `Jul 25 12:56:02 bs release-image-download.sh[47152]: ${PULL_ERROR}\nNov 22 11:59:00 bs x[1]: y\n`,
  );
  const { findings, fileCount, form } = await diagnoseBundle(text, null, NOW);
  expect(findings.map(({ rule, bundleCommand }) => [rule, bundleCommand])).toEqual([
    ['pull-secret-rejected', expect.stringMatching(/^grep -nF '.*' '.*\/pasted journal'$/)],
  ]);
  expect({ fileCount, form }).toEqual({ fileCount: 1, form: 'text' });
  const entry = { MESSAGE: PULL_ERROR, SYSLOG_IDENTIFIER: 'release-image-download.sh', _HOSTNAME: 'bs.x.example' };
  writeFileSync(text, `${JSON.stringify({ ...entry, __REALTIME_TIMESTAMP: '1795348740000000' })}\n{"MESSAGE":\n`);
  expect((await diagnoseBundle(text, null, NOW)).findings.map(({ rule, subjects }) => [rule, subjects])).toEqual([
    ['pull-secret-rejected', ['bs']],
  ]);
  writeFileSync(text, 'time="2026-11-22T11:00:00Z" level=debug msg="x"\nthis is a letter, and no archive');
  expect((await diagnoseBundle(text, null, NOW)).findings).toEqual([]);
  writeFileSync(text, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [OPERATOR] }));
  expect((await diagnoseBundle(text, null, NOW)).findings.map(({ rule }) => rule)).toEqual([
    'monitoring-config-invalid',
  ]);
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
    const { findings, isCut } = await diagnoseBundle(bundle({ 'resources/nodes.json': content }), null, NOW);
    expect(findings.map(({ rule, subjects }) => [rule, subjects])).toEqual([['node-gone', ['n1198']]]);
    expect(isCut).toBe(!isWhole);
  }
  const yaml =
    'apiVersion: v1\nkind: PodList\nitems:\n- metadata: { name: router-a, namespace: openshift-ingress }\n  status:\n    phase: Pen';
  const truncated = await diagnoseBundle(
    bundle({ 'm/namespaces/openshift-ingress/core/pods.yaml': yaml, 'resources/csr.json': '{"items":[{"kind":' }),
    null,
    NOW,
  );
  expect(truncated).toMatchObject({ findings: [] });
});

test('a bundle of another cluster is evaluated on its own', async () => {
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
  expect(await diagnoseBundle(bundle(files), design, NOW)).toMatchObject({ findings: [], isOtherInstallation: true });
});
