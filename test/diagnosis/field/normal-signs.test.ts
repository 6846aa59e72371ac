import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diagnose } from '../../../src/checks/rules/diagnose.ts';
import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import type { DiagnosticRuleId } from '../../../src/checks/rules/index.ts';
import { listNormalSigns, type NormalSign } from '../../../src/checks/rules/normal-signs.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { complete, MASTERS, member, pools, WORKERS } from '../../checks/rules/base-evidence.ts';
import { setUpBundleFixture } from '../../steps/diagnose/bundle-fixture.ts';
import { createRawTar } from '../../support/archive.ts';
import { GATHERED_AT } from '../../support/bundle-text.ts';
import { createLogBundle } from '../../support/log-bundle.ts';
import { API_INT, BALANCER, design, formatConsoleAttempts, formatPasted, times } from './field-case.ts';

// Lines that look like a fault: alone, they are said to be normal; beside a fault, the fault comes first.

const { dir } = setUpBundleFixture();
const WORKER_500 = formatConsoleAttempts({ role: 'worker', count: 20, reply: 'result: Internal Server Error' });
const REFUSAL = formatPasted(
  'bs',
  'machine-config-server[1]',
  'I1122 11:30:01.281248       1 api.go:117] Pool master requested by address:"172.16.0.21:38722"',
  ...times(
    4,
    `E1122 11:30:01.281300       1 api.go:183] couldn't get config for req: {worker 0xc0003a0b80}, error: refusing to serve bootstrap configuration to pool "worker"`,
  ),
);
const REST_MAPPING = formatPasted(
  'bs',
  'bootkube.sh[749]',
  ...times(
    20,
    '[#3542] failed to create some manifests:',
    '"99_openshift-machineconfig_99-master-ssh.yaml": unable to get REST mapping for "99_openshift-machineconfig_99-master-ssh.yaml": no matches for kind "MachineConfig" in version "machineconfiguration.openshift.io/v1"',
  ),
);
const UNUSED = formatPasted(
  'lb1',
  'haproxy[1234]',
  '[WARNING]  (1234) : Server okd4_https_ingress_traffic_be/w3 is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: 0ms. 2 active and 0 backup servers left.',
);
const EARLY = formatConsoleAttempts({
  first: 1,
  count: 6,
  reply: `error: Get "URL": dial tcp: lookup ${API_INT} on [::1]:53: read udp [::1]:53965->[::1]:53: read: connection refused`,
});
const ANSWERED = formatConsoleAttempts({ first: 7, count: 1, reply: 'result: Internal Server Error' });
const OC_MISSING = formatPasted(
  'bs',
  'release-image-download.sh[1904]',
  'W0320 13:47:13.797667    1904 run.go:44] nice failed: running nice -- ionice -c 3 oc image extract --path /:/run/mco quay.io/openshift/okd-content@sha256:21a9 failed: ionice: failed to execute oc: No such file or directory',
);
const WATCH = formatPasted(
  'bs',
  'bootkube.sh[1]',
  ...times(
    5,
    'W1122 11:40:00.1 1 reflector.go:456] watch of *v1.Etcd ended with: very short watch: Unexpected watch close - watch lasted less than a second and no items received',
  ),
);
const HANDSHAKE = formatPasted(
  'bs',
  'machine-config-server[1]',
  ...times(9, '2026/11/22 11:20:01 http: TLS handshake error from 172.16.0.112:40000: EOF'),
);
const ETCD = formatPasted(
  'bs',
  'bootkube.sh[1]',
  '{"level":"warn","msg":"retrying of unary invoker failed","error":"rpc error: code = DeadlineExceeded"}',
);
const API = formatPasted(
  'bs',
  'approve-csr.sh[1]',
  ...times(
    9,
    `couldn't get current server API group list: Get "https://localhost:6443/api?timeout=32s": dial tcp [::1]:6443: connect: connection refused`,
  ),
);
const NODE = formatPasted(
  'm1',
  'kubenswrapper[1]',
  ...times(
    9,
    'E1122 11:59:00.1 1 kubelet_node_status.go:461] "Error getting the current node from lister" err="node \\"m1.ocp45.example.localdomain\\" not found"',
  ),
);
const APPROVER = formatPasted(
  'm1',
  'machine-approver[1]',
  'I1112 22:37:31.842708       1 main.go:182] CSR csr-8wncm not authorized: failed to find machine for node w1',
);

