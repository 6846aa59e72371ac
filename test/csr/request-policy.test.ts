import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { reviewRequest } from '../../src/csr/request-policy.ts';
import { reviewRequests } from '../../src/csr/review-requests.ts';
import type { ReviewContext } from '../../src/csr/verdict.ts';
import { csr as words } from '../../src/i18n/en/csr.ts';
import { type CertificateRequest, parseCertificateRequest } from '../../src/openshift/certificate-request.ts';
import {
  CLIENT,
  createClientObject,
  createClientRequest,
  createKeys,
  createNodeView,
  createServingObject,
  createServingRequest,
  DOMAIN,
  der,
  forgePem,
  NOW,
  oid,
  type RequestForgery,
  SERVING,
  san,
  testDesign,
} from '../support/csr-forge.ts';
import fc from '../support/property.ts';

const MINUTE = 60_000;
const context: ReviewContext = {
  design: testDesign(),
  nodes: [createNodeView('m1'), createNodeView('w1')],
  now: NOW,
  firstPowerOnAt: NOW - 30 * MINUTE,
};
/** Before w1 joined. */
const beforeJoin: ReviewContext = { ...context, nodes: [createNodeView('m1')] };

const getVerdict = (request: CertificateRequest, where = beforeJoin) => {
  const { verdict, reasons } = reviewRequest(request, where);
  return [verdict, ...reasons];
};
const W1 = `system:node:w1.${DOMAIN}`;

describe('what is expected', () => {
  test('the first and the second request of a node', () => {
    expect(reviewRequest(createClientRequest(), beforeJoin)).toMatchObject({
      name: 'csr-c1',
      node: `w1.${DOMAIN}`,
      kind: 'client',
      verdict: 'expected',
      reasons: [],
      requestedAt: NOW - MINUTE,
    });
    expect(reviewRequest(createServingRequest(), context)).toMatchObject({ kind: 'serving', verdict: 'expected' });
  });

  test('every role that joins; RSA and Ed25519 and the larger curves; the usages of older kubelets', () => {
    for (const node of ['m2', 'i1', 's1', 'w2'])
      expect(getVerdict(createClientRequest({ node }))).toEqual(['expected']);
    const keys = [
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
      generateKeyPairSync('ed25519'),
      generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
    ];
    for (const pair of keys) expect(getVerdict(createClientRequest({ keys: pair }))).toEqual(['expected']);
    const usages = ['key encipherment', 'digital signature', 'client auth'];
    expect(getVerdict(createClientRequest({ usages }))).toEqual(['expected']);
    expect(getVerdict(createClientRequest({ expirationSeconds: 86_400 }))).toEqual(['expected']);
    const both = [san.ip('172.16.0.41'), san.dns(`W1.${DOMAIN}`), san.dns('w1')];
    expect(getVerdict(createServingRequest({ sans: both }), context)).toEqual(['expected']);
  });
});

test('an arbiter is a node like others, while the bootstrap node is none', () => {
  const nodes = testDesign().nodes.map((node) => (node.name === 'm3' ? { ...node, role: 'arbiter' as const } : node));
  const where = { ...beforeJoin, design: { ...testDesign(), nodes } };
  expect(getVerdict(createClientRequest({ node: 'm3' }), where)).toEqual(['expected']);
  const joined = { ...where, nodes: [createNodeView('m3', { roles: ['arbiter'] })] };
  expect(getVerdict(createServingRequest({ node: 'm3' }), joined)).toEqual(['expected']);
  expect(getVerdict(createClientRequest({ node: 'bs' }), where)).toContain('ROLE_NOT_JOINABLE');
});

test('a node of both families: every spelling of its address of version 6 is the same address', () => {
  const design = testDesign();
  const nodes = design.nodes.map((node) =>
    node.name === 'w1' ? { ...node, ip: ['172.16.0.41', 'FD00:0:0:0::41'] } : node,
  );
  const reported = ['172.16.0.41', 'fd00:0000::0041'].map((address) => ({ type: 'InternalIP', address }));
  const where = { ...context, design: { ...design, nodes }, nodes: [createNodeView('w1', { addresses: reported })] };
  const sans = [san.dns(`w1.${DOMAIN}`), san.ip('172.16.0.41'), san.ip('fd00::41')];
  expect(getVerdict(createServingRequest({ sans }), where)).toEqual(['expected']);
  expect(getVerdict(createServingRequest({ sans: [...sans, san.ip('fd00::42')] }), where)).toContain('SAN_FOREIGN_IP');
});

