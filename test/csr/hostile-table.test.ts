import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { approveRequests } from '../../src/csr/approve.ts';
import { createReviewer } from '../../src/csr/csr-context.ts';
import { reviewRequests } from '../../src/csr/review-requests.ts';
import { canApproveByName, type ReviewContext } from '../../src/csr/verdict.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { type CertificateRequest, parseCertificateRequest } from '../../src/openshift/certificate-request.ts';
import { sanitizeJson } from '../../src/openshift/safe-json.ts';
import {
  commonName,
  createClientObject,
  createClientRequest,
  createKeys,
  createNodeView,
  createServingRequest,
  DOMAIN,
  der,
  forgePem,
  NOW,
  oid,
  organization,
  type RequestForgery,
  san,
  sanAttribute,
  sanExtension,
  testDesign,
} from '../support/csr-forge.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { startKubeServer } from '../support/kube-server.ts';

// The table of hostile and abnormal requests, row by row: the verdict with its exact reasons, and whether you may
// overrule it by naming the request and its node.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** w1 has not joined yet. */
const beforeJoin: ReviewContext = {
  design: testDesign(),
  nodes: [createNodeView('m1', { createdAt: NOW - HOUR })],
  now: NOW,
  firstPowerOnAt: NOW - 30 * MINUTE,
};
/** w1 has joined. */
const afterJoin: ReviewContext = { ...beforeJoin, nodes: [createNodeView('m1'), createNodeView('w1')] };

/** Reasons that the design cannot decide: you may, if you know more. */
const MANUAL_REASONS = ['NODE_EXISTS', 'DUPLICATE_KEYS', 'FLOOD'];
const W1 = `system:node:w1.${DOMAIN}`;
const [O, CN] = [organization('system:nodes'), commonName(W1)];
const BOOTSTRAP_GROUPS = createClientObject().spec.groups as string[];

interface Row {
  readonly row: number;
  readonly what: string;
  readonly requests: readonly CertificateRequest[];
  /** One for each request: the verdict and its reasons. */
  readonly found: readonly string[];
  readonly where?: ReviewContext;
  readonly mayOverrule?: true;
}

const rows: Row[] = [];
const addRow = (
  row: number,
  what: string,
  requests: CertificateRequest | CertificateRequest[],
  found: string | string[],
) => {
  const line = { row, what, requests: [requests].flat(), found: [found].flat() };
  rows.push(line);
  return {
    in: (where: ReviewContext) => void rows.splice(rows.indexOf(line), 1, { ...line, where }),
    overrulable: () => void rows.splice(rows.indexOf(line), 1, { ...line, mayOverrule: true }),
  };
};
const addClientRow = (row: number, what: string, forgery: RequestForgery, found: string) =>
  addRow(row, what, createClientRequest(forgery), found);
const addServingRow = (row: number, what: string, forgery: RequestForgery, found: string) =>
  addRow(row, what, createServingRequest(forgery), found).in(afterJoin);

addClientRow(1, 'a name that is not in the design', { node: 'evil' }, 'refused NAME_UNKNOWN');
addClientRow(1, 'the short name of a node', { fqdn: 'w1' }, 'refused NAME_UNKNOWN');
addClientRow(1, 'a node of another cluster', { fqdn: 'w1.other.example.localdomain' }, 'refused NAME_UNKNOWN');

for (const [what, fqdn] of [
  ['upper case', `W1.${DOMAIN}`],
  ['a dot at the end', `w1.${DOMAIN}.`],
  ['a letter that looks the same', `w\u0456.${DOMAIN}`],
  ['a NUL', `w1.${DOMAIN}\0`],
  ['a line end', `w1.${DOMAIN}\n`],
  ['a blank', `w1.${DOMAIN} `],
  ['nothing', ''],
] as const) {
  addClientRow(2, `a name that only looks right: ${what}`, { fqdn }, 'refused NAME_FORM');
}

