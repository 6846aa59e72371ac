import type { Design } from '../../design/model.ts';
import { designOfFound, type FoundCluster, type InfraChoice } from '../../moves/found-cluster.ts';
import { findCluster, type MoveSite } from '../../steps/infra/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { saysYes } from '../../text/yes.ts';
import type { LiveIo } from '../shared/live-io.ts';
import { UsageError } from '../shared/usage.ts';
import { say } from './says.ts';

const words = () => catalogue().live.infraFound;
/** The most machines, or routers, that one plan makes. */
const MOST = 100;

/** Options of a cluster without a design, for parseArgs. */
export const FOUND_OPTIONS = {
  'infra-nodes': { type: 'string' },
  'infra-machines': { type: 'string' },
  'machine-size': { type: 'string' },
  'health-check': { type: 'boolean' },
  'worker-machines': { type: 'string' },
  'router-replicas': { type: 'string' },
} as const;

/** What the command line says of the infra nodes. */
export interface AskedNodes {
  readonly 'infra-nodes'?: string | undefined;
  readonly 'infra-machines'?: string | undefined;
  readonly 'machine-size'?: string | undefined;
  readonly 'health-check'?: boolean | undefined;
  readonly 'worker-machines'?: string | undefined;
  readonly 'router-replicas'?: string | undefined;
}

/** Whether it says anything of them. */
export function saysNodes(asked: AskedNodes): boolean {
  return Object.keys(FOUND_OPTIONS).some((option) => asked[option as keyof AskedNodes] !== undefined);
}

/**
 * A design for a cluster of which there is none, from the nodes that it has: infra nodes are those that the command line
 * names, else those with the label, else those that a person says yes to, by name or made by the cloud.
 * @throws UsageError where nobody says who they are; ClusterError
 */
export async function proposeDesign(connect: MoveSite['connect'], asked: AskedNodes, io: LiveIo): Promise<Design> {
  const machines = asked['infra-machines'] === undefined ? null : countOf('infra-machines', asked['infra-machines']);
  const routers = asked['router-replicas'] === undefined ? null : countOf('router-replicas', asked['router-replicas']);
  const healthCheck = asked['health-check'] === true;
  if ((asked['machine-size'] !== undefined || healthCheck) && machines === null)
    throw new UsageError(words().sizeNeedsMachines);
  const found = await findCluster(await connect());
  const names = asked['infra-nodes'] === undefined ? [] : namesOf(asked['infra-nodes'], found);
  const workers = asked['worker-machines'] === undefined ? null : limitsOf(asked['worker-machines']);
  if ((machines ?? workers) !== null && found.machines === null) throw new UsageError(words().noMachineSets);
  const size = asked['machine-size'] ?? null;
  const choice = await choose(found, { names, machines, size, healthCheck, autoscaler: workers ?? found.workers }, io);
  say(io, words().chosen(found.platform || '?', choice.names, choice.machineSets?.count ?? null));
  if (found.platform === 'None') say(io, words().balancer);
  return designOfFound(found, { ...choice, routerReplicas: routers });
}

async function choose(
  found: FoundCluster,
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
  io: LiveIo,
): Promise<Omit<InfraChoice, 'routerReplicas'>> {
  const there = found.machines ?? 0;
  const count = machines ?? (there > 0 ? there : null);
  const machineSets = count === null ? null : { count, size, healthCheck };
  if (names.length > 0 || machineSets !== null) return { names, machineSets, autoscaler };
  if (found.labelled.length > 0) return { names: found.labelled, machineSets: null, autoscaler };
  // Autoscalers need no infra nodes.
  if (autoscaler !== null) return { names: [], machineSets: null, autoscaler };
  if (io.ask === null) throw new UsageError(words().whichNodes(found.likely, found.machines !== null));
  if (found.likely.length > 0 && saysYes((await io.ask(words().askLikely(found.likely))) ?? ''))
    return { names: found.likely, machineSets: null, autoscaler };
  const isCloud = found.machines !== null;
  const answer = ((await io.ask(isCloud ? words().askMachines(found.size) : words().askNames)) ?? '').trim();
  if (answer === '') throw new UsageError(words().whichNodes(found.likely, isCloud));
  if (isCloud && /^\d+$/.test(answer))
    return {
      names: [],
      machineSets: { count: countOf('infra-machines', answer), size: null, healthCheck },
      autoscaler,
    };
  return { names: namesOf(answer, found), machineSets: null, autoscaler };
}

function countOf(option: keyof AskedNodes, text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST) throw new UsageError(words().badCount(option, MOST));
  return count;
}

/** `2-12`: at least and at most. */
function limitsOf(text: string): NonNullable<InfraChoice['autoscaler']> {
  const [, least, most] = /^(\d{1,4})-(\d{1,4})$/.exec(text) ?? [];
  if (least === undefined || most === undefined) throw new UsageError(words().badLimits);
  return { least: Number(least), most: Number(most) };
}

/** The names of nodes, in full or without their domain. */
function namesOf(text: string, { nodes }: FoundCluster): readonly string[] {
  const wanted = text.split(',').map((name) => name.trim());
  return [...new Set(wanted)].map((name) => {
    const [node, ...others] = nodes.filter((each) => each === name || each.startsWith(`${name}.`));
    if (node === undefined || name === '' || others.length > 0)
      throw new UsageError(words().unknownNode(sanitizeLine(name, 80), nodes));
    return node;
  });
}
