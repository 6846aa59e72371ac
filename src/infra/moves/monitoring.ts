import { isDeepStrictEqual } from 'node:util';
import { type Document, isAlias, isNode, isScalar, type Node, visit } from 'yaml';
import { createMonitoringVolumeClaims, INFRA_NODE_SELECTOR, listInfraNodeNames } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { formatRelease, getUserWorkloadPlacement, listMonitoringPlacementKeys } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField, getList, getString, type JsonObject } from '../../openshift/object.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import { type Edit, type EditTarget, isJsonObject } from '../edit.ts';
import type { ClusterMove, Workload } from '../infra-move.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { findIncompleteRollout } from '../shared/rollout.ts';
import { listStorageClasses } from '../shared/storage-classes.ts';
import { createTolerationMerger, createTolerationReplacer, type TolerationMerger } from '../shared/tolerations.ts';
import { formatPlainYaml, readYaml } from '../shared/yaml.ts';
import { labelMove } from './label.ts';

/** The monitoring settings that a move adds. */
export interface MonitoringSettings {
  readonly keys: readonly string[];
  readonly nodeSelector: JsonObject;
  readonly mergeTolerations: TolerationMerger;
  /** A configured volume stays: a new volume would be empty. */
  readonly volumes: readonly { readonly key: string; readonly spec: JsonObject }[];
}

type MergeResult =
  | { readonly text: string; readonly differingVolumeKeys: readonly string[] }
  | { readonly error: string };

/** A plan requests the same text several times: for the check, for its dry run and for the write. */
const mergeCache = new WeakMap<MonitoringSettings, Map<string, MergeResult>>();

/**
 * Merges our settings into the text of `config.yaml`. All else stays as it is, comments included.
 * @param text the current text; empty when there is none
 * @returns the same text when it has all settings already. `differingVolumeKeys`: keys whose volumes differ from our
 * settings. `error`: the text is not a YAML mapping.
 */
export function mergeMonitoring(text: string, settings: MonitoringSettings): MergeResult {
  const cache = mergeCache.get(settings) ?? new Map<string, MergeResult>();
  mergeCache.set(settings, cache);
  const mergeResult = cache.get(text) ?? merge(text, settings);
  cache.set(text, mergeResult);
  return mergeResult;
}

function merge(text: string, settings: MonitoringSettings): MergeResult {
  const newText = text === '' ? formatNewSettings(settings) : null;
  if (newText !== null) return { text: newText, differingVolumeKeys: [] };
  const yaml = readYaml(text);
  if ('error' in yaml) return yaml;
  const { document, value: currentSettings } = yaml;
  if (currentSettings !== null && !isJsonObject(currentSettings)) return { error: 'not a mapping' };
  const invalidPath = [...settings.keys, ...settings.volumes.map(({ key }) => `${key}.volumeClaimTemplate`)].find(
    (path) => {
      const value = getField(currentSettings, ...path.split('.'));
      return value !== undefined && value !== null && !isJsonObject(value);
    },
  );
  if (invalidPath !== undefined) return { error: `${invalidPath}: not a mapping` };
  if (settings.keys.some((key) => isSharedByAlias(document, key))) resolveAliases(document);
  for (const key of settings.keys) {
    setValue(document, [key, 'nodeSelector'], settings.nodeSelector);
    setValue(document, [key, 'tolerations'], settings.mergeTolerations(getList(currentSettings, key, 'tolerations')));
  }
  const differingVolumeKeys: string[] = [];
  for (const { key, spec } of settings.volumes) {
    const currentSpec: unknown = getField(currentSettings, key, 'volumeClaimTemplate', 'spec');
    if (currentSpec === undefined || currentSpec === null)
      setValue(document, [key, 'volumeClaimTemplate', 'spec'], spec);
    else if (!isDeepStrictEqual(currentSpec, spec)) differingVolumeKeys.push(key);
  }
  return {
    text: isDeepStrictEqual(document.toJS(), currentSettings) ? text : document.toString({ lineWidth: 0 }),
    differingVolumeKeys,
  };
}

