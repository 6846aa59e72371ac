import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { STORAGE_TAINT, type Toleration } from '../../design/infra-placement.ts';
import { getList, type JsonObject, type KubeObject } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import { templateTolerations } from '../shared/rollout.ts';

const STORAGE_NAMESPACE = 'openshift-storage';
const ROOK_CONFIG_MAP = { kind: 'ConfigMap', name: 'rook-ceph-operator-config', namespace: STORAGE_NAMESPACE } as const;
/** Keys that hold YAML lists. Each list replaces the default tolerations of the operator, so it must contain them. */
const TOLERATION_KEYS = ['CSI_PLUGIN_TOLERATIONS', 'CSI_PROVISIONER_TOLERATIONS'] as const;
const DEFAULT_TOLERATION: Toleration = { ...STORAGE_TAINT, operator: 'Equal' };
/**
 * The parts of a Driver (ceph-csi-operator, api/v1/driver_types.go), with the workload that its operator creates for
 * each.
 */
const DRIVER_PARTS = [
  { part: 'nodePlugin', kind: 'DaemonSet', suffix: 'nodeplugin' },
  { part: 'controllerPlugin', kind: 'Deployment', suffix: 'ctrlplugin' },
] as const;
/** DaemonSets that mount Ceph volumes: `csi-rbdplugin`, `openshift-storage.rbd.csi.ceph.com-nodeplugin`. */
const PLUGIN = /^csi-(?:rbd|cephfs|nfs)plugin$|\.csi\.ceph\.com-nodeplugin$/;
/**
 * Deployments that create Ceph volumes: `csi-rbdplugin-provisioner`, `openshift-storage.rbd.csi.ceph.com-ctrlplugin`.
 */
const PROVISIONER = /^csi-(?:rbd|cephfs|nfs)plugin-provisioner$|\.csi\.ceph\.com-ctrlplugin$/;

/** Changes a list of tolerations. */
type RewriteTolerations = (found: readonly Toleration[]) => readonly Toleration[];

/**
 * The edits of the tolerations of Ceph's CSI plugins, on nodes and where volumes are created. Up to 4.18 they are in
 * the ConfigMap of Rook, since then in the Drivers of the CSI operator. Empty if the cluster has neither.
 */
export async function cephTolerationEdits(cluster: ClusterReader, rewrite: RewriteTolerations): Promise<Edit[]> {
  const drivers = await cluster.list('CephDriver', { namespace: STORAGE_NAMESPACE });
  if (drivers.length > 0) {
    const running = [...(await listCephPlugins(cluster)), ...(await listCephProvisioners(cluster))];
    return drivers.map(({ metadata: { name } }) => ({
      kind: 'CephDriver',
      name,
      namespace: STORAGE_NAMESPACE,
      patch({ spec }): JsonObject {
        const parts = DRIVER_PARTS.flatMap(({ part, suffix }): [string, JsonObject][] => {
          const configured = getList(spec, part, 'tolerations') as Toleration[];
          const found = configured.length > 0 ? configured : findOperatorTolerations(running, `${name}-${suffix}`);
          const next = rewrite(found);
          // The tolerations of its operator are enough: none of ours are needed there.
          return configured.length === 0 && isDeepStrictEqual(next, found) ? [] : [[part, { tolerations: [...next] }]];
        });
        return parts.length === 0 ? {} : { spec: Object.fromEntries(parts) };
      },
    }));
  }
  const map = await cluster.get(ROOK_CONFIG_MAP.kind, ROOK_CONFIG_MAP.name, ROOK_CONFIG_MAP.namespace);
  if (map === null) return [];
  return [
    {
      ...ROOK_CONFIG_MAP,
      patch: ({ data }): JsonObject => ({
        data: Object.fromEntries(TOLERATION_KEYS.map((key) => [key, rewriteText(data?.[key], rewrite)])),
      }),
    },
  ];
}

/** Finds the tolerations that the operator sets on a workload by default, which a list of ours replaces. */
function findOperatorTolerations(running: readonly KubeObject[], workload: string): Toleration[] {
  const found = running.find(({ metadata }) => metadata.name === workload);
  const tolerations = (found === undefined ? [] : templateTolerations(found)) as Toleration[];
  return tolerations.length > 0 ? tolerations : [DEFAULT_TOLERATION];
}

/** Finds the key of the ConfigMap whose text is no list, which we do not overwrite; null: there is none. */
export async function findInvalidKey(cluster: ClusterReader): Promise<string | null> {
  if ((await cluster.list('CephDriver', { namespace: STORAGE_NAMESPACE })).length > 0) return null;
  const map = await cluster.get(ROOK_CONFIG_MAP.kind, ROOK_CONFIG_MAP.name, ROOK_CONFIG_MAP.namespace);
  return TOLERATION_KEYS.find((key) => parseTolerations(map?.data?.[key]) === null) ?? null;
}

/** Lists the DaemonSets that mount Ceph volumes. */
export async function listCephPlugins(cluster: ClusterReader): Promise<readonly KubeObject[]> {
  const sets = await cluster.list('DaemonSet', { namespace: STORAGE_NAMESPACE });
  return sets.filter(({ metadata }) => PLUGIN.test(metadata.name));
}

/** Lists the Deployments that create Ceph volumes. */
export async function listCephProvisioners(cluster: ClusterReader): Promise<readonly KubeObject[]> {
  const found = await cluster.list('Deployment', { namespace: STORAGE_NAMESPACE });
  return found.filter(({ metadata }) => PROVISIONER.test(metadata.name));
}

/** Rewrites the text of a list. Text that is no list stays as it is; null: no text. */
function rewriteText(text: string | undefined, rewrite: RewriteTolerations): string | null {
  const found = parseTolerations(text);
  if (found === null) return text ?? null;
  const next = rewrite(found);
  return isDeepStrictEqual(next, found) ? (text ?? null) : stringify(next, { compat: 'yaml-1.1' });
}

function parseTolerations(text: string | undefined): Toleration[] | null {
  if (text === undefined || text.trim() === '') return [DEFAULT_TOLERATION];
  try {
    const list: unknown = parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}
