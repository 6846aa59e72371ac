/** The cluster finishes. */
export const operatorsWords = {
  operators: {
    start: 'openshift-install wait-for install-complete',
    needed: 'the wait for completion has not started',
    /** All operators are there before the wait began. */
    toConfirm: (all: number) =>
      `all ${all} operators are available; openshift-install has still to confirm that the cluster is complete`,
    done: (console: string, open: number) =>
      open === 0
        ? `installed: ${console}`
        : `installed: ${console}; ${open === 1 ? 'one operator needs' : `${open} operators need`} a look`,
    waiting: (percent: number | null, ready: number, all: number) =>
      percent === null
        ? `${ready} of ${all} operators available and not degraded`
        : `${percent} % of the release applied; ${ready} of ${all} operators available and not degraded`,
    settling: (stable: number, all: number) =>
      `all operators are available; ${stable} of ${all} have not been progressing for 30 s`,
    /** `how`: how far the operators are. */
    gaveUp: (how: string) => `openshift-install gave up waiting; ${how}`,
    consoleUnknown: 'the console address is not known yet',
  },
};
