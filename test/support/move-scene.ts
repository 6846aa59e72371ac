import type { Design, InfraSettings } from '../../src/design/model.ts';
import { probeClusterMove } from '../../src/infra/apply-edits.ts';
import type { ClusterReader } from '../../src/infra/cluster-reader.ts';
import type { Edit } from '../../src/infra/edit.ts';
import type { ClusterMove, MoveStatus } from '../../src/infra/infra-move.ts';
import { MOVES, type MoveName } from '../../src/infra/moves.ts';
import { overlayPlan } from '../../src/infra/planned-cluster.ts';
import { createRestoreEdit } from '../../src/infra/undo/restore-plan.ts';
import { captureUndoRecord, derivePendingRestores, type UndoLogLine } from '../../src/infra/undo/undo-log.ts';
import { getApiVersion, getObjectKind, type Kind } from '../../src/openshift/kinds.ts';
import type { KubeObject } from '../../src/openshift/object.ts';
import { DOMAIN, testDesign } from './csr-forge.ts';
import { NO_PLAN_FACTS } from './move-executor.ts';

// Infra moves on objects in memory, without an API: plan, write, undo. An edit is applied as the plan applies it.

export const INFRA = ['i1', 'i2', 'i3'].map((name) => `${name}.${DOMAIN}`);
export const LABEL = 'node-role.kubernetes.io/infra';
export const INFRA_PLACEMENT = {
  nodeSelector: { [LABEL]: '' },
  tolerations: ['NoSchedule', 'NoExecute'].map((effect) => ({ key: LABEL, value: 'reserved', effect })),
};

type ObjectBody = Omit<KubeObject, 'apiVersion' | 'kind' | 'metadata'> & { readonly labels?: Record<string, string> };

export interface MoveScene {
  readonly cluster: ClusterReader;
  design: Design;
  /**
   * Adds an object, or replaces the one of that name.
   * @param path `name` or `namespace/name`
   */
  put(kind: Kind, path: string, body?: ObjectBody): void;
  remove(kind: Kind, path: string): void;
  get(kind: Kind, path: string): KubeObject | undefined;
  infra(change: Partial<InfraSettings>): void;
  probe(name: MoveName): Promise<MoveStatus>;
  /** Applies the edits of the move, or the first `count` of them. */
  apply(name: MoveName, count?: number): Promise<void>;
  /** Restores everything that the moves wrote, in reverse order. */
  undo(...names: readonly MoveName[]): void;
  contents(): string;
}

export function createMoveScene(version = '4.18.9', design: Design = testDesign()): MoveScene {
  const objects = new Map<string, KubeObject>();
  const lines: UndoLogLine[] = [];
  let uids = 0;
  const formatKey = (kind: Kind, path: string) => `${kind} ${path}`;
  const formatPath = ({ name, namespace }: Pick<Edit, 'name' | 'namespace'>) =>
    namespace === null ? name : `${namespace}/${name}`;
  const cluster: ClusterReader = {
    get: async (kind, name, namespace) =>
      objects.get(formatKey(kind, formatPath({ name, namespace: namespace ?? null }))) ?? null,
    list: async (kind, options) =>
      [...objects]
        .filter(([key, { metadata }]) => {
          const isInNamespace = options?.namespace === undefined || metadata.namespace === options.namespace;
          return key.startsWith(`${kind} `) && isInNamespace && isSelected(options?.fieldSelector, objects.get(key));
        })
        .map(([, object]) => object),
  };
  const write = async (edit: Edit) => {
    const planned = overlayPlan(cluster);
    if ((await planned.apply(edit)) === null) return;
    const key = formatKey(edit.kind, formatPath(edit));
    const result = await planned.get(edit.kind, edit.name, edit.namespace ?? undefined);
    if (result === null) objects.delete(key);
    else
      objects.set(
        key,
        result.metadata.uid ? result : { ...result, metadata: { ...result.metadata, uid: `u${++uids}` } },
      );
  };
  const scene: MoveScene = {
    cluster,
    design,
    put(kind, path, { labels, ...body } = {}) {
      const [name = '', namespace] = path.split('/').reverse();
      objects.set(formatKey(kind, path), {
        apiVersion: getApiVersion(kind),
        kind: getObjectKind(kind),
        metadata: { name, uid: `u${++uids}`, ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}) },
        ...body,
      });
    },
    remove: (kind, path) => void objects.delete(formatKey(kind, path)),
    get: (kind, path) => objects.get(formatKey(kind, path)),
    infra(change) {
      scene.design = { ...scene.design, infra: { ...scene.design.infra, ...change } };
    },
    probe: (name) => probeClusterMove(overlayPlan(cluster), findClusterMove(name), scene.design, NO_PLAN_FACTS),
    async apply(name, count = Number.POSITIVE_INFINITY) {
      const plan = await findClusterMove(name).plan(cluster, scene.design, NO_PLAN_FACTS);
      if (plan.state !== 'edits') throw new Error(`${name} is ${plan.state}: ${plan.why}`);
      for (const edit of plan.edits.slice(0, count)) {
        const current = objects.get(formatKey(edit.kind, formatPath(edit))) ?? null;
        if ((await overlayPlan(cluster).apply(edit)) === null) continue;
        lines.push({ type: 'before', cluster: 'c1', ...captureUndoRecord(name, edit, current) });
        await write(edit);
      }
    },
    undo(...names) {
      for (const restore of derivePendingRestores(lines, 'c1').toReversed()) {
        if (!names.includes(restore.move as MoveName)) continue;
        const key = formatKey(restore.kind, formatPath(restore));
        const current = objects.get(key);
        if (current === undefined || restore.making === 'stays') continue;
        const edit = createRestoreEdit(restore, false);
        const isGone = typeof edit.isRemoval === 'function' && edit.isRemoval(current);
        if (isGone) objects.delete(key);
        else objects.set(key, merge(current, edit.patch?.(current) ?? {}) as KubeObject);
      }
    },
    contents: () =>
      JSON.stringify(
        [...objects].sort(([one], [other]) => one.localeCompare(other)),
        null,
        1,
      ),
  };
  prepareCluster(scene, version);
  return scene;
}

