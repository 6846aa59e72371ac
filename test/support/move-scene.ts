import { probeMove } from '../../src/cluster/infra/run.ts';
import type { Design, InfraPlan } from '../../src/design/model.ts';
import { backEdit } from '../../src/moves/before/give-back.ts';
import { type BeforeLine, keptOf } from '../../src/moves/before/line.ts';
import { beforeOf } from '../../src/moves/before/record.ts';
import type { Edit } from '../../src/moves/edit.ts';
import { foresee } from '../../src/moves/foresight.ts';
import type { ClusterMove, MoveState, Sight } from '../../src/moves/move.ts';
import { MOVES, type MoveName } from '../../src/moves/table.ts';
import { apiVersionOf, type Kind, objectKindOf } from '../../src/objects/kinds.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { DOMAIN, testDesign } from './csr-forge.ts';

// The records of the moves on objects in memory: plan, write, undo, without an API. An edit is made as the plan makes it.

export const INFRA = ['i1', 'i2', 'i3'].map((name) => `${name}.${DOMAIN}`);
export const LABEL = 'node-role.kubernetes.io/infra';
export const PLACED = {
  nodeSelector: { [LABEL]: '' },
  tolerations: ['NoSchedule', 'NoExecute'].map((effect) => ({ key: LABEL, value: 'reserved', effect })),
};

type Body = Omit<KubeObject, 'apiVersion' | 'kind' | 'metadata'> & { readonly labels?: Record<string, string> };

export interface MoveScene {
  readonly sight: Sight;
  design: Design;
  /** Puts an object there, or in the place of the one of that name. @param path `name` or `namespace/name` */
  put(kind: Kind, path: string, body?: Body): void;
  remove(kind: Kind, path: string): void;
  get(kind: Kind, path: string): KubeObject | undefined;
  infra(change: Partial<InfraPlan>): void;
  look(name: MoveName): Promise<MoveState>;
  /** Makes the move's edits, or the first so many. */
  make(name: MoveName, count?: number): Promise<void>;
  /** Gives everything back that the moves wrote, the last one first. @returns what somebody else changed since */
  undo(...names: readonly MoveName[]): void;
  contents(): string;
}

export function moveScene(version = '4.18.9', design: Design = testDesign()): MoveScene {
  const objects = new Map<string, KubeObject>();
  const lines: BeforeLine[] = [];
  let uids = 0;
  const keyOf = (kind: Kind, path: string) => `${kind} ${path}`;
  const pathOf = ({ name, namespace }: Pick<Edit, 'name' | 'namespace'>) =>
    namespace === null ? name : `${namespace}/${name}`;
  const sight: Sight = {
    get: async (kind, name, namespace) =>
      objects.get(keyOf(kind, pathOf({ name, namespace: namespace ?? null }))) ?? null,
    list: async (kind, options) =>
      [...objects]
        .filter(([key, { metadata }]) => {
          const isHere = options?.namespace === undefined || metadata.namespace === options.namespace;
          return key.startsWith(`${kind} `) && isHere && isSelected(options?.fieldSelector, objects.get(key));
        })
        .map(([, object]) => object),
  };
  const write = async (edit: Edit) => {
    const ahead = foresee(sight);
    if ((await ahead.make(edit)) === null) return;
    const key = keyOf(edit.kind, pathOf(edit));
    const made = await ahead.get(edit.kind, edit.name, edit.namespace ?? undefined);
    if (made === null) objects.delete(key);
    else objects.set(key, made.metadata.uid ? made : { ...made, metadata: { ...made.metadata, uid: `u${++uids}` } });
  };
  const scene: MoveScene = {
    sight,
    design,
    put(kind, path, { labels, ...body } = {}) {
      const [name = '', namespace] = path.split('/').reverse();
      objects.set(keyOf(kind, path), {
        apiVersion: apiVersionOf(kind),
        kind: objectKindOf(kind),
        metadata: { name, uid: `u${++uids}`, ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}) },
        ...body,
      });
    },
    remove: (kind, path) => void objects.delete(keyOf(kind, path)),
    get: (kind, path) => objects.get(keyOf(kind, path)),
    infra(change) {
      scene.design = { ...scene.design, infra: { ...scene.design.infra, ...change } };
    },
    look: (name) => probeMove(foresee(sight), clusterMove(name), scene.design, async () => []),
    async make(name, count = Number.POSITIVE_INFINITY) {
      const plan = await clusterMove(name).plan(sight, scene.design, async () => []);
      if (plan.state !== 'edits') throw new Error(`${name} is ${plan.state}: ${plan.why}`);
      for (const edit of plan.edits.slice(0, count)) {
        const current = objects.get(keyOf(edit.kind, pathOf(edit))) ?? null;
        if ((await foresee(sight).make(edit)) === null) continue;
        lines.push({ type: 'before', cluster: 'c1', ...beforeOf(name, edit, current) });
        await write(edit);
      }
    },
    undo(...names) {
      for (const kept of keptOf(lines, 'c1').toReversed()) {
        if (!names.includes(kept.move as MoveName)) continue;
        const key = keyOf(kept.kind, pathOf(kept));
        const current = objects.get(key);
        if (current === undefined || kept.making === 'stays') continue;
        const edit = backEdit(kept, false);
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
  furnish(scene, version);
  return scene;
}

function clusterMove(name: MoveName): ClusterMove<MoveName> {
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

/** RFC 7386, keys in their places: what comes back has to be the same text. */
function merge(found: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = found !== null && typeof found === 'object' ? { ...found } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merge(result[key], value);
  }
  return result;
}

/** A cluster after its installation, with its infra nodes labelled. */
function furnish({ put }: MoveScene, version: string): void {
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

/** A workload that its operator placed on the infra nodes and rolled out there, with its pods. */
export function running(scene: MoveScene, kind: 'Deployment' | 'StatefulSet', path: string, replicas = 2): void {
  const [namespace = '', name = ''] = path.split('/');
  scene.put(kind, path, {
    spec: { replicas, template: { spec: PLACED } },
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
