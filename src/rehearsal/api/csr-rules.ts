import { X509Certificate } from 'node:crypto';
import { type Clock, HOUR } from '../../platform/clock.ts';
import { type RequestContents, readRequest } from '../pki.ts';
import {
  formatTimestamp,
  getField,
  getList,
  getString,
  isRecord,
  type JsonRecord,
  type KubeObject,
  type NewObject,
} from './objects.ts';
import { findKind } from './registry.ts';
import { type FieldProblem, forbiddenError, invalidError, invalidValue, requiredValue } from './status.ts';
import type { Store } from './store.ts';
import type { ApiUser } from './user.ts';

export const CSR_RESOURCE = 'certificatesigningrequests.certificates.k8s.io';
export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

const NODE_PREFIX = 'system:node:';
const MIN_EXPIRATION_SECONDS = 600;

/** Returns the PEM text of a request object. */
export function decodeRequestPem(request: NewObject | KubeObject): string {
  return Buffer.from(getString(request, 'spec', 'request'), 'base64').toString('utf8');
}

/**
 * A new request as the API stores it: the caller is the requestor, whatever the body contains, and the status is
 * dropped.
 * The rules: k8s.io/kubernetes pkg/registry/certificates/certificates/strategy.go, pkg/apis/certificates/validation,
 * and plugin/pkg/admission/noderestriction.
 * @throws StatusError 422: the request cannot be parsed or is not signed with its own key. 403: a node requests a
 * certificate for another name.
 */
export async function admitCsr(object: NewObject, user: ApiUser): Promise<NewObject> {
  const { status: _status, ...rest } = object;
  const spec = isRecord(object.spec) ? object.spec : {};
  const { username: _username, groups: _groups, uid: _uid, extra: _extra, ...requested } = spec;
  const caller = { username: user.username, groups: [...user.groups], ...(user.uid ? { uid: user.uid } : {}) };
  const admitted: NewObject = { ...rest, spec: { ...requested, ...caller } };
  const { contents, problems } = await inspectCsr(admitted);
  rejectForeignNode(admitted, contents, user);
  const name = object.metadata.name ?? object.metadata.generateName ?? '';
  const all = [...problems, ...validateSpec(spec)];
  if (all.length > 0) throw invalidError(findKind(CSR_RESOURCE), name, all);
  return admitted;
}

async function inspectCsr(request: NewObject): Promise<{ contents: RequestContents | null; problems: FieldProblem[] }> {
  const problem = (detail: string) => {
    const bytes = [...Buffer.from(getString(request, 'spec', 'request'), 'base64')];
    const printed = `[]byte{${bytes.map((byte) => `0x${byte.toString(16)}`).join(', ')}}`;
    return {
      reason: 'FieldValueInvalid' as const,
      field: 'spec.request',
      text: `Invalid value: ${printed}: ${detail}`,
    };
  };
  try {
    const contents = await readRequest(decodeRequestPem(request));
    return { contents, problems: contents.isSelfSigned ? [] : [problem('x509: ECDSA verification failure')] };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { contents: null, problems: [problem(detail)] };
  }
}

/** A node can only request certificates for its own name. */
function rejectForeignNode(request: NewObject, contents: RequestContents | null, user: ApiUser): void {
  const signer = getString(request, 'spec', 'signerName');
  const isNode = user.username.startsWith(NODE_PREFIX) && user.groups.includes('system:nodes');
  if (!isNode || (signer !== CLIENT_SIGNER && signer !== SERVING_SIGNER)) return;
  const name = request.metadata.name ?? request.metadata.generateName ?? '';
  const kind = findKind(CSR_RESOURCE);
  if (!contents) throw forbiddenError(kind, name, 'unable to parse csr');
  if (contents.commonNames.at(-1) !== user.username || contents.commonNames.length !== 1) {
    throw forbiddenError(kind, name, `can only create a node CSR with CN=${user.username}`);
  }
}

function validateSpec(spec: JsonRecord): FieldProblem[] {
  const signer = getString(spec, 'signerName');
  const seconds = getField(spec, 'expirationSeconds');
  const problems: FieldProblem[] = [];
  if (signer === '') problems.push(requiredValue('spec.signerName'));
  else if (!/^[a-z0-9.-]+\.[a-z0-9.-]+\/[^\s]+$/.test(signer)) {
    const detail = 'must be a fully qualified domain and path of the form "domain/path"';
    problems.push(invalidValue('spec.signerName', signer, detail));
  }
  if (getList(spec, 'usages').length === 0) problems.push(requiredValue('spec.usages', 'usages is required'));
  if (typeof seconds === 'number' && seconds < MIN_EXPIRATION_SECONDS) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    problems.push(invalidValue('spec.expirationSeconds', seconds, detail));
  }
  return problems;
}

const DECISION_TYPES = ['Approved', 'Denied'];
const PERMANENT_TYPES = [...DECISION_TYPES, 'Failed'];

/**
 * The object after an update of its `approval`: only the conditions come from the body, and they get their times.
 * @throws StatusError 422 if a decision is withdrawn, or if the request is both approved and denied
 */
export function applyApproval(before: KubeObject, body: KubeObject, now: number): KubeObject {
  const conditions = stampConditions(before, body, now);
  validateConditions(before, conditions);
  return withStatus(before, { ...getStatus(before), conditions });
}

