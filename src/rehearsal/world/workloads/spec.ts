import { createHash } from 'node:crypto';
import { at, type NewObject } from '../../api/objects.ts';
import type { Workload } from './workload.ts';

/** Where the objects of a workload are kept. */
export const RESOURCES = {
  Deployment: 'deployments.apps',
  StatefulSet: 'statefulsets.apps',
  DaemonSet: 'daemonsets.apps',
} as const;

const specs = new WeakMap<Workload, Readonly<Record<string, unknown>>>();

/** The specification of a workload's object; its label `revision` changes with the template. */
export function specOf(workload: Workload): Readonly<Record<string, unknown>> {
  const spec = specs.get(workload) ?? makeSpec(workload);
  specs.set(workload, spec);
  return spec;
}

function makeSpec(workload: Workload): Record<string, unknown> {
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
        image: `quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:${digestOf(name)}`,
        ...(hostPorts.length > 0 ? { ports: hostPorts.map((port) => ({ containerPort: port, hostPort: port })) } : {}),
      },
    ],
    ...(volumes.length > 0 ? { volumes } : {}),
  };
  const revision = digestOf(JSON.stringify([template, volume?.template ?? null])).slice(0, 10);
  return {
    ...(kind === 'DaemonSet' ? {} : { replicas }),
    selector: { matchLabels: labels },
    ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
    ...(kind === 'StatefulSet' && volume !== null
      ? { volumeClaimTemplates: [claimTemplate(volume.claim, volume.template)] }
      : {}),
    template: { metadata: { labels: { ...labels, revision } }, spec: template },
  };
}

/** Each look asks for the digests of the same texts. */
const digests = new Map<string, string>();
const MOST_DIGESTS = 1000;

function digestOf(text: string): string {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(text).digest('hex');
  if (digests.size >= MOST_DIGESTS) digests.clear();
  digests.set(text, digest);
  return digest;
}

function claimTemplate(name: string, template: unknown): NewObject {
  const spec = at(template, 'spec');
  return {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], ...(typeof spec === 'object' ? spec : {}) },
  };
}