addClientRow(3, 'the name of a control plane node that is there', { node: 'm1' }, 'refused NODE_EXISTS').overrulable();
addRow(
  3,
  'in the very second of its joining',
  createClientRequest({ node: 'm1', createdAt: NOW }),
  'refused NODE_EXISTS',
).in({
  ...beforeJoin,
  nodes: [createNodeView('m1', { createdAt: NOW })],
});
addClientRow(4, 'the bootstrap node', { node: 'bs' }, 'refused ROLE_NOT_JOINABLE');
{
  const subject = [organization('system:masters'), commonName('system:admin')];
  addClientRow(5, 'an administrator', { signer: 'kubernetes.io/kube-apiserver-client', subject }, 'refused SIGNER');
}
{
  const masters = organization('system:masters');
  const found = 'refused SUBJECT_O';
  addClientRow(6, 'masters beside nodes', { subject: [O, masters, CN] }, found);
  addClientRow(6, 'masters beside nodes in one part', { subject: [[...O, ...masters], CN] }, found);
  addClientRow(6, 'masters alone', { subject: [masters, CN] }, found);
  addClientRow(6, 'no organization', { subject: [CN] }, found);
}
addClientRow(
  7,
  'two common names',
  { subject: [O, CN, commonName(`system:node:w2.${DOMAIN}`)] },
  'refused SUBJECT_EXTRA NAME_FORM',
);
addClientRow(7, 'the name before the organization', { subject: [CN, O] }, 'refused SUBJECT_EXTRA');
addClientRow(7, 'one part that holds both', { subject: [[...O, ...CN]] }, 'refused SUBJECT_EXTRA');
addClientRow(7, 'an organizational unit', { subject: [O, [['2.5.4.11', 'unit']], CN] }, 'refused SUBJECT_EXTRA');

for (const username of ['kube:admin', 'system:serviceaccount:default:node-bootstrapper', W1, 'system:admin']) {
  addClientRow(8, `sent by ${username}`, { username }, 'refused REQUESTER');
}
addServingRow(8, 'a serving request of an administrator', { username: 'system:admin' }, 'refused REQUESTER');
addClientRow(9, 'masters among the groups', { groups: [...BOOTSTRAP_GROUPS, 'system:masters'] }, 'refused GROUPS');
addClientRow(9, 'a group that is missing', { groups: BOOTSTRAP_GROUPS.slice(1) }, 'refused GROUPS');
addClientRow(9, 'the order of the groups decides nothing', { groups: BOOTSTRAP_GROUPS.toReversed() }, 'expected');
for (const groups of [['system:nodes', 'system:authenticated', 'system:masters'], ['system:nodes'], []]) {
  addServingRow(9, `a serving request of ${groups.join(', ') || 'no group'}`, { groups }, 'refused GROUPS');
}
addClientRow(10, 'a DNS name where none belongs', { sans: [san.dns(`w1.${DOMAIN}`)] }, 'refused CLIENT_SAN');
addClientRow(10, 'an address where none belongs', { sans: [san.ip('172.16.0.41')] }, 'refused CLIENT_SAN');
addClientRow(10, 'an empty list of names', { sans: [] }, 'refused CLIENT_SAN');

for (const usages of [
  ['digital signature', 'client auth', 'server auth'],
  ['digital signature', 'client auth', 'client auth'],
  ['digital signature', 'cert sign'],
  ['client auth', 'key encipherment', 'key encipherment'],
  [],
]) {
  addClientRow(11, `usages ${usages.join(', ') || 'none'}`, { usages }, 'refused USAGES');
}
addClientRow(
  11,
  'key encipherment may be there',
  { usages: ['key encipherment', 'digital signature', 'client auth'] },
  'expected',
);
addServingRow(11, 'a client by the serving signer', { usages: ['digital signature', 'client auth'] }, 'refused USAGES');

