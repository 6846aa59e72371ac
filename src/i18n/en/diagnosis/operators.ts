import { quoteShellArg } from '../../../platform/shell-quoting.ts';
/** Findings about operators. */
export const operators = {
  'version-differs': {
    title: (designed: string, runs: string) => `The design says OpenShift ${designed}, and the cluster runs ${runs}`,
    cause: 'openshift-install was of another version, or the cluster was updated since',
    remedy: (runs: string) =>
      `You need not do anything: all remaining steps use the version of the cluster. For new files, set the version on the Cluster page to ${runs}.`,
  },
  'operator-degraded': { title: (name: string) => `Operator ${name} stays degraded` },
  'operator-slow': { title: (name: string) => `Operator ${name} takes longer than usual` },
  /** Used if the dependency that they wait for is known. */
  waitsFor: (name: string, what: string) => `${name}: waiting for ${what}`,
  remedy: (name: string) =>
    `Look at the operator, then at the pods of its namespace: \`oc describe clusteroperator ${quoteShellArg(name)}\` \`oc get pods -A | grep -v -e Running -e Completed\``,
};
