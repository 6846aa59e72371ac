import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { judge } from '../../../src/cluster/csr/judge.ts';
import { judgeAll } from '../../../src/cluster/csr/judge-all.ts';
import type { JudgeContext } from '../../../src/cluster/csr/judgement.ts';
import { type CertificateRequest, readRequest } from '../../../src/cluster/csr/request.ts';
import { csr as words } from '../../../src/text/en/csr.ts';
import {
  CLIENT,
  client,
  clientObject,
  DOMAIN,
  der,
  forgePem,
  joined,
  NOW,
  newKeys,
  oid,
  type RequestForgery,
  SERVING,
  san,
  serving,
  servingObject,
  testDesign,
} from '../../support/csr-forge.ts';
import fc from '../../support/property.ts';

const MINUTE = 60_000;
const context: JudgeContext = {
  design: testDesign(),
  nodes: [joined('m1'), joined('w1')],
  now: NOW,
  bootedSince: NOW - 30 * MINUTE,
};
/** Before w1 joined. */
const empty: JudgeContext = { ...context, nodes: [joined('m1')] };

const verdictOf = (request: CertificateRequest, where = empty) => {
  const { verdict, reasons } = judge(request, where);
  return [verdict, ...reasons];
};
const W1 = `system:node:w1.${DOMAIN}`;

describe('what is expected', () => {
  test('the first and the second request of a node', () => {
    expect(judge(client(), empty)).toMatchObject({
      name: 'csr-c1',
      node: `w1.${DOMAIN}`,
      kind: 'client',
      verdict: 'expected',
      reasons: [],
      requestedAt: NOW - MINUTE,
    });
    expect(judge(serving(), context)).toMatchObject({ kind: 'serving', verdict: 'expected' });
  });

  test('every role that joins; RSA and Ed25519 and the larger curves; the usages of older kubelets', () => {
    for (const node of ['m2', 'i1', 's1', 'w2']) expect(verdictOf(client({ node }))).toEqual(['expected']);
    const keys = [
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
      generateKeyPairSync('ed25519'),
      generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
    ];
    for (const pair of keys) expect(verdictOf(client({ keys: pair }))).toEqual(['expected']);
    const usages = ['key encipherment', 'digital signature', 'client auth'];
    expect(verdictOf(client({ usages }))).toEqual(['expected']);
    expect(verdictOf(client({ expirationSeconds: 86_400 }))).toEqual(['expected']);
    const both = [san.ip('172.16.0.41'), san.dns(`W1.${DOMAIN}`), san.dns('w1')];
    expect(verdictOf(serving({ sans: both }), context)).toEqual(['expected']);
  });
});

test('a node of both families: every spelling of its address of version 6 is the same address', () => {
  const design = testDesign();
  const nodes = design.nodes.map((node) =>
    node.name === 'w1' ? { ...node, ip: ['172.16.0.41', 'FD00:0:0:0::41'] } : node,
  );
  const reported = ['172.16.0.41', 'fd00:0000::0041'].map((address) => ({ type: 'InternalIP', address }));
  const where = { ...context, design: { ...design, nodes }, nodes: [joined('w1', { addresses: reported })] };
  const sans = [san.dns(`w1.${DOMAIN}`), san.ip('172.16.0.41'), san.ip('fd00::41')];
  expect(verdictOf(serving({ sans }), where)).toEqual(['expected']);
  expect(verdictOf(serving({ sans: [...sans, san.ip('fd00::42')] }), where)).toContain('SAN_FOREIGN_IP');
});

test('the fingerprint is that of openssl pkey -pubout -outform DER, whichever way the key is written', () => {
  const { publicKey, privateKey } = newKeys();
  const plain = publicKey.export({ format: 'der', type: 'spki' });
  const sha256 = createHash('sha256').update(plain).digest('hex');
  expect(judge(client({ keys: { publicKey, privateKey } }), empty).fingerprint).toBe(sha256);
  // Its last 65 bytes are 4 and the two coordinates; one of them and the sign of the other say the same.
  const point = plain.subarray(-64);
  const short = Buffer.concat([Buffer.from([2 + ((point[63] ?? 0) & 1)]), point.subarray(0, 32)]);
  const algorithm = plain.subarray(2, 2 + 21);
  const spki = der(0x30, algorithm, der(0x03, Buffer.from([0]), short));
  const asked = client({
    keys: { publicKey: createPublicKey({ key: spki, format: 'der', type: 'spki' }), privateKey },
  });
  expect(judge(asked, empty)).toMatchObject({ verdict: 'expected', fingerprint: sha256 });
  for (const keys of [generateKeyPairSync('rsa', { modulusLength: 2048 }), generateKeyPairSync('ed25519')]) {
    const der = keys.publicKey.export({ format: 'der', type: 'spki' });
    const wanted = createHash('sha256').update(der).digest('hex');
    expect(judge(client({ keys }), empty).fingerprint).toBe(wanted);
  }
});

test('what a request says of its sender beyond name and groups decides nothing', () => {
  const object = clientObject();
  object.spec.extra = { 'authentication.kubernetes.io/credential-id': ['X509SHA256=1'] };
  object.spec.uid = 'some-uid';
  expect(verdictOf(readRequest(object))).toEqual(['expected']);
});

