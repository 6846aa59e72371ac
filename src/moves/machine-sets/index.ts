import { INFRA_LABEL, INFRA_SELECTOR, infraTaints, WORKER_LABEL } from '../../design/infra-placement.ts';
import type { Design } from '../../design/model.ts';
import { apiVersionOf } from '../../objects/kinds.ts';
import { at, type JsonObject, type KubeObject, numberAt, textAt } from '../../objects/object.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Edit } from '../edit.ts';
import type { ClusterMove, Settled, Sight, Stopped, Waiting } from '../move.ts';
import { type Choice, chooseSets, type Wanted } from './choose.ts';
import { healthCheckEdit } from './health-check.ts';
import { infraSet } from './infra-set.ts';
import { type MachineView, machinesOf } from './machines.ts';
import { MACHINE_NAMESPACE, type WorkerSet, workerSet } from './worker-set.ts';

const words = () => catalogue().moves.each['machine-sets'];

const setNamed = (name: string) => ({ kind: 'MachineSet', name, namespace: MACHINE_NAMESPACE }) as const;

/**
 * Makes infra nodes where a cloud makes the machines: an infra MachineSet in each zone, cloned from the worker set there, made
 * without machines and then scaled. The machines are born with label and taint. ControlPlaneMachineSets are left alone.
 */
export const machineSets: ClusterMove<'machine-sets'> = {
  name: 'machine-sets',
  where: 'cluster',
  carried: null,
  needs: [],
  taintWaits: false,
  async plan(sight, design) {
    const chosen = await chosenSets(sight, design);
    if (!('choice' in chosen)) return chosen;
    const { wanted } = chosen.choice;
    const size = design.infra.machineSets?.size ?? null;
    const unsized = wanted.find(({ example }) => size !== null && !example.provider?.form.test(size));
    if (size !== null && unsized) return { state: 'blocked', why: words().badSize(size, unsized.example.size) };
    const foreseen = await machinesToCome(sight, design, wanted);
    const health = design.infra.machineSets?.healthCheck ? [healthCheckEdit(chosen.infrastructure)] : [];
    return { state: 'edits', edits: [...wanted.flatMap((each) => setEdits(each, design, size)), ...health], foreseen };
  },
  async settled(sight, design) {
    const chosen = await chosenSets(sight, design);
    if (!('choice' in chosen)) return { state: 'moving', why: chosen.why };
    const names = [...chosen.choice.wanted, ...chosen.choice.existing].map(({ name }) => name);
    return await machinesSettled(sight, names);
  },
  undoWaits: stillSelected,
  // Without a record nobody knows who made a set.
  undoEdits: async () => [],
  left: null,
  emptying: {
    edit: (kept) => ({
      ...setNamed(kept.name),
      patch: (current): JsonObject => (numberAt(current.spec, 'replicas') === 0 ? {} : { spec: { replicas: 0 } }),
    }),
    async left(sight, names) {
      const machines = await machinesOf(sight, names);
      return machines.length === 0 ? null : { state: 'moving', why: words().leaving(machines.map(machineLine)) };
    },
  },
  manifest: () => [],
};

/** Without machines first: a set that is wrong costs nothing. A set that somebody made larger stays so. */
function setEdits({ name, example, replicas }: Wanted, design: Design, size: string | null): Edit[] {
  return [
    {
      ...setNamed(name),
      create: () => infraSet(example, { name, design, size }),
      copyOf: example.object,
    },
    {
      ...setNamed(name),
      patch: ({ spec }): JsonObject => ((numberAt(spec, 'replicas') ?? 0) >= replicas ? {} : { spec: { replicas } }),
    },
  ];
}

async function chosenSets(
  sight: Sight,
  design: Design,
): Promise<Stopped | { readonly choice: Extract<Choice, { state: 'sets' }>; readonly infrastructure: string }> {
  const wanted = design.infra.machineSets;
  if (wanted === null) return { state: 'absent', why: words().unwanted };
  const infrastructure = await sight.get('Infrastructure', 'cluster');
  const platform =
    textAt(infrastructure?.status, 'platformStatus', 'type') ?? textAt(infrastructure?.status, 'platform');
  if (infrastructure === null || platform === null || platform === 'None')
    return { state: 'absent', why: words().noCloud };
  const sets = await setsOf(sight);
  if (sets.length === 0) return { state: 'absent', why: words().noSets(platform) };
  const name = textAt(infrastructure.status, 'infrastructureName') ?? '';
  const choice = chooseSets(sets, name, wanted.count);
  if (choice.state === 'sets') return { choice, infrastructure: name };
  const why = { clusterApi: words().clusterApi, noExample: words().noExample, taken: words().taken } as const;
  return { state: 'blocked', why: why[choice.state](choice.names) };
}

