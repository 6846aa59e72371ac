import { INFRA_LABEL, INFRA_NODE_SELECTOR } from '../../design/infra-placement.ts';
import { isVersionAtLeast } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField, getList, getString, type KubeObject } from '../../openshift/object.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import { type Edit, isJsonObject, replaceMapPatch } from '../edit.ts';
import type { ClusterMove, RolloutStatus, Workload } from '../infra-move.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { describeDaemonSetRollout, findIncompleteRollout } from '../shared/rollout.ts';
import { createTolerationMerger, type TolerationMerger } from '../shared/tolerations.ts';
import { labelMove } from './label.ts';

const words = () => catalogue().moves.byName['network-diagnostics'];

/** The workload that runs the checks. */
const CHECK_SOURCE: Workload = {
  kind: 'Deployment',
  namespace: 'openshift-network-diagnostics',
  name: 'network-check-source',
};

/** The workload that answers the checks. */
const CHECK_TARGET = { kind: 'DaemonSet', namespace: CHECK_SOURCE.namespace, name: 'network-check-target' } as const;
const NETWORK = { kind: 'NetworkConfig', name: 'cluster', namespace: null } as const;
const PLACEMENT_FIELDS = ['sourcePlacement', 'targetPlacement'] as const;
/** The first minor version with the setting (openshift/api, config/v1/types_network.go). */
const MINIMUM_MINOR = '4.16';

const createPlacementEdit = (mergeTolerations: TolerationMerger): Edit => ({
  ...NETWORK,
  patch: (current) => ({
    spec: {
      networkDiagnostics: Object.fromEntries(
        PLACEMENT_FIELDS.map((part) => [part, createPlacementPatch(current, part, mergeTolerations)]),
      ),
    },
  }),
});

function createPlacementPatch({ spec }: KubeObject, field: string, mergeTolerations: TolerationMerger) {
  const current = getField(spec, 'networkDiagnostics', field);
  return {
    nodeSelector: replaceMapPatch(getField(current, 'nodeSelector'), INFRA_NODE_SELECTOR),
    tolerations: mergeTolerations(getList(current, 'tolerations')),
  };
}

/** Moves the network diagnostics, source and target, if the design chooses them. */
export const networkDiagnosticsMove: ClusterMove<'network-diagnostics'> = {
  name: 'network-diagnostics',
  where: 'cluster',
  rolloutTarget: { operator: 'network', workloads: async () => [CHECK_SOURCE] },
  needs: [labelMove],
  mustPrecedeTaint: true,
  async plan(cluster, design) {
    if (!design.infra.also.includes('network-diagnostics')) return { state: 'absent', why: words().unwanted };
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    const version = getString((await cluster.get('ClusterVersion', 'version'))?.status, 'desired', 'version') ?? '';
    if (!isVersionAtLeast(version, MINIMUM_MINOR)) return { state: 'absent', why: words().tooOld(version) };
    const network = await cluster.get(NETWORK.kind, NETWORK.name);
    if (network === null)
      return {
        state: 'blocked',
        why: catalogue().moves.reasons.operatorMissing('Network cluster (config.openshift.io)'),
      };
    if (await areChecksDisabled(cluster, network)) return { state: 'absent', why: words().off };
    return { state: 'edits', edits: [createPlacementEdit(await createTolerationMerger(cluster, design))] };
  },
  async probeRollout(cluster, design) {
    const incompleteRollout = await findIncompleteRollout(cluster, [CHECK_SOURCE], design, 'network');
    return incompleteRollout ?? (await checkTargetRollout(cluster)) ?? { state: 'done', why: words().done };
  },
  findUndoBlocker: null,
  planUndoEdits: async () => [
    {
      ...NETWORK,
      patch: () => ({ spec: { networkDiagnostics: Object.fromEntries(PLACEMENT_FIELDS.map((part) => [part, null])) } }),
    },
  ],
  untilPodsGone: null,
  buildManifest: () => [],
};

/**
 * Whether the network checks are disabled: by their own setting or, while that is empty, by the operator's setting. Our
 * write would turn them on again (openshift/api, config/v1/types_network.go, networkDiagnostics).
 */
async function areChecksDisabled(cluster: ClusterReader, { spec }: KubeObject): Promise<boolean> {
  const settings = getField(spec, 'networkDiagnostics');
  if (getField(settings, 'mode') === 'Disabled') return true;
  if (isJsonObject(settings) && (settings.mode ?? '') !== '') return false;
  const isSet = PLACEMENT_FIELDS.some((part) => isJsonObject(getField(settings, part)));
  if (isSet) return false;
  return getField((await cluster.get('NetworkOperator', 'cluster'))?.spec, 'disableNetworkDiagnostics') === true;
}

/** Checks whether all check targets run on the infra nodes; null if they do. */
async function checkTargetRollout(cluster: ClusterReader): Promise<RolloutStatus | null> {
  const set = await cluster.get(CHECK_TARGET.kind, CHECK_TARGET.name, CHECK_TARGET.namespace);
  if (set === null) return null;
  const { rollout } = catalogue().moves.reasons;
  const isApplied = getField(set.spec, 'template', 'spec', 'nodeSelector', INFRA_LABEL) === '';
  if (!isApplied) return { state: 'moving', why: rollout.notApplied([CHECK_TARGET.name]) };
  const why = await describeDaemonSetRollout(cluster, set);
  return why === null ? null : { state: 'moving', why };
}
