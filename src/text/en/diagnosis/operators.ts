/** What to say about operators. */
export const operators = {
  'operator-degraded': { title: (name: string) => `Operator ${name} stays degraded` },
  'operator-slow': { title: (name: string) => `Operator ${name} takes longer than usual` },
  /** Where it is known what they wait for. */
  waitsFor: (name: string, what: string) => `${name}: waiting for ${what}`,
  whatToDo: (name: string) =>
    `oc describe clusteroperator ${name}; then the pods of its namespace: oc get pods -A | grep -v -e Running -e Completed`,
};
