/** The cluster finishes. */
export const operatorsWords = {
  operators: {
    start: 'openshift-install wait-for install-complete',
    needed: 'the wait for completion is to be started',
    done: (console: string) => `installed: ${console}`,
    waiting: (done: number, total: number, ready: number, all: number) =>
      total > 0
        ? `${Math.floor((done / total) * 100)} % of the release applied; ${ready} of ${all} operators available`
        : `${ready} of ${all} operators available`,
    degraded: (name: string) => `operator ${name} is degraded`,
    unavailable: (name: string) => `operator ${name} is not available`,
    degradedFix: (name: string) => `Look at what it says above, then: oc describe clusteroperator ${name}`,
    consoleUnknown: 'the console address is not known yet',
  },
} as const;
