/** The moves to the infra nodes, and the report. */
export const infraWords = {
  infra: {
    needed: (moves: string) => `to do: ${moves}`,
    done: 'router, registry and monitoring run on the infra nodes, and nothing else does',
    apiAway: 'the API is down; we keep asking',
    labelled: 'the storage nodes are labelled; the design has no infra nodes, so nothing moves',
    none: 'the design has no infra nodes: nothing to move',
    waiting: (move: string, why: string) => `${move}: ${why}`,
    blocked: (move: string) => `move ${move} is blocked`,
    failed: (move: string) => `move ${move} failed`,
    blockedFix: 'Correct what it says, then press Enter to go on from there.',
    lbBehind: (hosts: string, commands: string) =>
      `${hosts} still runs with other members${commands === '' ? '' : `: ${commands}`}`,
    lbDone: 'the load balancer has it',
    waitRouterFirst: 'the router has to move first',
    applying: (move: string) => `move ${move}`,
    unknown: 'There is no such move.',
    undoing: (move: string) => `undo ${move}`,
    undone: (move: string) => `${move}: undone`,
    undoFirst: (moves: string) => `Undo first: ${moves}.`,
    stays: (move: string) => `move ${move} stays in place`,
    staysFix: 'Do what it says first, then undo it again.',
    timedOut: 'not finished within 15 minutes',
    noCluster: {
      title: 'There is no cluster yet',
      cause: 'the install directory has no kubeconfig',
      whatToDo: 'Create the ignition files first: the kubeconfig comes with them.',
    },
  },
  report: {
    needed: 'the report is not written',
    outdated: 'the report is outdated: the cluster or the design changed since',
    done: (path: string) => `written to ${path}`,
    following: (log: string) => `a background job approves expected requests; log: ${log}`,
    notFollowing: 'the background job has stopped',
    question: {
      follow: 'Approve expected requests in the background from now on?',
      'follow-stop': 'Stop approving in the background?',
    },
    details: {
      follow: [
        'For sites whose nodes come and go: every node of the saved design may join at any time, and nobody has to be here. What does not fit the design is refused and logged.',
        'It goes on when you leave; "upi-wizard csr approve --stop" ends it too.',
      ],
      'follow-stop': ['New nodes then wait until somebody approves their requests.'],
    },
  },
};
