import { infraSetName } from './infra-set.ts';
import type { WorkerSet } from './worker-set.ts';

/** One infra set that there is to be. */
export interface Wanted {
  readonly name: string;
  /** The worker set of the same zone. */
  readonly example: WorkerSet;
  readonly replicas: number;
}

/** Which infra sets there are to be, and what stands in the way. */
export type Choice =
  | { readonly state: 'sets'; readonly wanted: readonly Wanted[]; readonly existing: readonly WorkerSet[] }
  /** `clusterApi`: the sets that are not the authority on their machines. `noExample`: no set is fit. `taken`: the names of others. */
  | { readonly state: 'clusterApi' | 'taken' | 'noExample'; readonly names: readonly string[] };

/**
 * One infra set for each zone, from the worker set of that zone, until there are as many machines as asked for; zones that
 * have workers now come first. Infra sets of other names count where they are.
 * @param count infra machines in all
 */
export function chooseSets(sets: readonly WorkerSet[], infrastructure: string, count: number): Choice {
  const fit = sets.filter(({ unfit, isInfra }) => unfit === null && !isInfra);
  const ofClusterApi = sets.filter(({ unfit }) => unfit === 'cluster-api').map(({ name }) => name);
  if (ofClusterApi.length > 0) return { state: 'clusterApi', names: ofClusterApi };
  if (fit.length === 0) return { state: 'noExample', names: sets.map(({ name }) => name) };
  const examples = oneForEachZone(fit, infrastructure);
  const names = new Map(examples.map((example) => [infraSetName(example, infrastructure), example]));
  const taken = sets.filter(({ name, isInfra }) => names.has(name) && !isInfra).map(({ name }) => name);
  if (taken.length > 0) return { state: 'taken', names: taken };
  const foreign = sets.filter(({ name, isInfra }) => isInfra && !names.has(name));
  const open = Math.max(0, count - foreign.reduce((sum, { replicas }) => sum + replicas, 0));
  const wanted = [...names].map(([name, example], index) => {
    const replicas = Math.floor(open / names.size) + (index < open % names.size ? 1 : 0);
    return { name, example, replicas };
  });
  return { state: 'sets', wanted: wanted.filter(({ replicas }) => replicas > 0), existing: foreign };
}

/** Of several sets in a zone the installer's own, then one with machines, then by name. */
function oneForEachZone(fit: readonly WorkerSet[], infrastructure: string): WorkerSet[] {
  const isUsual = ({ name }: WorkerSet) => name.startsWith(`${infrastructure}-worker`);
  const byRank = (a: WorkerSet, b: WorkerSet) =>
    Number(isUsual(b)) - Number(isUsual(a)) ||
    Number(b.replicas > 0) - Number(a.replicas > 0) ||
    compare(a.name, b.name);
  const zones = Map.groupBy(fit, ({ zone }) => zone);
  const chosen = [...zones.values()].flatMap((sets) => sets.toSorted(byRank).slice(0, 1));
  return chosen.sort((a, b) => Number(b.replicas > 0) - Number(a.replicas > 0) || compare(a.name, b.name));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