test('the fingerprint is that of openssl pkey -pubout -outform DER, whichever way the key is written', () => {
  const { publicKey, privateKey } = createKeys();
  const plain = publicKey.export({ format: 'der', type: 'spki' });
  const sha256 = createHash('sha256').update(plain).digest('hex');
  expect(reviewRequest(createClientRequest({ keys: { publicKey, privateKey } }), beforeJoin).fingerprint).toBe(sha256);
  // The last 65 bytes are 4 and the two coordinates. One coordinate and the sign of the other encode the same point.
  const point = plain.subarray(-64);
  const short = Buffer.concat([Buffer.from([2 + ((point[63] ?? 0) & 1)]), point.subarray(0, 32)]);
  const algorithm = plain.subarray(2, 2 + 21);
  const spki = der(0x30, algorithm, der(0x03, Buffer.from([0]), short));
  const request = createClientRequest({
    keys: { publicKey: createPublicKey({ key: spki, format: 'der', type: 'spki' }), privateKey },
  });
  expect(reviewRequest(request, beforeJoin)).toMatchObject({ verdict: 'expected', fingerprint: sha256 });
  for (const keys of [generateKeyPairSync('rsa', { modulusLength: 2048 }), generateKeyPairSync('ed25519')]) {
    const der = keys.publicKey.export({ format: 'der', type: 'spki' });
    const expected = createHash('sha256').update(der).digest('hex');
    expect(reviewRequest(createClientRequest({ keys }), beforeJoin).fingerprint).toBe(expected);
  }
});

test('data about the sender other than its name and groups decides nothing', () => {
  const object = createClientObject();
  object.spec.extra = { 'authentication.kubernetes.io/credential-id': ['X509SHA256=1'] };
  object.spec.uid = 'some-uid';
  expect(getVerdict(parseCertificateRequest(object))).toEqual(['expected']);
});

describe('bytes around the request', () => {
  test('base64 has one form only, and 16 KiB are enough', () => {
    const plain = Buffer.from(forgePem()).toString('base64');
    expect(getVerdict(createClientRequest({ raw: `${plain}\n` }))).toEqual(['refused', 'PARSE']);
    // The bits that padding leaves over are zero. Other bits there decode to the same bytes.
    const names = ['w1', 'w2', 'i1', 'i2', 'i3', 'm2', 'm3', 's1'];
    const padded = names
      .flatMap((node) => Array.from({ length: 6 }, () => ({ node, keys: createKeys() })))
      .map((one) => createClientObject(one))
      .find(({ spec }) => /=\n-/.test(Buffer.from(spec.request, 'base64').toString()));
    const pem = Buffer.from(padded.spec.request, 'base64').toString();
    const loose = pem.replace(/(.)(=+\n-)/, (_all, last: string, end: string) => `${nextLetter(last)}${end}`);
    expect(loose).not.toBe(pem);
    expect(getVerdict(createClientRequest({ raw: Buffer.from(loose).toString('base64') }))).toEqual([
      'refused',
      'PARSE',
    ]);

    const many = (count: number) => Array.from({ length: count }, (_, index) => san.dns(`n${index}.example`));
    expect(getVerdict(createClientRequest({ sans: many(500) }))).toContain('CLIENT_SAN');
    expect(getVerdict(createClientRequest({ sans: many(900) }))).toEqual(['refused', 'PARSE']);
  });

  test('more extensions or attributes than a kubelet sends', () => {
    const authority = der(0x30, oid('2.5.29.19'), der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))));
    const password = der(0x30, oid('1.2.840.113549.1.9.7'), der(0x31, der(0x0c, Buffer.from('secret'))));
    for (const attributes of [extensionsAttribute(authority), password]) {
      expect(getVerdict(createClientRequest({ attributes }))).toEqual(['refused', 'EXTENSION']);
    }
  });
});

