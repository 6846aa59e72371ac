import { redact } from '../text/redact.ts';
import { at, type Condition, conditionsOf, type KubeObject, textAt, timeAt } from './object.ts';

/** An object of the cluster that says of itself that it is not well. */
export interface Unwell {
  readonly kind: 'MachineConfigPool' | 'APIService' | 'Namespace' | 'ClusterVersion' | 'Webhook';
  readonly name: string;
  /** What it says: the conditions that tell, with their reasons, in one line. */
  readonly message: string;
  /** Since when, ms; null where it does not say. */
  readonly since: number | null;
}

const LONGEST_MESSAGE = 2000;

/** What an object says of itself; null for one that is well, or of a kind that nothing is known of. */
export function unwellOf(object: KubeObject): Unwell | null {
  const { kind, metadata } = object;
  const { name } = metadata;
  const conditions = conditionsOf(object);
  switch (kind) {
    case 'MachineConfigPool': {
      // Degraded sums the two up; they say of which node, and why.
      const told = conditions.filter(
        ({ type, status }) => /^(?:Node|Render)?Degraded$/.test(type) && status === 'True',
      );
      return unwell(kind, name, told);
    }
    case 'APIService': {
      // Without a service the API server answers itself.
      if (at(object.spec, 'service') == null) return null;
      return unwell(kind, name, off(conditions, 'Available'));
    }
    case 'ClusterVersion':
      return unwell(kind, name, off(conditions, 'ReleaseAccepted'));
    case 'Namespace': {
      const since = timeAt(metadata, 'deletionTimestamp');
      if (since === null) return null;
      const told = conditions.filter(({ type, status }) => type.startsWith('Namespace') && status === 'True');
      return { kind, name, message: linesOf(told) || (textAt(object.status, 'phase') ?? ''), since };
    }
    default:
      return null;
  }
}

/** False, not Unknown or missing: a condition that is new says nothing yet. */
const off = (conditions: readonly Condition[], wanted: string) =>
  conditions.filter(({ type, status }) => type === wanted && status === 'False');

function unwell(kind: Unwell['kind'], name: string, told: readonly Condition[]): Unwell | null {
  const times = told.flatMap(({ since }) => since ?? []);
  if (told.length === 0) return null;
  return { kind, name, message: linesOf(told), since: times.length === 0 ? null : Math.min(...times) };
}

function linesOf(told: readonly Condition[]): string {
  const worded = told.filter(({ message }) => message !== '');
  const lines = (worded.length > 0 ? worded : told).map(({ type, status, reason, message }) => {
    const head = [`${type}=${status}`, reason].filter((text) => text !== '').join(' ');
    return message === '' ? head : `${head}: ${message}`;
  });
  return redact([...new Set(lines)].join('; ')).slice(0, LONGEST_MESSAGE);
}
