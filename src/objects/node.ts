import { conditionsOf, type KubeObject, listAt, textAt, timeAt } from './object.ts';

/** The fields of a Node that we judge. `name` is that of the API: for a node of the design its fully qualified name. */
export interface NodeView {
  readonly name: string;
  /** `master`, `worker`, `infra`, …: the labels `node-role.kubernetes.io/…`. */
  readonly roles: readonly string[];
  readonly isReady: boolean;
  /** Since when it is Ready, in milliseconds since the epoch; null while it is not, or where the API does not say. */
  readonly readySince: number | null;
  /** Since when it is not Ready, in milliseconds since the epoch; null while it is, or where the API does not say. */
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
  const ready = conditionsOf(object).find(({ type }) => type === 'Ready');
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
    addresses: listAt(object.status, 'addresses').flatMap((entry) => {
      const [type, address] = [textAt(entry, 'type'), textAt(entry, 'address')];
      return type === null || address === null ? [] : { type, address };
    }),
    taints: listAt(object.spec, 'taints').flatMap((entry) => {
      const [key, effect] = [textAt(entry, 'key'), textAt(entry, 'effect')];
      return key === null || effect === null ? [] : { key, value: textAt(entry, 'value') ?? '', effect };
    }),
    labels,
    createdAt: timeAt(object.metadata, 'creationTimestamp'),
  };
}
