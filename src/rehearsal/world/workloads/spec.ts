import { createHash } from 'node:crypto';
import { getField, type NewObject } from '../../api/objects.ts';
import type { Workload } from './workload.ts';

/** API resources of the workload kinds. */
export const RESOURCES = {
  Deployment: 'deployments.apps',
  StatefulSet: 'statefulsets.apps',
  DaemonSet: 'daemonsets.apps',
} as const;

const specCache = new WeakMap<Workload, Readonly<Record<string, unknown>>>();

/** Returns the specification of a workload's object. Its label `revision` changes with the template. */
export function getWorkloadSpec(workload: Workload): Readonly<Record<string, unknown>> {
  const spec = specCache.get(workload) ?? buildSpec(workload);
  specCache.set(workload, spec);
  return spec;
}

function buildSpec(workload: Workload): Record<string, unknown> {
  const { kind, name, replicas, placement, hostPorts, volume } = workload;
  const labels = { 'app.kubernetes.io/name': name };
  const volumes =
    volume === null || kind === 'StatefulSet'
      ? []
      : [{ name: 'storage', persistentVolumeClaim: { claimName: volume.claim } }];
  const template = {
    nodeSelector: placement.nodeSelector,
    tolerations: placement.tolerations,
    ...(hostPorts.length > 0 ? { hostNetwork: true } : {}),
    containers: [
      {
        name,
        image: `quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:${computeDigest(name)}`,
        ...(hostPorts.length > 0 ? { ports: hostPorts.map((port) => ({ containerPort: port, hostPort: port })) } : {}),
      },
    ],
    ...(volumes.length > 0 ? { volumes } : {}),
  };
  const revision = computeDigest(JSON.stringify([template, volume?.template ?? null])).slice(0, 10);
  return {
    ...(kind === 'DaemonSet' ? {} : { replicas }),
    selector: { matchLabels: labels },
    ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
    ...(kind === 'StatefulSet' && volume !== null
      ? { volumeClaimTemplates: [buildClaimTemplate(volume.claim, volume.template)] }
      : {}),
    template: { metadata: { labels: { ...labels, revision } }, spec: template },
  };
}

/** Digests by text: every cycle needs those of the same texts. */
const digestCache = new Map<string, string>();
const MAX_DIGESTS = 1000;

function computeDigest(text: string): string {
  const known = digestCache.get(text);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(text).digest('hex');
  if (digestCache.size >= MAX_DIGESTS) digestCache.clear();
  digestCache.set(text, digest);
  return digest;
}

function buildClaimTemplate(name: string, template: unknown): NewObject {
  const spec = getField(template, 'spec');
  return {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], ...(typeof spec === 'object' ? spec : {}) },
  };
}
