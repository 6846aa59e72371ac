/** Text of the step that waits for the cluster operators. */
export const operatorsWords = {
  operators: {
    start: 'openshift-install wait-for install-complete',
    needed: 'the wait for completion has not started',
    /** All operators are available before the wait began. */
    toConfirm: (all: number) =>
      `all ${all} operators are available; openshift-install still has to confirm that the cluster is complete`,
    done: (console: string, open: number) =>
      open === 0
        ? `installed: ${console}`
        : `installed: ${console}; ${open === 1 ? 'one operator needs' : `${open} operators need`} attention`,
    waiting: (percent: number | null, ready: number, all: number) =>
      percent === null
        ? `${ready} of ${all} operators available and not degraded`
        : `${percent} % of the release applied; ${ready} of ${all} operators available and not degraded`,
    stabilizing: (stable: number, all: number) =>
      `all operators are available; ${stable} of ${all} have not been progressing for 30 s`,
    /** `how` is the state of the operators. */
    gaveUp: (state: string) => `openshift-install gave up waiting; ${state}`,
    consoleUnknown: 'the console address is not known yet',
  },
};
