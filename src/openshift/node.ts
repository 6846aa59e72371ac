import { getList, getString, getTime, type KubeObject, listConditions } from './object.ts';

/**
 * The fields of a Node that the wizard evaluates. `name` is that of the API: for a node of the design its fully
 * qualified name.
 */
export interface NodeView {
  readonly name: string;
  /** `master`, `worker`, `infra`, …: the labels `node-role.kubernetes.io/…`. */
  readonly roles: readonly string[];
  readonly isReady: boolean;
  /**
   * Start of its Ready condition, in milliseconds since the epoch; null while it is not Ready, or where the API does
   * not say.
   */
  readonly readySince: number | null;
  /**
   * The time since which it is not Ready, in milliseconds since the epoch; null while it is Ready, or where the API
   * does not say.
   */
  readonly goneSince: number | null;
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly taints: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch; null when the API does not say. */
  readonly createdAt: number | null;
}

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

const ROLE_LABEL = 'node-role.kubernetes.io/';

/** Reads a Node. Without a Ready condition it is not Ready; leaves out incomplete addresses and taints. */
export function nodeView(object: KubeObject): NodeView {
  const { name, labels = {} } = object.metadata;
  const ready = listConditions(object).find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  return {
    name,
    roles: Object.keys(labels)
      .filter((key) => key.startsWith(ROLE_LABEL))
      .map((key) => key.slice(ROLE_LABEL.length))
      .sort(),
    isReady,
    readySince: isReady ? ready.since : null,
    goneSince: isReady ? null : (ready?.since ?? null),
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