/** Formats our settings for an empty text, which is the usual case; null if that needs the YAML library. */
function formatNewSettings({ keys, nodeSelector, mergeTolerations, volumes }: MonitoringSettings): string | null {
  const placements = keys.map((key) => [key, { nodeSelector, tolerations: mergeTolerations([]) }] as const);
  const settings: Record<string, object> = Object.fromEntries(placements);
  for (const { key, spec } of volumes) settings[key] = { ...settings[key], volumeClaimTemplate: { spec } };
  return formatPlainYaml(settings);
}

/** Removes our placement from the text; volumes stay, since removing them loses metrics. */
function removePlacement(text: string, keys: readonly string[]): string {
  const yaml = readYaml(text);
  if ('error' in yaml) return text;
  const { document, value: currentSettings } = yaml;
  if (keys.some((key) => isSharedByAlias(document, key))) resolveAliases(document);
  for (const key of keys) {
    for (const part of ['nodeSelector', 'tolerations']) {
      if (document.hasIn([key, part])) document.deleteIn([key, part]);
    }
    const remainingSettings: unknown = document.toJS();
    if (isDeepStrictEqual(getField(remainingSettings, key), {})) document.delete(key);
  }
  return isDeepStrictEqual(document.toJS(), currentSettings) ? text : document.toString({ lineWidth: 0 });
}

/** Whether the value at the key uses or defines an anchor, an alias or a merge key. */
function isSharedByAlias(document: Document, key: string): boolean {
  let isFound = false;
  const markFound = () => {
    isFound = true;
    return visit.BREAK;
  };
  const node = document.get(key, true);
  if (isNode(node))
    visit(node, { Alias: markFound, Node: (_, { anchor }) => (anchor === undefined ? undefined : markFound()) });
  return isFound;
}

/** Replaces aliases and merge keys with their values, so that one component can change without the others. */
function resolveAliases(document: Document): void {
  const copyNode = (node: Node): Node => document.createNode(node.toJS(document), { aliasDuplicateObjects: false });
  visit(document, {
    Map(_, map) {
      const mergeKeyItems = map.items.filter(({ key, value }) => isScalar(key) && key.value === '<<' && isNode(value));
      if (mergeKeyItems.length === 0) return;
      const mergedFields: unknown = map.toJS(document);
      map.items = map.items.filter((item) => !mergeKeyItems.includes(item));
      for (const [key, value] of Object.entries(isJsonObject(mergedFields) ? mergedFields : {})) {
        if (!map.has(key)) map.set(key, document.createNode(value, { aliasDuplicateObjects: false }));
      }
    },
    Alias: (_, alias) => copyNode(alias),
  });
  visit(document, {
    Node(_, node) {
      if (!isAlias(node)) node.anchor = undefined;
    },
  });
}

function setValue(document: Document, path: readonly string[], value: unknown): void {
  // A key without a value (`prometheusK8s:`) is null: it becomes a mapping first.
  for (let depth = 1; depth < path.length; depth += 1) {
    const parent = path.slice(0, depth);
    const currentValue: unknown = document.getIn(parent);
    if (currentValue !== null && currentValue !== undefined) continue;
    const emptyNode = document.getIn(parent, true);
    const newMap = document.createNode({});
    // The comment of the empty value moves above the new mapping.
    if (isNode(emptyNode)) newMap.commentBefore = emptyNode.comment ?? emptyNode.commentBefore;
    document.setIn(parent, newMap);
  }
  document.setIn(path, document.createNode(value));
}

/** A ConfigMap of the monitoring operator. */
type SettingsConfigMap = EditTarget & { readonly namespace: string };

/** The settings of the cluster's own monitoring. */
const CLUSTER_CONFIG_MAP: SettingsConfigMap = {
  kind: 'ConfigMap',
  name: 'cluster-monitoring-config',
  namespace: 'openshift-monitoring',
};

/** The settings of the monitoring of user-defined projects, since 4.6. */
const USER_WORKLOAD_CONFIG_MAP: SettingsConfigMap = {
  kind: 'ConfigMap',
  name: 'user-workload-monitoring-config',
  namespace: 'openshift-user-workload-monitoring',
};
const CONFIG_KEY = 'config.yaml';

