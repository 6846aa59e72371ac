import { monitoringPlacementKeys, userWorkloadPlacementKeys } from '../../design/infra-placement.ts';
import { getField, getString } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import type { Edit, EditTarget } from '../edit.ts';
import { readYaml } from '../shared/yaml-text.ts';
import { type MonitoringSettings, mergeMonitoring, removePlacement } from './monitoring-config.ts';

/** A ConfigMap of the monitoring operator. */
type SettingsConfigMap = EditTarget & { readonly namespace: string };

/** The settings of the cluster's own monitoring. */
export const CLUSTER_CONFIG_MAP: SettingsConfigMap = {
  kind: 'ConfigMap',
  name: 'cluster-monitoring-config',
  namespace: 'openshift-monitoring',
};
/** The settings of the monitoring of user-defined projects, since 4.6. */
export const USER_WORKLOAD_CONFIG_MAP: SettingsConfigMap = {
  kind: 'ConfigMap',
  name: 'user-workload-monitoring-config',
  namespace: 'openshift-user-workload-monitoring',
};
const CONFIG_KEY = 'config.yaml';

/** Reads the text of the settings; empty if there are none. */
export async function readSettings(
  cluster: ClusterReader,
  { kind, name, namespace }: SettingsConfigMap,
): Promise<string> {
  return (await cluster.get(kind, name, namespace))?.data?.[CONFIG_KEY] ?? '';
}

/** Whether the ConfigMap is immutable: it must be recreated to change it. */
export async function isImmutable(
  cluster: ClusterReader,
  { kind, name, namespace }: SettingsConfigMap,
): Promise<boolean> {
  return (await cluster.get(kind, name, namespace))?.immutable === true;
}

/** Sets the placement (and volumes). Leaves a text alone that became unreadable between the plan and the write. */
export function setPlacementEdit(map: SettingsConfigMap, wanted: MonitoringSettings): Edit {
  return settingsEdit(map, (text) => {
    const merged = mergeMonitoring(text, wanted);
    return 'text' in merged ? merged.text : text;
  });
}

/** Removes the placement of these keys; does not create a missing ConfigMap. */
export function removePlacementEdit(map: SettingsConfigMap, keys: readonly string[]): Edit {
  const { create: _create, ...edit } = settingsEdit(map, (text) => removePlacement(text, keys));
  return edit;
}

function settingsEdit(map: SettingsConfigMap, rewrite: (text: string) => string): Edit {
  const { name, namespace } = map;
  // A plan requests the same text several times.
  const cache = new Map<string, string>();
  const rewriteOnce = (text: string) => {
    const found = cache.get(text) ?? rewrite(text);
    cache.set(text, found);
    return found;
  };
  return {
    ...map,
    yamlFields: [['data', CONFIG_KEY]],
    createdObjectPolicy: 'parts',
    patch: (current) => ({ data: { [CONFIG_KEY]: rewriteOnce(current.data?.[CONFIG_KEY] ?? '') } }),
    create: () => ({ metadata: { name, namespace }, data: { [CONFIG_KEY]: rewriteOnce('') } }),
  };
}

/** Reads the components that the running version places; null while its version is unknown. */
export async function readPlacementKeys(cluster: ClusterReader): Promise<string[] | null> {
  return monitoringPlacementKeys(await readClusterVersion(cluster));
}

/**
 * The components of the monitoring of user-defined projects, with the ConfigMap that holds their settings; null while
 * the version is unknown.
 */
export async function readUserWorkloadKeys(
  cluster: ClusterReader,
): Promise<{ readonly keys: readonly string[]; readonly map: SettingsConfigMap } | null> {
  const found = userWorkloadPlacementKeys(await readClusterVersion(cluster));
  return found && { keys: found.keys, map: found.hasOwnConfigMap ? USER_WORKLOAD_CONFIG_MAP : CLUSTER_CONFIG_MAP };
}

async function readClusterVersion(cluster: ClusterReader): Promise<string> {
  return getString((await cluster.get('ClusterVersion', 'version'))?.status, 'desired', 'version') ?? '';
}

/** Whether the settings enable the monitoring of user-defined projects (the second key is that of 4.5). */
export function isUserWorkloadEnabled(text: string): boolean {
  // Most clusters have none.
  if (text.trim() === '') return false;
  const read = readYaml(text);
  const settings = 'error' in read ? null : read.value;
  return (
    getField(settings, 'enableUserWorkload') === true ||
    getField(settings, 'techPreviewUserWorkload', 'enabled') === true
  );
}
