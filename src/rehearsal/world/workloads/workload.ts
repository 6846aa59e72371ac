import { hash } from 'node:crypto';
import { DAEMON_TOLERATIONS } from '../../../design/infra-placement.ts';
import { getRecord } from '../../api/objects.ts';
import type { Placement } from './scheduler.ts';

/** A volume that each pod of a workload has separately, or that all its pods share. */
export interface VolumeRequest {
  readonly claim: string;
  /** Template for one PersistentVolumeClaim per pod. Null: a shared claim, which must already exist. */
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
  /** Whether a node runs at most one of its pods. */
  readonly isExclusive: boolean;
  readonly hostPorts: readonly number[];
  readonly volume: VolumeRequest | null;
  /** Labels by which users and operators select its pods. */
  readonly labels: Readonly<Record<string, string>>;
}

export const LINUX_SELECTOR = { 'kubernetes.io/os': 'linux' };
export const DEFAULT_PLACEMENT: Placement = { nodeSelector: LINUX_SELECTOR, tolerations: [] };
export const ALL_NODES_PLACEMENT: Placement = { nodeSelector: LINUX_SELECTOR, tolerations: [{ operator: 'Exists' }] };

/**
 * Creates a workload of an operator.
 * @param path `namespace/name`
 */
export function createWorkload(
  kind: Workload['kind'],
  operator: string,
  path: string,
  placement: Placement,
  overrides: Partial<Workload> = {},
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
    ...overrides,
  };
}

/** Returns the placement of the pods of a workload. */
export const getPlacement = ({ kind, placement }: Pick<Workload, 'kind' | 'placement'>): Placement =>
  kind === 'DaemonSet' ? { ...placement, tolerations: [...placement.tolerations, ...DAEMON_TOLERATIONS] } : placement;

/** API resources of the workload kinds. */
export const RESOURCE_BY_KIND = {
  Deployment: 'deployments.apps',
  StatefulSet: 'statefulsets.apps',
  DaemonSet: 'daemonsets.apps',
} as const;

const specCache = new WeakMap<Workload, Readonly<Record<string, unknown>>>();

/**
 * Returns the specification of a workload's object. The label `revision` of its pods changes with the template.
 * @param repository the repository of its image
 */
export function getWorkloadSpec(workload: Workload, repository: string): Readonly<Record<string, unknown>> {
  const spec = specCache.get(workload) ?? buildWorkloadSpec(workload, repository);
  specCache.set(workload, spec);
  return spec;
}

function buildWorkloadSpec(workload: Workload, repository: string): Record<string, unknown> {
  const { kind, name, replicas, placement, hostPorts, volume } = workload;
  const labels = { 'app.kubernetes.io/name': name };
  const isStateful = kind === 'StatefulSet';
  const podSpec = {
    nodeSelector: placement.nodeSelector,
    tolerations: placement.tolerations,
    ...(hostPorts.length > 0 ? { hostNetwork: true } : {}),
    containers: [
      {
        name,
        image: `${repository}@sha256:${computeDigest(name)}`,
        ...(hostPorts.length > 0 ? { ports: hostPorts.map((port) => ({ containerPort: port, hostPort: port })) } : {}),
      },
    ],
    ...(volume === null || isStateful ? {} : { volumes: [buildVolume(volume.claim)] }),
  };
  const revision = computeDigest(JSON.stringify([podSpec, volume?.template ?? null])).slice(0, 10);
  return {
    ...(kind === 'DaemonSet' ? {} : { replicas }),
    selector: { matchLabels: labels },
    ...(isStateful ? { serviceName: name } : {}),
    ...(isStateful && volume !== null
      ? { volumeClaimTemplates: [{ metadata: { name: volume.claim }, spec: buildClaimSpec(volume) }] }
      : {}),
    template: { metadata: { labels: { ...labels, revision } }, spec: podSpec },
  };
}

const computeDigest = (text: string) => hash('sha256', text);

/** Builds the volume of a pod that uses a claim. */
export const buildVolume = (claimName: string) => ({ name: 'storage', persistentVolumeClaim: { claimName } });

/** Builds the specification of a PersistentVolumeClaim from its template. */
export const buildClaimSpec = ({ template }: VolumeRequest) => ({
  accessModes: ['ReadWriteOnce'],
  ...getRecord(template, 'spec'),
});