describe('several requests', () => {
  const verdicts = (requests: CertificateRequest[], where = beforeJoin) =>
    reviewRequests(requests, where).map(({ verdict, reasons }) => [verdict, ...reasons].join(' '));
  const createTwo = (apart: number, second: RequestForgery = {}) => [
    createClientRequest({ name: 'a', createdAt: NOW - apart - MINUTE, keys: createKeys() }),
    createClientRequest({ name: 'b', createdAt: NOW - MINUTE, keys: createKeys(), ...second }),
  ];

  test('a request from before the node joined is superseded; a later one is refused', () => {
    const where = { ...context, nodes: [createNodeView('w1', { createdAt: NOW - 20 * MINUTE })] };
    const minutesAgo = (minutes: number) => NOW - minutes * MINUTE;
    const early = createClientRequest({ name: 'early', createdAt: minutesAgo(25), keys: createKeys() });
    const late = createClientRequest({ name: 'late', createdAt: minutesAgo(2), keys: createKeys() });
    expect(verdicts([early, late], where)).toEqual(['superseded NODE_EXISTS', 'refused NODE_EXISTS']);
  });

  test('a request from before the node joined is superseded even if it is older than the known power-on', () => {
    const where = { ...context, nodes: [createNodeView('w1', { createdAt: NOW - 5 * MINUTE })] };
    const minutesAgo = (minutes: number) => NOW - minutes * MINUTE;
    // 41 minutes ago is more than ten minutes before the first power-on that we know of.
    const early = createClientRequest({ name: 'early', createdAt: minutesAgo(41), keys: createKeys() });
    const stranger = createClientRequest({
      name: 'stranger',
      createdAt: minutesAgo(41),
      keys: createKeys(),
      username: 'kube:admin',
    });
    const ahead = createClientRequest({ name: 'ahead', createdAt: NOW + 6 * MINUTE, keys: createKeys() });
    const waits = createClientRequest({ name: 'waits', node: 'w2', createdAt: minutesAgo(41), keys: createKeys() });
    expect(verdicts([early, stranger, ahead, waits], where)).toEqual([
      'superseded TIME NODE_EXISTS',
      'refused TIME REQUESTER NODE_EXISTS',
      'refused TIME NODE_EXISTS',
      'refused TIME',
    ]);
  });

  test.each([
    ['to join', createClientRequest, beforeJoin],
    ['to serve', createServingRequest, context],
  ])('%s: once the newest is approved, the older ones are not expected instead', (_what, createRequest, where) => {
    const minutesAgo = (minutes: number) => NOW - minutes * MINUTE;
    const older = createRequest({ name: 'older', createdAt: minutesAgo(20), keys: createKeys() });
    const newest = createRequest({ name: 'newest', createdAt: minutesAgo(4), keys: createKeys() });
    const decide = (...types: string[]) => ({
      ...newest,
      isApproved: types.includes('Approved'),
      isDenied: types.includes('Denied'),
      isFailed: types.includes('Failed'),
    });
    expect(verdicts([older, newest], where)).toEqual(['superseded', 'expected']);
    expect(verdicts([older, decide('Approved')], where)).toEqual(['superseded', 'decided']);
    // A denied or failed request gives the node nothing. Its age does not show which other request of the node is good.
    expect(verdicts([older, decide('Denied')], where)).toEqual(['expected', 'decided TERMINAL']);
    expect(verdicts([older, decide('Approved', 'Failed')], where)).toEqual(['expected', 'decided TERMINAL']);
    const again = createRequest({ name: 'again', createdAt: minutesAgo(1), keys: createKeys() });
    if (createRequest === createServingRequest)
      expect(verdicts([older, decide('Approved'), again], where)[2]).toBe('expected');
    const later = createRequest({ name: 'anew', createdAt: minutesAgo(4) + 16 * MINUTE, keys: createKeys() });
    expect(verdicts([older, decide('Approved'), later], { ...where, now: NOW + 15 * MINUTE })[2]).toBe('expected');
  });

  test('of several pending requests only the newest is expected, also if that one is not', () => {
    const minutesAgo = (minutes: number) => NOW - minutes * MINUTE;
    const join = (name: string, at: number) => createClientRequest({ name, createdAt: at, keys: createKeys() });
    // Two senders dispute the node: neither is approved, and the request that came before both is outdated.
    const disputed = [join('old', minutesAgo(25)), join('one', minutesAgo(4)), join('two', minutesAgo(2))];
    expect(verdicts(disputed)).toEqual(['superseded', 'refused DUPLICATE_KEYS', 'refused DUPLICATE_KEYS']);
    // The clock here is behind that of the API: the newest request seems to come from the future.
    const ahead = [join('old', minutesAgo(11)), join('new', NOW + 6 * MINUTE)];
    expect(verdicts(ahead)).toEqual(['superseded', 'refused TIME']);
    // The node itself requests another address now; its older request is not what it waits for.
    const serve = (name: string, at: number, forgery: RequestForgery = {}) =>
      createServingRequest({ name, createdAt: at, keys: createKeys(), ...forgery });
    const moved = [serve('old', minutesAgo(20)), serve('new', minutesAgo(4), { sans: [san.ip('172.16.0.99')] })];
    expect(verdicts(moved, context)).toEqual(['superseded', 'refused SAN_FOREIGN_IP NODE_ADDRESS']);
    // Another account can write the name of any node into its request: that makes no request of the node outdated.
    const forged = serve('new', minutesAgo(4), { username: 'kube:admin' });
    expect(verdicts([serve('old', minutesAgo(20)), forged], context)).toEqual(['expected', 'refused REQUESTER']);
  });

  test('the older requests stay outdated after the API has deleted the issued one', () => {
    const minutesAgo = (minutes: number) => NOW - minutes * MINUTE;
    const [older, newer] = [80, 5].map((minutes) =>
      createServingRequest({ name: `ago-${minutes}`, createdAt: minutesAgo(minutes), keys: createKeys() }),
    );
    const late = { ...context, firstPowerOnAt: minutesAgo(120) };
    const issued = { ...late, issuedRequestTimes: { [`serving w1.${DOMAIN}`]: minutesAgo(65) } };
    expect(verdicts([older!], late)).toEqual(['expected']);
    expect(verdicts([older!], issued)).toEqual(['superseded']);
    // A renewal, and the request of another node or kind, are reviewed as before.
    expect(verdicts([older!, newer!], issued)).toEqual(['superseded', 'expected']);
    expect(verdicts([older!], { ...late, issuedRequestTimes: { [`client w1.${DOMAIN}`]: minutesAgo(65) } })).toEqual([
      'expected',
    ]);
    const forged = createServingRequest({ createdAt: minutesAgo(80), sans: [san.ip('10.9.9.9')] });
    expect(verdicts([forged], issued)[0]).toMatch(/^refused /);
  });

  test('after a node was reinstalled, its older requests are superseded once one is approved', () => {
    const where = { ...context, nodes: [createNodeView('w1', { createdAt: NOW - 24 * 60 * MINUTE })] };
    const [older, newest] = createTwo(16 * MINUTE);
    const wrong = createClientRequest({
      name: 'wrong',
      createdAt: NOW - 17 * MINUTE,
      keys: createKeys(),
      usages: ['client auth'],
    });
    expect(verdicts([older!, newest!], where)).toEqual(['refused NODE_EXISTS', 'refused NODE_EXISTS']);
    expect(verdicts([older!, wrong, { ...newest!, isApproved: true }], where)).toEqual([
      'superseded NODE_EXISTS',
      'refused USAGES NODE_EXISTS',
      'decided',
    ]);
  });

  test('a request without a creation time is not approved', () => {
    const object = createClientObject();
    for (const creationTimestamp of [undefined, null, 'yesterday']) {
      const request = parseCertificateRequest({ ...object, metadata: { ...object.metadata, creationTimestamp } });
      expect(verdicts([request])).toEqual(['refused TIME']);
    }
  });

  test('an invalid request does not block a valid one', () => {
    expect(verdicts(createTwo(5000, { usages: ['client auth'] }))).toEqual(['expected', 'refused USAGES']);
  });

  test('the same key again is the same sender: the newest counts', () => {
    const keys = createKeys();
    const [a, b] = ['a', 'b'].map((name) => createClientRequest({ name, keys }));
    expect(verdicts([a!, b!])).toEqual(['superseded', 'expected']);
    const again = ['a', 'b'].map((name) => createServingRequest({ name, keys }));
    expect(verdicts(again, context)).toEqual(['superseded', 'expected']);
  });

  test('a copied public key blocks no other request: only a signature proves possession', () => {
    const keys = createKeys();
    const copied = createClientRequest({
      name: 'b',
      node: 'w2',
      keys: { publicKey: keys.publicKey, privateKey: createKeys().privateKey },
    });
    expect(verdicts([createClientRequest({ name: 'a', keys }), copied])).toEqual([
      'expected',
      'refused SIG KEY_REUSED',
    ]);
  });
});

