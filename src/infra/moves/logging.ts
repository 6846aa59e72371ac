import { INFRA_NODE_SELECTOR, listInfraNodeNames, type TaintOrToleration } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { getField, getList, getString, type JsonObject, type KubeObject } from '../../openshift/object.ts';
import type { OperatorView } from '../../openshift/operator.ts';
import { parsePod } from '../../openshift/pod.ts';
import { type ClusterReader, listIfAllowed } from '../cluster-reader.ts';
import { type Edit, isJsonObject, replaceMapPatch } from '../edit.ts';
import type { ClusterMove, Workload } from '../infra-move.ts';
import { findLabelledInfraNodes, isNotApplicable } from '../shared/nodes.ts';
import { describePendingPod } from '../shared/rollout.ts';
import { createTolerationMerger, listPlannedTaints, type TolerationMerger, tolerates } from '../shared/tolerations.ts';
import { labelMove } from './label.ts';

const KINDS = ['ClusterLogging', 'ClusterLogForwarder', 'LokiStack'] as const;
type LoggingKind = (typeof KINDS)[number];

/** A resource that configures logging, of any version of the operator. */
interface LoggingResource {
  readonly kind: LoggingKind;
  readonly object: KubeObject;
}

/** The installed logging resources. */
interface LoggingInstallation {
  /** Resources that operators act on. */
  readonly activeResources: readonly LoggingResource[];
  /**
   * Resources that only a former version of the operator reads: from version 6 on, no operator reads a ClusterLogging.
   */
  readonly obsoleteResources: readonly LoggingResource[];
}

/**
 * Labels of the pods and workloads that the move places on infra nodes. Collectors are not placed: they run on every
 * node.
 */
const PLACED_LABELS = {
  'app.kubernetes.io/managed-by': /^lokistack-controller$/,
  component: /^(?:elasticsearch|kibana)$/,
} as const;
/** The namespace of the log stores' operators (their documentation). */
const LOG_STORE_NAMESPACE = 'openshift-operators-redhat';
/** OLM's namespace, which always has a ClusterServiceVersion: that of its own package server. */
const OLM_NAMESPACE = 'openshift-operator-lifecycle-manager';

/** Finds the logging resources, whichever version is installed. */
async function findLogging(cluster: ClusterReader): Promise<LoggingInstallation> {
  const objectsByKind = await Promise.all(KINDS.map(async (kind) => ({ kind, objects: await cluster.list(kind) })));
  const resources = objectsByKind.flatMap(({ kind, objects }) =>
    objects.map((object): LoggingResource => ({ kind, object })),
  );
  const clusterLoggings = resources.filter(({ kind }) => kind === 'ClusterLogging');
  const isVersion6OrLater =
    clusterLoggings.length > 0 &&
    (await listInstalledOperators(cluster, resources)).some(
      ({ packageName, major }) => packageName === COLLECTOR_PACKAGE && major >= 6,
    );
  return isVersion6OrLater
    ? {
        activeResources: resources.filter((resource) => !clusterLoggings.includes(resource)),
        obsoleteResources: clusterLoggings,
      }
    : { activeResources: resources, obsoleteResources: [] };
}

/** Whether the move places this pod or workload. */
function isPlacedByMove({ metadata }: KubeObject): boolean {
  return Object.entries(PLACED_LABELS).some(([key, value]) => value.test(metadata.labels?.[key] ?? ''));
}

/** Lists the workloads that the move places on the infra nodes. */
async function listLoggingWorkloads(cluster: ClusterReader): Promise<readonly Workload[]> {
  const { activeResources } = await findLogging(cluster);
  const workloads = await Promise.all(
    listNamespaces(activeResources).flatMap((namespace) =>
      (['Deployment', 'StatefulSet'] as const).map(async (kind) =>
        (await cluster.list(kind, { namespace }))
          .filter(isPlacedByMove)
          .map(({ metadata: { name } }) => ({ kind, namespace, name })),
      ),
    ),
  );
  return workloads.flat();
}

/** An operator that OLM installed, by its ClusterServiceVersion: `cluster-logging.v6.1.0`. */
interface OlmOperator {
  readonly name: string;
  readonly packageName: PackageName;
  readonly major: number;
  readonly minor: number;
  /** `Succeeded`, `Installing`, `Replacing`, `Failed`, … */
  readonly phase: string;
  readonly message: string;
}

const COLLECTOR_PACKAGE = 'cluster-logging';
type PackageName = typeof COLLECTOR_PACKAGE | 'loki-operator' | 'elasticsearch-operator';
/** `clusterlogging.4.6.0-202104…` in old versions, `cluster-logging.v5.9.2` since. */
const CSV_NAMES: readonly (readonly [PackageName, RegExp])[] = [
  [COLLECTOR_PACKAGE, /^cluster-?logging\.v?(\d+)\.(\d+)/],
  ['loki-operator', /^loki-operator\.v?(\d+)\.(\d+)/],
  ['elasticsearch-operator', /^elasticsearch-operator\.v?(\d+)\.(\d+)/],
];

