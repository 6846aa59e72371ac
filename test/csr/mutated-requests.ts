import { generateKeyPairSync } from 'node:crypto';
import { reviewRequests } from '../../src/csr/review-requests.ts';
import type { ReviewContext } from '../../src/csr/verdict.ts';
import { parseCertificateRequest } from '../../src/openshift/certificate-request.ts';
import {
  type ApiObject,
  CLIENT,
  commonName,
  createClientObject,
  createKeys,
  createNodeView,
  createServingObject,
  DOMAIN,
  NOW,
  organization,
  type RequestForgery,
  SERVING,
  san,
  testDesign,
} from '../support/csr-forge.ts';
import { type ApprovableRequest, findApprovable, type PlannedSite, type RequestObject } from '../support/csr-oracle.ts';
import fc from '../support/property.ts';

// Requests that are mutated at random: by fields, by bytes, and by bytes that are signed again. None may be expected
// that the policy, as restated in test/support/csr-oracle.ts, does not allow.

const MINUTE = 60_000;
const KEYS = [
  ...Array.from({ length: 6 }, createKeys),
  generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
  generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  generateKeyPairSync('ec', { namedCurve: 'prime192v1' }),
  generateKeyPairSync('ed25519'),
  generateKeyPairSync('rsa', { modulusLength: 1024 }),
];
const PRESENT_NODES = ['m1', 'w1', 'i1'];
export const context: ReviewContext = {
  design: testDesign(),
  nodes: PRESENT_NODES.map((name) => createNodeView(name, { createdAt: NOW - 60 * MINUTE })),
  now: NOW,
  firstPowerOnAt: NOW - 30 * MINUTE,
};
const members = context.design.nodes.filter(({ role }) => role !== 'bootstrap');
const site: PlannedSite = {
  planned: Object.fromEntries(members.map(({ name, ip }) => [name, ip[0] ?? ''])),
  present: PRESENT_NODES,
  firstPowerOnAt: NOW - 30 * MINUTE,
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
const mutation = fc.record({
  position: fc.double({ min: 0, max: 0.999999, noNaN: true }),
  operation: fc.constantFrom('flip', 'flip', 'insert', 'delete'),
  value: fc.integer({ min: 1, max: 255 }),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

/** The fields of a request that a mutation may change. All others stay as a kubelet sends them. */
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
  bendInfo: mutation,
  bendDer: mutation,
  bendText: mutation,
};
type Change = { [Name in keyof typeof CHANGES]?: (typeof CHANGES)[Name] extends fc.Arbitrary<infer T> ? T : never };

const singleChange = fc.oneof(
  ...Object.entries(CHANGES).map(([name, values]) => values.map((value: unknown) => ({ [name]: value }))),
);
/** None, one or two changes: with more, one of them nearly always decides. */
const someChanges = fc.array(singleChange, { maxLength: 2 }).map((all): Change => Object.assign({}, ...all));
export const request = fc.record({
  kind: fc.constantFrom('client', 'serving'),
  key: fc.nat({ max: 5 }),
  change: someChanges,
});
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never;

function mutateBytes(bytes: Buffer, { position, operation, value }: Mutation): Buffer {
  const offset = Math.floor(position * bytes.length);
  if (operation === 'insert')
    return Buffer.concat([bytes.subarray(0, offset), Buffer.from([value]), bytes.subarray(offset)]);
  if (operation === 'delete') return Buffer.concat([bytes.subarray(0, offset), bytes.subarray(offset + 1)]);
  const copy = Buffer.from(bytes);
  copy[offset] = (copy[offset] ?? 0) ^ value;
  return copy;
}

/** Builds the request object as the API returns it. */
export function buildRequestObject({ kind, key, change: changes }: Request, name: string): RequestObject {
  const { bendInfo, bendDer, bendText, keys, minutesAgo, moreGroups, sans, expirationSeconds, ...fields } = changes;
  const forgery = {
    name,
    node: kind === 'client' ? 'w2' : 'w1',
    keys: KEYS[keys ?? key],
    createdAt: NOW - (minutesAgo ?? 1) * MINUTE,
    ...fields,
    ...(sans === undefined ? {} : { sans }),
    ...(expirationSeconds === undefined ? {} : { expirationSeconds: expirationSeconds as number }),
    ...(bendInfo ? { alterInfo: (bytes: Buffer) => mutateBytes(bytes, bendInfo) } : {}),
    ...(bendDer ? { alterDer: (bytes: Buffer) => mutateBytes(bytes, bendDer) } : {}),
    ...(bendText
      ? { alterPem: (text: string) => mutateBytes(Buffer.from(text, 'latin1'), bendText).toString('latin1') }
      : {}),
  } as RequestForgery;
  const object = forgeObject(kind, forgery, JSON.stringify([kind, keys ?? key, fields.node, fields.subject, sans]));
  object.spec.groups.push(...(moreGroups ?? []));
  return object;
}

/** Forges the object. Requests with the same signed content and no mutated bytes are signed only once. */
function forgeObject(kind: string, forgery: RequestForgery, signed: string): ApiObject {
  const isMutated = forgery.alterInfo || forgery.alterDer || forgery.alterPem || forgery.breakSignature;
  const raw = isMutated ? undefined : signedRequests.get(signed);
  const options = { ...forgery, ...(raw === undefined ? {} : { raw }) };
  const object = kind === 'client' ? createClientObject(options) : createServingObject(options);
  if (!isMutated) signedRequests.set(signed, object.spec.request);
  return object;
}
const signedRequests = new Map<string, string>();

/**
 * The rules between two requests: no other key for a node that wants to join, no key under two names, the newest only.
 */
function isAllowedBeside(own: ApprovableRequest, other: ApprovableRequest | null): boolean {
  if (other === null) return true;
  if (other.node !== own.node) return other.key !== own.key;
  if (other.kind !== own.kind) return true;
  const isTooClose = own.kind === CLIENT && other.key !== own.key && Math.abs(other.at - own.at) < 10 * MINUTE;
  return !isTooClose && own.at >= other.at;
}

/**
 * Whether bytes of the request were mutated. The oracle also accepts some requests that are not well-formed; such a
 * request must not block another one.
 */
function hasMutatedBytes({ change: { bendInfo, bendDer, bendText } }: Request): boolean {
  return [bendInfo, bendDer, bendText].some((one) => one !== undefined);
}

/**
 * Reviews mutated requests in pairs, the same ones for the same seed.
 * @throws Error for the first request that is expected and not allowed, or if too few are expected or refused to prove
 * anything
 */
export async function reviewMutatedRequests(seed: number, pairs: number): Promise<void> {
  let expected = 0;
  const counts = { expected: 0, refused: 0, 'not-ours': 0, decided: 0, superseded: 0 };
  await fc.assert(
    fc.asyncProperty(request, request, async (one, two) => {
      const objects = [buildRequestObject(one, 'a'), buildRequestObject(two, 'b')];
      const verdicts = reviewRequests(
        objects.map((object) => parseCertificateRequest(object as never)),
        context,
      );
      for (const { verdict } of verdicts) counts[verdict] += 1;
      if (verdicts.every(({ verdict }) => verdict !== 'expected')) return;
      const allowed = await Promise.all(objects.map((object) => findApprovable(object, site)));
      for (const [index, { verdict }] of verdicts.entries()) {
        if (verdict !== 'expected') continue;
        expected += 1;
        const own = allowed[index] ?? null;
        const other = hasMutatedBytes(index === 0 ? two : one) ? null : (allowed[1 - index] ?? null);
        if (own === null || !isAllowedBeside(own, other)) throw new Error(`${index} is expected`);
      }
    }),
    { numRuns: pairs, seed },
  );
  // The mutations prove something only if some requests are still valid and most are not.
  if (expected <= pairs / 20) throw new Error(`only ${expected} of ${2 * pairs} are still good`);
  if (counts.refused <= pairs / 2) throw new Error(`only ${counts.refused} of ${2 * pairs} are refused`);
}
