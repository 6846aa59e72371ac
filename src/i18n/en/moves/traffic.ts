import { joinNames, plural } from '../ui.ts';

/** Texts of the moves that change the load balancer, cluster DNS, the routers and the network checks. */
export const traffic = {
  'lb-add': {
    title: 'Add the infra nodes to the load balancer',
    action: 'add infra nodes to the load balancer',
    effects: () => ({
      restarts: ['HAProxy: reloaded; open connections stay'],
      outage: 'None: the infra nodes are added, and stay DOWN in the health check until routers run there.',
      knownLater: [],
    }),
    undoLimits: null,
  },
  dns: {
    title: 'Let cluster DNS run on the infra nodes',
    action: 'let DNS run on infra nodes',
    effects: () => ({
      restarts: ['DaemonSet openshift-dns/dns-default: node by node'],
      outage: 'None: pods use the DNS pods of other nodes in the meantime.',
      knownLater: [],
    }),
    undoLimits: null,
    unmanaged:
      'The DNS operator is Unmanaged (spec.managementState): it applies no setting. Set it to Managed first: `oc patch dns.operator default --type merge -p \'{"spec":{"managementState":"Managed"}}\'`',
    notApplied:
      'The DNS operator has not applied the tolerations yet. It ignores them while they leave no node for DNS.',
    done: 'Cluster DNS tolerates the taint.',
  },
  router: {
    title: 'Move the routers to the infra nodes',
    action: 'move the router',
    effects: () => ({
      restarts: ['Deployment openshift-ingress/router-default: one router at a time'],
      outage:
        'None: the load balancer has the infra nodes already, and the other routers answer in the meantime. Long connections through a router that stops are closed.',
      knownLater: ['On which infra nodes the routers run: the scheduler decides.'],
    }),
    undoLimits: null,
    done: (count: number, further: readonly string[]) =>
      further.length === 0
        ? `${plural(count, 'router runs', 'routers run')} on the infra nodes.`
        : `${plural(count, 'default router')}, and those of ${joinNames(further)}, run on the infra nodes.`,
    missing: (names: readonly string[]) =>
      `The design names IngressControllers that are not in the cluster: ${joinNames(names)}. Create them first, or remove them from infra.routers.`,
    portConflict: (names: readonly string[], routers: number, nodes: number) =>
      `The routers of ${joinNames(names)} use the same ports on their nodes: ${routers} routers, ${plural(nodes, 'infra node')}. Lower the number of routers, add infra nodes, or set other ports for one of them (spec.endpointPublishingStrategy.hostNetwork).`,
    sharded: (names: readonly string[]) =>
      `Left alone, because a routeSelector or namespaceSelector makes ${names.length === 1 ? 'it' : 'them'} serve only some routes: ${joinNames(names)}.`,
    unlisted: (names: readonly string[]) =>
      `Left alone, because infra.routers does not list ${names.length === 1 ? 'it' : 'them'}: ${joinNames(names)}.`,
    waitingForRouters: 'waiting for the routers to leave the infra nodes',
    routersRemain: (nodes: readonly string[]) =>
      `Routers run on ${joinNames(nodes)}: the load balancer must forward traffic to these nodes.`,
  },
  'network-diagnostics': {
    title: 'Move the network checks to the infra nodes',
    action: 'move the network checks',
    effects: () => ({
      restarts: ['Deployment network-check-source and DaemonSet network-check-target of openshift-network-diagnostics'],
      outage: 'None. Other nodes are not checked any more.',
      knownLater: [],
    }),
    undoLimits: null,
    unwanted: 'The design does not select this move (infra.also in the design file).',
    tooOld: (version: string) => `OpenShift ${version} has no setting for where the network checks run.`,
    off: 'The network checks are turned off (networkDiagnostics.mode).',
    done: 'The network checks run on the infra nodes.',
  },
  'lb-final': {
    title: 'Remove the compute nodes from the load balancer',
    action: 'remove compute nodes from the load balancer',
    effects: () => ({
      restarts: ['HAProxy: reloaded; open connections stay'],
      outage: 'None: the routers run on the infra nodes by then.',
      knownLater: [],
    }),
    undoLimits: null,
  },
};
