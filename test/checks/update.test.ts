import { expect, test } from 'vitest';
import { runChecks } from '../../src/checks/check.ts';
import { UPDATE_CHECKS, type UpdateEvidence } from '../../src/checks/update.ts';
import { updateChecks } from '../../src/i18n/en/diagnosis/update-checks.ts';
import type { KubeObject } from '../../src/openshift/object.ts';
import { parseClusterOperator } from '../../src/openshift/operator.ts';
import type { ProbeAnswer } from '../../src/probes/probe-types.ts';
import { POISON } from '../torture/hostile.ts';

const { texts } = updateChecks;
const UNREADABLE = { readError: 'You must not read it' };

const createObject = (kind: string, name: string, content: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name }, ...content }) as KubeObject;
const condition = (type: string, status: string, reason = '', message = '') => ({ type, status, reason, message });
const createOperator = (name: string, ...conditions: readonly object[]) =>
  parseClusterOperator(
    createObject('ClusterOperator', name, {
      status: { conditions: [condition('Available', 'True'), condition('Degraded', 'False'), ...conditions] },
    }),
  );
const createPool = (name: string, spec: object, ...conditions: readonly object[]) =>
  createObject('MachineConfigPool', name, { spec, status: { conditions } });
const UPDATED = condition('Updated', 'True');
const byRelease = { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: '4.22.3' } };
const byBuild = { mode: 'Manual', manual: { mode: 'RHCOSVersion', rhcosVersion: '9.6.20260423-0' } };
const createConfiguration = (requested: object | null, observed: object | null) =>
  createObject('MachineConfiguration', 'cluster', {
    spec: requested === null ? {} : { bootImageSkewEnforcement: requested },
    status: observed === null ? {} : { bootImageSkewEnforcementStatus: observed },
  });

/** The evidence of a cluster of 4.22 that nothing keeps from an update. */
function createEvidence(change: Partial<UpdateEvidence> = {}): UpdateEvidence {
  return {
    version: '4.22.3',
    clusterVersion: {
      value: createObject('ClusterVersion', 'version', {
        status: { conditions: [condition('Progressing', 'False'), condition('Upgradeable', 'True')] },
      }),
    },
    infrastructure: {
      value: createObject('Infrastructure', 'cluster', { status: { controlPlaneTopology: 'HighlyAvailable' } }),
    },
    machineConfiguration: { value: createConfiguration(byBuild, byBuild) },
    operators: { value: [createOperator('dns', condition('Upgradeable', 'True')), createOperator('network')] },
    pools: { value: [createPool('master', {}, UPDATED), createPool('worker', { paused: false }, UPDATED)] },
    runtimes: { value: [{ kind: 'MachineConfig', name: '99-worker-ssh', runtime: null }] },
    removedApis: { value: [] },
    featureGate: { value: createObject('FeatureGate', 'cluster', { spec: {} }) },
    adminGates: { value: createObject('ConfigMap', 'admin-gates', { data: {} }) },
    adminAcks: { value: null },
    mirrors: { value: [] },
    ...change,
  };
}

const run = (change: Partial<UpdateEvidence> = {}) =>
  runChecks(UPDATE_CHECKS, createEvidence(change), updateChecks.checks);
/** The findings of one check. */
const findResults = (id: string, change: Partial<UpdateEvidence>) => run(change).filter(({ code }) => code === id);

test('a cluster without obstacles: every check is fine, and says so in words', () => {
  const findings = run();
  expect(findings.map(({ code, state }) => [code, state])).toEqual(
    ['cluster-version', 'operators', 'boot-image', 'acks', 'removed-apis', 'pools', 'feature-set', 'runc'].map((id) => [
      `update-${id}`,
      'ok',
    ]),
  );
  for (const { title } of findings) expect(title).toMatch(/^\w.{15}/);
});

test('what cannot be read is unknown, with the reason; the others are found', () => {
  const names = Object.keys(createEvidence()).filter((name) => name !== 'version' && name !== 'infrastructure');
  for (const name of names) {
    const unknown = run({ [name]: UNREADABLE }).filter(({ state }) => state === 'unknown');
    // The mirrors and the streams matter, too, where a version has them.
    expect([name, unknown.map(({ cause }) => cause)]).toEqual([name, [UNREADABLE.readError]]);
  }
});

