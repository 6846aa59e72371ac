import { type RequestContents, readRequest } from '../pki.ts';
import {
  at,
  isRecord,
  type JsonRecord,
  type KubeObject,
  listAt,
  type NewObject,
  textAt,
  timestamp,
} from './objects.ts';
import { kindOf } from './registry.ts';
import { type FieldProblem, forbidden, invalid, invalidValue, requiredValue } from './status.ts';
import type { ApiUser } from './user.ts';

export const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

const NODE_PREFIX = 'system:node:';
const SHORTEST_LIFE_SECONDS = 600;

/** The PEM text of a request object. */
export function requestPem(request: NewObject | KubeObject): string {
  return Buffer.from(textAt(request, 'spec', 'request'), 'base64').toString('utf8');
}

/**
 * A new request as the API keeps it: who asks is who called, whatever the body said; no status.
 * The rules: k8s.io/kubernetes pkg/registry/certificates/certificates/strategy.go, pkg/apis/certificates/validation, and
 * plugin/pkg/admission/noderestriction.
 * @throws StatusError 422 for a request that cannot be parsed or is not signed with its own key, 403 for a node that asks
 *   for another
 */
export async function admitRequest(object: NewObject, user: ApiUser): Promise<NewObject> {
  const { status: _status, ...rest } = object;
  const given = isRecord(object.spec) ? object.spec : {};
  const { username: _username, groups: _groups, uid: _uid, extra: _extra, ...asked } = given;
  const caller = { username: user.username, groups: [...user.groups], ...(user.uid ? { uid: user.uid } : {}) };
  const admitted: NewObject = { ...rest, spec: { ...asked, ...caller } };
  const { contents, problems } = await inspect(admitted);
  refuseForeignNode(admitted, contents, user);
  const name = object.metadata.name ?? object.metadata.generateName ?? '';
  const all = [...problems, ...specProblems(given)];
  if (all.length > 0) throw invalid(kindOf(REQUESTS), name, all);
  return admitted;
}

