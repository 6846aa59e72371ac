// Requests bent at random, by fields, by bytes, and by bytes that are signed again: none is expected that the policy, said
// once more in other words (test/support/csr-oracle.ts), does not allow.
import { generateKeyPairSync } from 'node:crypto';
import { judgeAll } from '../../../src/cluster/csr/judge-all.ts';
import type { JudgeContext } from '../../../src/cluster/csr/judgement.ts';
import { readRequest } from '../../../src/cluster/csr/request.ts';
import {
  type ApiObject,
  CLIENT,
  clientObject,
  commonName,
  DOMAIN,
  joined,
  NOW,
  newKeys,
  organization,
  type RequestForgery,
  SERVING,
  san,
  servingObject,
  testDesign,
} from '../../support/csr-forge.ts';
import { type Allowed, allowedAlone, type Site, type Told } from '../../support/csr-oracle.ts';
import fc from '../../support/property.ts';

const MINUTE = 60_000;
const KEYS = [
  ...Array.from({ length: 6 }, newKeys),
  generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
  generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  generateKeyPairSync('ec', { namedCurve: 'prime192v1' }),
  generateKeyPairSync('ed25519'),
  generateKeyPairSync('rsa', { modulusLength: 1024 }),
];
const PRESENT = ['m1', 'w1', 'i1'];
export const context: JudgeContext = {
  design: testDesign(),
  nodes: PRESENT.map((name) => joined(name, { createdAt: NOW - 60 * MINUTE })),
  now: NOW,
  bootedSince: NOW - 30 * MINUTE,
};
const members = context.design.nodes.filter(({ role }) => role !== 'bootstrap');
const site: Site = {
  planned: Object.fromEntries(members.map(({ name, ip }) => [name, ip[0] ?? ''])),
  present: PRESENT,
  bootedSince: NOW - 30 * MINUTE,
};

const nodeName = fc.constantFrom('w1', 'w2', 'm1', 'm2', 'i1', 'i2', 's1', 'bs', 'evil', 'W1', 'localhost', '');
const word = fc.oneof(
  fc.constantFrom(
    'system:masters',
    'system:nodes',
    'system:authenticated',
    'system:serviceaccounts',
    'system:serviceaccounts:openshift-machine-config-operator',
    'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
    `system:node:w1.${DOMAIN}`,
    `system:node:w2.${DOMAIN}`,
    'kube:admin',
  ),
  fc.string({ maxLength: 8 }),
);
const usage = fc.constantFrom(
  'digital signature',
  'client auth',
  'server auth',
  'key encipherment',
  'cert sign',
  'any',
);
const altName = fc.oneof(
  fc
    .constantFrom('172.16.0.41', '172.16.0.42', '172.16.0.31', '172.16.0.111', '127.0.0.1', 'fd00::41')
    .map((text) => san.ip(text)),
  fc
    .constantFrom(
      'w1',
      'w2',
      `w1.${DOMAIN}`,
      `W1.${DOMAIN}`,
      `i1.${DOMAIN}`,
      `api-int.${DOMAIN}`,
      `*.apps.${DOMAIN}`,
      '',
    )
    .map((text) => san.dns(text)),
  fc.constantFrom(san.email('a@b'), san.uri('https://w1'), san.other(), san.directory()),
);
const subject = fc.constantFrom(
  [organization('system:nodes'), organization('system:masters'), commonName(`system:node:w2.${DOMAIN}`)],
  [commonName(`system:node:w2.${DOMAIN}`), organization('system:nodes')],
  [[...organization('system:nodes'), ...commonName(`system:node:w2.${DOMAIN}`)]],
  [organization('system:nodes'), commonName(`system:node:w2.${DOMAIN}`), commonName(`system:node:m1.${DOMAIN}`)],
  [organization('system:nodes'), commonName(`system:node:w2.${DOMAIN}`)],
  [organization('system:nodes'), commonName(`system:nodes:w2.${DOMAIN}`)],
);
const bend = fc.record({
  at: fc.double({ min: 0, max: 0.999999, noNaN: true }),
  how: fc.constantFrom('flip', 'flip', 'insert', 'delete'),
  value: fc.integer({ min: 1, max: 255 }),
});
type Bend = typeof bend extends fc.Arbitrary<infer T> ? T : never;

/** What may be changed of a request; what is not stays as a kubelet sends it. */
const CHANGES = {
  node: nodeName,
  keys: fc.nat({ max: 6 * KEYS.length }).map((index) => (index < KEYS.length ? index : index % 6)),
  signer: fc.constantFrom(CLIENT, SERVING, 'kubernetes.io/kube-apiserver-client', 'kubernetes.io/legacy-unknown', ''),
  username: word,
  groups: fc.array(word, { maxLength: 4 }),
  moreGroups: fc.array(word, { maxLength: 2 }),
  usages: fc.array(usage, { maxLength: 4 }),
  sans: fc.option(fc.array(altName, { maxLength: 3 })),
  subject,
  expirationSeconds: fc.constantFrom<unknown>(599, 600, 86_400, 2_592_000, 2_592_001, -1, 0, '600', null),
  minutesAgo: fc.constantFrom(-6, -5, -1, 0, 1, 9, 11, 16, 39, 42, 1500),
  conditions: fc.constantFrom([{ type: 'Approved', status: 'True' }], [{ type: 'Denied', status: 'False' }]),
  breakSignature: fc.constant(true),
  bendInfo: bend,
  bendDer: bend,
  bendText: bend,
};
type Change = { [Name in keyof typeof CHANGES]?: (typeof CHANGES)[Name] extends fc.Arbitrary<infer T> ? T : never };

