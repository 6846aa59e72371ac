/** The moves to the infra nodes, and the report. */
export const infraWords = {
  infra: {
    needed: (moves: string) => `to do: ${moves}`,
    done: 'router, registry and monitoring run on the infra nodes, and nothing else does',
    apiAway: 'the API went away; we keep asking',
    labelled: 'the storage nodes are labelled; the design has no infra nodes, so nothing moves',
    none: 'the design has no infra nodes: nothing to move',
    waiting: (move: string, why: string) => `${move}: ${why}`,
    blocked: (move: string) => `move ${move} is blocked`,
    failed: (move: string) => `move ${move} failed`,
    blockedFix: 'Put right what it says, then press Enter to go on from there.',
    moves: {
      label: 'label the nodes by their role',
      pool: 'make the machine config pool',
      'lb-add': 'add infra nodes to the load balancer',
      dns: 'let DNS run on infra nodes',
      router: 'move the router',
      registry: 'move the registry',
      monitoring: 'move monitoring',
      taint: 'keep everything else off',
      'lb-final': 'take compute nodes out of the load balancer',
    } as Readonly<Record<string, string>>,
    lbNeeded: (hosts: string) => `${hosts} to be updated`,
    lbBehind: (hosts: string, commands: string) =>
      `${hosts} still runs with other members${commands === '' ? '' : `: ${commands}`}`,
    lbDone: 'the load balancer has it',
    waitRouterFirst: 'the router has to move first',
    applying: (move: string) => `move ${move}`,
    timedOut: 'not finished within 15 minutes',
  },
  report: {
    needed: 'the report is to be written',
    outdated: 'the report is to be written anew: the cluster or the design has changed since',
    done: (path: string) => `written to ${path}`,
    following: (log: string) => `expected requests are approved in the background; log: ${log}`,
    notFollowing: 'nothing is approved in the background any more',
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