describe('bytes around it', () => {
  test('base64 has one form only, and 16 KiB are enough', () => {
    const plain = Buffer.from(forgePem()).toString('base64');
    expect(verdictOf(client({ raw: `${plain}\n` }))).toEqual(['refused', 'PARSE']);
    // The bits that padding leaves over are zero; other bits say the same bytes.
    const names = ['w1', 'w2', 'i1', 'i2', 'i3', 'm2', 'm3', 's1'];
    const padded = names
      .flatMap((node) => Array.from({ length: 6 }, () => ({ node, keys: newKeys() })))
      .map((one) => clientObject(one))
      .find(({ spec }) => /=\n-/.test(Buffer.from(spec.request, 'base64').toString()));
    const pem = Buffer.from(padded.spec.request, 'base64').toString();
    const loose = pem.replace(/(.)(=+\n-)/, (_all, last: string, end: string) => `${nextLetter(last)}${end}`);
    expect(loose).not.toBe(pem);
    expect(verdictOf(client({ raw: Buffer.from(loose).toString('base64') }))).toEqual(['refused', 'PARSE']);

    const many = (count: number) => Array.from({ length: count }, (_, index) => san.dns(`n${index}.example`));
    expect(verdictOf(client({ sans: many(500) }))).toContain('CLIENT_SAN');
    expect(verdictOf(client({ sans: many(900) }))).toEqual(['refused', 'PARSE']);
  });

  test('more extensions or attributes than a kubelet sends', () => {
    const authority = der(0x30, oid('2.5.29.19'), der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))));
    const password = der(0x30, oid('1.2.840.113549.1.9.7'), der(0x31, der(0x0c, Buffer.from('secret'))));
    for (const attributes of [extensionsAttribute(authority), password]) {
      expect(verdictOf(client({ attributes }))).toEqual(['refused', 'EXTENSION']);
    }
  });
});

describe('requests among each other', () => {
  const verdicts = (requests: CertificateRequest[], where = empty) =>
    judgeAll(requests, where).map(({ verdict, reasons }) => [verdict, ...reasons].join(' '));
  const two = (apart: number, second: RequestForgery = {}) => [
    client({ name: 'a', createdAt: NOW - apart - MINUTE, keys: newKeys() }),
    client({ name: 'b', createdAt: NOW - MINUTE, keys: newKeys(), ...second }),
  ];

  test('what a node asked before it joined is left over, and no reason for alarm; what comes after is', () => {
    const where = { ...context, nodes: [joined('w1', { createdAt: NOW - 20 * MINUTE })] };
    const at = (minutes: number) => NOW - minutes * MINUTE;
    const early = client({ name: 'early', createdAt: at(25), keys: newKeys() });
    const late = client({ name: 'late', createdAt: at(2), keys: newKeys() });
    expect(verdicts([early, late], where)).toEqual(['superseded NODE_EXISTS', 'refused NODE_EXISTS']);
  });

  test('what a node asked before it joined is left over also when it was powered on earlier than we know', () => {
    const where = { ...context, nodes: [joined('w1', { createdAt: NOW - 5 * MINUTE })] };
    const at = (minutes: number) => NOW - minutes * MINUTE;
    // 41 minutes ago is more than ten minutes before the first power-on that we know of.
    const early = client({ name: 'early', createdAt: at(41), keys: newKeys() });
    const stranger = client({ name: 'stranger', createdAt: at(41), keys: newKeys(), username: 'kube:admin' });
    const ahead = client({ name: 'ahead', createdAt: NOW + 6 * MINUTE, keys: newKeys() });
    const waits = client({ name: 'waits', node: 'w2', createdAt: at(41), keys: newKeys() });
    expect(verdicts([early, stranger, ahead, waits], where)).toEqual([
      'superseded TIME NODE_EXISTS',
      'refused TIME REQUESTER NODE_EXISTS',
      'refused TIME NODE_EXISTS',
      'refused TIME',
    ]);
  });

  test.each([
    ['to join', client, empty],
    ['to serve', serving, context],
  ])('%s: once the newest is approved, the older ones are not expected instead', (_what, ask, where) => {
    const at = (minutes: number) => NOW - minutes * MINUTE;
    const older = ask({ name: 'older', createdAt: at(20), keys: newKeys() });
    const newest = ask({ name: 'newest', createdAt: at(4), keys: newKeys() });
    const decide = (...types: string[]) => ({
      ...newest,
      isApproved: types.includes('Approved'),
      isDenied: types.includes('Denied'),
      isFailed: types.includes('Failed'),
    });
    expect(verdicts([older, newest], where)).toEqual(['superseded', 'expected']);
    expect(verdicts([older, decide('Approved')], where)).toEqual(['superseded', 'decided']);
    // A node that is denied, or whose request fails, has nothing: which of its requests is good a newer one does not say.
    expect(verdicts([older, decide('Denied')], where)).toEqual(['expected', 'decided TERMINAL']);
    expect(verdicts([older, decide('Approved', 'Failed')], where)).toEqual(['expected', 'decided TERMINAL']);
    const again = ask({ name: 'again', createdAt: at(1), keys: newKeys() });
    if (ask === serving) expect(verdicts([older, decide('Approved'), again], where)[2]).toBe('expected');
    const anew = ask({ name: 'anew', createdAt: at(4) + 16 * MINUTE, keys: newKeys() });
    expect(verdicts([older, decide('Approved'), anew], { ...where, now: NOW + 15 * MINUTE })[2]).toBe('expected');
  });

  test('of a node that was installed again the older requests are left over once one is approved', () => {
    const where = { ...context, nodes: [joined('w1', { createdAt: NOW - 24 * 60 * MINUTE })] };
    const [older, newest] = two(16 * MINUTE);
    const wrong = client({ name: 'wrong', createdAt: NOW - 17 * MINUTE, keys: newKeys(), usages: ['client auth'] });
    expect(verdicts([older!, newest!], where)).toEqual(['refused NODE_EXISTS', 'refused NODE_EXISTS']);
    expect(verdicts([older!, wrong, { ...newest!, isApproved: true }], where)).toEqual([
      'superseded NODE_EXISTS',
      'refused USAGES NODE_EXISTS',
      'decided',
    ]);
  });

  test('a request of which the API does not say when it was made is not approved', () => {
    const object = clientObject();
    for (const creationTimestamp of [undefined, null, 'yesterday']) {
      const asked = readRequest({ ...object, metadata: { ...object.metadata, creationTimestamp } });
      expect(verdicts([asked])).toEqual(['refused TIME']);
    }
  });

  test('a request that is wrong anyway does not hold a good one up', () => {
    expect(verdicts(two(5000, { usages: ['client auth'] }))).toEqual(['expected', 'refused USAGES']);
  });

  test('the same key again is the same sender: the newest counts', () => {
    const keys = newKeys();
    const [a, b] = ['a', 'b'].map((name) => client({ name, keys }));
    expect(verdicts([a!, b!])).toEqual(['superseded', 'expected']);
    const again = ['a', 'b'].map((name) => serving({ name, keys }));
    expect(verdicts(again, context)).toEqual(['superseded', 'expected']);
  });

  test('a copied public key taints nobody: only who signs with it has it', () => {
    const keys = newKeys();
    const copied = client({
      name: 'b',
      node: 'w2',
      keys: { publicKey: keys.publicKey, privateKey: newKeys().privateKey },
    });
    expect(verdicts([client({ name: 'a', keys }), copied])).toEqual(['expected', 'refused SIG KEY_REUSED']);
  });
});