const SIGNS: readonly (readonly [NormalSign['sign'], readonly string[]])[] = [
  ['workers-refused', WORKER_500],
  ['workers-refused', REFUSAL],
  ['rest-mapping', REST_MAPPING],
  ['unused-members', UNUSED],
  ['early-lookup', [...EARLY, ...ANSWERED]],
  ['oc-missing', OC_MISSING],
  ['watch-closed', WATCH],
  ['handshake-closed', HANDSHAKE],
  ['etcd-starting', ETCD],
  ['api-starting', API],
  ['node-unregistered', NODE],
  ['approver-refuses', APPROVER],
];
const FAULTS: readonly (readonly [DiagnosticRuleId, readonly string[]])[] = [
  [
    'config-server-closed',
    formatConsoleAttempts({ reply: `error: Get "URL": dial tcp ${BALANCER}:22623: connect: connection refused` }),
  ],
  ['boot-image-not-of-release', formatPasted('bs', 'node-image-pull.sh[9]', 'Expected single docker ref, found:')],
  ['disk-busy', ['Error: checking for exclusive access to /dev/sda', 'Caused by: found busy partitions']],
  ['cpu-too-old', ['Fatal glibc error: CPU does not support x86-64-v3']],
  [
    'pull-secret-rejected',
    formatPasted(
      'bs',
      'release-image-download.sh[1]',
      'Error: initializing source docker://quay.io/openshift-release-dev/ocp-release@sha256:ab: reading manifest sha256:ab in quay.io: unauthorized: authentication required',
    ),
  ],
];

async function diagnoseText(...lines: readonly string[]) {
  const file = join(dir(), 'pasted.txt');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const { findings, normalSigns } = await diagnoseBundle(file, design, GATHERED_AT);
  return { rules: findings.map(({ rule }) => rule), signs: normalSigns.map(({ sign }) => sign) };
}

test.each(SIGNS)('%s alone is no fault, and is said to be normal, %#', async (sign, lines) => {
  const { rules, signs } = await diagnoseText(...lines);
  expect({ rules, signs: signs.includes(sign) }).toEqual({ rules: [], signs: true });
});

test.each(SIGNS)('%s is not named as the cause beside any fault, %#', async (sign, lines) => {
  const worst = [];
  for (const [rule, fault] of FAULTS)
    for (const text of [
      [...lines, ...fault],
      [...fault, ...lines],
    ]) {
      const { rules, signs } = await diagnoseText(...text);
      if (rules.join() !== rule || !signs.includes(sign)) worst.push([rule, rules, signs]);
    }
  expect(worst).toEqual([]);
});

test('a status of 500 is not said to be normal for a control plane node', async () => {
  const master = formatConsoleAttempts({ count: 20, reply: 'result: Internal Server Error' });
  expect(await diagnoseText(...master)).toEqual({ rules: [], signs: [] });
});

test('members of 443 without a router are unused, where the router nodes are UP', () => {
  const site = (status: (name: string) => string): Evidence => ({
    ...complete,
    balancerMembers: [
      ...pools(MASTERS, []),
      ...WORKERS.map((name) => member('ingress-https', name, status(name), status(name) === 'UP' ? 'L7OK' : 'L4CON')),
    ],
  });
  const unused = site((name) => (WORKERS.indexOf(name) < 2 ? 'UP' : 'DOWN'));
  expect(diagnose(unused)).toEqual([]);
  expect(listNormalSigns(unused, []).map(({ sign, line }) => [sign, line])).toEqual([
    ['unused-members', `ingress-https on lb1: ${WORKERS.slice(2).join(', ')} DOWN`],
  ]);
  expect(
    listNormalSigns(
      site(() => 'DOWN'),
      [],
    ),
  ).toEqual([]);
  expect(
    listNormalSigns(
      site(() => 'UP'),
      [],
    ),
  ).toEqual([]);
});

test('a sign that may be a part of a fault is not said to be normal beside it', async () => {
  const { rules, signs } = await diagnoseText(
    ...formatConsoleAttempts({
      first: 300,
      reply: `error: Get "URL": dial tcp: lookup ${API_INT} on [::1]:53: read udp [::1]:1->[::1]:53: read: connection refused`,
    }),
  );
  expect({ rules, signs }).toEqual({ rules: ['dhcp-options-wrong'], signs: [] });
});

test('the noise of a healthy bundle is normal, and every sign has a test', async () => {
  const { findings, normalSigns } = await diagnoseBundle(packHealthy(), design, GATHERED_AT);
  expect(findings).toEqual([]);
  expect(normalSigns.map(({ sign }) => sign)).toContain('rest-mapping');
  const tested = new Set(SIGNS.map(([sign]) => sign));
  expect([...tested].toSorted()).toEqual(Object.keys(catalogue().diagnosis.normalSigns).toSorted());
});

function packHealthy(): string {
  const file = join(dir(), 'healthy.tar');
  const entries = Object.entries(createLogBundle(design)).map(([path, content]) => ({
    path,
    content: Buffer.from(content),
  }));
  writeFileSync(file, createRawTar(entries));
  return file;
}
