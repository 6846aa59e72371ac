import { placementKeys, userWorkloadKeys } from '../../design/infra-placement.ts';
import { at, textAt } from '../../objects/object.ts';
import type { Edit, Edited } from '../edit.ts';
import type { Sight } from '../move.ts';
import { readYaml } from '../shared/yaml-text.ts';
import { type MonitoringWish, mergeMonitoring, withoutPlacement } from './monitoring-config.ts';

/** A ConfigMap of the monitoring operator. */
type SettingsMap = Edited & { readonly namespace: string };

/** The settings of the cluster's own monitoring. */
export const CLUSTER_MAP: SettingsMap = {
  kind: 'ConfigMap',
  name: 'cluster-monitoring-config',
  namespace: 'openshift-monitoring',
};
/** The settings of the monitoring of users' projects, since 4.6. */
export const USER_MAP: SettingsMap = {
  kind: 'ConfigMap',
  name: 'user-workload-monitoring-config',
  namespace: 'openshift-user-workload-monitoring',
};
const FILE = 'config.yaml';

/** The text of the settings; empty where there are none. */
export async function settingsIn(sight: Sight, { kind, name, namespace }: SettingsMap): Promise<string> {
  return (await sight.get(kind, name, namespace))?.data?.[FILE] ?? '';
}

/** Whether nobody may change them: such a ConfigMap has to be made anew. */
export async function areImmutable(sight: Sight, { kind, name, namespace }: SettingsMap): Promise<boolean> {
  return (await sight.get(kind, name, namespace))?.immutable === true;
}

/** Puts the placement (and volumes) in. Leaves text alone that became unreadable between the plan and the write. */
export function placementIn(map: SettingsMap, wish: MonitoringWish): Edit {
  return settingsEdit(map, (text) => {
    const merged = mergeMonitoring(text, wish);
    return 'text' in merged ? merged.text : text;
  });
}

/** Takes the placement of these keys out; a ConfigMap that is not there stays away. */
export function placementOut(map: SettingsMap, keys: readonly string[]): Edit {
  const { create: _create, ...edit } = settingsEdit(map, (text) => withoutPlacement(text, keys));
  return edit;
}

function settingsEdit(map: SettingsMap, rewrite: (text: string) => string): Edit {
  const { name, namespace } = map;
  // A plan asks for the same text several times.
  const known = new Map<string, string>();
  const rewritten = (text: string) => {
    const found = known.get(text) ?? rewrite(text);
    known.set(text, found);
    return found;
  };
  return {
    ...map,
    yaml: [['data', FILE]],
    making: 'parts',
    patch: (current) => ({ data: { [FILE]: rewritten(current.data?.[FILE] ?? '') } }),
    create: () => ({ metadata: { name, namespace }, data: { [FILE]: rewritten('') } }),
  };
}

/** The components that the running version places; null while it says no version. */
export async function runningKeys(sight: Sight): Promise<string[] | null> {
  return placementKeys(await runningVersion(sight));
}

/** The same of the monitoring of users' projects, with the ConfigMap that they are in. */
export async function runningUserKeys(
  sight: Sight,
): Promise<{ readonly keys: readonly string[]; readonly map: SettingsMap } | null> {
  const found = userWorkloadKeys(await runningVersion(sight));
  return found && { keys: found.keys, map: found.isOwnMap ? USER_MAP : CLUSTER_MAP };
}

async function runningVersion(sight: Sight): Promise<string> {
  return textAt((await sight.get('ClusterVersion', 'version'))?.status, 'desired', 'version') ?? '';
}

/** Whether the settings turn the monitoring of users' projects on (the second key is that of 4.5). */
export function watchesUsers(text: string): boolean {
  // Most clusters have none.
  if (text.trim() === '') return false;
  const read = readYaml(text);
  const settings = 'error' in read ? null : read.value;
  return at(settings, 'enableUserWorkload') === true || at(settings, 'techPreviewUserWorkload', 'enabled') === true;
}