/**
 * Reads the operators that the installed resources need, as one view: the first unavailable one, else all of them. Null
 * if there is nothing to move, or OLM lists no operators.
 */
async function readLoggingOperators(cluster: ClusterReader): Promise<OperatorView | null> {
  const { activeResources } = await findLogging(cluster);
  const requiredPackages = [...new Set(activeResources.flatMap(listRequiredPackages))];
  const operators = await listInstalledOperators(cluster, activeResources);
  if (requiredPackages.length === 0 || (operators.length === 0 && (await isOlmMissing(cluster)))) return null;
  const views = requiredPackages.map((packageName) =>
    describeNewest(
      packageName,
      operators.filter((operator) => operator.packageName === packageName),
    ),
  );
  const unavailableOperator = views.find(({ available }) => !available);
  return (
    unavailableOperator ??
    createOperatorView(
      views.map(({ name }) => name).join(', '),
      'Succeeded',
      '',
      views.some(({ progressing }) => progressing),
    )
  );
}

/** Whether OLM is missing, or its API lists no ClusterServiceVersion: then no version of an operator is known. */
async function isOlmMissing(cluster: ClusterReader): Promise<boolean> {
  return (await cluster.list('ClusterServiceVersion', { namespace: OLM_NAMESPACE })).length === 0;
}

function listRequiredPackages({ kind, object }: LoggingResource): readonly PackageName[] {
  if (kind === 'LokiStack') return ['loki-operator'];
  const store = getField(object.spec, 'logStore', 'elasticsearch');
  return kind === 'ClusterLogging' && isJsonObject(store)
    ? [COLLECTOR_PACKAGE, 'elasticsearch-operator']
    : [COLLECTOR_PACKAGE];
}

/** During an update OLM lists both versions: the newer one counts. */
function describeNewest(packageName: PackageName, operators: readonly OlmOperator[]): OperatorView {
  const [newestOperator] = [...operators].sort(
    (a, b) =>
      b.major - a.major || b.minor - a.minor || Number(a.phase === 'Replacing') - Number(b.phase === 'Replacing'),
  );
  if (newestOperator === undefined) return createOperatorView(packageName, 'Missing', '', false);
  return createOperatorView(
    newestOperator.name,
    newestOperator.phase,
    newestOperator.message,
    newestOperator.phase !== 'Succeeded',
  );
}

function createOperatorView(name: string, phase: string, message: string, progressing: boolean): OperatorView {
  const available = phase !== 'Missing' && phase !== 'Failed';
  const commonFields = {
    reason: phase,
    message,
    version: '',
    since: null,
    steadySince: null,
    conditions: [],
    namespaces: [],
  };
  return { name, available, progressing, degraded: false, ...commonFields };
}

async function listInstalledOperators(
  cluster: ClusterReader,
  resources: readonly LoggingResource[],
): Promise<readonly OlmOperator[]> {
  const namespaces = [
    ...new Set([...listNamespaces(resources), ...(resources.length > 0 ? [LOG_STORE_NAMESPACE] : [])]),
  ];
  const lists = await Promise.all(
    namespaces.map((namespace) => listIfAllowed(cluster, 'ClusterServiceVersion', { namespace })),
  );
  return lists
    .flatMap((list) => list ?? [])
    .flatMap(({ metadata, status }) => {
      for (const [packageName, pattern] of CSV_NAMES) {
        const [match, major, minor] = pattern.exec(metadata.name) ?? [];
        if (match === undefined) continue;
        const [phase, message] = [getString(status, 'phase') ?? '', getString(status, 'message') ?? ''];
        return [{ name: metadata.name, packageName, major: Number(major), minor: Number(minor), phase, message }];
      }
      return [];
    });
}

function listNamespaces(resources: readonly LoggingResource[]): string[] {
  return [...new Set(resources.flatMap(({ object }) => object.metadata.namespace ?? []))];
}

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
/** Moves logging, whichever version of it is installed. The wizard does not install it. */
export const loggingMove: ClusterMove<'logging'> = {
  name: 'logging',
  where: 'cluster',
  rolloutTarget: { operator: readLoggingOperators, workloads: listLoggingWorkloads },
  needs: [labelMove],
  mustPrecedeTaint: true,
  async plan(cluster, design) {
    const { activeResources, obsoleteResources } = await findLogging(cluster);
    const notes = obsoleteResources.length === 0 ? [] : [words().legacyObjects(obsoleteResources.map(formatName))];
    if (activeResources.length === 0) return { state: 'absent', why: notes[0] ?? words().notInstalled };
    const unmanagedResources = activeResources.filter(
      ({ object }) => getString(object.spec, 'managementState') === 'Unmanaged',
    );
    if (unmanagedResources.length > 0)
      return { state: 'blocked', why: words().unmanaged(unmanagedResources.map(formatName)) };
    const nodes = await findLabelledInfraNodes(cluster, design);
    if (isNotApplicable(nodes)) return nodes;
    const mergeTolerations = await createTolerationMerger(cluster, design);
    return {
      state: 'edits',
      edits: activeResources.map((resource) => createPlacementEdit(resource, mergeTolerations)),
      notes,
    };
  },
  async probeRollout(cluster, design) {
    const namespaces = new Set(
      (await findLogging(cluster)).activeResources.map(({ object }) => object.metadata.namespace ?? ''),
    );
    for (const namespace of namespaces) {
      const pods = (await cluster.list('Pod', { namespace })).filter(isPlacedByMove).map(parsePod);
      const pendingPod = pods.find(({ phase, message }) => phase === 'Pending' && message !== '');
      const { rollout } = catalogue().moves.reasons;
      if (pendingPod) return { state: 'moving', ...describePendingPod(pendingPod) };
      const misplacedPod = pods.find(
        ({ phase, node }) => phase !== 'Succeeded' && !listInfraNodeNames(design).includes(node ?? ''),
      );
      if (misplacedPod)
        return { state: 'moving', why: rollout.onOtherNodes(misplacedPod.name, [misplacedPod.node ?? '-']) };
    }
    return (await checkCollectorRollout(cluster, design)) ?? { state: 'done', why: words().done };
  },
  findUndoBlocker: null,
  planUndoEdits: async (cluster) =>
    (await findLogging(cluster)).activeResources.map((resource) => createPlacementEdit(resource, null)),
  untilPodsGone: null,
  // The design does not state whether logging is installed.
  buildManifest: () => [],
};

