import { shellWord } from '../../shell-word.ts';
/** What is known around an operator, to be said. */
export interface WaitFacts {
  readonly operator: string;
  /** A name that its message is about: a host name, a node, or the reason alone. */
  readonly subject: string;
  /** Of the nodes that routers may run on: how many are Ready, of how many. */
  readonly ready: number;
  readonly planned: number;
}

interface WaitWords {
  readonly waits: (facts: WaitFacts) => string;
  readonly whatToDo: (facts: WaitFacts) => string;
}

const describe = (operator: string) => `What it says in full: \`oc describe clusteroperator ${shellWord(operator)}\``;

/** What each kind of wait is, in words, and what a person can do when it lasts longer than it should. */
export const operatorWaits = {
  'registry-removed': {
    waits: () => 'nothing: it is Removed, as on every platform without shareable storage',
    whatToDo: () => 'The infra step gives the registry its storage when the nodes are there.',
  },
  'registry-storage': {
    waits: () => 'storage for the registry, which is managed and has none',
    whatToDo: () => 'Give it a volume in the infra step, or set managementState to Removed until there is one.',
  },
  'monitoring-config': {
    waits: () => 'a configuration that it understands',
    whatToDo: () => 'Correct ConfigMap openshift-monitoring/cluster-monitoring-config: a key in it is wrong.',
  },
  'image-pull': {
    waits: () => 'an image that it cannot pull',
    whatToDo: () =>
      'Check the pull secret, the mirror and Internet access: pull the image of the pod on a node: `podman pull IMAGE`',
  },
  'disk-full': {
    waits: () => 'room on a disk, which is full',
    whatToDo: ({ operator }) =>
      `Make room on its node, or give it a larger disk (100 GB at least). Which node it is, and what is full there: \`oc get pods -A -o wide | grep ${shellWord(operator)}\` \`df -h\``,
  },
  'etcd-slow': {
    waits: () => 'etcd, which answers too slowly',
    whatToDo: () =>
      'Look at the disks of the control plane: writing 8 KiB with fdatasync must take less than 10 ms (p99).',
  },
  compute: {
    waits: ({ ready, planned }) => `compute nodes: ${ready} of ${planned} are Ready`,
    whatToDo: () => 'Boot the compute nodes, and approve their requests in the certificates step.',
  },
  name: {
    waits: ({ subject }) => `the name ${subject || '*.apps'}, which is not in DNS`,
    whatToDo: () =>
      'The wildcard *.apps must resolve to the load balancer on the name server of the nodes, for any name below it: `dig +short anything.apps.CLUSTER.BASEDOMAIN`',
  },
  authority: {
    waits: () => 'a certificate that it can trust: something between it and the routers answers in their place',
    whatToDo: () => 'Ports 80 and 443 of the load balancer must pass TCP on to the routers, not end TLS themselves.',
  },
  routers: {
    waits: () => 'the routers (operator ingress)',
    whatToDo: () => 'Look at ingress first: this one follows it.',
  },
  'routes-closed': {
    waits: ({ subject }) => `the load balancer to pass ${subject || '*.apps'} on to the routers`,
    whatToDo: () =>
      'Ports 80 and 443 of the load balancer need the nodes on which routers run: `oc -n openshift-ingress get pods -o wide`',
  },
  'well-known': {
    waits: () => 'kube-apiserver to roll out on every control plane node',
    whatToDo: () => describe('kube-apiserver'),
  },
  authentication: {
    waits: () => 'the login service (operator authentication)',
    whatToDo: () => 'Look at authentication first: this one follows it.',
  },
  'node-not-ready': {
    waits: ({ subject }) => `node ${subject}, which is not Ready`,
    whatToDo: ({ subject }) =>
      `A node that restarts for an update is back in 5 to 10 minutes. What it says: \`oc describe node ${shellWord(subject)}\``,
  },
  revision: {
    waits: () => 'its new revision, which goes from one control plane node to the next',
    whatToDo: ({ operator }) => `Look at its installer pods: \`oc -n openshift-${operator} get pods\``,
  },
  'bootstrap-member': {
    waits: () => 'etcd to remove the bootstrap member',
    whatToDo: () => describe('etcd'),
  },
  pool: {
    waits: () => 'the machine config pools: nodes take their configuration one after the other',
    whatToDo: () => 'Look for the pool that is degraded, and at what it says: `oc get mcp` `oc describe mcp NAME`',
  },
  'network-broken': {
    waits: () => 'its own pods, which keep crashing',
    whatToDo: () =>
      'Look for networks that overlap (cluster, service, machine, 100.64.0.0/16) and for another MTU on one of the nodes.',
  },
  daemons: {
    waits: () => 'its pods on every node; each node that joins adds one',
    whatToDo: ({ operator }) => describe(operator),
  },
  room: {
    waits: () => 'a node that takes its pods',
    whatToDo: () =>
      'Not enough CPU or memory, or a taint, on all nodes: see the pods below, and look at the nodes that should take them: `oc describe node NAME`',
  },
  crash: {
    waits: () => 'its own pods, which keep crashing',
    whatToDo: () => 'See the pods below, and the log of the one that restarts: `oc logs --previous -n NAMESPACE POD`',
  },
  samples: {
    waits: () => 'the sample images to be imported',
    whatToDo: () => 'Harmless: without access to registry.redhat.io, set its managementState to Removed.',
  },
  upload: {
    waits: () => 'access to console.redhat.com',
    whatToDo: () => 'Harmless. If disconnected, remove cloud.openshift.com from the global pull secret.',
  },
  'extension-apis': {
    waits: () => 'its part of the API to be served',
    whatToDo: () => 'Look for those that are not served: `oc get apiservices | grep -v True`',
  },
  rollout: {
    waits: () => 'its pods to be rolled out',
    whatToDo: ({ operator }) => describe(operator),
  },
  start: {
    waits: () => 'its start: it reports no status yet',
    whatToDo: ({ operator }) => `Its operator may not run: \`oc get pods -A | grep ${shellWord(operator)}\``,
  },
  'reason-only': {
    waits: ({ subject }) => `something, with the reason ${subject}`,
    whatToDo: ({ operator }) => describe(operator),
  },
  other: {
    waits: () => 'what it reports',
    whatToDo: ({ operator }) => describe(operator),
  },
} as const satisfies Record<string, WaitWords>;