const own = san.ip('172.16.0.41');
for (const name of [
  `api-int.${DOMAIN}`,
  `api.${DOMAIN}`,
  `*.apps.${DOMAIN}`,
  `*.${DOMAIN}`,
  `w2.${DOMAIN}`,
  `w1.${DOMAIN}.`,
  'localhost',
  '',
]) {
  addServingRow(12, `DNS name ${JSON.stringify(name)}`, { sans: [own, san.dns(name)] }, 'refused SAN_FOREIGN_NAME');
}
for (const [what, ip] of [
  ['of another node', '172.16.0.42'],
  ['of the balancer', '172.16.0.111'],
  ['of the bastion', '172.16.0.101'],
  ['of no network of ours', '10.0.0.1'],
  ['of every host', '127.0.0.1'],
  ['of version 6', 'fd00::41'],
  ['of version 6 that wraps the planned one', '::ffff:ac10:29'],
]) {
  const found = 'refused SAN_FOREIGN_IP NODE_ADDRESS';
  addServingRow(13, `an address ${what}`, { sans: [own, san.ip(ip ?? '')] }, found);
}
{
  const createContext = (...addresses: { type: string; address: string }[]) => ({
    ...afterJoin,
    nodes: [createNodeView('w1', { addresses })],
  });
  const planned = { type: 'InternalIP', address: '172.16.0.41' };
  for (const [what, odd] of [
    ['another address', { type: 'InternalIP', address: '172.16.0.77' }],
    ['an address of one interface', { type: 'InternalIP', address: 'fe80::1%eth0' }],
    ['the name of another', { type: 'Hostname', address: `api-int.${DOMAIN}` }],
  ] as const) {
    addRow(13, `a node that reports ${what}`, createServingRequest(), 'refused NODE_ADDRESS').in(
      createContext(planned, odd),
    );
  }
  const hostname = { type: 'Hostname', address: `w1.${DOMAIN}` };
  addRow(13, 'a node that does not report its address', createServingRequest(), 'refused NODE_ADDRESS').in(
    createContext(hostname),
  );
  addRow(13, 'a node that is not there yet', createServingRequest(), 'refused NODE_MISSING');
}
{
  const found = 'refused SAN_EMPTY';
  addServingRow(14, 'no list of names', { sans: null }, found);
  addServingRow(14, 'an empty list of names', { sans: [] }, found);
  addServingRow(14, 'a DNS name alone', { sans: [san.dns(`w1.${DOMAIN}`)] }, found);
}
for (const [what, odd] of [
  ['an e-mail address', san.email('a@b')],
  ['a URI', san.uri('https://w1')],
  ['another name', san.other()],
  ['a directory name', san.directory()],
] as const) {
  addServingRow(15, `${what} among the names`, { sans: [own, odd] }, 'refused SAN_TYPE');
}
addServingRow(16, 'sent by w2 for w1', { username: `system:node:w2.${DOMAIN}` }, 'refused CN_MISMATCH');

for (const [what, keys] of [
  ['RSA of 1024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 })],
  ['RSA with exponent 3', generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 })],
  ['secp256k1', generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
  ['P-192', generateKeyPairSync('ec', { namedCurve: 'prime192v1' })],
  ['DSA', generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 })],
] as const) {
  addClientRow(17, `a key of ${what}`, { keys }, 'refused KEY_WEAK');
}
addClientRow(18, 'a broken signature', { breakSignature: true }, 'refused SIG');
addClientRow(
  18,
  'signed with another key',
  { keys: { publicKey: createKeys().publicKey, privateKey: createKeys().privateKey } },
  'refused SIG',
);
addClientRow(18, 'an algorithm of SHA-1', { algorithm: '1.2.840.113549.1.1.5' }, 'refused SIG');

for (const [what, forgery] of Object.entries(createUnreadable())) addClientRow(19, what, forgery, 'refused PARSE');