test.each([
  ['recorded', createConfiguration(byBuild, byBuild), { state: 'ok', cause: texts.onRecord('9.6.20260423-0') }],
  [
    'kept by the operator',
    createConfiguration(null, { mode: 'Automatic', automatic: { ocpVersion: '4.22.3' } }),
    { state: 'ok' },
  ],
  [
    'not recorded',
    createConfiguration(null, byRelease),
    {
      state: 'failed',
      severity: 'warning',
      title: texts.unrecorded,
      cause: texts.assumed('4.22.3'),
      command: `oc patch machineconfiguration cluster --type merge -p '{"spec":{"bootImageSkewEnforcement":${JSON.stringify(byRelease)}}}'`,
    },
  ],
  [
    'turned off',
    createConfiguration({ mode: 'None' }, { mode: 'None' }),
    { severity: 'warning', title: texts.skewOff },
  ],
  ['not reported', createConfiguration(null, null), { state: 'unknown', cause: texts.noBootImage }],
  ['missing', null, { state: 'unknown', cause: texts.noBootImage }],
])('boot image: %s', (_of, object, expected) => {
  expect(findResults('update-boot-image', { machineConfiguration: { value: object } })).toMatchObject([expected]);
});

test('boot image: refused by the machine-config-operator in its own words, and once only', () => {
  const message = 'Upgrades have been disabled because the cluster is using OCP boot image version 4.12.0';
  const operator = createOperator(
    'machine-config',
    condition('Upgradeable', 'False', 'ClusterBootImageSkewError', message),
  );
  const change = { operators: { value: [operator] } };
  expect(findResults('update-boot-image', change)).toMatchObject([
    { state: 'failed', severity: 'fatal', cause: message },
  ]);
  expect(findResults('update-operators', change)).toMatchObject([{ state: 'ok' }]);
});

test('boot image: nothing is compared before 4.22, nor on a single node', () => {
  expect(findResults('update-boot-image', { version: '4.21.9' })).toEqual([]);
  const single = createObject('Infrastructure', 'cluster', { status: { controlPlaneTopology: 'SingleReplica' } });
  expect(findResults('update-boot-image', { infrastructure: { value: single } })).toEqual([]);
  // The record still counts if the topology cannot be read.
  expect(findResults('update-boot-image', { infrastructure: UNREADABLE })).toMatchObject([{ state: 'ok' }]);
});

test('operators: each that refuses, with reason and message; an unhealthy one needs attention', () => {
  const refusing = createOperator('storage', condition('Upgradeable', 'False', 'OldDriver', 'remove the driver'));
  const degraded = parseClusterOperator(
    createObject('ClusterOperator', 'dns', {
      status: { conditions: [condition('Available', 'True'), condition('Degraded', 'True', 'DNSDegraded', 'no pods')] },
    }),
  );
  expect(findResults('update-operators', { operators: { value: [refusing, degraded] } })).toMatchObject([
    {
      severity: 'fatal',
      subject: 'storage',
      cause: 'OldDriver: remove the driver',
      command: 'oc describe clusteroperator storage',
    },
    { severity: 'warning', title: texts.operatorUnhealthy('dns'), cause: 'DNSDegraded: no pods' },
  ]);
});

test('pools: degraded stops an update, paused leaves nodes behind, updating has to end first', () => {
  const value = [
    createPool(
      'master',
      {},
      condition('NodeDegraded', 'True', 'Failed', 'node m1 is stuck'),
      condition('Degraded', 'True'),
    ),
    createPool('worker', { paused: true }, UPDATED),
    createPool('infra', {}, condition('Updated', 'False'), condition('Updating', 'True')),
    createPool('storage', {}, UPDATED),
  ];
  const found = findResults('update-pools', { pools: { value } });
  expect(found).toMatchObject([
    {
      state: 'failed',
      severity: 'fatal',
      title: texts.poolDegraded('master'),
      cause: expect.stringContaining('node m1 is stuck'),
    },
    {
      state: 'failed',
      severity: 'warning',
      title: texts.poolPaused('worker'),
      command: expect.stringContaining('"paused":false'),
    },
    { state: 'pending', title: texts.poolUpdating('infra') },
  ]);
  expect(found).toHaveLength(3);
});

test('removed APIs: those with users, of whom five are named', () => {
  const users = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `system:serviceaccount:team:${name}`);
  const value = [
    { name: 'flowschemas.v1beta3.flowcontrol.apiserver.k8s.io', removedIn: '1.36', users },
    { name: 'unused.v1.example.com', removedIn: '1.36', users: [] },
  ];
  expect(findResults('update-removed-apis', { removedApis: { value } })).toMatchObject([
    {
      severity: 'warning',
      subject: 'flowschemas.v1beta3.flowcontrol.apiserver.k8s.io',
      cause: texts.removed('1.36', [...users.slice(0, 5), '+2'].join(', ')),
      command: 'oc get apirequestcounts flowschemas.v1beta3.flowcontrol.apiserver.k8s.io -o yaml',
    },
  ]);
});