/** Checks whether the collectors, which run on every node, have the tolerations; null if they have. */
async function checkCollectorRollout(cluster: ClusterReader, design: Design) {
  const sets = await cluster.list('DaemonSet', { namespace: 'openshift-logging' });
  const taints = await listPlannedTaints(cluster, design);
  const pendingSets = sets.filter(
    ({ spec }) => !taints.every((taint) => tolerates(getList(spec, 'template', 'spec', 'tolerations'), taint)),
  );
  const names = pendingSets.map(({ metadata }) => metadata.name);
  return names.length > 0
    ? ({ state: 'moving', why: catalogue().moves.reasons.rollout.notApplied(names) } as const)
    : null;
}

const formatName = ({ kind, object: { metadata } }: LoggingResource) =>
  `${kind} ${metadata.namespace}/${metadata.name}`;

/** @param mergeTolerations null removes the placement */
function createPlacementEdit({ kind, object }: LoggingResource, mergeTolerations: TolerationMerger | null): Edit {
  const { name, namespace = null } = object.metadata;
  return { kind, name, namespace, patch: ({ spec }) => ({ spec: PATCHES[kind](spec ?? {}, mergeTolerations) }) };
}

const PATCHES: Readonly<
  Record<LoggingKind, (spec: JsonObject, mergeTolerations: TolerationMerger | null) => JsonObject>
> = {
  LokiStack: (spec, mergeTolerations) => ({
    template: Object.fromEntries(
      LOKI_COMPONENTS.map((part) => [part, createPlacementPatch(getField(spec, 'template', part), mergeTolerations)]),
    ),
  }),
  ClusterLogForwarder: (spec, mergeTolerations) => ({
    collector: createCollectorPatch(getField(spec, 'collector'), mergeTolerations),
  }),
  ClusterLogging: (spec, mergeTolerations) => ({
    ...(isJsonObject(spec.collection) ? { collection: createCollectionPatch(spec.collection, mergeTolerations) } : {}),
    ...(isJsonObject(getField(spec, 'logStore', 'elasticsearch'))
      ? {
          logStore: {
            elasticsearch: createPlacementPatch(getField(spec, 'logStore', 'elasticsearch'), mergeTolerations),
          },
        }
      : {}),
    ...(isJsonObject(getField(spec, 'visualization', 'kibana'))
      ? { visualization: { kibana: createPlacementPatch(getField(spec, 'visualization', 'kibana'), mergeTolerations) } }
      : {}),
  }),
};

/** Before 5.6 each collector has fields of its own. Without `collection`, nothing is collected. */
function createCollectionPatch(collection: JsonObject, mergeTolerations: TolerationMerger | null): JsonObject {
  return isJsonObject(collection.logs)
    ? { logs: { fluentd: createCollectorPatch(getField(collection, 'logs', 'fluentd'), mergeTolerations) } }
    : createCollectorPatch(collection, mergeTolerations);
}

function createPlacementPatch(component: unknown, mergeTolerations: TolerationMerger | null): JsonObject {
  if (mergeTolerations === null) return { nodeSelector: null, tolerations: null };
  return {
    nodeSelector: replaceMapPatch(getField(component, 'nodeSelector'), INFRA_NODE_SELECTOR),
    tolerations: mergeTolerations(getList(component, 'tolerations')),
  };
}

/** A collector runs on every node: the tolerations are added to its own, and it gets no node selector. */
function createCollectorPatch(collector: unknown, mergeTolerations: TolerationMerger | null): JsonObject {
  if (mergeTolerations === null) return { tolerations: null };
  const currentTolerations = getList(collector, 'tolerations') as TaintOrToleration[];
  const missingTolerations = mergeTolerations([]).filter(
    ({ key = '', value = '', effect = '' }) => !tolerates(currentTolerations, { key, value, effect }),
  );
  return { tolerations: [...currentTolerations, ...missingTolerations] };
}