/** The MachineSets of the cluster. */
export async function setsOf(sight: Sight): Promise<WorkerSet[]> {
  return (await sight.list('MachineSet', { namespace: MACHINE_NAMESPACE })).map(workerSet);
}

/**
 * The nodes that the sets will bring: those that have joined and are not Ready yet, as they will be, and beyond those that are
 * there more of them, whose names are the cloud's to give.
 */
async function machinesToCome(sight: Sight, design: Design, wanted: readonly Wanted[]): Promise<KubeObject[]> {
  const there = await machinesOf(
    sight,
    wanted.map(({ name }) => name),
  );
  const unready = there.flatMap(({ node, isNodeReady, isLeaving }) => (isNodeReady || isLeaving ? [] : (node ?? [])));
  const joined = unready.length === 0 ? [] : await sight.list('Node');
  const missing = wanted.flatMap(({ name, replicas }) => {
    const nodes = there.filter(({ set, node }) => set === name && node !== null).length;
    return Array.from({ length: Math.max(0, replicas - nodes) }, (_, index) =>
      expectedNode(words().expected(name, nodes + index + 1), design),
    );
  });
  return [...joined.filter(({ metadata }) => unready.includes(metadata.name)).map(asReady), ...missing];
}

const READY = { type: 'Ready', status: 'True' } as const;

/** The node once its network is there; the taint of until then goes by itself. */
const asReady = (node: KubeObject): KubeObject => ({ ...node, status: { conditions: [READY] } });

/** A node as the machine is born: without a uid, since it is not there. */
function expectedNode(name: string, design: Design): KubeObject {
  return {
    apiVersion: apiVersionOf('Node'),
    kind: 'Node',
    metadata: { name, labels: { ...INFRA_SELECTOR, [WORKER_LABEL]: '' } },
    spec: { taints: infraTaints(design) },
    status: { conditions: [READY] },
  };
}

/** A machine that failed stays so: its set does not replace it. */
async function machinesSettled(sight: Sight, names: readonly string[]): Promise<Settled> {
  const sets = (await setsOf(sight)).filter(({ name }) => names.includes(name));
  const machines = await machinesOf(sight, names);
  const failed = machines.find(({ phase, error, isLeaving }) => !isLeaving && (phase === 'Failed' || error !== ''));
  if (failed) return { state: 'failed', why: words().machineFailed(failed.name, failed.error) };
  const wanted = sets.reduce((sum, { replicas }) => sum + replicas, 0);
  const ready = machines.filter(({ isNodeReady }) => isNodeReady);
  const open = machines.filter(({ isNodeReady }) => !isNodeReady);
  if (ready.length >= wanted && open.length === 0) return { state: 'done', why: words().done(ready.length, names) };
  return { state: 'moving', why: words().coming(ready.length, wanted, open.map(machineLine)) };
}

const machineLine = ({ name, phase, node }: MachineView) => words().machine(name, phase, node);

/** While pods on its machines select the infra nodes, they would have no node: their moves are undone first. */
async function stillSelected(sight: Sight): Promise<Waiting | null> {
  const infra = (await setsOf(sight)).filter(({ isInfra }) => isInfra).map(({ name }) => name);
  const nodes = (await machinesOf(sight, infra)).flatMap(({ node }) => node ?? []);
  const pods = await Promise.all(nodes.map((node) => sight.list('Pod', { fieldSelector: `spec.nodeName=${node}` })));
  const selecting = pods
    .flat()
    .filter((pod) => at(pod.spec, 'nodeSelector', INFRA_LABEL) !== undefined && !isOver(pod))
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return selecting.length === 0 ? null : { state: 'moving', why: words().selected(selecting) };
}

const isOver = (pod: KubeObject) => /^(?:Succeeded|Failed)$/.test(textAt(pod.status, 'phase') ?? '');