test('acknowledgments: gates of this minor version without the word true', () => {
  const gates = createObject('ConfigMap', 'admin-gates', {
    data: {
      'ack-4.22-kube-1.36-api-removals-in-4.23': 'Kubernetes 1.36 removes APIs.',
      'ack-4.22-other': 'Another change.',
      'ack-4.21-past': 'Of the version before.',
      'ack-4.2-short': 'Of another version.',
    },
  });
  const acks = createObject('ConfigMap', 'admin-acks', { data: { 'ack-4.22-other': 'true' } });
  const find = (value: KubeObject | null) =>
    findResults('update-acks', { adminGates: { value: gates }, adminAcks: { value } });
  const gate = 'ack-4.22-kube-1.36-api-removals-in-4.23';
  expect(find(acks)).toMatchObject([
    {
      severity: 'fatal',
      subject: gate,
      cause: 'Kubernetes 1.36 removes APIs.',
      command: `oc -n openshift-config patch configmap admin-acks --type merge -p '{"data":{"${gate}":"true"}}'`,
    },
  ]);
  expect(find(null)).toHaveLength(2);
  expect(find(createObject('ConfigMap', 'admin-acks', { data: { 'ack-4.22-other': 'yes' } }))).toHaveLength(2);
  expect(findResults('update-acks', { adminGates: { value: null } })).toMatchObject([
    { state: 'unknown', cause: texts.noGates },
  ]);
});

const createAnswer = (release?: NonNullable<ProbeAnswer<'registry'>['release']>): ProbeAnswer<'registry'> => ({
  state: 'accepted',
  proxy: null,
  detail: 'it accepts the login',
  ...(release === undefined ? {} : { release }),
});
const RELEASE = { digest: 'sha256:ab', isPresent: true, verdict: null, payload: null } as const;

test.each([
  ['signed', createAnswer({ ...RELEASE, signature: 'tag' }), { state: 'ok', cause: texts.signed }],
  [
    'not signed',
    createAnswer({ ...RELEASE, signature: 'none' }),
    { state: 'failed', severity: 'fatal', cause: texts.unsigned('sha256:ab', '4.23') },
  ],
  [
    'accepted by the policy',
    createAnswer({ ...RELEASE, signature: 'tag', verdict: { state: 'accepted' } }),
    { state: 'ok', cause: texts.signed },
  ],
  [
    'refused by the policy',
    createAnswer({ ...RELEASE, signature: 'tag', verdict: { state: 'other-key' } }),
    { state: 'failed', severity: 'fatal', cause: texts.refusedSignature('sha256:ab', '4.23') },
  ],
  ['a referrer, which no release reads', createAnswer({ ...RELEASE, signature: 'referrer' }), { state: 'failed' }],
  [
    'without the release',
    createAnswer({ ...RELEASE, isPresent: false, signature: null }),
    { state: 'unknown', cause: texts.noRelease },
  ],
  ['no answer about it', createAnswer(), { state: 'unknown', cause: 'it accepts the login' }],
  [
    'not reachable from here',
    { isUnmeasured: true as const, detail: 'no route' },
    { state: 'unknown', cause: 'no route' },
  ],
])('signatures in a mirror: %s', (_of, answer, expected) => {
  const mirrors = { value: [{ name: 'mirror.example.com/ocp', answer }] };
  expect(findResults('update-signatures', { mirrors })).toMatchObject([
    { subject: 'mirror.example.com/ocp', ...expected },
  ]);
});

test('signatures matter from the update to 4.21 on, and not to OKD', () => {
  const mirrors = { value: [{ name: 'm', answer: createAnswer({ ...RELEASE, signature: 'none' as const }) }] };
  const count = (version: string) => findResults('update-signatures', { mirrors, version }).length;
  expect(['4.19.3', '4.20.1', '4.22.3', '5.0.0', '4.22.0-okd-scos.3'].map(count)).toEqual([0, 1, 1, 1, 0]);
});

test('feature sets of previews forbid updates', () => {
  const find = (featureSet: string) =>
    findResults('update-feature-set', {
      featureGate: { value: createObject('FeatureGate', 'cluster', { spec: { featureSet } }) },
    });
  for (const name of ['TechPreviewNoUpgrade', 'DevPreviewNoUpgrade', 'CustomNoUpgrade'])
    expect(find(name)).toMatchObject([{ state: 'failed', severity: 'fatal', cause: texts.featureSet(name) }]);
  for (const name of ['', 'Default', 'OKD']) expect(find(name)).toMatchObject([{ state: 'ok' }]);
});