async function inspect(request: NewObject): Promise<{ contents: RequestContents | null; problems: FieldProblem[] }> {
  const problem = (why: string) => {
    const bytes = [...Buffer.from(textAt(request, 'spec', 'request'), 'base64')];
    const shown = `[]byte{${bytes.map((byte) => `0x${byte.toString(16)}`).join(', ')}}`;
    return { reason: 'FieldValueInvalid' as const, field: 'spec.request', text: `Invalid value: ${shown}: ${why}` };
  };
  try {
    const contents = await readRequest(requestPem(request));
    return { contents, problems: contents.isSelfSigned ? [] : [problem('x509: ECDSA verification failure')] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { contents: null, problems: [problem(why)] };
  }
}

/** A node may ask for certificates of its own name only. */
function refuseForeignNode(request: NewObject, contents: RequestContents | null, user: ApiUser): void {
  const signer = textAt(request, 'spec', 'signerName');
  const isNode = user.username.startsWith(NODE_PREFIX) && user.groups.includes('system:nodes');
  if (!isNode || (signer !== CLIENT_SIGNER && signer !== SERVING_SIGNER)) return;
  const name = request.metadata.name ?? request.metadata.generateName ?? '';
  const kind = kindOf(REQUESTS);
  if (!contents) throw forbidden(kind, name, 'unable to parse csr');
  if (contents.commonNames.at(-1) !== user.username || contents.commonNames.length !== 1) {
    throw forbidden(kind, name, `can only create a node CSR with CN=${user.username}`);
  }
}

function specProblems(spec: JsonRecord): FieldProblem[] {
  const signer = textAt(spec, 'signerName');
  const seconds = at(spec, 'expirationSeconds');
  const problems: FieldProblem[] = [];
  if (signer === '') problems.push(requiredValue('spec.signerName'));
  else if (!/^[a-z0-9.-]+\.[a-z0-9.-]+\/[^\s]+$/.test(signer)) {
    const why = 'must be a fully qualified domain and path of the form "domain/path"';
    problems.push(invalidValue('spec.signerName', signer, why));
  }
  if (listAt(spec, 'usages').length === 0) problems.push(requiredValue('spec.usages', 'usages is required'));
  if (typeof seconds === 'number' && seconds < SHORTEST_LIFE_SECONDS) {
    const why = 'may not specify a duration less than 600 seconds (10 minutes)';
    problems.push(invalidValue('spec.expirationSeconds', seconds, why));
  }
  return problems;
}

const DECISIONS = ['Approved', 'Denied'];
const LASTING = [...DECISIONS, 'Failed'];

/**
 * The object after an update of its `approval`: nothing but the conditions comes from the body, and they get their times.
 * @throws StatusError 422 when a decision is taken back, or made both ways
 */
export function withApproval(before: KubeObject, body: KubeObject, now: number): KubeObject {
  const conditions = timedConditions(before, body, now);
  refuseConditions(before, conditions);
  return withStatus(before, { ...statusOf(before), conditions });
}

/**
 * The object after an update of its `status`: the certificate and the conditions that are no decision.
 * @throws StatusError 422 when a certificate is replaced
 */
export function withIssue(before: KubeObject, body: KubeObject, now: number): KubeObject {
  const decided = listAt(before, 'status', 'conditions').filter((item) => DECISIONS.includes(textAt(item, 'type')));
  const others = timedConditions(before, body, now).filter((item) => !DECISIONS.includes(textAt(item, 'type')));
  const conditions = [...decided.filter(isRecord), ...others];
  refuseConditions(before, conditions);
  const issued = textAt(before, 'status', 'certificate');
  const certificate = textAt(body, 'status', 'certificate');
  if (issued !== '' && issued !== certificate) {
    const text = 'Forbidden: updates may not modify existing certificate content';
    refuse(before, { reason: 'FieldValueForbidden', field: 'status.certificate', text });
  }
  return withStatus(before, { conditions, ...(certificate === '' ? {} : { certificate }) });
}

function timedConditions(before: KubeObject, body: KubeObject, now: number): JsonRecord[] {
  const known = listAt(before, 'status', 'conditions').filter(isRecord);
  return listAt(body, 'status', 'conditions')
    .filter(isRecord)
    .map((condition) => {
      const same = known.find((item) => item.type === condition.type && item.status === condition.status);
      return {
        ...condition,
        lastUpdateTime: textAt(condition, 'lastUpdateTime') || timestamp(now),
        lastTransitionTime:
          textAt(same, 'lastTransitionTime') || textAt(condition, 'lastTransitionTime') || timestamp(now),
      };
    });
}

function refuseConditions(before: KubeObject, conditions: readonly JsonRecord[]): void {
  const types = conditions.map(({ type }) => String(type));
  for (const type of LASTING) {
    const had = listAt(before, 'status', 'conditions').some((item) => textAt(item, 'type') === type);
    if (!had || types.includes(type)) continue;
    const text = `Forbidden: updates may not remove a condition of type "${type}"`;
    refuse(before, { reason: 'FieldValueForbidden', field: 'status.conditions', text });
  }
  const index = types.findLastIndex((type) => DECISIONS.includes(type));
  if (DECISIONS.every((type) => types.includes(type))) {
    const why = 'Approved and Denied conditions are mutually exclusive';
    refuse(before, invalidValue(`status.conditions[${index}].type`, types[index], why));
  }
  const twice = types.findIndex((type, position) => types.indexOf(type) !== position);
  if (twice >= 0) {
    const text = `Duplicate value: ${JSON.stringify(types[twice])}`;
    refuse(before, { reason: 'FieldValueInvalid', field: `status.conditions[${twice}].type`, text });
  }
  const unsure = conditions.findIndex(({ type, status }) => LASTING.includes(String(type)) && status !== 'True');
  if (unsure >= 0) {
    const text = `Unsupported value: ${JSON.stringify(conditions[unsure]?.status ?? '')}: supported values: "True"`;
    refuse(before, { reason: 'FieldValueNotSupported', field: `status.conditions[${unsure}].status`, text });
  }
}

function refuse(request: KubeObject, problem: FieldProblem): never {
  throw invalid(kindOf(REQUESTS), request.metadata.name, [problem]);
}

function statusOf(request: KubeObject): JsonRecord {
  return isRecord(request.status) ? request.status : {};
}

function withStatus(request: KubeObject, status: JsonRecord): KubeObject {
  return { ...request, status };
}
