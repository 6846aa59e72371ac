import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { listNodesWithRole } from '../../design/derived-facts.ts';
import { listInfraNodeNames, STORAGE_TAINT, type TaintOrToleration } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getList, type JsonObject, type KubeObject } from '../../openshift/object.ts';
import { isWorkloadRolledOut } from '../../openshift/operator.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { findReadyInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { describeDaemonSetRollout, getTemplateTolerations } from '../shared/rollout.ts';
import { createTolerationMerger, listPlannedTaints, tolerates } from '../shared/tolerations.ts';
import { dnsMove } from './dns.ts';
import { createStorageLabelEdits } from './label.ts';
import { findStorageNodes, listPlannedStorageTaints, planStorageNodes, planStorageNodeUndo } from './storage-nodes.ts';
import { createTaintEdit } from './taint.ts';

const STORAGE_NAMESPACE = 'openshift-storage';
const ROOK_CONFIG_MAP = { kind: 'ConfigMap', name: 'rook-ceph-operator-config', namespace: STORAGE_NAMESPACE } as const;
/**
 * Keys that hold YAML lists. Each list replaces the defaults of the operator, so it repeats the default tolerations.
 */
const TOLERATION_KEYS = ['CSI_PLUGIN_TOLERATIONS', 'CSI_PROVISIONER_TOLERATIONS'] as const;
const DEFAULT_TOLERATION: TaintOrToleration = { ...STORAGE_TAINT, operator: 'Equal' };
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
type RewriteTolerations = (tolerations: readonly TaintOrToleration[]) => readonly TaintOrToleration[];

/**
 * Plans the edits of the tolerations of Ceph's CSI plugins: those that mount volumes on the nodes and those that create
 * volumes. Up to 4.18 the tolerations are in the ConfigMap of Rook, since then in the Drivers of the CSI operator.
 * Empty if the cluster has neither.
 */