const one = fc.oneof(
  ...Object.entries(CHANGES).map(([name, values]) => values.map((value: unknown) => ({ [name]: value }))),
);
/** None, one or two changes: with more, one of them nearly always decides. */
const few = fc.array(one, { maxLength: 2 }).map((all): Change => Object.assign({}, ...all));
export const request = fc.record({ kind: fc.constantFrom('client', 'serving'), key: fc.nat({ max: 5 }), change: few });
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

function bent(bytes: Buffer, { at, how, value }: Bend): Buffer {
  const place = Math.floor(at * bytes.length);
  if (how === 'insert') return Buffer.concat([bytes.subarray(0, place), Buffer.from([value]), bytes.subarray(place)]);
  if (how === 'delete') return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + 1)]);
  const copy = Buffer.from(bytes);
  copy[place] = (copy[place] ?? 0) ^ value;
  return copy;
}

/** The request as the API would tell it. */
export function made({ kind, key, change: what }: Request, name: string): Told {
  const { bendInfo, bendDer, bendText, keys, minutesAgo, moreGroups, sans, expirationSeconds, ...fields } = what;
  const forgery = {
    name,
    node: kind === 'client' ? 'w2' : 'w1',
    keys: KEYS[keys ?? key],
    createdAt: NOW - (minutesAgo ?? 1) * MINUTE,
    ...fields,
    ...(sans === undefined ? {} : { sans }),
    ...(expirationSeconds === undefined ? {} : { expirationSeconds: expirationSeconds as number }),
    ...(bendInfo ? { bendInfo: (bytes: Buffer) => bent(bytes, bendInfo) } : {}),
    ...(bendDer ? { bend: (bytes: Buffer) => bent(bytes, bendDer) } : {}),
    ...(bendText ? { armour: (text: string) => bent(Buffer.from(text, 'latin1'), bendText).toString('latin1') } : {}),
  } as RequestForgery;
  const told = objectOf(kind, forgery, JSON.stringify([kind, keys ?? key, fields.node, fields.subject, sans]));
  told.spec.groups.push(...(moreGroups ?? []));
  return told;
}

/** What is signed is signed once, where nothing in it is bent. */
function objectOf(kind: string, forgery: RequestForgery, signed: string): ApiObject {
  const isBent = forgery.bendInfo || forgery.bend || forgery.armour || forgery.breakSignature;
  const raw = isBent ? undefined : signedBefore.get(signed);
  const whole = { ...forgery, ...(raw === undefined ? {} : { raw }) };
  const told = kind === 'client' ? clientObject(whole) : servingObject(whole);
  if (!isBent) signedBefore.set(signed, told.spec.request);
  return told;
}
const signedBefore = new Map<string, string>();

/** What follows from another: no other key for a node that wants to join, no key under two names, the newest only. */
function isAllowedAmong(own: Allowed, other: Allowed | null): boolean {
  if (other === null) return true;
  if (other.node !== own.node) return other.key !== own.key;
  if (other.kind !== own.kind) return true;
  const isTooClose = own.kind === CLIENT && other.key !== own.key && Math.abs(other.at - own.at) < 10 * MINUTE;
  return !isTooClose && own.at >= other.at;
}

/** The other reader takes some of what is not well-formed; such a request holds no other up. */
function isDamaged({ change: { bendInfo, bendDer, bendText } }: Request): boolean {
  return [bendInfo, bendDer, bendText].some((one) => one !== undefined);
}

/**
 * Judges bent requests, two at a time, the same ones for the same seed.
 * @throws Error for the first one that is expected and not allowed, or when they are bent too little or too much to prove anything
 */
export async function judgeBent(seed: number, pairs: number): Promise<void> {
  let expected = 0;
  const found = { expected: 0, refused: 0, 'not-ours': 0, decided: 0, superseded: 0 };
  await fc.assert(
    fc.asyncProperty(request, request, async (one, two) => {
      const told = [made(one, 'a'), made(two, 'b')];
      const judged = judgeAll(
        told.map((object) => readRequest(object as never)),
        context,
      );
      for (const { verdict } of judged) found[verdict] += 1;
      if (judged.every(({ verdict }) => verdict !== 'expected')) return;
      const allowed = await Promise.all(told.map((object) => allowedAlone(object, site)));
      for (const [index, { verdict }] of judged.entries()) {
        if (verdict !== 'expected') continue;
        expected += 1;
        const own = allowed[index] ?? null;
        const other = isDamaged(index === 0 ? two : one) ? null : (allowed[1 - index] ?? null);
        if (own === null || !isAllowedAmong(own, other)) throw new Error(`${index} is expected`);
      }
    }),
    { numRuns: pairs, seed },
  );
  // The requests are bent just enough: some are still good, and most are not.
  if (expected <= pairs / 20) throw new Error(`only ${expected} of ${2 * pairs} are still good`);
  if (found.refused <= pairs / 2) throw new Error(`only ${found.refused} of ${2 * pairs} are refused`);
}
