import { INFRA_SELECTOR } from '../../design/infra-placement.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { ClusterMove } from '../infra-move.ts';
import { labelMove } from '../nodes/label.ts';
import type { Workload } from '../rollout-target.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { findIncompleteRollout } from '../shared/rollout.ts';
import { mergeForCluster } from '../shared/tolerations.ts';
import { mergeMonitoring } from './monitoring-config.ts';
import {
  CLUSTER_CONFIG_MAP,
  isImmutable,
  isUserWorkloadEnabled,
  readSettings,
  readUserWorkloadKeys,
  removePlacementEdit,
  setPlacementEdit,
  USER_WORKLOAD_CONFIG_MAP,
} from './monitoring-config-map.ts';

const words = () => catalogue().moves.byName['user-workload'];

const { namespace } = USER_WORKLOAD_CONFIG_MAP;

/** The workloads of the monitoring of user-defined projects. Only Prometheus always runs. */
const USER_WORKLOADS: readonly Workload[] = [
  { kind: 'StatefulSet', namespace, name: 'prometheus-user-workload' },
  { kind: 'StatefulSet', namespace, name: 'thanos-ruler-user-workload', isOptional: true },
  { kind: 'StatefulSet', namespace, name: 'alertmanager-user-workload', isOptional: true },
  { kind: 'Deployment', namespace, name: 'prometheus-operator', isOptional: true },
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
      return { state: 'absent', why: words().off };
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    const found = await readUserWorkloadKeys(cluster);
    if (found === null) return { state: 'blocked', why: catalogue().moves.byName.monitoring.noVersion };
    const { keys, map } = found;
    const mergeTolerations = await mergeForCluster(cluster, design);
    const wanted = { keys, nodeSelector: INFRA_SELECTOR, mergeTolerations, volumes: [] };
    const text = await readSettings(cluster, map);
    const merged = mergeMonitoring(text, wanted);
    if ('error' in merged) {
      const why = catalogue().moves.byName.monitoring.unreadable(
        `${map.namespace}/${map.name}`,
        sanitizeLine(merged.error),
      );
      return { state: 'blocked', why };
    }
    if (merged.text !== text && (await isImmutable(cluster, map)))
      return { state: 'blocked', why: catalogue().moves.byName.monitoring.immutable(`${map.namespace}/${map.name}`) };
    return { state: 'edits', edits: [setPlacementEdit(map, wanted)] };
  },
  async probeRollout(cluster, design) {
    const open = await findIncompleteRollout(cluster, USER_WORKLOADS, design, 'monitoring');
    return open ?? { state: 'done', why: words().done };
  },
  untilUndoable: null,
  async undoEdits(cluster) {
    const found = await readUserWorkloadKeys(cluster);
    return found === null ? [] : [removePlacementEdit(found.map, found.keys)];
  },
  untilPodsGone: null,
  // The design does not state whether it is enabled.
  manifest: () => [],
};