function findClusterMove(name: MoveName): ClusterMove<MoveName> {
  const move = MOVES.find((each) => each.name === name);
  if (move?.where !== 'cluster') throw new Error(`${name} is no move of the cluster`);
  return move;
}

/** `spec.nodeName=x`, `status.phase=x`, joined by commas. */
function isSelected(selector: string | undefined, object: KubeObject | undefined): boolean {
  return (selector?.split(',') ?? []).every((term) => {
    const [path = '', value] = term.split('=');
    const found = path.split('.').reduce<unknown>((here, step) => Reflect.get(Object(here), step), object);
    return (found ?? '') === value;
  });
}

/** RFC 7386, but keys keep their order: an undo has to give the same text. */
function merge(found: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = found !== null && typeof found === 'object' ? { ...found } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

/** Adds the objects of a cluster after its installation, with its infra nodes labelled. */
function prepareCluster({ put }: MoveScene, version: string): void {
  for (const name of [...INFRA, `w1.${DOMAIN}`]) {
    const labels = { 'node-role.kubernetes.io/worker': '', ...(INFRA.includes(name) ? { [LABEL]: '' } : {}) };
    put('Node', name, { labels, spec: {}, status: { conditions: [{ type: 'Ready', status: 'True' }] } });
  }
  put('ClusterVersion', 'version', { spec: { clusterID: 'c1' }, status: { desired: { version } } });
  put('DNS', 'default', { spec: {} });
  put('IngressController', 'openshift-ingress-operator/default', {
    spec: {},
    status: { endpointPublishingStrategy: { type: 'HostNetwork' } },
  });
  put('ImageRegistry', 'cluster', { spec: { managementState: 'Removed', replicas: 1, storage: {} } });
  put('ImagePruner', 'cluster', { spec: { schedule: '', suspend: false } });
  put('StorageClass', 'fast', { provisioner: 'example.com/fast', reclaimPolicy: 'Delete', parameters: { pool: 'a' } });
}

/** Adds a workload that its operator placed on the infra nodes and rolled out there, with its pods. */
export function addRunningWorkload(
  scene: MoveScene,
  kind: 'Deployment' | 'StatefulSet',
  path: string,
  replicas = 2,
): void {
  const [namespace = '', name = ''] = path.split('/');
  scene.put(kind, path, {
    spec: { replicas, template: { spec: INFRA_PLACEMENT } },
    status: {
      observedGeneration: 1,
      replicas,
      updatedReplicas: replicas,
      availableReplicas: replicas,
      readyReplicas: replicas,
    },
  });
  for (let index = 0; index < replicas; index += 1) {
    const pod = kind === 'StatefulSet' ? `${name}-${index}` : `${name}-7d4b9c-x2x${index}`;
    scene.put('Pod', `${namespace}/${pod}`, { spec: { nodeName: INFRA[index] ?? '' }, status: { phase: 'Running' } });
  }
}
