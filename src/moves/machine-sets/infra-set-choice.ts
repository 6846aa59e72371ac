import { infraSetName } from './infra-set.ts';
import type { MachineSetView } from './machine-set-view.ts';

/** One infra MachineSet to create. */
export interface WantedInfraSet {
  readonly name: string;
  /** The worker MachineSet of the same zone, which is cloned. */
  readonly source: MachineSetView;
  readonly replicas: number;
}

/** The infra MachineSets to create, or what prevents it. */
export type InfraSetChoice =
  | { readonly state: 'sets'; readonly wanted: readonly WantedInfraSet[]; readonly existing: readonly MachineSetView[] }
  /**
   * `clusterApi`: the Cluster API is the authority on these sets. `noExample`: none of these sets can be cloned.
   * `taken`: other sets have these names.
   */
  | { readonly state: 'clusterApi' | 'taken' | 'noExample'; readonly names: readonly string[] };

/**
 * Plans one infra MachineSet per zone, cloned from the worker set of that zone, until the requested number of machines
 * is reached. Zones that have workers now come first. Infra sets of other names count where they are.
 * @param count infra machines in all
 */
export function chooseInfraSets(
  sets: readonly MachineSetView[],
  infrastructure: string,
  count: number,
): InfraSetChoice {
  const cloneable = sets.filter(({ unfitReason, isInfra }) => unfitReason === null && !isInfra);
  const ofClusterApi = sets.filter(({ unfitReason }) => unfitReason === 'cluster-api').map(({ name }) => name);
  if (ofClusterApi.length > 0) return { state: 'clusterApi', names: ofClusterApi };
  if (cloneable.length === 0) return { state: 'noExample', names: sets.map(({ name }) => name) };
  const sources = selectOnePerZone(cloneable, infrastructure);
  const names = new Map(sources.map((source) => [infraSetName(source, infrastructure), source]));
  const taken = sets.filter(({ name, isInfra }) => names.has(name) && !isInfra).map(({ name }) => name);
  if (taken.length > 0) return { state: 'taken', names: taken };
  const foreign = sets.filter(({ name, isInfra }) => isInfra && !names.has(name));
  const remaining = Math.max(0, count - foreign.reduce((sum, { replicas }) => sum + replicas, 0));
  const wanted = [...names].map(([name, source], index) => {
    const replicas = Math.floor(remaining / names.size) + (index < remaining % names.size ? 1 : 0);
    return { name, source, replicas };
  });
  return { state: 'sets', wanted: wanted.filter(({ replicas }) => replicas > 0), existing: foreign };
}

/** Prefers, for each zone, the installer's own set, then one with machines, then by name. */
function selectOnePerZone(cloneable: readonly MachineSetView[], infrastructure: string): MachineSetView[] {
  const isFromInstaller = ({ name }: MachineSetView) => name.startsWith(`${infrastructure}-worker`);
  const byRank = (a: MachineSetView, b: MachineSetView) =>
    Number(isFromInstaller(b)) - Number(isFromInstaller(a)) ||
    Number(b.replicas > 0) - Number(a.replicas > 0) ||
    compareNames(a.name, b.name);
  const zones = Map.groupBy(cloneable, ({ zone }) => zone);
  const chosen = [...zones.values()].flatMap((sets) => sets.toSorted(byRank).slice(0, 1));
  return chosen.sort((a, b) => Number(b.replicas > 0) - Number(a.replicas > 0) || compareNames(a.name, b.name));
}

const compareNames = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