/** Reads the text of the settings; empty if there are none. */
async function readSettings(cluster: ClusterReader, { kind, name, namespace }: SettingsConfigMap): Promise<string> {
  return (await cluster.get(kind, name, namespace))?.data?.[CONFIG_KEY] ?? '';
}

/** Whether the ConfigMap is immutable: it must be recreated to change it. */
async function isImmutable(cluster: ClusterReader, { kind, name, namespace }: SettingsConfigMap): Promise<boolean> {
  return (await cluster.get(kind, name, namespace))?.immutable === true;
}

/** Creates the edit that sets placement and volumes. The edit keeps a text that became unreadable since the plan. */
function createPlacementEdit(configMap: SettingsConfigMap, settings: MonitoringSettings): Edit {
  return createSettingsEdit(configMap, (text) => {
    const mergeResult = mergeMonitoring(text, settings);
    return 'text' in mergeResult ? mergeResult.text : text;
  });
}

/** Creates the edit that removes the placement of these keys. It does not create a missing ConfigMap. */
function createPlacementRemovalEdit(configMap: SettingsConfigMap, keys: readonly string[]): Edit {
  const { create: _create, ...edit } = createSettingsEdit(configMap, (text) => removePlacement(text, keys));
  return edit;
}

function createSettingsEdit(configMap: SettingsConfigMap, rewrite: (text: string) => string): Edit {
  const { name, namespace } = configMap;
  // A plan requests the same text several times.
  const cache = new Map<string, string>();
  const rewriteOnce = (text: string) => {
    const newText = cache.get(text) ?? rewrite(text);
    cache.set(text, newText);
    return newText;
  };
  return {
    ...configMap,
    yamlFields: [['data', CONFIG_KEY]],
    createdObjectPolicy: 'parts',
    patch: (current) => ({ data: { [CONFIG_KEY]: rewriteOnce(current.data?.[CONFIG_KEY] ?? '') } }),
    create: () => ({ metadata: { name, namespace }, data: { [CONFIG_KEY]: rewriteOnce('') } }),
  };
}

/** Reads the settings keys of the components that the running version can place; null while the version is unknown. */
async function readPlacementKeys(cluster: ClusterReader): Promise<string[] | null> {
  return listMonitoringPlacementKeys(await readClusterVersion(cluster));
}

/**
 * Reads the components of the monitoring of user-defined projects, with the ConfigMap that holds their settings; null
 * while the version is unknown.
 */
async function readUserWorkloadKeys(
  cluster: ClusterReader,
): Promise<{ readonly keys: readonly string[]; readonly configMap: SettingsConfigMap } | null> {
  const placement = getUserWorkloadPlacement(await readClusterVersion(cluster));
  return (
    placement && {
      keys: placement.keys,
      configMap: placement.hasOwnConfigMap ? USER_WORKLOAD_CONFIG_MAP : CLUSTER_CONFIG_MAP,
    }
  );
}

async function readClusterVersion(cluster: ClusterReader): Promise<string> {
  return getString((await cluster.get('ClusterVersion', 'version'))?.status, 'desired', 'version') ?? '';
}

/** Whether the settings enable the monitoring of user-defined projects (the second key is that of 4.5). */
function isUserWorkloadEnabled(text: string): boolean {
  // Most clusters have no settings: parsing is skipped.
  if (text.trim() === '') return false;
  const yaml = readYaml(text);
  const settings = 'error' in yaml ? null : yaml.value;
  return (
    getField(settings, 'enableUserWorkload') === true ||
    getField(settings, 'techPreviewUserWorkload', 'enabled') === true
  );
}

const words = () => catalogue().moves.byName.monitoring;

const MONITORING_NAMESPACE = CLUSTER_CONFIG_MAP.namespace;
const formatManifestComment = (version: string) =>
  ` The components of ${formatRelease(version)}; an unknown key makes the operator degraded. This replaces an existing\n ConfigMap: merge it by hand, or let the wizard do it.`;