async function planCephTolerationEdits(cluster: ClusterReader, rewrite: RewriteTolerations): Promise<Edit[]> {
  const drivers = await cluster.list('CephDriver', { namespace: STORAGE_NAMESPACE });
  if (drivers.length > 0) {
    const workloads = [...(await listCephPlugins(cluster)), ...(await listCephProvisioners(cluster))];
    return drivers.map(({ metadata: { name } }) => ({
      kind: 'CephDriver',
      name,
      namespace: STORAGE_NAMESPACE,
      patch({ spec }): JsonObject {
        const parts = DRIVER_PARTS.flatMap(({ part, suffix }): [string, JsonObject][] => {
          const configuredTolerations = getList(spec, part, 'tolerations') as TaintOrToleration[];
          const currentTolerations =
            configuredTolerations.length > 0
              ? configuredTolerations
              : findOperatorTolerations(workloads, `${name}-${suffix}`);
          const newTolerations = rewrite(currentTolerations);
          // The tolerations that the operator sets suffice, so the Driver needs none.
          return configuredTolerations.length === 0 && isDeepStrictEqual(newTolerations, currentTolerations)
            ? []
            : [[part, { tolerations: [...newTolerations] }]];
        });
        return parts.length === 0 ? {} : { spec: Object.fromEntries(parts) };
      },
    }));
  }
  const configMap = await cluster.get(ROOK_CONFIG_MAP.kind, ROOK_CONFIG_MAP.name, ROOK_CONFIG_MAP.namespace);
  if (configMap === null) return [];
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
function findOperatorTolerations(workloads: readonly KubeObject[], workload: string): TaintOrToleration[] {
  const object = workloads.find(({ metadata }) => metadata.name === workload);
  const tolerations = (object === undefined ? [] : getTemplateTolerations(object)) as TaintOrToleration[];
  return tolerations.length > 0 ? tolerations : [DEFAULT_TOLERATION];
}

/**
 * Finds a key of the ConfigMap whose text is not a list, so that the wizard must not overwrite it; null if there is
 * none.
 */
async function findInvalidKey(cluster: ClusterReader): Promise<string | null> {
  if ((await cluster.list('CephDriver', { namespace: STORAGE_NAMESPACE })).length > 0) return null;
  const configMap = await cluster.get(ROOK_CONFIG_MAP.kind, ROOK_CONFIG_MAP.name, ROOK_CONFIG_MAP.namespace);
  return TOLERATION_KEYS.find((key) => parseTolerations(configMap?.data?.[key]) === null) ?? null;
}

/** Lists the DaemonSets that mount Ceph volumes. */
async function listCephPlugins(cluster: ClusterReader): Promise<readonly KubeObject[]> {
  const sets = await cluster.list('DaemonSet', { namespace: STORAGE_NAMESPACE });
  return sets.filter(({ metadata }) => PLUGIN.test(metadata.name));
}

/** Lists the Deployments that create Ceph volumes. */
async function listCephProvisioners(cluster: ClusterReader): Promise<readonly KubeObject[]> {
  const deployments = await cluster.list('Deployment', { namespace: STORAGE_NAMESPACE });
  return deployments.filter(({ metadata }) => PROVISIONER.test(metadata.name));
}

/** Rewrites the YAML text of a list of tolerations. Any other text stays as it is; null if there is no text. */
function rewriteText(text: string | undefined, rewrite: RewriteTolerations): string | null {
  const currentTolerations = parseTolerations(text);
  if (currentTolerations === null) return text ?? null;
  const newTolerations = rewrite(currentTolerations);
  return isDeepStrictEqual(newTolerations, currentTolerations)
    ? (text ?? null)
    : stringify(newTolerations, { compat: 'yaml-1.1' });
}

function parseTolerations(text: string | undefined): TaintOrToleration[] | null {
  if (text === undefined || text.trim() === '') return [DEFAULT_TOLERATION];
  try {
    const list: unknown = parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

const words = () => catalogue().moves.byName.storage;

/**
 * Reserves the storage nodes for OpenShift Data Foundation. Its CSI plugins run on the infra nodes before any pod with
 * a Ceph volume moves there: a pod cannot mount its volume without the plugin of its node. The wizard does not install
 * OpenShift Data Foundation.
 */
export const storageMove: ClusterMove<'storage'> = {
  name: 'storage',
  where: 'cluster',
  rolloutTarget: null,
  // Cluster DNS tolerates the taint of the storage nodes before they have it, and until they have lost it.
  needs: [dnsMove],
  mustPrecedeTaint: true,
  evictsNothing: true,
  async plan(cluster, design) {
    const tolerationEdits = await planPluginEdits(cluster, design);
    const { names } = await findStorageNodes(cluster, design);
    if (tolerationEdits.length === 0 && names.length === 0) return { state: 'absent', why: words().notInstalled };
    const isForInfra = tolerationEdits.length > 0 && listInfraNodeNames(design).length > 0;
    const nodes = isForInfra ? await findReadyInfraNodes(cluster, design) : [];
    if (isNotApplicable(nodes)) return nodes;
    const invalidKey = await findInvalidKey(cluster);
    if (invalidKey !== null) return { state: 'blocked', why: words().unreadable(invalidKey) };
    const { edits, notes } = await planStorageNodes(cluster, design);
    // This order matters: the plugins must tolerate the taint before the nodes get it.
    return { state: 'edits', edits: [...tolerationEdits, ...edits], notes };
  },
  async probeRollout(cluster, design) {
    const taints = listInfraNodeNames(design).length > 0 ? await listPlannedTaints(cluster, design) : [];
    const [sets, deployments] = [await listCephPlugins(cluster), await listCephProvisioners(cluster)];
    const workloads = [...sets, ...deployments];
    const expectedTaints =
      workloads.length === 0 ? [] : [...taints, ...(await listPlannedStorageTaints(cluster, design))];
    const pendingWorkloads = workloads.filter(
      (workload) => !expectedTaints.every((taint) => tolerates(getTemplateTolerations(workload), taint)),
    );
    const { rollout } = catalogue().moves.reasons;
    if (pendingWorkloads.length > 0)
      return { state: 'moving', why: rollout.notApplied(pendingWorkloads.map(({ metadata }) => metadata.name)) };
    const [why] = [
      ...(await Promise.all(sets.map((set) => describeDaemonSetRollout(cluster, set)))).flatMap((text) => text ?? []),
      ...deployments
        .filter((deployment) => !isWorkloadRolledOut(deployment))
        .map(({ metadata }) => rollout.restarting(metadata.name)),
    ];
    if (why !== undefined) return { state: 'moving', why };
    const { namesToTaint } = await findStorageNodes(cluster, design);
    return { state: 'done', why: words().done(workloads.length > 0, namesToTaint.length) };
  },
  findUndoBlocker: null,
  // Without an undo record, every toleration of the planned infra taints counts as ours.
  async planUndoEdits(cluster, design) {
    const taints = listInfraNodeNames(design).length > 0 ? await listPlannedTaints(cluster, design) : [];
    const isOurs = (entry: TaintOrToleration) => taints.some((taint) => tolerates([entry], taint));
    const tolerationEdits = await planCephTolerationEdits(cluster, (currentTolerations) =>
      currentTolerations.filter((entry) => !isOurs(entry)),
    );
    return [...(await planStorageNodeUndo(cluster, design)), ...tolerationEdits];
  },
  untilPodsGone: null,
  buildManifest(design) {
    const labelEdits = listNodesWithRole(design, 'compute').length === 0 ? [] : createStorageLabelEdits(design);
    if (labelEdits.length === 0) return [];
    // infra.yaml has two objects for each storage node, and both contain the label: server-side
    // apply removes fields that a manager's later object leaves out.
    return [
      {
        comment: COMMENT,
        edits: [...labelEdits, ...labelEdits.map(({ name }) => createTaintEdit(name, STORAGE_TAINT))],
      },
    ];
  },
};

const COMMENT =
  ' Reserves the storage nodes for OpenShift Data Foundation. The list replaces other taints of these nodes.';

/** Plans tolerations of the plugins for the taints that infra nodes and storage nodes have, or are going to have. */
async function planPluginEdits(cluster: ClusterReader, design: Design): Promise<Edit[]> {
  const infraTolerations =
    listInfraNodeNames(design).length > 0 ? (await createTolerationMerger(cluster, design))([]) : [];
  const storageTolerations = (await listPlannedStorageTaints(cluster, design)).map(
    (taint): TaintOrToleration => ({ ...taint, operator: 'Equal' }),
  );
  const newTolerations = [...infraTolerations, ...storageTolerations];
  if (newTolerations.length === 0) return [];
  return await planCephTolerationEdits(cluster, (currentTolerations) => [
    ...currentTolerations,
    ...newTolerations.filter(
      ({ key = '', value = '', effect = '' }) => !tolerates(currentTolerations, { key, value, effect }),
    ),
  ]);
}
