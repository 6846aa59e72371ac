import { INFRA_SELECTOR, infraNames, type Toleration } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { at, type JsonObject, listAt, textAt } from '../../objects/object.ts';
import { podView } from '../../objects/pod.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Edit, exactly, isFields } from '../edit.ts';
import type { ClusterMove, Sight } from '../move.ts';
import { label } from '../nodes/label.ts';
import { isStopped, labelledInfraNodes } from '../shared/nodes.ts';
import { kept } from '../shared/rollout.ts';
import { doTolerate, type Tolerate, taintsToBe, tolerateOn } from '../shared/tolerations.ts';
import {
  foundLogging,
  type Installed,
  isMoved,
  type LoggingKind,
  loggingOperators,
  loggingWorkloads,
} from './logging-found.ts';

const words = () => catalogue().moves.each.logging;

/** The parts of a LokiStack that are placed (loki operator, api/loki/v1/lokistack_types.go). */
const LOKI_PARTS = [
  'compactor',
  'distributor',
  'gateway',
  'indexGateway',
  'ingester',
  'querier',
  'queryFrontend',
  'ruler',
] as const;
/** Logging, whichever generation of it is installed. We do not install it. */
export const logging: ClusterMove<'logging'> = {
  name: 'logging',
  where: 'cluster',
  carried: { operator: loggingOperators, workloads: loggingWorkloads },
  needs: [label],
  taintWaits: true,
  async plan(sight, design) {
    const { used, leftOver } = await foundLogging(sight);
    const says = leftOver.length === 0 ? [] : [words().leftOver(leftOver.map(nameOf))];
    if (used.length === 0) return { state: 'absent', why: says[0] ?? words().notInstalled };
    const byHand = used.filter(({ object }) => textAt(object.spec, 'managementState') === 'Unmanaged');
    if (byHand.length > 0) return { state: 'blocked', why: words().unmanaged(byHand.map(nameOf)) };
    const nodes = await labelledInfraNodes(sight, design);
    if (isStopped(nodes)) return nodes;
    const tolerate = await tolerateOn(sight, design);
    return { state: 'edits', edits: used.map((one) => placementEdit(one, tolerate)), says };
  },
  async settled(sight, design) {
    const namespaces = new Set((await foundLogging(sight)).used.map(({ object }) => object.metadata.namespace ?? ''));
    for (const namespace of namespaces) {
      const pods = (await sight.list('Pod', { namespace })).filter(isMoved).map(podView);
      const pending = pods.find(({ phase, message }) => phase === 'Pending' && message !== '');
      const { rollout } = catalogue().moves.why;
      if (pending) return { state: 'moving', ...kept(pending) };
      const away = pods.find(({ phase, node }) => phase !== 'Succeeded' && !infraNames(design).includes(node ?? ''));
      if (away) return { state: 'moving', why: rollout.elsewhere(away.name, [away.node ?? '-']) };
    }
    return (await whyNotCollected(sight, design)) ?? { state: 'done', why: words().done };
  },
  undoWaits: null,
  undoEdits: async (sight) => (await foundLogging(sight)).used.map((one) => placementEdit(one, null)),
  left: null,
  // Whether it is installed, no design says.
  manifest: () => [],
};

/** The collectors run on infra nodes, too, once their operator has given them the tolerations. */
async function whyNotCollected(sight: Sight, design: Design) {
  const sets = await sight.list('DaemonSet', { namespace: 'openshift-logging' });
  const taints = await taintsToBe(sight, design);
  const behind = sets.filter(
    ({ spec }) => !taints.every((taint) => doTolerate(listAt(spec, 'template', 'spec', 'tolerations'), taint)),
  );
  const names = behind.map(({ metadata }) => metadata.name);
  return names.length > 0 ? ({ state: 'moving', why: catalogue().moves.why.rollout.notTaken(names) } as const) : null;
}

const nameOf = ({ kind, object: { metadata } }: Installed) => `${kind} ${metadata.namespace}/${metadata.name}`;

/** @param tolerate null takes the placement out */
function placementEdit({ kind, object }: Installed, tolerate: Tolerate | null): Edit {
  const { name, namespace = null } = object.metadata;
  return { kind, name, namespace, patch: ({ spec }) => ({ spec: PATCHES[kind](spec ?? {}, tolerate) }) };
}

const PATCHES: Readonly<Record<LoggingKind, (spec: JsonObject, tolerate: Tolerate | null) => JsonObject>> = {
  LokiStack: (spec, tolerate) => ({
    template: Object.fromEntries(LOKI_PARTS.map((part) => [part, placed(at(spec, 'template', part), tolerate)])),
  }),
  ClusterLogForwarder: (spec, tolerate) => ({ collector: collecting(at(spec, 'collector'), tolerate) }),
  ClusterLogging: (spec, tolerate) => ({
    ...(isFields(spec.collection) ? { collection: collectionOf(spec.collection, tolerate) } : {}),
    ...(isFields(at(spec, 'logStore', 'elasticsearch'))
      ? { logStore: { elasticsearch: placed(at(spec, 'logStore', 'elasticsearch'), tolerate) } }
      : {}),
    ...(isFields(at(spec, 'visualization', 'kibana'))
      ? { visualization: { kibana: placed(at(spec, 'visualization', 'kibana'), tolerate) } }
      : {}),
  }),
};

/** Before 5.6 each collector has fields of its own. Without `collection`, nothing is collected. */
function collectionOf(found: JsonObject, tolerate: Tolerate | null): JsonObject {
  return isFields(found.logs)
    ? { logs: { fluentd: collecting(at(found, 'logs', 'fluentd'), tolerate) } }
    : collecting(found, tolerate);
}

function placed(found: unknown, tolerate: Tolerate | null): JsonObject {
  if (tolerate === null) return { nodeSelector: null, tolerations: null };
  return {
    nodeSelector: exactly(at(found, 'nodeSelector'), INFRA_SELECTOR),
    tolerations: tolerate(listAt(found, 'tolerations')),
  };
}

/** A collector runs on every node: it tolerates the taint beside what it tolerates already, and selects nothing. */
function collecting(found: unknown, tolerate: Tolerate | null): JsonObject {
  if (tolerate === null) return { tolerations: null };
  const own = listAt(found, 'tolerations') as Toleration[];
  const missing = tolerate([]).filter(
    ({ key = '', value = '', effect = '' }) => !doTolerate(own, { key, value, effect }),
  );
  return { tolerations: [...own, ...missing] };
}