const createTwo = (apart: number): CertificateRequest[] => [
  createClientRequest({ name: 'a', createdAt: NOW - apart - MINUTE, keys: createKeys() }),
  createClientRequest({ name: 'b', createdAt: NOW - MINUTE, keys: createKeys() }),
];
{
  const [first, second] = createTwo(5000);
  const found = 'refused DUPLICATE_KEYS';
  addRow(20, 'two keys for one node, 5 s apart', createTwo(5000), [found, found]).overrulable();
  if (first && second) {
    addRow(20, 'after a person chose one', [{ ...first, isApproved: true }, second], ['decided', found]);
  }
}
addRow(21, 'two keys for one node, 16 min apart', createTwo(16 * MINUTE), ['superseded', 'expected']);
{
  const keys = createKeys();
  const w1 = createClientRequest({ name: 'a', keys });
  const w2 = createClientRequest({ name: 'b', keys, node: 'w2' });
  const found = 'refused KEY_REUSED';
  addRow(22, 'one key under two names', [w1, w2], [found, found]);
  addRow(23, 'a key that was approved for another node', [{ ...w1, isApproved: true }, w2], ['decided', found]);
}
addClientRow(24, 'approved already', { conditions: [{ type: 'Approved', status: 'True' }] }, 'decided');
for (const type of ['Denied', 'Failed']) {
  addClientRow(26, type, { conditions: [{ type, status: 'True' }] }, 'decided TERMINAL');
}
{
  // Ten nodes: up to 40 wait without an alarm.
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      createClientRequest({ name: `f${index}`, node: 'evil', keys: createKeys() }),
    );
  const unknown = 'refused NAME_UNKNOWN';
  const createFlood = (count: number) => ['refused FLOOD', ...Array(count).fill(`${unknown} FLOOD`)];
  // Nothing is approved automatically; you may still approve one by name.
  addRow(27, '500 that wait', [createClientRequest(), ...many(499)], createFlood(499)).overrulable();
  addRow(27, 'twice the nodes and 21', [createClientRequest(), ...many(40)], createFlood(40)).overrulable();
  addRow(27, 'twice the nodes and 20', [createClientRequest(), ...many(39)], ['expected', ...Array(39).fill(unknown)]);
  // Nothing was approved overnight: each node sent a new request every 15 minutes.
  const night = (node: string) =>
    Array.from({ length: 41 }, (_, index) =>
      createClientRequest({
        name: `n${String(index).padStart(2, '0')}`,
        node,
        keys: createKeys(),
        createdAt: NOW - index * 15 * MINUTE,
      }),
    );
  const since = { ...beforeJoin, firstPowerOnAt: NOW - 12 * HOUR };
  addRow(27, 'a planned node, overnight', night('w1'), ['expected', ...Array(40).fill('superseded')]).in(since);
  const strange = Array(41).fill(unknown);
  addRow(
    27,
    'a node with another name, overnight',
    [createClientRequest(), ...night('w9')],
    ['expected', ...strange],
  ).in(since);
}
addClientRow(28, 'before the nodes were powered on', { createdAt: NOW - 41 * MINUTE }, 'refused TIME');
addClientRow(28, 'ten minutes before that may be the clock', { createdAt: NOW - 40 * MINUTE }, 'expected');
addClientRow(28, 'six minutes ahead', { createdAt: NOW + 6 * MINUTE }, 'refused TIME');
addClientRow(28, 'five minutes ahead', { createdAt: NOW + 5 * MINUTE }, 'expected');
{
  const unknown = { ...beforeJoin, firstPowerOnAt: null };
  addRow(28, 'more than a day old', createClientRequest({ createdAt: NOW - 25 * HOUR }), 'refused TIME').in(unknown);
  addRow(28, 'less than a day old', createClientRequest({ createdAt: NOW - 23 * HOUR }), 'expected').in(unknown);
}
for (const expirationSeconds of [60, 599, 30 * 24 * 3600 + 1, 315_360_000, -1]) {
  addClientRow(29, `valid for ${expirationSeconds} s`, { expirationSeconds }, 'refused EXPIRY');
}
for (const expirationSeconds of [600, 30 * 24 * 3600]) {
  addClientRow(29, `valid for ${expirationSeconds} s`, { expirationSeconds }, 'expected');
}
for (const fqdn of ['localhost', 'localhost.localdomain']) addClientRow(30, fqdn, { fqdn }, 'refused LOCALHOST');
for (const name of [`csr-\u001b[31m${'x'.repeat(200)}`, 'x'.repeat(253), 'csr-\u202eabc']) {
  const request = parseCertificateRequest(sanitizeJson(createClientObject({ name })) as never);
  addRow(31, `the name of the request decides nothing: ${JSON.stringify(name).slice(0, 20)}`, request, 'expected');
}
for (const signer of ['kubernetes.io/legacy-unknown', 'example.com/custom', 'kubernetes.io/kube-apiserver-client']) {
  addClientRow(32, signer, { signer, subject: [commonName('jane')] }, 'not-ours SIGNER');
}

test.each(rows)('$row $what', ({ requests, found, where = beforeJoin, mayOverrule = false }) => {
  const verdicts = reviewRequests(requests, where);
  expect(verdicts.map(({ verdict, reasons }) => [verdict, ...reasons].join(' '))).toEqual(found);
  const [first] = verdicts;
  if (first && mayOverrule) expect(canApproveByName(first)).toBe(true);
  const isOnlyManual = first?.reasons.every((reason) => MANUAL_REASONS.includes(reason));
  if (first?.verdict === 'refused' && !isOnlyManual) expect(canApproveByName(first)).toBe(false);
});

