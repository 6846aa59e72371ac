/** One problem of an object, as `Status.details.causes` lists it. */
interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The `Status` object (meta/v1) of a kube-apiserver, for failures and for deletions. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly status: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** An error of the API, in the wording of k8s.io/apimachinery/pkg/api/errors. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.name = 'StatusError';
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      ...(this.details ? { details: this.details } : {}),
      code: this.code,
    };
  }
}

interface NamedKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** Formats the resource key of a kind: `nodes` or `clusteroperators.config.openshift.io`. Messages use it as well. */
export function formatResourceKey({ group, plural }: Pick<NamedKind, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

export const notFoundError = (kind: NamedKind, name: string) =>
  new StatusError(404, 'NotFound', `${formatResourceKey(kind)} "${name}" not found`, buildResourceDetails(kind, name));

/** Returns the error for a path that the server does not serve. */
export const noSuchResourceError = () =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});

export const alreadyExistsError = (kind: NamedKind, name: string) =>
  new StatusError(
    409,
    'AlreadyExists',
    `${formatResourceKey(kind)} "${name}" already exists`,
    buildResourceDetails(kind, name),
  );

/** @param detail by default: the object changed since the caller read it */
export function conflictError(
  kind: NamedKind,
  name: string,
  detail = 'the object has been modified; please apply your changes to the latest version and try again',
): StatusError {
  const message = `Operation cannot be fulfilled on ${formatResourceKey(kind)} "${name}": ${detail}`;
  return new StatusError(409, 'Conflict', message, buildResourceDetails(kind, name));
}

export const badRequestError = (message: string) => new StatusError(400, 'BadRequest', message);

export const methodNotAllowedError = () =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const requestTooLargeError = (limit: number) =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);

export function unsupportedMediaTypeError(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}

/**
 * Creates the error for an object that was decoded but violates a rule.
 * @param problems at least one
 */
export function invalidError(
  kind: Pick<NamedKind, 'group' | 'kind'>,
  name: string,
  problems: readonly FieldProblem[],
): StatusError {
  const texts = problems.map(({ field, text }) => `${field}: ${text}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const qualifiedKind = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return new StatusError(422, 'Invalid', `${qualifiedKind} "${name}" is invalid: ${list}`, {
    name,
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.kind,
    causes: problems.map(({ reason, field, text }) => ({ reason, message: text, field })),
  });
}

/** One broken rule: the field, and the text as k8s.io/apimachinery/pkg/util/validation/field prints it. */
export interface FieldProblem {
  /** `FieldValueInvalid`, for example. */
  readonly reason: `FieldValue${'Invalid' | 'Required' | 'Forbidden' | 'NotSupported' | 'TypeInvalid'}`;
  readonly field: string;
  readonly text: string;
}

export function invalidValue(field: string, value: unknown, detail: string): FieldProblem {
  return { reason: 'FieldValueInvalid', field, text: `Invalid value: ${JSON.stringify(value)}: ${detail}` };
}

export function requiredValue(field: string, detail = ''): FieldProblem {
  return { reason: 'FieldValueRequired', field, text: detail === '' ? 'Required value' : `Required value: ${detail}` };
}

export function unsupportedValue(field: string, value: unknown, supportedValues: readonly string[]): FieldProblem {
  const list = supportedValues.map((item) => JSON.stringify(item)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    field,
    text: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`,
  };
}

function buildResourceDetails(kind: NamedKind, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural };
}
