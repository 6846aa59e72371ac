import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { STORAGE_TAINT, type Toleration } from '../../design/infra-placement.ts';
import { type JsonObject, type KubeObject, listAt } from '../../objects/object.ts';
import type { Edit } from '../edit.ts';
import type { Sight } from '../move.ts';
import { templateTolerations } from '../shared/rollout.ts';

const STORAGE_NAMESPACE = 'openshift-storage';
const MAP = { kind: 'ConfigMap', name: 'rook-ceph-operator-config', namespace: STORAGE_NAMESPACE } as const;
/** YAML lists. Each replaces what the operator tolerates by itself, so that has to be in it again. */
const TEXTS = ['CSI_PLUGIN_TOLERATIONS', 'CSI_PROVISIONER_TOLERATIONS'] as const;
const USUAL: Toleration = { ...STORAGE_TAINT, operator: 'Equal' };
/** The parts of a Driver (ceph-csi-operator, api/v1/driver_types.go) with the workload that it makes of each. */
const PARTS = [
  { part: 'nodePlugin', kind: 'DaemonSet', suffix: 'nodeplugin' },
  { part: 'controllerPlugin', kind: 'Deployment', suffix: 'ctrlplugin' },
] as const;
/** What mounts Ceph volumes: `csi-rbdplugin`, `openshift-storage.rbd.csi.ceph.com-nodeplugin`. */
const PLUGIN = /^csi-(?:rbd|cephfs|nfs)plugin$|\.csi\.ceph\.com-nodeplugin$/;
/** What makes them: `csi-rbdplugin-provisioner`, `openshift-storage.rbd.csi.ceph.com-ctrlplugin`. */
const PROVISIONER = /^csi-(?:rbd|cephfs|nfs)plugin-provisioner$|\.csi\.ceph\.com-ctrlplugin$/;

/** What a list of tolerations becomes. */
type Rewrite = (found: readonly Toleration[]) => readonly Toleration[];

/**
 * The edits of what the CSI plugins of Ceph tolerate, on nodes and where volumes are made: up to 4.18 in the ConfigMap of Rook, since
 * in the Drivers of the CSI operator. Empty where neither is there.
 */
export async function cephEdits(sight: Sight, rewrite: Rewrite): Promise<Edit[]> {
  const drivers = await sight.list('CephDriver', { namespace: STORAGE_NAMESPACE });
  if (drivers.length > 0) {
    const running = [...(await plugins(sight)), ...(await provisioners(sight))];
    return drivers.map(({ metadata: { name } }) => ({
      kind: 'CephDriver',
      name,
      namespace: STORAGE_NAMESPACE,
      patch({ spec }): JsonObject {
        const parts = PARTS.flatMap(({ part, suffix }): [string, JsonObject][] => {
          const own = listAt(spec, part, 'tolerations') as Toleration[];
          const found = own.length > 0 ? own : givenBy(running, `${name}-${suffix}`);
          const next = rewrite(found);
          // What its operator gives it does: nothing of ours has to stand there.
          return own.length === 0 && isDeepStrictEqual(next, found) ? [] : [[part, { tolerations: [...next] }]];
        });
        return parts.length === 0 ? {} : { spec: Object.fromEntries(parts) };
      },
    }));
  }
  const map = await sight.get(MAP.kind, MAP.name, MAP.namespace);
  if (map === null) return [];
  return [
    {
      ...MAP,
      patch: ({ data }): JsonObject => ({
        data: Object.fromEntries(TEXTS.map((key) => [key, rewritten(data?.[key], rewrite)])),
      }),
    },
  ];
}

/** What its operator has given a workload by itself, which a list of ours replaces. */
function givenBy(running: readonly KubeObject[], workload: string): Toleration[] {
  const found = running.find(({ metadata }) => metadata.name === workload);
  const given = (found === undefined ? [] : templateTolerations(found)) as Toleration[];
  return given.length > 0 ? given : [USUAL];
}

/** The key of the ConfigMap whose text is no list, which we do not overwrite; null: there is none. */
export async function unreadableKey(sight: Sight): Promise<string | null> {
  if ((await sight.list('CephDriver', { namespace: STORAGE_NAMESPACE })).length > 0) return null;
  const map = await sight.get(MAP.kind, MAP.name, MAP.namespace);
  return TEXTS.find((key) => listIn(map?.data?.[key]) === null) ?? null;
}

/** The DaemonSets that mount Ceph volumes. */
export async function plugins(sight: Sight): Promise<readonly KubeObject[]> {
  const sets = await sight.list('DaemonSet', { namespace: STORAGE_NAMESPACE });
  return sets.filter(({ metadata }) => PLUGIN.test(metadata.name));
}

/** The Deployments that make Ceph volumes. */
export async function provisioners(sight: Sight): Promise<readonly KubeObject[]> {
  const found = await sight.list('Deployment', { namespace: STORAGE_NAMESPACE });
  return found.filter(({ metadata }) => PROVISIONER.test(metadata.name));
}

/** The text of a list; what is no list stays, and null is none. */
function rewritten(text: string | undefined, rewrite: Rewrite): string | null {
  const found = listIn(text);
  if (found === null) return text ?? null;
  const next = rewrite(found);
  return isDeepStrictEqual(next, found) ? (text ?? null) : stringify(next, { compat: 'yaml-1.1' });
}

function listIn(text: string | undefined): Toleration[] | null {
  if (text === undefined || text.trim() === '') return [USUAL];
  try {
    const list: unknown = parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}