describe('between the list and the write', () => {
  const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const listed = createClientObject();
  async function replaceDuringApproval(replacement: object) {
    const server = await startKubeServer();
    const put = (object: object) => server.put(`${PATH}/csr-c1`, object);
    server.put('/api/v1/nodes/', { apiVersion: 'v1', kind: 'Node', metadata: { name: '' } });
    put(listed);
    let isChanged = false;
    server.intercept = (request) => {
      if (request.method === 'PUT' && !isChanged) {
        isChanged = true;
        put(replacement);
      }
      return false;
    };
    const resolveEndpoint = () => ({ host: '127.0.0.1', port: server.port });
    const cluster = await connectCluster({
      kubeconfig: server.kubeconfig,
      resolveEndpoint,
      clock: createFrozenClock(),
    });
    const clock = createFrozenClock(() => NOW);
    const review = createReviewer({ design: testDesign(), firstPowerOnAt: null }, clock);
    const targets = [{ name: 'csr-c1', uid: null, isNamedByUser: false }];
    const results = await approveRequests(cluster, targets, review, { clock });
    const written = server.objects.get(`${PATH}/csr-c1`).status.conditions as { reason: string }[] | undefined;
    await server.close();
    return { outcome: results[0]?.outcome, detail: results[0]?.detail, reasons: written?.map(({ reason }) => reason) };
  }

  test('24 approved by another client meanwhile: a success, and nothing is written', async () => {
    const conditions = [{ type: 'Approved', status: 'True', reason: 'KubectlApprove' }];
    const result = await replaceDuringApproval({ ...listed, status: { conditions, certificate: 'cGVt' } });
    expect(result).toMatchObject({ outcome: 'issued', reasons: ['KubectlApprove'] });
  });

  test.each([
    ['another uid', { ...listed, metadata: { ...listed.metadata, uid: 'another' } }],
    ['another request', createClientObject({ keys: createKeys() })],
  ])('25 replaced meanwhile, with %s: not approved', async (_what, replacement) => {
    const result = await replaceDuringApproval(replacement);
    expect(result).toEqual({ outcome: 'failed', detail: expect.stringContaining('replaced'), reasons: undefined });
  });
});

test('every row of the table is here', () => {
  const rowNumbers = new Set([...rows.map(({ row }) => row), 25]);
  expect([...rowNumbers].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
});

/** Row 19: bytes that are not exactly one request in canonical form. */
function createUnreadable(): Record<string, RequestForgery> {
  const pem = forgePem();
  const plain = Buffer.from(pem).toString('base64');
  const many = (count: number) => Array.from({ length: count }, (_, index) => san.dns(`n${index}.example`));
  return {
    'two blocks': { alterPem: (text) => text + pem },
    'text before it': { alterPem: (text) => `# hello\n${text}` },
    'text behind it': { alterPem: (text) => `${text}junk` },
    'another label': { alterPem: (text) => text.replaceAll('CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST') },
    'a header': { alterPem: (text) => text.replace('REQUEST-----\n', 'REQUEST-----\nHeader: value\n\n') },
    'a letter less': { alterPem: (text) => text.replace(/[A-Za-z0-9]\n/, '\n') },
    'no label': { alterPem: (text) => text.split('\n').slice(1, -2).join('\n') },
    'a byte behind the DER': { alterDer: (bytes) => Buffer.concat([bytes, Buffer.from([0])]) },
    'the DER twice': { alterDer: (bytes) => Buffer.concat([bytes, bytes]) },
    'a byte less': { alterDer: (bytes) => bytes.subarray(0, -1) },
    'an indefinite length': {
      alterDer: (bytes) => Buffer.concat([Buffer.from([0x30, 0x80]), bytes.subarray(3), Buffer.from([0, 0])]),
    },
    'a length in its long form': { alterDer: encodeLongForm },
    'twenty kilobytes': { alterDer: () => der(0x30, Buffer.alloc(20_000)) },
    'two megabytes': { alterDer: () => der(0x30, Buffer.alloc(2_000_000)) },
    'no base64': { raw: 'not base64!' },
    nothing: { raw: '' },
    'a letter more': { raw: `${plain.replace(/=*$/, '')}A` },
    'base64 of many lines': { raw: `${plain}\n` },
    'more names than any node has': { sans: many(900) },
    'two lists of extensions': {
      attributes: Buffer.concat([sanAttribute([san.dns('a')]), sanAttribute([san.dns('b')])]),
    },
    'alternative names twice': {
      attributes: der(0x30, oid('1.2.840.113549.1.9.14'), der(0x31, der(0x30, ...createDuplicates()))),
    },
    'an address of five bytes': { attributes: sanAttribute([der(0x87, Buffer.alloc(5))]) },
    'a DNS name that is not ASCII': { attributes: sanAttribute([der(0x82, Buffer.from([0xff]))]) },
  };
}

function createDuplicates(): Buffer[] {
  return [sanExtension([san.dns('a')]), sanExtension([san.dns('b')])];
}

/** Encodes the outer length in one byte more than it needs. */
function encodeLongForm(bytes: Buffer): Buffer {
  const content = bytes.subarray((bytes[1] ?? 0) < 0x80 ? 2 : 2 + ((bytes[1] ?? 0) & 127));
  return Buffer.concat([Buffer.from([0x30, 0x83, 0, content.length >> 8, content.length & 255]), content]);
}
