import type { Evidence } from '../../../src/diagnosis/causes/evidence.ts';
import type { CauseId } from '../../../src/diagnosis/causes/index.ts';
import {
  ago,
  booting,
  bootstrapping,
  complete,
  fetched,
  fqdn,
  lines,
  MASTERS,
  machine,
  node,
  type operator,
  WORKERS,
  withCluster,
} from './healthy.ts';

/** A mistake that no rehearsal plants, the rules that may be told first of it, and what it looks like from here. */
export type Scene = readonly [string, readonly CauseId[], Evidence];

export const [M1 = '', M2 = '', M3 = ''] = MASTERS;
export const [W1 = ''] = WORKERS;
export const DOMAIN = 'ocp45.example.localdomain';

export const said = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
  ...base,
  lines: lines(source, ...texts),
});
export const checked = (base: Evidence, ...checks: Evidence['checks']): Evidence => ({
  ...base,
  checks: [...base.checks.filter(({ code }) => !checks.some((each) => each.code === code)), ...checks],
});
export const file = (kind: 'haproxy' | 'isc-dhcpd', base: Evidence, from: string | RegExp, to: string): Evidence => ({
  ...base,
  files: base.files.map((each) => (each.kind === kind ? { ...each, text: each.text.replace(from, to) } : each)),
});
export const haproxy = (from: string | RegExp, to: string, base = bootstrapping) => file('haproxy', base, from, to);
export const dhcpd = (from: string | RegExp, to: string, base = booting) => file('isc-dhcpd', base, from, to);
export const operators = (...all: readonly ReturnType<typeof operator>[]) => withCluster(complete, { operators: all });
export const unready = (message: string) =>
  withCluster(complete, { nodes: [node(fqdn(M1), { isReady: false, goneSince: ago(20), message })] });
export const stages = (stage: Evidence['machines'][number]['stage'], path: string, status: number): Evidence => ({
  ...booting,
  machines: booting.machines.map((each) =>
    each.name === M1
      ? machine(M1, { stage, lastRequest: fetched(path, status), requests: [fetched(path, status)] })
      : each,
  ),
});
