import { SECOND } from '../platform/clock.ts';
import { getField, getList, getString, getTime, type KubeObject, listConditions } from './object.ts';

/**
 * The fields of a Node that the wizard evaluates. `name` is `metadata.name`: for a node of the design its fully
 * qualified name.
 */
export interface NodeView {
  readonly name: string;
  /** `master`, `worker`, `infra`, …: the labels `node-role.kubernetes.io/…`. */
  readonly roles: readonly string[];
  readonly isReady: boolean;
  /**
   * The time since which it is Ready, in milliseconds since the epoch; null while it is not Ready, or where the API
   * does not report the time.
   */
  readonly readySince: number | null;
  /**
   * The time since which it is not Ready, in milliseconds since the epoch; null while it is Ready, or where the API
   * does not report the time.
   */
  readonly notReadySince: number | null;
  /**
   * Problems that a node may have although it is Ready, as `oc` names them: `DiskPressure`, `SchedulingDisabled`, ….
   */
  readonly problems: readonly string[];
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly taints: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch; null when the API does not report it. */
  readonly createdAt: number | null;
}

/** Lists a node's addresses of type InternalIP, at which other nodes reach it. */
export const listInternalAddresses = ({ addresses }: Pick<NodeView, 'addresses'>): string[] =>
  addresses.flatMap(({ type, address }) => (type === 'InternalIP' ? address : []));

/** Whether a node belongs to the control plane. Before OpenShift 4.11 its only role label is `master`. */
export const isControlPlaneNode = ({ roles }: Pick<NodeView, 'roles'>): boolean =>
  roles.includes('master') || roles.includes('control-plane');

/** The taint that the node lifecycle controller adds to a cordoned node (kubernetes, pkg/controller/nodelifecycle). */
export const CORDON_TAINT = 'node.kubernetes.io/unschedulable';
/**
 * The margin (ms) for a node that has never been Ready: it is not Ready since its creation, and the API rounds both
 * times to seconds.
 */
const CREATION_MARGIN = 5 * SECOND;

/**
 * Whether a node was Ready and no longer is, although no update is restarting it: the Machine Config Operator cordons a
 * node before a restart. False where the API does not report the times.
 */
export function isNodeLost({ isReady, notReadySince, createdAt, taints }: NodeView): boolean {
  if (isReady || notReadySince === null || createdAt === null) return false;
  return notReadySince > createdAt + CREATION_MARGIN && !taints.some(({ key }) => key === CORDON_TAINT);
}

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/**
 * Whether a condition of the kubelet or of the network reports a problem: these are True only if there is a problem
 * (kubernetes, core/v1 types.go).
 */
const isProblemCondition = ({ type, status }: { readonly type: string; readonly status: string }) =>
  status === 'True' && /^(?:Disk|Memory|PID)Pressure$|^NetworkUnavailable$/.test(type);

/** Formats the Ready nodes with problems, by their short names: `w1 (DiskPressure)`. */
export const formatNodeProblems = (nodes: readonly NodeView[]): string[] =>
  nodes
    .filter(({ isReady, problems }) => isReady && problems.length > 0)
    .map(({ name, problems }) => `${name.split('.')[0]} (${problems.join(', ')})`);

const ROLE_LABEL = 'node-role.kubernetes.io/';

/** Parses a Node. Without a Ready condition it is not Ready; leaves out incomplete addresses and taints. */
export function parseNode(object: KubeObject): NodeView {
  const { name, labels = {} } = object.metadata;
  const conditions = listConditions(object);
  const readyCondition = conditions.find(({ type }) => type === 'Ready');
  const isReady = readyCondition?.status === 'True';
  return {
    name,
    roles: Object.keys(labels)
      .filter((key) => key.startsWith(ROLE_LABEL))
      .map((key) => key.slice(ROLE_LABEL.length))
      .sort(),
    isReady,
    readySince: isReady ? readyCondition.since : null,
    notReadySince: isReady ? null : (readyCondition?.since ?? null),
    problems: [
      ...conditions.filter(isProblemCondition).map(({ type }) => type),
      ...(getField(object.spec, 'unschedulable') === true ? ['SchedulingDisabled'] : []),
    ],
    addresses: getList(object.status, 'addresses').flatMap((entry) => {
      const [type, address] = [getString(entry, 'type'), getString(entry, 'address')];
      return type === null || address === null ? [] : { type, address };
    }),
    taints: getList(object.spec, 'taints').flatMap((entry) => {
      const [key, effect] = [getString(entry, 'key'), getString(entry, 'effect')];
      return key === null || effect === null ? [] : { key, value: getString(entry, 'value') ?? '', effect };
    }),
    labels,
    createdAt: getTime(object.metadata, 'creationTimestamp'),
  };
}
