import { expect, test } from 'vitest';
import { listFailuresByCause } from '../../src/checks/causes/explain.ts';
import { checkJoin, type JoinCandidate, type JoinEvidence, type PoolEvidence } from '../../src/checks/join-checks.ts';

const NODE: JoinCandidate = {
  name: 'i4',
  role: 'worker',
  fqdn: 'i4.ocp45.example.localdomain',
  nodeState: 'absent',
  isReinstalled: false,
  addressOwner: null,
  openPort: null,
  lookups: [{ server: '172.16.0.102', isOk: true, detail: 'i4 172.16.0.44' }],
  dhcp: 'present',
  balancer: 'present',
  script: { path: '/ipxe/x.ipxe', isPresent: true, detail: 'status 200' },
  canFetchIgnition: true,
};
const GOOD_POOL: PoolEvidence = {
  role: 'worker',
  configServer: { state: 'answers', detail: '' },
  pool: { isDegraded: false, isPaused: false, message: '' },
  hasIgnitionFile: true,
};
const GOOD_EVIDENCE: JoinEvidence = {
  api: { isUp: true, detail: '' },
  images: [{ path: '/images/rootfs', isPresent: true, detail: 'status 200' }],
  pools: [GOOD_POOL],
  nodes: [NODE],
};

const listFailures = (evidence: JoinEvidence) =>
  checkJoin(evidence)
    .filter(({ state }) => state === 'failed')
    .map(({ code, severity, subject }) => `${severity} ${code}${subject === null ? '' : ` ${subject}`}`);
const pool = (change: Partial<PoolEvidence>): JoinEvidence => ({
  ...GOOD_EVIDENCE,
  pools: [{ ...GOOD_POOL, ...change }],
});
const node = (change: Partial<JoinCandidate>): JoinEvidence => ({ ...GOOD_EVIDENCE, nodes: [{ ...NODE, ...change }] });

test('a correctly prepared node has no check that fails or is unknown', () => {
  const checks = checkJoin(GOOD_EVIDENCE);
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

test.each<[string, JoinEvidence, string[]]>([
  ['the API is away', { ...GOOD_EVIDENCE, api: { isUp: false, detail: 'ECONNREFUSED' } }, ['fatal join-api']],
  [
    'no Machine Config Server',
    pool({ configServer: { state: 'silent', detail: 'refused' } }),
    ['fatal join-config-server'],
  ],
  ['another CA', pool({ configServer: { state: 'untrusted', detail: 'x' } }), ['fatal join-config-server']],
  ['a degraded pool', pool({ pool: { isDegraded: true, isPaused: false, message: 'bad' } }), ['warning join-pool']],
  ['a paused pool', pool({ pool: { isDegraded: false, isPaused: true, message: '' } }), ['warning join-pool']],
  [
    'an image that is missing',
    { ...GOOD_EVIDENCE, images: [{ path: '/images/rootfs', isPresent: false, detail: '404' }] },
    ['fatal join-images'],
  ],
  ['no worker.ign', pool({ hasIgnitionFile: false }), ['fatal join-ignition']],
  ['a name that is taken', node({ nodeState: 'ready' }), ['fatal join-name i4']],
  ['a name that is taken by a node that is off', node({ nodeState: 'not-ready' }), ['fatal join-name i4']],
  ['the machine is reinstalled, and the old one is off', node({ nodeState: 'not-ready', isReinstalled: true }), []],
  [
    'the machine is marked as reinstalled, and the old one still reports',
    node({ nodeState: 'ready', isReinstalled: true }),
    ['warning join-anew i4'],
  ],
  ['an address of another node', node({ addressOwner: 'w1.ocp45' }), ['fatal join-address-owner i4']],
  ['something answers there', node({ openPort: '172.16.0.44 port 22' }), ['warning join-address i4']],
  [
    'one of two name servers has the old zone',
    node({ lookups: [...NODE.lookups, { server: '172.16.0.103', isOk: false, detail: 'no such name' }] }),
    ['fatal join-dns i4'],
  ],
  ['no DHCP entry', node({ dhcp: 'missing' }), ['fatal join-dhcp i4']],
  ['not in the pools', node({ balancer: 'missing' }), ['warning join-balancer i4']],
  ['no script', node({ script: { path: '/x', isPresent: false, detail: '404' } }), ['fatal join-script i4']],
  ['no access to ignition files', node({ canFetchIgnition: false }), ['fatal join-door i4']],
])('%s', (_name, evidence, expected) => {
  expect(listFailures(evidence)).toEqual(expected);
});

test('checks that cannot run from here are unknown and block nothing', () => {
  const unknownEvidence = {
    ...GOOD_EVIDENCE,
    pools: [{ ...GOOD_POOL, configServer: null, pool: null }],
    nodes: [{ ...NODE, nodeState: null, dhcp: null, balancer: null }],
  };
  const unknown = checkJoin(unknownEvidence).filter(({ state }) => state === 'unknown');
  expect(unknown.map(({ code }) => code)).toEqual([
    'join-config-server',
    'join-pool',
    'join-name',
    'join-dhcp',
    'join-balancer',
  ]);
  for (const { cause } of unknown) expect(cause).not.toBe('');
  expect(listFailuresByCause(checkJoin(unknownEvidence))).toEqual([]);
});

test('the command that frees a name has the full name of the old node', () => {
  const [finding] = listFailuresByCause(checkJoin(node({ nodeState: 'not-ready' })));
  expect(finding?.remedy).toMatch(/`oc delete node i4\.[a-z0-9.]+`/);
});

test('fatal findings come first, each with its evidence and remedy', () => {
  const checks = checkJoin(node({ openPort: '172.16.0.44 port 22', dhcp: 'missing' }));
  const findings = listFailuresByCause(checks);
  expect(findings.map(({ severity, subject }) => `${severity} ${subject}`)).toEqual(['fatal i4', 'warning i4']);
  expect(findings[1]).toMatchObject({
    title: 'i4: something answers at its address already',
    cause: '172.16.0.44 port 22',
  });
  for (const { remedy } of findings) expect(remedy).not.toBe('');
});

test('a node that needs no DHCP, no script and no pool is not checked for them', () => {
  const ids = checkJoin(node({ dhcp: 'none', balancer: 'none', script: null })).map(({ code }) => code);
  expect(ids).not.toContain('join-dhcp');
  expect(ids).not.toContain('join-balancer');
  expect(ids).not.toContain('join-script');
});
