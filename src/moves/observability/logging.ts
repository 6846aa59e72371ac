import { INFRA_SELECTOR, infraNodeNames, type Toleration } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField, getList, getString, type JsonObject } from '../../openshift/object.ts';
import { podView } from '../../openshift/pod.ts';
import type { ClusterReader } from '../cluster-reader.ts';
import { type Edit, isJsonObject, replaceMapPatch } from '../edit.ts';
import type { ClusterMove } from '../infra-move.ts';
import { labelMove } from '../nodes/label.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { describePendingPod } from '../shared/rollout.ts';
import { listPlannedTaints, type MergeTolerations, mergeForCluster, tolerates } from '../shared/tolerations.ts';
import {
  findLogging,
  isPlacedByMove,
  type LoggingKind,
  type LoggingResource,
  listLoggingWorkloads,
  readLoggingOperators,
} from './logging-installation.ts';

const words = () => catalogue().moves.byName.logging;

/** The components of a LokiStack that are placed (loki operator, api/loki/v1/lokistack_types.go). */
const LOKI_COMPONENTS = [
  'compactor',
  'distributor',
  'gateway',
  'indexGateway',
  'ingester',
  'querier',
  'queryFrontend',
  'ruler',
] as const;
/** Moves logging, whichever generation of it is installed. The wizard does not install it. */
export const loggingMove: ClusterMove<'logging'> = {
  name: 'logging',
  where: 'cluster',
  rolloutTarget: { operator: readLoggingOperators, workloads: listLoggingWorkloads },
  needs: [labelMove],
  mustPrecedeTaint: true,
  async plan(cluster, design) {
    const { active, obsolete } = await findLogging(cluster);
    const notes = obsolete.length === 0 ? [] : [words().legacyObjects(obsolete.map(formatName))];
    if (active.length === 0) return { state: 'absent', why: notes[0] ?? words().notInstalled };
    const unmanaged = active.filter(({ object }) => getString(object.spec, 'managementState') === 'Unmanaged');
    if (unmanaged.length > 0) return { state: 'blocked', why: words().unmanaged(unmanaged.map(formatName)) };
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    const mergeTolerations = await mergeForCluster(cluster, design);
    return { state: 'edits', edits: active.map((one) => placementEdit(one, mergeTolerations)), notes };
  },
  async probeRollout(cluster, design) {
    const namespaces = new Set(
      (await findLogging(cluster)).active.map(({ object }) => object.metadata.namespace ?? ''),
    );
    for (const namespace of namespaces) {
      const pods = (await cluster.list('Pod', { namespace })).filter(isPlacedByMove).map(podView);
      const pending = pods.find(({ phase, message }) => phase === 'Pending' && message !== '');
      const { rollout } = catalogue().moves.why;
      if (pending) return { state: 'moving', ...describePendingPod(pending) };
      const misplaced = pods.find(
        ({ phase, node }) => phase !== 'Succeeded' && !infraNodeNames(design).includes(node ?? ''),
      );
      if (misplaced) return { state: 'moving', why: rollout.onOtherNodes(misplaced.name, [misplaced.node ?? '-']) };
    }
    return (await findUnappliedCollectors(cluster, design)) ?? { state: 'done', why: words().done };
  },
  untilUndoable: null,
  undoEdits: async (cluster) => (await findLogging(cluster)).active.map((one) => placementEdit(one, null)),
  untilPodsGone: null,
  // The design does not state whether logging is installed.
  manifest: () => [],
};

/** The collectors run on infra nodes, too, once their operator has given them the tolerations; null: it has. */
async function findUnappliedCollectors(cluster: ClusterReader, design: Design) {
  const sets = await cluster.list('DaemonSet', { namespace: 'openshift-logging' });
  const taints = await listPlannedTaints(cluster, design);
  const unapplied = sets.filter(
    ({ spec }) => !taints.every((taint) => tolerates(getList(spec, 'template', 'spec', 'tolerations'), taint)),
  );
  const names = unapplied.map(({ metadata }) => metadata.name);
  return names.length > 0 ? ({ state: 'moving', why: catalogue().moves.why.rollout.notApplied(names) } as const) : null;
}

const formatName = ({ kind, object: { metadata } }: LoggingResource) =>
  `${kind} ${metadata.namespace}/${metadata.name}`;

/** @param mergeTolerations null removes the placement */
function placementEdit({ kind, object }: LoggingResource, mergeTolerations: MergeTolerations | null): Edit {
  const { name, namespace = null } = object.metadata;
  return { kind, name, namespace, patch: ({ spec }) => ({ spec: PATCHES[kind](spec ?? {}, mergeTolerations) }) };
}

const PATCHES: Readonly<
  Record<LoggingKind, (spec: JsonObject, mergeTolerations: MergeTolerations | null) => JsonObject>
> = {
  LokiStack: (spec, mergeTolerations) => ({
    template: Object.fromEntries(
      LOKI_COMPONENTS.map((part) => [part, placementPatch(getField(spec, 'template', part), mergeTolerations)]),
    ),
  }),
  ClusterLogForwarder: (spec, mergeTolerations) => ({
    collector: collectorPatch(getField(spec, 'collector'), mergeTolerations),
  }),
  ClusterLogging: (spec, mergeTolerations) => ({
    ...(isJsonObject(spec.collection) ? { collection: collectionPatch(spec.collection, mergeTolerations) } : {}),
    ...(isJsonObject(getField(spec, 'logStore', 'elasticsearch'))
      ? { logStore: { elasticsearch: placementPatch(getField(spec, 'logStore', 'elasticsearch'), mergeTolerations) } }
      : {}),
    ...(isJsonObject(getField(spec, 'visualization', 'kibana'))
      ? { visualization: { kibana: placementPatch(getField(spec, 'visualization', 'kibana'), mergeTolerations) } }
      : {}),
  }),
};

/** Before 5.6 each collector has fields of its own. Without `collection`, nothing is collected. */
function collectionPatch(found: JsonObject, mergeTolerations: MergeTolerations | null): JsonObject {
  return isJsonObject(found.logs)
    ? { logs: { fluentd: collectorPatch(getField(found, 'logs', 'fluentd'), mergeTolerations) } }
    : collectorPatch(found, mergeTolerations);
}

function placementPatch(found: unknown, mergeTolerations: MergeTolerations | null): JsonObject {
  if (mergeTolerations === null) return { nodeSelector: null, tolerations: null };
  return {
    nodeSelector: replaceMapPatch(getField(found, 'nodeSelector'), INFRA_SELECTOR),
    tolerations: mergeTolerations(getList(found, 'tolerations')),
  };
}

/** A collector runs on every node: the taint is added to what it tolerates already, and it gets no node selector. */
function collectorPatch(found: unknown, mergeTolerations: MergeTolerations | null): JsonObject {
  if (mergeTolerations === null) return { tolerations: null };
  const existing = getList(found, 'tolerations') as Toleration[];
  const missing = mergeTolerations([]).filter(
    ({ key = '', value = '', effect = '' }) => !tolerates(existing, { key, value, effect }),
  );
  return { tolerations: [...existing, ...missing] };
}