test('every reason has words', () => {
  for (const text of Object.values(words.reasons)) expect(text.length).toBeGreaterThan(20);
});

describe('nothing but a well-formed request is ever expected', () => {
  const good = [clientObject(), servingObject()] as const;
  const contexts = [empty, context] as const;

  test('whatever byte is changed, added or taken away', () => {
    const which = fc.integer({ min: 0, max: 1 });
    const at = fc.double({ min: 0, max: 0.999999, noNaN: true });
    const how = fc.constantFrom('flip', 'insert', 'delete', 'flip-der');
    fc.assert(
      fc.property(which, at, how, fc.integer({ min: 1, max: 255 }), (index, where, change, value) => {
        const object = structuredClone(good[index]!);
        const pem = Buffer.from(object.spec.request, 'base64');
        const bent = change === 'flip-der' ? bendDer(pem, where, value) : bendBytes(pem, where, value, change);
        object.spec.request = bent.toString('base64');
        // The line end after the last dash may be missing, as may nothing else.
        if (bent.toString('latin1') === pem.toString('latin1').trimEnd()) return;
        expect(judge(readRequest(object), contexts[index]!).verdict).toBe('refused');
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
        expect(judge(readRequest(object), contexts[index]!).verdict).not.toBe('expected');
      }),
      { numRuns: 1000 },
    );
  });
});

/** The next letter of the base64 alphabet: differs in the lowest bit only where it follows an even one. */
function nextLetter(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return alphabet.charAt(alphabet.indexOf(letter) + 1);
}

function extensionsAttribute(...extensions: Buffer[]): Buffer {
  return der(0x30, oid('1.2.840.113549.1.9.14'), der(0x31, der(0x30, ...extensions)));
}

function bendBytes(bytes: Buffer, where: number, value: number, change: string): Buffer {
  const at = Math.floor(where * bytes.length);
  if (change === 'insert') return Buffer.concat([bytes.subarray(0, at), Buffer.from([value]), bytes.subarray(at)]);
  if (change === 'delete') return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
  const bent = Buffer.from(bytes);
  bent[at]! ^= value;
  return bent;
}

function bendDer(pem: Buffer, where: number, value: number): Buffer {
  const lines = pem.toString('latin1').split('\n');
  const bytes = bendBytes(Buffer.from(lines.slice(1, -2).join(''), 'base64'), where, value, 'flip');
  const body = bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return Buffer.from([lines[0], body, lines.at(-2), ''].join('\n'), 'latin1');
}