test('runc is named from 4.22 on, where RHEL 10 can be chosen', () => {
  const runtimes = { value: [{ kind: 'ContainerRuntimeConfig', name: 'team', runtime: 'runc' }] };
  expect(findResults('update-runc', { runtimes })).toMatchObject([
    {
      severity: 'warning',
      subject: 'ContainerRuntimeConfig team',
      command: 'oc get containerruntimeconfig team -o yaml',
    },
  ]);
  expect(findResults('update-runc', { runtimes, version: '4.21.9' })).toEqual([]);
});

test('pools on the old stream are noted from 5.0 on', () => {
  const pools = {
    value: [
      { ...createPool('worker', { osImageStream: { name: 'rhel-9' } }, UPDATED) },
      createObject('MachineConfigPool', 'master', {
        spec: {},
        status: { conditions: [UPDATED], osImageStream: { name: 'rhel-10' } },
      }),
    ],
  };
  expect(findResults('update-os-stream', { pools, version: '5.0.0' })).toMatchObject([
    { state: 'failed', severity: 'note', cause: texts.oldStream('worker') },
  ]);
  expect(findResults('update-os-stream', { version: '5.0.0' })).toMatchObject([{ state: 'ok' }]);
  expect(findResults('update-os-stream', { pools })).toEqual([]);
});

test('ClusterVersion: an update that runs, overrides, and reasons that no other check has', () => {
  const find = (conditions: readonly object[], spec: object = {}, change: Partial<UpdateEvidence> = {}) =>
    findResults('update-cluster-version', {
      clusterVersion: { value: createObject('ClusterVersion', 'version', { spec, status: { conditions } }) },
      ...change,
    });
  const refusal = (reason: string) => [condition('Upgradeable', 'False', reason, 'because')];
  expect(find([condition('Progressing', 'True', '', 'Working towards 4.22.4')])).toMatchObject([
    { state: 'pending', cause: 'Working towards 4.22.4' },
  ]);
  expect(find(refusal('ResourceDeletesInProgress'))).toMatchObject([
    { severity: 'fatal', cause: 'ResourceDeletesInProgress: because' },
  ]);
  const overrides = [{ kind: 'Deployment', name: 'x', unmanaged: true }];
  expect(find(refusal('ClusterVersionOverridesSet'), { overrides })).toMatchObject([{ cause: texts.overrides }]);
  expect(find(refusal('AdminAckRequired'))).toMatchObject([{ state: 'ok' }]);
  const operators = { value: [createOperator('dns', condition('Upgradeable', 'False', 'OldDns', 'old'))] };
  expect(find(refusal('OldDns'), {}, { operators })).toMatchObject([{ state: 'ok' }]);
  expect(findResults('update-cluster-version', { clusterVersion: { value: null } })).toMatchObject([
    { state: 'unknown' },
  ]);
});

test('hostile texts of the cluster stay in one line, and never become a part of a command', () => {
  for (const text of [...POISON, '`reboot`', '$(reboot)', "'; reboot; '", 'a\nb']) {
    const findings = run({
      operators: { value: [createOperator(text, condition('Upgradeable', 'False', text, text))] },
      pools: {
        value: [
          createPool(text, { paused: true }, UPDATED),
          createPool(text, {}, condition('NodeDegraded', 'True', text, text)),
        ],
      },
      removedApis: { value: [{ name: text, removedIn: text, users: [text] }] },
      adminGates: { value: createObject('ConfigMap', 'admin-gates', { data: { [`ack-4.22-a${text}`]: text } }) },
      runtimes: { value: [{ kind: 'MachineConfig', name: text, runtime: 'runc' }] },
      mirrors: { value: [{ name: text, answer: createAnswer({ ...RELEASE, digest: text, signature: 'none' }) }] },
      machineConfiguration: {
        value: createConfiguration(null, { mode: 'Manual', manual: { mode: 'OCPVersion', ocpVersion: text } }),
      },
      clusterVersion: {
        value: createObject('ClusterVersion', 'version', {
          status: { conditions: [condition('Upgradeable', 'False', `x${text}`, text)] },
        }),
      },
    });
    expect(findings.length).toBeGreaterThanOrEqual(9);
    for (const { title, cause, command = '' } of findings) {
      for (const shown of [title, cause, command])
        expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(command).not.toMatch(/reboot|`|\$\(/);
    }
  }
});
