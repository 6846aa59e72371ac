import type { Placement } from './scheduler.ts';

/** A volume that each pod of a workload has separately, or that all its pods share. */
export interface VolumeRequest {
  readonly claim: string;
  /** Template for one claim per pod. A shared claim must already exist. */
  readonly template: unknown;
}

/** A workload that an operator wants to run. */
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
  readonly volume: VolumeRequest | null;
  /** Labels of its pods that users or operators select them by. */
  readonly labels: Readonly<Record<string, string>>;
}

export const LINUX = { 'kubernetes.io/os': 'linux' };
export const DEFAULT_PLACEMENT: Placement = { nodeSelector: LINUX, tolerations: [] };

/**
 * Creates a workload of an operator.
 * @param path `namespace/name`
 */
export function createWorkload(
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
