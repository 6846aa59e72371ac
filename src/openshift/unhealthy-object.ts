import { redact } from '../platform/secrets.ts';
import { type Condition, getField, getString, getTime, type KubeObject, listConditions } from './object.ts';

/** An object of the cluster whose own status reports a problem. */
export interface UnhealthyObject {
  readonly kind: 'MachineConfigPool' | 'APIService' | 'Namespace' | 'ClusterVersion' | 'Webhook';
  readonly name: string;
  /** The conditions that report the problem, with their reasons, in one line. */
  readonly message: string;
  /** Start of the problem, in ms since the epoch; null where the object does not report it. */
  readonly since: number | null;
}

const MAX_REASON_LENGTH = 2000;

/** Finds the problem that an object reports; null for a healthy object, and for an object of another kind. */
export function findUnhealthy(object: KubeObject): UnhealthyObject | null {
  const { kind, metadata } = object;
  const { name } = metadata;
  const conditions = listConditions(object);
  switch (kind) {
    case 'MachineConfigPool': {
      // Degraded summarizes NodeDegraded and RenderDegraded, which name the node and the reason.
      const failingConditions = conditions.filter(
        ({ type, status }) => /^(?:Node|Render)?Degraded$/.test(type) && status === 'True',
      );
      return createUnhealthyObject(kind, name, failingConditions);
    }
    case 'APIService': {
      // Without a service the API server serves the group itself.
      if (getField(object.spec, 'service') == null) return null;
      return createUnhealthyObject(kind, name, listFalseConditions(conditions, 'Available'));
    }
    case 'ClusterVersion':
      return createUnhealthyObject(kind, name, listFalseConditions(conditions, 'ReleaseAccepted'));
    case 'Namespace': {
      const since = getTime(metadata, 'deletionTimestamp');
      if (since === null) return null;
      const failingConditions = conditions.filter(
        ({ type, status }) => type.startsWith('Namespace') && status === 'True',
      );
      return {
        kind,
        name,
        message: formatConditions(failingConditions) || (getString(object.status, 'phase') ?? ''),
        since,
      };
    }
    default:
      return null;
  }
}

/** Lists the conditions that are False. Unknown or missing does not count: a new condition means nothing yet. */
const listFalseConditions = (conditions: readonly Condition[], conditionType: string) =>
  conditions.filter(({ type, status }) => type === conditionType && status === 'False');

function createUnhealthyObject(
  kind: UnhealthyObject['kind'],
  name: string,
  failingConditions: readonly Condition[],
): UnhealthyObject | null {
  const times = failingConditions.flatMap(({ since }) => since ?? []);
  if (failingConditions.length === 0) return null;
  return {
    kind,
    name,
    message: formatConditions(failingConditions),
    since: times.length === 0 ? null : Math.min(...times),
  };
}

function formatConditions(conditions: readonly Condition[]): string {
  const conditionsWithMessage = conditions.filter(({ message }) => message !== '');
  const lines = (conditionsWithMessage.length > 0 ? conditionsWithMessage : conditions).map(
    ({ type, status, reason, message }) => {
      const head = [`${type}=${status}`, reason].filter((text) => text !== '').join(' ');
      return message === '' ? head : `${head}: ${message}`;
    },
  );
  return redact([...new Set(lines)].join('; ')).slice(0, MAX_REASON_LENGTH);
}