/** Both replicas of a component run on different nodes: with one infra node, the second would stay pending. */
const MINIMUM_NODES = 2;

/** The workload of each key. The two that keep data must exist; others depend on settings of the cluster. */
const WORKLOADS: Readonly<Record<string, Workload>> = {
  prometheusK8s: { kind: 'StatefulSet', namespace: MONITORING_NAMESPACE, name: 'prometheus-k8s' },
  alertmanagerMain: { kind: 'StatefulSet', namespace: MONITORING_NAMESPACE, name: 'alertmanager-main' },
  prometheusOperator: createOptionalDeployment('prometheus-operator'),
  kubeStateMetrics: createOptionalDeployment('kube-state-metrics'),
  openshiftStateMetrics: createOptionalDeployment('openshift-state-metrics'),
  telemeterClient: createOptionalDeployment('telemeter-client'),
  thanosQuerier: createOptionalDeployment('thanos-querier'),
  grafana: createOptionalDeployment('grafana'),
  k8sPrometheusAdapter: createOptionalDeployment('prometheus-adapter'),
  monitoringPlugin: createOptionalDeployment('monitoring-plugin'),
  metricsServer: createOptionalDeployment('metrics-server'),
};

function createOptionalDeployment(name: string): Workload {
  return { kind: 'Deployment', namespace: MONITORING_NAMESPACE, name, isOptional: true };
}

/** Sets the placement, and volumes if the design names a StorageClass, in the ConfigMap of the monitoring operator. */
export const monitoringMove: ClusterMove<'monitoring'> = {
  name: 'monitoring',
  where: 'cluster',
  rolloutTarget: {
    operator: 'monitoring',
    workloads: listMonitoringWorkloads,
    storageClass: ({ infra }) => infra.monitoring.storageClass,
  },
  needs: [labelMove],
  mustPrecedeTaint: true,
  async plan(cluster, design) {
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    if (nodes.length < MINIMUM_NODES) return { state: 'blocked', why: words().tooFew(nodes.length) };
    const keys = await readPlacementKeys(cluster);
    if (!keys) return { state: 'blocked', why: words().noVersion };
    const { storageClass } = design.infra.monitoring;
    if (storageClass !== null && !(await listStorageClasses(cluster)).names.includes(storageClass)) {
      return { state: 'blocked', why: catalogue().moves.reasons.classMissing(storageClass) };
    }
    const settings = buildSettings(design, keys, await createTolerationMerger(cluster, design));
    const text = await readSettings(cluster, CLUSTER_CONFIG_MAP);
    const mergeResult = mergeMonitoring(text, settings);
    if ('error' in mergeResult) {
      const why = words().unreadable(
        `${MONITORING_NAMESPACE}/${CLUSTER_CONFIG_MAP.name}`,
        sanitizeLine(mergeResult.error),
      );
      return { state: 'blocked', why };
    }
    if (mergeResult.text !== text && (await isImmutable(cluster, CLUSTER_CONFIG_MAP)))
      return { state: 'blocked', why: words().immutable(`${MONITORING_NAMESPACE}/${CLUSTER_CONFIG_MAP.name}`) };
    const notes =
      mergeResult.differingVolumeKeys.length > 0 ? [words().volumesUnchanged(mergeResult.differingVolumeKeys)] : [];
    return { state: 'edits', edits: [createPlacementEdit(CLUSTER_CONFIG_MAP, settings)], notes };
  },
  async probeRollout(cluster, design) {
    const incompleteRollout = await findIncompleteRollout(
      cluster,
      await listMonitoringWorkloads(cluster),
      design,
      'monitoring',
    );
    return incompleteRollout ?? { state: 'done', why: words().done };
  },
  findUndoBlocker: null,
  async planUndoEdits(cluster) {
    return [
      createPlacementRemovalEdit(CLUSTER_CONFIG_MAP, (await readPlacementKeys(cluster)) ?? Object.keys(WORKLOADS)),
    ];
  },
  untilPodsGone: null,
  buildManifest(design) {
    if (listInfraNodeNames(design).length < MINIMUM_NODES) return [];
    const { version } = design.openshift;
    return [
      {
        comment: formatManifestComment(version),
        edits: [
          createPlacementEdit(
            CLUSTER_CONFIG_MAP,
            buildSettings(design, listMonitoringPlacementKeys(version) ?? [], createTolerationReplacer(design)),
          ),
        ],
      },
    ];
  },
};