/**
 * The object after an update of its `status`: the certificate, and the conditions that are not a decision.
 * @throws StatusError 422 if a certificate is replaced
 */
export function applyStatus(before: KubeObject, body: KubeObject, now: number): KubeObject {
  const decisions = getList(before, 'status', 'conditions').filter((item) =>
    DECISION_TYPES.includes(getString(item, 'type')),
  );
  const others = stampConditions(before, body, now).filter((item) => !DECISION_TYPES.includes(getString(item, 'type')));
  const conditions = [...decisions.filter(isRecord), ...others];
  validateConditions(before, conditions);
  const existing = getString(before, 'status', 'certificate');
  const certificate = getString(body, 'status', 'certificate');
  if (existing !== '' && existing !== certificate) {
    const text = 'Forbidden: updates may not modify existing certificate content';
    throwInvalid(before, { reason: 'FieldValueForbidden', field: 'status.certificate', text });
  }
  return withStatus(before, { conditions, ...(certificate === '' ? {} : { certificate }) });
}

function stampConditions(before: KubeObject, body: KubeObject, now: number): JsonRecord[] {
  const known = getList(before, 'status', 'conditions').filter(isRecord);
  return getList(body, 'status', 'conditions')
    .filter(isRecord)
    .map((condition) => {
      const same = known.find((item) => item.type === condition.type && item.status === condition.status);
      return {
        ...condition,
        lastUpdateTime: getString(condition, 'lastUpdateTime') || formatTimestamp(now),
        lastTransitionTime:
          getString(same, 'lastTransitionTime') || getString(condition, 'lastTransitionTime') || formatTimestamp(now),
      };
    });
}

function validateConditions(before: KubeObject, conditions: readonly JsonRecord[]): void {
  const types = conditions.map(({ type }) => String(type));
  for (const type of PERMANENT_TYPES) {
    const wasPresent = getList(before, 'status', 'conditions').some((item) => getString(item, 'type') === type);
    if (!wasPresent || types.includes(type)) continue;
    const text = `Forbidden: updates may not remove a condition of type "${type}"`;
    throwInvalid(before, { reason: 'FieldValueForbidden', field: 'status.conditions', text });
  }
  const index = types.findLastIndex((type) => DECISION_TYPES.includes(type));
  if (DECISION_TYPES.every((type) => types.includes(type))) {
    const detail = 'Approved and Denied conditions are mutually exclusive';
    throwInvalid(before, invalidValue(`status.conditions[${index}].type`, types[index], detail));
  }
  const duplicateIndex = types.findIndex((type, position) => types.indexOf(type) !== position);
  if (duplicateIndex >= 0) {
    const text = `Duplicate value: ${JSON.stringify(types[duplicateIndex])}`;
    throwInvalid(before, { reason: 'FieldValueInvalid', field: `status.conditions[${duplicateIndex}].type`, text });
  }
  const notTrueIndex = conditions.findIndex(
    ({ type, status }) => PERMANENT_TYPES.includes(String(type)) && status !== 'True',
  );
  if (notTrueIndex >= 0) {
    const text = `Unsupported value: ${JSON.stringify(conditions[notTrueIndex]?.status ?? '')}: supported values: "True"`;
    throwInvalid(before, {
      reason: 'FieldValueNotSupported',
      field: `status.conditions[${notTrueIndex}].status`,
      text,
    });
  }
}

function throwInvalid(request: KubeObject, problem: FieldProblem): never {
  throw invalidError(findKind(CSR_RESOURCE), request.metadata.name, [problem]);
}

function getStatus(request: KubeObject): JsonRecord {
  return isRecord(request.status) ? request.status : {};
}

function withStatus(request: KubeObject, status: JsonRecord): KubeObject {
  return { ...request, status };
}

/** Polling interval, and how long requests stay: decided ones after the decision, others after their creation. */
const POLLING_INTERVAL = HOUR;
const DECIDED_EXPIRATION = HOUR;
const PENDING_EXPIRATION = 24 * HOUR;

/**
 * Removes old requests, at once and every hour, as kube-controller-manager does (kubernetes,
 * pkg/controller/certificates/cleaner): those that were issued, denied or failed an hour ago, those pending for a day,
 * and those with an expired certificate. A request that is approved and never issued stays.
 * @returns a function that stops the cleaner
 */
export function startCsrCleaner({ store, clock }: { readonly store: Store; readonly clock: Clock }): () => void {
  const clean = () => {
    for (const request of store.list(CSR_RESOURCE)) {
      if (isObsolete(request, clock.now())) store.delete(CSR_RESOURCE, null, request.metadata.name);
    }
  };
  clean();
  return clock.interval(POLLING_INTERVAL, clean);
}

function isObsolete(request: KubeObject, now: number): boolean {
  const conditions = getList(request, 'status', 'conditions');
  if (conditions.length === 0) return now - Date.parse(request.metadata.creationTimestamp) > PENDING_EXPIRATION;
  const certificate = getString(request, 'status', 'certificate');
  return conditions.some((condition) => {
    const type = getString(condition, 'type');
    const isOld = now - Date.parse(getString(condition, 'lastUpdateTime')) > DECIDED_EXPIRATION;
    if (type === 'Approved') return certificate !== '' && (isOld || isExpired(certificate, now));
    return (type === 'Denied' || type === 'Failed') && isOld;
  });
}

function isExpired(certificate: string, now: number): boolean {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo) < now;
  } catch {
    return false;
  }
}
