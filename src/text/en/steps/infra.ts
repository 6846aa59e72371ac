/** The moves to the infra nodes, and the report. */
export const infraWords = {
  infra: {
    needed: (moves: string) => `to do: ${moves}`,
    done: 'router, registry and monitoring run on the infra nodes, and nothing else does',
    apiAway: 'the API went away; we keep asking',
    none: 'the design has no infra nodes: nothing to move',
    waiting: (move: string, why: string) => `${move}: ${why}`,
    blocked: (move: string) => `move ${move} is blocked`,
    failed: (move: string) => `move ${move} failed`,
    blockedFix: 'Put right what it says, then press Enter to go on from there.',
    moves: {
      label: 'label the nodes as infra',
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
    lbDone: 'the load balancer has it',
    waitRouterFirst: 'the router has to move first',
    applying: (move: string) => `move ${move}`,
    timedOut: 'not finished within 15 minutes',
  },
  report: {
    needed: 'the report is to be written',
    outdated: 'the report is to be written anew: the cluster or the design has changed since',
    done: (path: string) => `written to ${path}`,
  },
} as const;
