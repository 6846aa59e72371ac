import {
  type Condition,
  getField,
  getList,
  getNumber,
  getString,
  getTime,
  type KubeObject,
  listConditions,
} from './object.ts';

/** A CertificateSigningRequest as the API returned it: parsed, not reviewed. */
export interface CertificateRequest {
  readonly name: string;
  readonly uid: string;
  /** Milliseconds since the epoch; null if the API does not report it. */
  readonly requestedAt: number | null;
  readonly signer: string;
  /** The sender, set by the API server from the credentials. */
  readonly requester: string;
  readonly groups: readonly string[];
  readonly usages: readonly string[];
  readonly expirationSeconds: number | null;
  /** `spec.request`: PEM in base64. */
  readonly encodedCsr: string;
  readonly conditions: readonly Condition[];
  readonly isApproved: boolean;
  readonly isDenied: boolean;
  readonly isFailed: boolean;
  readonly isIssued: boolean;
  /** The whole object, to write back with its resourceVersion. */
  readonly object: KubeObject;
}

/** Signer of the client certificate that a kubelet joins with: the first request of a node. */
export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
/** Signer of the serving certificate of a kubelet (port 10250): the second request of a node, and later renewals. */
export const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

/**
 * Parses a request without reviewing it. Missing fields are empty or null. A field of the wrong type becomes a value
 * that no policy allows (U+FFFD for a string of a list, NaN for a number).
 */
export function parseCertificateRequest(object: KubeObject): CertificateRequest {
  const listStrings = (name: string) =>
    getList(object.spec, name).map((entry) => (typeof entry === 'string' ? entry : '\ufffd'));
  const conditions = listConditions(object);
  // The type decides, whatever the status: the API accepts no value other than True.
  const hasCondition = (type: string) => conditions.some((condition) => condition.type === type);
  return {
    name: object.metadata.name,
    uid: object.metadata.uid ?? '',
    requestedAt: getTime(object.metadata, 'creationTimestamp'),
    signer: getString(object.spec, 'signerName') ?? '',
    requester: getString(object.spec, 'username') ?? '',
    groups: listStrings('groups'),
    usages: listStrings('usages'),
    expirationSeconds:
      getField(object.spec, 'expirationSeconds') === undefined
        ? null
        : (getNumber(object.spec, 'expirationSeconds') ?? Number.NaN),
    encodedCsr: getString(object.spec, 'request') ?? '',
    conditions,
    isApproved: hasCondition('Approved'),
    isDenied: hasCondition('Denied'),
    isFailed: hasCondition('Failed'),
    isIssued: (getString(object.status, 'certificate') ?? '') !== '',
    object,
  };
}

/** Formats who decided a request, and why: the reason and the message of the condition. */
export function formatDecision({ conditions }: CertificateRequest, decision: 'Approved' | 'Denied' | 'Failed'): string {
  const { reason = '', message = '' } = conditions.find(({ type }) => type === decision) ?? {};
  return [reason, message].filter(Boolean).join(': ');
}

/** Formats why a request was denied, or why its signer failed; empty: neither, or no reason was given. */
export function formatRefusal(request: CertificateRequest): string {
  return request.isDenied
    ? formatDecision(request, 'Denied')
    : request.isFailed
      ? formatDecision(request, 'Failed')
      : '';
}
