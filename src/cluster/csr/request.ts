import {
  at,
  type Condition,
  conditionsOf,
  type KubeObject,
  listAt,
  numberAt,
  textAt,
  timeAt,
} from '../../objects/object.ts';

/** A CertificateSigningRequest of the API, as it came (parsed, not judged). */
export interface CertificateRequest {
  readonly name: string;
  readonly uid: string;
  /** Milliseconds since the epoch; null when the API does not say. */
  readonly requestedAt: number | null;
  readonly signer: string;
  /** Who sent it: set by the API server from the credentials, not by the sender. */
  readonly requester: string;
  readonly groups: readonly string[];
  readonly usages: readonly string[];
  readonly expirationSeconds: number | null;
  /** `spec.request`: PEM in base64. */
  readonly request: string;
  readonly conditions: readonly Condition[];
  readonly isApproved: boolean;
  readonly isDenied: boolean;
  readonly isFailed: boolean;
  readonly isIssued: boolean;
  /** The whole object, to write back with its resourceVersion. */
  readonly object: KubeObject;
}

/** Signs what a kubelet joins with: the first request of a node. */
export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
/** Signs what a kubelet serves with, on 10250: the second request of a node, and again later. */
export const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

/**
 * Reads a request without judging it. Missing fields are empty or null; a field of another type becomes what no policy
 * allows (U+FFFD for a text of a list, NaN for a number).
 */
export function readRequest(object: KubeObject): CertificateRequest {
  const texts = (name: string) =>
    listAt(object.spec, name).map((entry) => (typeof entry === 'string' ? entry : '\ufffd'));
  const conditions = conditionsOf(object);
  // An approval is there or not, whatever its status says: the API takes no other value than True.
  const has = (type: string) => conditions.some((condition) => condition.type === type);
  return {
    name: object.metadata.name,
    uid: object.metadata.uid ?? '',
    requestedAt: timeAt(object.metadata, 'creationTimestamp'),
    signer: textAt(object.spec, 'signerName') ?? '',
    requester: textAt(object.spec, 'username') ?? '',
    groups: texts('groups'),
    usages: texts('usages'),
    expirationSeconds:
      at(object.spec, 'expirationSeconds') === undefined
        ? null
        : (numberAt(object.spec, 'expirationSeconds') ?? Number.NaN),
    request: textAt(object.spec, 'request') ?? '',
    conditions,
    isApproved: has('Approved'),
    isDenied: has('Denied'),
    isFailed: has('Failed'),
    isIssued: (textAt(object.status, 'certificate') ?? '') !== '',
    object,
  };
}