test('every reason has a text', () => {
  for (const text of Object.values(words.reasons)) expect(text.length).toBeGreaterThan(20);
});

describe('nothing but a well-formed request is ever expected', () => {
  const good = [createClientObject(), createServingObject()] as const;
  const contexts = [beforeJoin, context] as const;

  test('whatever byte is changed, added or taken away', () => {
    const which = fc.integer({ min: 0, max: 1 });
    const at = fc.double({ min: 0, max: 0.999999, noNaN: true });
    const how = fc.constantFrom('flip', 'insert', 'delete', 'flip-der');
    fc.assert(
      fc.property(which, at, how, fc.integer({ min: 1, max: 255 }), (index, where, change, value) => {
        const object = structuredClone(good[index]!);
        const pem = Buffer.from(object.spec.request, 'base64');
        const mutated = change === 'flip-der' ? mutateDer(pem, where, value) : mutateBytes(pem, where, value, change);
        object.spec.request = mutated.toString('base64');
        // Only the line end after the last dash may be missing.
        if (mutated.toString('latin1') === pem.toString('latin1').trimEnd()) return;
        expect(reviewRequest(parseCertificateRequest(object), contexts[index]!).verdict).toBe('refused');
      }),
      { numRuns: 1000 },
    );
  });

  test('whatever field around it is changed', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'system:masters',
        'system:nodes',
        'system:authenticated',
        W1,
        `system:node:m1.${DOMAIN}`,
        CLIENT,
        SERVING,
      ),
    );
    const mutation = fc.oneof(
      fc.record({ field: fc.constantFrom('username', 'signerName'), value: text }),
      fc.record({ field: fc.constantFrom('groups', 'usages'), value: fc.array(text, { maxLength: 4 }) }),
      fc.record({ field: fc.constant('request'), value: fc.base64String() }),
      fc.record({
        field: fc.constant('expirationSeconds'),
        value: fc.oneof(fc.integer({ max: 599 }), fc.string(), fc.constant(null)),
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1 }), mutation, (index, { field, value }) => {
        const object = structuredClone(good[index]!);
        const before = [...new Set([object.spec[field]].flat())].sort();
        if (JSON.stringify([...new Set([value].flat())].sort()) === JSON.stringify(before)) return;
        object.spec[field] = value;
        expect(reviewRequest(parseCertificateRequest(object), contexts[index]!).verdict).not.toBe('expected');
      }),
      { numRuns: 1000 },
    );
  });
});

/** Returns the next letter of the base64 alphabet: differs in the lowest bit only where it follows an even one. */
function nextLetter(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return alphabet.charAt(alphabet.indexOf(letter) + 1);
}

function extensionsAttribute(...extensions: Buffer[]): Buffer {
  return der(0x30, oid('1.2.840.113549.1.9.14'), der(0x31, der(0x30, ...extensions)));
}

function mutateBytes(bytes: Buffer, where: number, value: number, change: string): Buffer {
  const offset = Math.floor(where * bytes.length);
  if (change === 'insert')
    return Buffer.concat([bytes.subarray(0, offset), Buffer.from([value]), bytes.subarray(offset)]);
  if (change === 'delete') return Buffer.concat([bytes.subarray(0, offset), bytes.subarray(offset + 1)]);
  const mutated = Buffer.from(bytes);
  mutated[offset]! ^= value;
  return mutated;
}

function mutateDer(pem: Buffer, where: number, value: number): Buffer {
  const lines = pem.toString('latin1').split('\n');
  const bytes = mutateBytes(Buffer.from(lines.slice(1, -2).join(''), 'base64'), where, value, 'flip');
  const body = bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return Buffer.from([lines[0], body, lines.at(-2), ''].join('\n'), 'latin1');
}
