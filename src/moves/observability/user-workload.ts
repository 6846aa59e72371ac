import { INFRA_SELECTOR } from '../../design/infra-placement.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Workload } from '../carried.ts';
import type { ClusterMove } from '../move.ts';
import { label } from '../nodes/label.ts';
import { isStopped, labelledInfraNodes } from '../shared/nodes.ts';
import { unsettled } from '../shared/rollout.ts';
import { tolerateOn } from '../shared/tolerations.ts';
import { mergeMonitoring } from './monitoring-config.ts';
import {
  areImmutable,
  CLUSTER_MAP,
  placementIn,
  placementOut,
  runningUserKeys,
  settingsIn,
  USER_MAP,
  watchesUsers,
} from './monitoring-map.ts';

const words = () => catalogue().moves.each['user-workload'];

const { namespace } = USER_MAP;

/** What runs for it. Only Prometheus always does. */
export const USER_WORKLOADS: readonly Workload[] = [
  { kind: 'StatefulSet', namespace, name: 'prometheus-user-workload' },
  { kind: 'StatefulSet', namespace, name: 'thanos-ruler-user-workload', isOptional: true },
  { kind: 'StatefulSet', namespace, name: 'alertmanager-user-workload', isOptional: true },
  { kind: 'Deployment', namespace, name: 'prometheus-operator', isOptional: true },
];

/** Placement of the monitoring of users' projects, where somebody turned that on. */
export const userWorkload: ClusterMove<'user-workload'> = {
  name: 'user-workload',
  where: 'cluster',
  carried: { operator: 'monitoring', workloads: async () => USER_WORKLOADS },
  needs: [label],
  taintWaits: true,
  async plan(sight, design) {
    if (!watchesUsers(await settingsIn(sight, CLUSTER_MAP))) return { state: 'absent', why: words().off };
    const nodes = await labelledInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    const found = await runningUserKeys(sight);
    if (found === null) return { state: 'blocked', why: catalogue().moves.each.monitoring.noVersion };
    const { keys, map } = found;
    const tolerate = await tolerateOn(sight, design);
    const wish = { keys, nodeSelector: INFRA_SELECTOR, tolerate, volumes: [] };
    const text = await settingsIn(sight, map);
    const merged = mergeMonitoring(text, wish);
    if ('error' in merged) {
      const why = catalogue().moves.each.monitoring.unreadable(
        `${map.namespace}/${map.name}`,
        sanitizeLine(merged.error),
      );
      return { state: 'blocked', why };
    }
    if (merged.text !== text && (await areImmutable(sight, map)))
      return { state: 'blocked', why: catalogue().moves.each.monitoring.immutable(`${map.namespace}/${map.name}`) };
    return { state: 'edits', edits: [placementIn(map, wish)] };
  },
  async settled(sight, design) {
    const open = await unsettled(sight, USER_WORKLOADS, design, 'monitoring');
    return open ?? { state: 'done', why: words().done };
  },
  undoWaits: null,
  async undoEdits(sight) {
    const found = await runningUserKeys(sight);
    return found === null ? [] : [placementOut(found.map, found.keys)];
  },
  left: null,
  // Whether somebody turns it on, no design says.
  manifest: () => [],
};