function buildSettings(
  design: Design,
  keys: readonly string[],
  mergeTolerations: TolerationMerger,
): MonitoringSettings {
  const volumes = createMonitoringVolumeClaims(design.infra.monitoring);
  return { keys, nodeSelector: INFRA_NODE_SELECTOR, mergeTolerations, volumes };
}

/** Lists the workloads that the running version can place. */
async function listMonitoringWorkloads(cluster: ClusterReader): Promise<Workload[]> {
  return ((await readPlacementKeys(cluster)) ?? []).flatMap((key) => WORKLOADS[key] ?? []);
}

const userWorkloadWords = () => catalogue().moves.byName['user-workload'];

const { namespace: userWorkloadNamespace } = USER_WORKLOAD_CONFIG_MAP;

/** The workloads of the monitoring of user-defined projects. Only Prometheus always runs. */
const USER_WORKLOADS: readonly Workload[] = [
  { kind: 'StatefulSet', namespace: userWorkloadNamespace, name: 'prometheus-user-workload' },
  { kind: 'StatefulSet', namespace: userWorkloadNamespace, name: 'thanos-ruler-user-workload', isOptional: true },
  { kind: 'StatefulSet', namespace: userWorkloadNamespace, name: 'alertmanager-user-workload', isOptional: true },
  { kind: 'Deployment', namespace: userWorkloadNamespace, name: 'prometheus-operator', isOptional: true },
];

/** Moves the monitoring of user-defined projects, if it is enabled. */
export const userWorkloadMove: ClusterMove<'user-workload'> = {
  name: 'user-workload',
  where: 'cluster',
  rolloutTarget: { operator: 'monitoring', workloads: async () => USER_WORKLOADS },
  needs: [labelMove],
  mustPrecedeTaint: true,
  async plan(cluster, design) {
    if (!isUserWorkloadEnabled(await readSettings(cluster, CLUSTER_CONFIG_MAP)))
      return { state: 'absent', why: userWorkloadWords().off };
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    const placement = await readUserWorkloadKeys(cluster);
    if (placement === null) return { state: 'blocked', why: catalogue().moves.byName.monitoring.noVersion };
    const { keys, configMap } = placement;
    const mergeTolerations = await createTolerationMerger(cluster, design);
    const settings = { keys, nodeSelector: INFRA_NODE_SELECTOR, mergeTolerations, volumes: [] };
    const text = await readSettings(cluster, configMap);
    const mergeResult = mergeMonitoring(text, settings);
    if ('error' in mergeResult) {
      const why = catalogue().moves.byName.monitoring.unreadable(
        `${configMap.namespace}/${configMap.name}`,
        sanitizeLine(mergeResult.error),
      );
      return { state: 'blocked', why };
    }
    if (mergeResult.text !== text && (await isImmutable(cluster, configMap)))
      return {
        state: 'blocked',
        why: catalogue().moves.byName.monitoring.immutable(`${configMap.namespace}/${configMap.name}`),
      };
    return { state: 'edits', edits: [createPlacementEdit(configMap, settings)] };
  },
  async probeRollout(cluster, design) {
    const incompleteRollout = await findIncompleteRollout(cluster, USER_WORKLOADS, design, 'monitoring');
    return incompleteRollout ?? { state: 'done', why: userWorkloadWords().done };
  },
  findUndoBlocker: null,
  async planUndoEdits(cluster) {
    const placement = await readUserWorkloadKeys(cluster);
    return placement === null ? [] : [createPlacementRemovalEdit(placement.configMap, placement.keys)];
  },
  untilPodsGone: null,
  // The design does not state whether the monitoring of user-defined projects is enabled.
  buildManifest: () => [],
};
