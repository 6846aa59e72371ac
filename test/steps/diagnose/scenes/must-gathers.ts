import { MINUTE } from '../../../../src/platform/clock.ts';
import { clusterVersion, condition, nodeObject, operator } from '../../../support/bundle-objects.ts';
import { GATHERED_AT } from '../../../support/bundle-text.ts';
import { exampleSite } from '../../../support/example-design.ts';
import { createMustGather } from '../../../support/must-gather.ts';

// Parts of the must-gathers of unhealthy clusters.

export const design = exampleSite();
export const times = (count: number, ...texts: readonly string[]) => Array.from({ length: count }, () => texts).flat();
export const unhealthyOperator = (name: string, reason: string, message: string) =>
  operator(name, [
    condition('Available', 'False', 90, reason, message),
    condition('Progressing', 'True', 90, reason, message),
    condition('Degraded', 'True', 90, reason, message),
  ]);
export const incompleteVersion = versionFile([
  condition('Available', 'False', 90),
  condition(
    'Failing',
    'True',
    30,
    'ClusterOperatorNotAvailable',
    'Cluster operators authentication, console, ingress are not available',
  ),
  condition('Progressing', 'True', 90, '', 'Unable to apply 4.18.9: some cluster operators are not available'),
]);
export function versionFile(conditions: Parameters<typeof clusterVersion>[0]) {
  return {
    'cluster-scoped-resources/config.openshift.io/clusterversions/version.yaml': JSON.stringify(
      clusterVersion(conditions),
    ),
  };
}
export const withoutFiles = (...names: readonly string[]) =>
  Object.fromEntries(
    Object.keys(createMustGather(design))
      .filter((path) => names.some((name) => path.includes(name)))
      .map((path) => [path.split('/').slice(2).join('/'), null]),
  );
export const workers = design.nodes
  .filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane')
  .map(({ name }) => name);
export const unreachableNode = (node: string, reason: string, message: string) =>
  nodeObject(design, node, {
    status: 'Unknown',
    reason,
    message,
    lastTransitionTime: new Date(GATHERED_AT - 40 * MINUTE).toISOString(),
  });
