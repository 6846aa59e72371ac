import type { Placement } from './scheduler.ts';

/** A volume that every pod of a workload has of its own, or one that all share. */
export interface VolumeNeed {
  readonly claim: string;
  /** A claim per pod is made from this; a shared one has to exist. */
  readonly template: unknown;
}

/** What an operator wants to run. */
export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly operator: string;
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly placement: Placement;
  /** At most one of its pods on a node. */
  readonly isExclusive: boolean;
  readonly hostPorts: readonly number[];
  readonly volume: VolumeNeed | null;
  /** Labels of its pods that people or operators select them by. */
  readonly labels: Readonly<Record<string, string>>;
}

export const LINUX = { 'kubernetes.io/os': 'linux' };
export const ANYWHERE: Placement = { nodeSelector: LINUX, tolerations: [] };

/** A workload of an operator. @param path namespace and name */
export function workload(
  kind: Workload['kind'],
  operator: string,
  path: string,
  placement: Placement,
  rest: Partial<Workload> = {},
): Workload {
  const [namespace = '', name = ''] = path.split('/');
  return {
    kind,
    operator,
    namespace,
    name,
    placement,
    replicas: 1,
    isExclusive: false,
    hostPorts: [],
    volume: null,
    labels: {},
    ...rest,
  };
}
