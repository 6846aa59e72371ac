import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { judge } from '../../../src/cluster/csr/judge.ts';
import { judgeAll } from '../../../src/cluster/csr/judge-all.ts';
import { type JudgeContext, mayApproveByName, type ReasonCode } from '../../../src/cluster/csr/judgement.ts';
import { type CertificateRequest, readRequest } from '../../../src/cluster/csr/request.ts';
import { sanitizeJson } from '../../../src/cluster/object.ts';
import { csr as words } from '../../../src/text/en/csr.ts';
import {
  CLIENT,
  client,
  clientObject,
  commonName,
  DOMAIN,
  der,
  forgePem,
  joined,
  NOW,
  newKeys,
  oid,
  organization,
  type RequestForgery,
  SERVING,
  san,
  sanAttribute,
  sanExtension,
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
      wave: 1,
      requestedAt: NOW - MINUTE,
    });
    expect(judge(serving(), context)).toMatchObject({ kind: 'serving', verdict: 'expected', wave: 2 });
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

describe('the hostile table', () => {
  const bad = (forgery: RequestForgery, reason: ReasonCode) => {
    const [verdict, ...reasons] = verdictOf(client(forgery));
    expect(verdict).toBe('refused');
    expect(reasons).toContain(reason);
  };
  const badServing = (forgery: RequestForgery, reason: ReasonCode) => {
    const [verdict, ...reasons] = verdictOf(serving(forgery), context);
    expect(verdict).toBe('refused');
    expect(reasons).toContain(reason);
  };

  test('1 a name that is not in the design', () => {
    expect(verdictOf(client({ node: 'evil' }))).toEqual(['refused', 'NAME_UNKNOWN']);
    expect(verdictOf(client({ fqdn: 'w1' }))).toEqual(['refused', 'NAME_UNKNOWN']);
    expect(verdictOf(client({ fqdn: 'w1.other.example.localdomain' }))).toEqual(['refused', 'NAME_UNKNOWN']);
  });

  test.each([
    `W1.${DOMAIN}`,
    `w1.${DOMAIN}.`,
    `w\u0456.${DOMAIN}`,
    `w1.${DOMAIN}\0`,
    `w1.${DOMAIN}\n`,
    '',
    `w1.${DOMAIN} `,
  ])('2 a name that only looks right: %j', (fqdn) =>
    expect(verdictOf(client({ fqdn }))).toEqual(['refused', 'NAME_FORM']),
  );

  test('3 the name of a node that is there', () => {
    expect(verdictOf(client({ node: 'm1' }))).toEqual(['refused', 'NODE_EXISTS']);
    expect(mayApproveByName(judge(client({ node: 'm1' }), empty))).toBe(true);
  });

  test('4 the bootstrap node', () =>
    expect(verdictOf(client({ node: 'bs' }))).toEqual(['refused', 'ROLE_NOT_JOINABLE']));

  test('5 an administrator by the general signer', () => {
    const subject = [organization('system:masters'), commonName('system:admin')];
    const request = client({ signer: 'kubernetes.io/kube-apiserver-client', subject });
    expect(verdictOf(request)).toEqual(['refused', 'SIGNER']);
    expect(mayApproveByName(judge(request, empty))).toBe(false);
  });

  test('6 another organization beside system:nodes, in either encoding', () => {
    const cn = commonName(W1);
    bad({ subject: [organization('system:nodes'), organization('system:masters'), cn] }, 'SUBJECT_O');
    bad({ subject: [[...organization('system:nodes'), ...organization('system:masters')], cn] }, 'SUBJECT_O');
    bad({ subject: [organization('system:masters'), cn] }, 'SUBJECT_O');
    bad({ subject: [cn] }, 'SUBJECT_O');
  });

  test('7 two common names, another order, an organizational unit', () => {
    const [o, cn] = [organization('system:nodes'), commonName(W1)];
    bad({ subject: [o, cn, commonName(`system:node:w2.${DOMAIN}`)] }, 'SUBJECT_EXTRA');
    bad({ subject: [cn, o] }, 'SUBJECT_EXTRA');
    bad({ subject: [o, [['2.5.4.11', 'unit']], cn] }, 'SUBJECT_EXTRA');
    bad({ subject: [[...o, ...cn]] }, 'SUBJECT_EXTRA');
  });

  test('8 and 9 another account, other groups', () => {
    bad({ username: 'kube:admin' }, 'REQUESTER');
    bad({ username: 'system:serviceaccount:default:node-bootstrapper' }, 'REQUESTER');
    bad({ username: W1 }, 'REQUESTER');
    const groups = clientObject().spec.groups;
    bad({ groups: [...groups, 'system:masters'] }, 'GROUPS');
    bad({ groups: groups.slice(1) }, 'GROUPS');
    badServing({ groups: ['system:nodes', 'system:authenticated', 'system:masters'] }, 'GROUPS');
    badServing({ groups: ['system:nodes'] }, 'GROUPS');
    badServing({ username: 'system:admin' }, 'REQUESTER');
  });

  test('10 alternative names where none belong', () => {
    bad({ sans: [san.dns(`w1.${DOMAIN}`)] }, 'CLIENT_SAN');
    bad({ sans: [] }, 'CLIENT_SAN');
  });

  test('11 usages', () => {
    bad({ usages: ['digital signature', 'client auth', 'server auth'] }, 'USAGES');
    bad({ usages: ['digital signature', 'client auth', 'client auth'] }, 'USAGES');
    bad({ usages: ['digital signature', 'cert sign'] }, 'USAGES');
    bad({ usages: ['client auth', 'key encipherment', 'key encipherment'] }, 'USAGES');
    bad({ usages: [] }, 'USAGES');
    badServing({ usages: ['digital signature', 'client auth'] }, 'USAGES');
  });

  test.each([`api-int.${DOMAIN}`, `*.apps.${DOMAIN}`, `w2.${DOMAIN}`, `w1.${DOMAIN}.`, 'localhost', ''])(
    '12 a DNS name that is not the node’s: %j',
    (name) => badServing({ sans: [san.ip('172.16.0.41'), san.dns(name)] }, 'SAN_FOREIGN_NAME'),
  );

  test.each(['172.16.0.42', '172.16.0.111', '10.0.0.1', '127.0.0.1'])(
    '13 an address that is not the node’s: %s',
    (ip) => badServing({ sans: [san.ip('172.16.0.41'), san.ip(ip)] }, 'SAN_FOREIGN_IP'),
  );

  test('13 the address of a node that reports another than the design gives it', () => {
    const addresses = [{ type: 'InternalIP', address: '172.16.0.77' }];
    const where = { ...context, nodes: [joined('w1', { addresses })] };
    expect(verdictOf(serving(), where)).toEqual(['refused', 'NODE_ADDRESS']);
    expect(verdictOf(serving(), empty)).toEqual(['refused', 'NODE_MISSING']);
  });

  test('14 and 15 no address, and names of other kinds', () => {
    badServing({ sans: null }, 'SAN_EMPTY');
    badServing({ sans: [] }, 'SAN_EMPTY');
    badServing({ sans: [san.dns(`w1.${DOMAIN}`)] }, 'SAN_EMPTY');
    for (const odd of [san.email('a@b'), san.uri('https://w1'), san.other(), san.directory()]) {
      badServing({ sans: [san.ip('172.16.0.41'), odd] }, 'SAN_TYPE');
    }
  });

  test('16 sent by one node under the name of another', () => {
    badServing({ username: `system:node:w2.${DOMAIN}` }, 'CN_MISMATCH');
  });

  test('17 weak keys', () => {
    const weak = [
      generateKeyPairSync('rsa', { modulusLength: 1024 }),
      generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }),
      generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
      generateKeyPairSync('ec', { namedCurve: 'prime192v1' }),
      generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }),
    ];
    for (const keys of weak) bad({ keys }, 'KEY_WEAK');
  });

  test('18 a signature that is not of this key', () => {
    bad({ breakSignature: true }, 'SIG');
    const other = newKeys();
    bad({ keys: { publicKey: newKeys().publicKey, privateKey: other.privateKey } }, 'SIG');
    bad({ algorithm: '1.2.840.113549.1.1.5' }, 'SIG');
  });

  test('19 bytes that are not exactly one request', () => {
    const pem = forgePem();
    const body = (text: string) => text.split('\n').slice(1, -2).join('\n');
    const cases: RequestForgery[] = [
      { armour: (text) => text + pem },
      { armour: (text) => `# hello\n${text}` },
      { armour: (text) => `${text}junk` },
      { armour: (text) => text.replaceAll('CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST') },
      { armour: (text) => text.replace('REQUEST-----\n', 'REQUEST-----\nHeader: value\n\n') },
      { armour: (text) => text.replace(/[A-Za-z0-9]\n/, '\n') },
      { armour: body },
      { bend: (bytes) => Buffer.concat([bytes, Buffer.from([0])]) },
      { bend: (bytes) => Buffer.concat([bytes, bytes]) },
      { bend: (bytes) => bytes.subarray(0, -1) },
      { bend: (bytes) => Buffer.concat([Buffer.from([0x30, 0x80]), bytes.subarray(3), Buffer.from([0, 0])]) },
      { bend: longForm },
      { bend: () => der(0x30, Buffer.alloc(20_000)) },
      { bend: () => der(0x30, Buffer.alloc(2_000_000)) },
      { raw: 'not base64!' },
      { raw: '' },
      { raw: `${Buffer.from(forgePem()).toString('base64').replace(/=*$/, '')}A` },
      { attributes: Buffer.concat([sanAttribute([san.dns('a')]), sanAttribute([san.dns('b')])]) },
      { attributes: extensionsAttribute(sanExtension([san.dns('a')]), sanExtension([san.dns('b')])) },
      { attributes: sanAttribute([der(0x87, Buffer.alloc(5))]) },
      { attributes: sanAttribute([der(0x82, Buffer.from([0xff]))]) },
    ];
    for (const [index, forgery] of cases.entries()) {
      expect([index, ...verdictOf(client(forgery))]).toEqual([index, 'refused', 'PARSE']);
    }
  });

  test('19 base64 has one form only, and 16 KiB are enough', () => {
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
    bad({ attributes: extensionsAttribute(authority) }, 'EXTENSION');
    bad(
      { attributes: der(0x30, oid('1.2.840.113549.1.9.7'), der(0x31, der(0x0c, Buffer.from('secret')))) },
      'EXTENSION',
    );
  });

  test('28 and 29 the time and the validity', () => {
    bad({ createdAt: NOW - 41 * MINUTE }, 'TIME');
    bad({ createdAt: NOW + 6 * MINUTE }, 'TIME');
    expect(verdictOf(client({ createdAt: NOW - 39 * MINUTE }))).toEqual(['expected']);
    const unknown = { ...empty, bootedSince: null };
    expect(verdictOf(client({ createdAt: NOW - 23 * 60 * MINUTE }), unknown)).toEqual(['expected']);
    expect(verdictOf(client({ createdAt: NOW - 25 * 60 * MINUTE }), unknown)).toEqual(['refused', 'TIME']);
    for (const expirationSeconds of [60, 315_360_000, -1]) bad({ expirationSeconds }, 'EXPIRY');
  });

  test('30 a node without a name', () => {
    for (const fqdn of ['localhost', 'localhost.localdomain']) {
      expect(verdictOf(client({ fqdn }))).toEqual(['refused', 'LOCALHOST']);
    }
  });

  test('31 a name of the request that plays with the terminal decides nothing', () => {
    const object = clientObject({ name: `csr-\u001b[31m${'x'.repeat(200)}` });
    const request = readRequest(sanitizeJson(object) as never);
    expect(judge(request, empty).name).toMatch(/^csr-\ufffdx{200}$/);
    expect(verdictOf(request)).toEqual(['expected']);
  });

  test('32 signers that are not ours', () => {
    for (const signer of [
      'kubernetes.io/legacy-unknown',
      'example.com/custom',
      'kubernetes.io/kube-apiserver-client',
    ]) {
      expect(verdictOf(client({ signer, subject: [commonName('jane')] }))).toEqual(['not-ours', 'SIGNER']);
    }
  });

  test('24 and 26 decided ones', () => {
    expect(verdictOf(client({ conditions: [{ type: 'Approved', status: 'True' }] }))).toEqual(['decided']);
    expect(verdictOf(client({ conditions: [{ type: 'Denied', status: 'True' }] }))).toEqual(['decided', 'TERMINAL']);
    expect(verdictOf(client({ conditions: [{ type: 'Failed', status: 'True' }] }))).toEqual(['decided', 'TERMINAL']);
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

  test('20 two keys, 5 s apart: a person has to choose, and then the other stays refused', () => {
    const [first, second] = two(5000);
    expect(verdicts([first!, second!])).toEqual(['refused DUPLICATE_KEYS', 'refused DUPLICATE_KEYS']);
    const approved = { ...first!, isApproved: true };
    expect(verdicts([approved, second!])).toEqual(['decided', 'refused DUPLICATE_KEYS']);
  });

  test('21 two keys, 16 min apart: the newest counts', () => {
    expect(verdicts(two(16 * MINUTE))).toEqual(['superseded', 'expected']);
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

  test('22 and 23 one key under two names, pending or approved', () => {
    const keys = newKeys();
    const w1 = client({ name: 'a', keys });
    const w2 = client({ name: 'b', keys, node: 'w2' });
    expect(verdicts([w1, w2])).toEqual(['refused KEY_REUSED', 'refused KEY_REUSED']);
    expect(verdicts([{ ...w1, isApproved: true }, w2])).toEqual(['decided', 'refused KEY_REUSED']);
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

  test('27 a flood stops everything', () => {
    const keys = newKeys();
    const flood = Array.from({ length: 500 }, (_, index) => client({ name: `f${index}`, node: 'evil', keys }));
    const [own, ...rest] = judgeAll([client(), ...flood], empty);
    expect(own).toMatchObject({ verdict: 'refused', reasons: ['FLOOD'] });
    expect(rest.every(({ verdict }) => verdict === 'refused')).toBe(true);
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
      { numRuns: 3000 },
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
      { numRuns: 3000 },
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

/** The outer length in one byte more than it needs. */
function longForm(bytes: Buffer): Buffer {
  const short = bytes[1]! < 0x80 ? 2 : 2 + (bytes[1]! & 127);
  const content = bytes.subarray(short);
  return Buffer.concat([Buffer.from([0x30, 0x83, 0, content.length >> 8, content.length & 255]), content]);
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
