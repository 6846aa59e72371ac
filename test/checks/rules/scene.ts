import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import type { DiagnosticRuleId } from '../../../src/checks/rules/index.ts';
import {
  ago,
  booting,
  bootRequest,
  bootstrapping,
  complete,
  fqdn,
  lines,
  MASTERS,
  machine,
  node,
  type operator,
  WORKERS,
  withCluster,
} from './base-evidence.ts';

/** A mistake that no rehearsal plants, the rules that may come first, and its evidence. */
export type Scene = readonly [string, readonly DiagnosticRuleId[], Evidence];

export const [M1 = '', M2 = '', M3 = ''] = MASTERS;
export const [W1 = ''] = WORKERS;
export const DOMAIN = 'ocp45.example.localdomain';

export const withLines = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
  ...base,
  lines: lines(source, ...texts),
});
export const withChecks = (base: Evidence, ...checks: Evidence['checks']): Evidence => ({
  ...base,
  checks: [...base.checks.filter(({ id }) => !checks.some((each) => each.id === id)), ...checks],
});
const withFile = (kind: 'haproxy' | 'isc-dhcpd', base: Evidence, from: string | RegExp, to: string): Evidence => ({
  ...base,
  files: base.files.map((each) => (each.kind === kind ? { ...each, text: each.text.replace(from, to) } : each)),
});
export const haproxy = (from: string | RegExp, to: string, base = bootstrapping) => withFile('haproxy', base, from, to);
export const dhcpd = (from: string | RegExp, to: string, base = booting) => withFile('isc-dhcpd', base, from, to);
export const operators = (...all: readonly ReturnType<typeof operator>[]) => withCluster(complete, { operators: all });
export const withNotReadyNode = (message: string) =>
  withCluster(complete, { nodes: [node(fqdn(M1), { isReady: false, notReadySince: ago(20), message })] });
export const withBootStage = (
  stage: Evidence['machines'][number]['stage'],
  path: string,
  status: number,
): Evidence => ({
  ...booting,
  machines: booting.machines.map((each) =>
    each.name === M1
      ? machine(M1, { stage, lastRequest: bootRequest(path, status), requests: [bootRequest(path, status)] })
      : each,
  ),
});
