import { expect, test } from 'vitest';
import { problems } from '../../src/diagnosis/finding.ts';
import type { JoiningEvidence, JoiningNode } from '../../src/diagnosis/joining/evidence.ts';
import { judgeJoining } from '../../src/diagnosis/joining/index.ts';

const NODE: JoiningNode = {
  name: 'i4',
  fqdn: 'i4.ocp45.example.localdomain',
  object: 'absent',
  isInstalledAnew: false,
  addressOwner: null,
  answering: null,
  names: [{ server: '172.16.0.102', isOk: true, detail: 'i4 172.16.0.44' }],
  dhcp: 'there',
  balancer: 'there',
  script: { path: '/ipxe/x.ipxe', isThere: true, detail: 'status 200' },
  mayFetch: true,
};
const RIGHT: JoiningEvidence = {
  api: { isUp: true, detail: '' },
  configServer: { state: 'answers', detail: '' },
  pool: { isDegraded: false, isPaused: false, message: '' },
  images: [{ path: '/images/rootfs', isThere: true, detail: 'status 200' }],
  hasIgnition: true,
  nodes: [NODE],
};

const failed = (evidence: JoiningEvidence) =>
  judgeJoining(evidence)
    .filter(({ state }) => state === 'failed')
    .map(({ code, severity, subject }) => `${severity} ${code}${subject === null ? '' : ` ${subject}`}`);
const node = (change: Partial<JoiningNode>): JoiningEvidence => ({ ...RIGHT, nodes: [{ ...NODE, ...change }] });

test('a node of which everything is right has nothing that fails or is unknown', () => {
  const checks = judgeJoining(RIGHT);
  expect(checks.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect(checks.map(({ code }) => code)).toEqual([
    'join-api',
    'join-config-server',
    'join-pool',
    'join-images',
    'join-ignition',
    'join-name',
    'join-address-owner',
    'join-address',
    'join-dns',
    'join-dhcp',
    'join-balancer',
    'join-script',
    'join-door',
  ]);
});

test.each<[string, JoiningEvidence, string[]]>([
  ['the API is away', { ...RIGHT, api: { isUp: false, detail: 'ECONNREFUSED' } }, ['fatal join-api']],
  [
    'no machine config server',
    { ...RIGHT, configServer: { state: 'silent', detail: 'refused' } },
    ['fatal join-config-server'],
  ],
  ['another authority', { ...RIGHT, configServer: { state: 'untrusted', detail: 'x' } }, ['fatal join-config-server']],
  ['a degraded pool', { ...RIGHT, pool: { isDegraded: true, isPaused: false, message: 'bad' } }, ['warning join-pool']],
  ['a paused pool', { ...RIGHT, pool: { isDegraded: false, isPaused: true, message: '' } }, ['warning join-pool']],
  [
    'an image that is missing',
    { ...RIGHT, images: [{ path: '/images/rootfs', isThere: false, detail: '404' }] },
    ['fatal join-images'],
  ],
  ['no worker.ign', { ...RIGHT, hasIgnition: false }, ['fatal join-ignition']],
  ['a name that is taken', node({ object: 'ready' }), ['fatal join-name i4']],
  ['a name that is taken by a node that is off', node({ object: 'not-ready' }), ['fatal join-name i4']],
  ['the machine is installed anew, and the old one is off', node({ object: 'not-ready', isInstalledAnew: true }), []],
  [
    'the machine is said to be installed anew, and the old one still reports',
    node({ object: 'ready', isInstalledAnew: true }),
    ['warning join-anew i4'],
  ],
  ['an address of another node', node({ addressOwner: 'w1.ocp45' }), ['fatal join-address-owner i4']],
  ['something answers there', node({ answering: '172.16.0.44 port 22' }), ['warning join-address i4']],
  [
    'one of two name servers has the old zone',
    node({ names: [...NODE.names, { server: '172.16.0.103', isOk: false, detail: 'no such name' }] }),
    ['fatal join-dns i4'],
  ],
  ['no DHCP entry', node({ dhcp: 'missing' }), ['fatal join-dhcp i4']],
  ['not in the pools', node({ balancer: 'missing' }), ['warning join-balancer i4']],
  ['no script', node({ script: { path: '/x', isThere: false, detail: '404' } }), ['fatal join-script i4']],
  ['no door', node({ mayFetch: false }), ['fatal join-door i4']],
])('%s', (_name, evidence, expected) => {
  expect(failed(evidence)).toEqual(expected);
});

test('what cannot be seen from here is said to be so, and keeps nobody from going on', () => {
  const blind = {
    ...RIGHT,
    configServer: null,
    pool: null,
    nodes: [{ ...NODE, object: null, dhcp: null, balancer: null }],
  };
  const unknown = judgeJoining(blind).filter(({ state }) => state === 'unknown');
  expect(unknown.map(({ code }) => code)).toEqual([
    'join-config-server',
    'join-pool',
    'join-name',
    'join-dhcp',
    'join-balancer',
  ]);
  for (const { cause } of unknown) expect(cause).not.toBe('');
  expect(problems(judgeJoining(blind))).toEqual([]);
});

test('findings begin with what must not be, each with what was seen and what to do', () => {
  const checks = judgeJoining(node({ answering: '172.16.0.44 port 22', dhcp: 'missing' }));
  const findings = problems(checks);
  expect(findings.map(({ severity, subject }) => `${severity} ${subject}`)).toEqual(['fatal i4', 'warning i4']);
  expect(findings[1]).toMatchObject({
    title: 'i4: something answers at its address already',
    cause: '172.16.0.44 port 22',
  });
  for (const { whatToDo } of findings) expect(whatToDo).not.toBe('');
});

test('a node that needs no DHCP, no script and no pool is not judged by them', () => {
  const ids = judgeJoining(node({ dhcp: 'none', balancer: 'none', script: null })).map(({ code }) => code);
  expect(ids).not.toContain('join-dhcp');
  expect(ids).not.toContain('join-balancer');
  expect(ids).not.toContain('join-script');
});
