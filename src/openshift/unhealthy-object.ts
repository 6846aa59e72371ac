import { redact } from '../platform/redact.ts';
import { type Condition, getField, getString, getTime, type KubeObject, listConditions } from './object.ts';

/** An object of the cluster whose own status reports a problem. */
export interface UnhealthyObject {
  readonly kind: 'MachineConfigPool' | 'APIService' | 'Namespace' | 'ClusterVersion' | 'Webhook';
  readonly name: string;
  /** The conditions that report it, with their reasons, in one line. */
  readonly message: string;
  /** Start of the problem, in ms since the epoch; null where the object does not report it. */
  readonly since: number | null;
}

const MAX_MESSAGE_LENGTH = 2000;

/** Finds the problem that an object reports; null for one that is healthy, or of another kind. */
export function findUnhealthy(object: KubeObject): UnhealthyObject | null {
  const { kind, metadata } = object;
  const { name } = metadata;
  const conditions = listConditions(object);
  switch (kind) {
    case 'MachineConfigPool': {
      // Degraded summarizes NodeDegraded and RenderDegraded, which name the node and the reason.
      const failing = conditions.filter(
        ({ type, status }) => /^(?:Node|Render)?Degraded$/.test(type) && status === 'True',
      );
      return createUnhealthy(kind, name, failing);
    }
    case 'APIService': {
      // Without a service the API server serves the group itself.
      if (getField(object.spec, 'service') == null) return null;
      return createUnhealthy(kind, name, listFalse(conditions, 'Available'));
    }
    case 'ClusterVersion':
      return createUnhealthy(kind, name, listFalse(conditions, 'ReleaseAccepted'));
    case 'Namespace': {
      const since = getTime(metadata, 'deletionTimestamp');
      if (since === null) return null;
      const failing = conditions.filter(({ type, status }) => type.startsWith('Namespace') && status === 'True');
      return { kind, name, message: formatConditions(failing) || (getString(object.status, 'phase') ?? ''), since };
    }
    default:
      return null;
  }
}

/** False, not Unknown or missing: a new condition means nothing yet. */
const listFalse = (conditions: readonly Condition[], wanted: string) =>
  conditions.filter(({ type, status }) => type === wanted && status === 'False');

function createUnhealthy(
  kind: UnhealthyObject['kind'],
  name: string,
  failing: readonly Condition[],
): UnhealthyObject | null {
  const times = failing.flatMap(({ since }) => since ?? []);
  if (failing.length === 0) return null;
  return { kind, name, message: formatConditions(failing), since: times.length === 0 ? null : Math.min(...times) };
}

function formatConditions(conditions: readonly Condition[]): string {
  const withMessage = conditions.filter(({ message }) => message !== '');
  const lines = (withMessage.length > 0 ? withMessage : conditions).map(({ type, status, reason, message }) => {
    const head = [`${type}=${status}`, reason].filter((text) => text !== '').join(' ');
    return message === '' ? head : `${head}: ${message}`;
  });
  return redact([...new Set(lines)].join('; ')).slice(0, MAX_MESSAGE_LENGTH);
}
