import type { Design } from '../../design/model.ts';
import { catalogue, isYesAnswer } from '../../i18n/catalogue.ts';
import { createClusterReader } from '../../infra/apply-edits.ts';
import type { InfraContext } from '../../infra/context.ts';
import {
  createDesignForExistingCluster,
  type ExistingCluster,
  type InfraChoice,
  readExistingCluster,
} from '../../infra/existing-cluster.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { Arguments } from '../commands.ts';
import { UsageError } from '../shared/io.ts';
import type { ProcessIo } from '../shared/process-io.ts';
import { printLine } from './output.ts';

const words = () => catalogue().clusterCommands.infraWithoutDesign;
/** The maximum number of machines in one plan. */
const MAX_MACHINES = 100;

/** The options about infra nodes, for a cluster without a design. */
type InfraNodeOptions = Pick<
  Arguments<'infra plan'>['options'],
  'infra-nodes' | 'infra-machines' | 'machine-size' | 'health-check' | 'worker-machines' | 'router-replicas'
>;

/** Whether any of these options is set. */
export function hasInfraNodeOptions(options: InfraNodeOptions): boolean {
  const {
    'infra-nodes': nodes,
    'infra-machines': machines,
    'machine-size': size,
    'worker-machines': workers,
  } = options;
  return (
    options['health-check'] ||
    [nodes, machines, size, workers, options['router-replicas']].some((option) => option !== undefined)
  );
}

/**
 * Derives a design from the nodes of a cluster that has none. The infra nodes are those that options name, else those
 * with the label, else those that the user confirms: by name, or as machines of the cloud.
 * @throws UsageError if the infra nodes cannot be determined; ClusterError
 */
export async function proposeDesign(
  connect: InfraContext['connect'],
  options: InfraNodeOptions,
  io: ProcessIo,
): Promise<Design> {
  const { 'infra-machines': machines = null, 'machine-size': size = null, 'health-check': healthCheck } = options;
  if ((size !== null || healthCheck) && machines === null) throw new UsageError(words().sizeNeedsMachines);
  const cluster = await readExistingCluster(createClusterReader(await connect()));
  const names = resolveNodeNames(options['infra-nodes'] ?? [], cluster);
  const workerLimits = options['worker-machines'] === undefined ? null : parseLimits(options['worker-machines']);
  if ((machines ?? workerLimits) !== null && cluster.infraMachineCount === null)
    throw new UsageError(words().noMachineSets);
  const choice = await chooseInfraNodes(
    cluster,
    { names, machines, size, healthCheck, autoscaler: workerLimits ?? cluster.workerLimits },
    io,
  );
  printLine(io, words().chosen(cluster.platform || '?', choice.names, choice.machineSets?.count ?? null));
  if (cluster.platform === 'None') printLine(io, words().balancer);
  return createDesignForExistingCluster(cluster, { ...choice, routerReplicas: options['router-replicas'] ?? null });
}

async function chooseInfraNodes(
  cluster: ExistingCluster,
  {
    names,
    machines,
    size,
    healthCheck,
    autoscaler,
  }: Pick<InfraChoice, 'names' | 'autoscaler'> & {
    readonly machines: number | null;
    readonly size: string | null;
    readonly healthCheck: boolean;
  },
  io: ProcessIo,
): Promise<Omit<InfraChoice, 'routerReplicas'>> {
  const existingMachineCount = cluster.infraMachineCount ?? 0;
  const count = machines ?? (existingMachineCount > 0 ? existingMachineCount : null);
  const machineSets = count === null ? null : { count, size, healthCheck };
  if (names.length > 0 || machineSets !== null) return { names, machineSets, autoscaler };
  if (cluster.labelledNodes.length > 0) return { names: cluster.labelledNodes, machineSets: null, autoscaler };
  // Autoscalers need no infra nodes.
  if (autoscaler !== null) return { names: [], machineSets: null, autoscaler };
  if (io.ask === null)
    throw new UsageError(words().whichNodes(cluster.likelyInfraNodes, cluster.infraMachineCount !== null));
  if (
    cluster.likelyInfraNodes.length > 0 &&
    isYesAnswer((await io.ask(words().askLikely(cluster.likelyInfraNodes))) ?? '')
  )
    return { names: cluster.likelyInfraNodes, machineSets: null, autoscaler };
  const isCloud = cluster.infraMachineCount !== null;
  const answer = (
    (await io.ask(isCloud ? words().askMachines(cluster.workerMachineSize) : words().askNames)) ?? ''
  ).trim();
  if (answer === '') throw new UsageError(words().whichNodes(cluster.likelyInfraNodes, isCloud));
  if (isCloud && /^\d+$/.test(answer))
    return {
      names: [],
      machineSets: { count: parseCount(answer), size: null, healthCheck },
      autoscaler,
    };
  return { names: resolveNodeNames(answer.split(','), cluster), machineSets: null, autoscaler };
}

/** Parses the number of infra machines that the user typed. */
function parseCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MAX_MACHINES) throw new UsageError(words().badCount(MAX_MACHINES));
  return count;
}

/** Parses a minimum and a maximum: `2-12`. */
function parseLimits(text: string): NonNullable<InfraChoice['autoscaler']> {
  const [, minimum, maximum] = /^(\d{1,4})-(\d{1,4})$/.exec(text) ?? [];
  if (minimum === undefined || maximum === undefined) throw new UsageError(words().badLimits);
  return { least: Number(minimum), most: Number(maximum) };
}

/**
 * Finds nodes by their names, in full or without the domain.
 * @throws UsageError for an unknown or ambiguous name, and for an arbiter, which runs nothing but etcd
 */
function resolveNodeNames(texts: readonly string[], { nodes, arbiters }: ExistingCluster): readonly string[] {
  const trimmedNames = texts.map((name) => name.trim());
  return [...new Set(trimmedNames)].map((name) => {
    const [node, ...otherMatches] = nodes.filter((candidate) => candidate === name || candidate.startsWith(`${name}.`));
    if (node === undefined || name === '' || otherMatches.length > 0)
      throw new UsageError(words().unknownNode(sanitizeLine(name, 80), nodes));
    if (arbiters.includes(node)) throw new UsageError(words().arbiterNode(node));
    return node;
  });
}
