import { quoteShellArg } from '../../../platform/shell-quoting.ts';
import { MIN_DISK_GIB } from '../../field-words.ts';
import { plural } from '../ui.ts';

/** @param nodes each with its problems, as `w1 (DiskPressure)` */
export const formatSickNodes = (nodes: readonly string[]): readonly string[] =>
  nodes.length === 0 ? [] : [`nodes with problems: ${nodes.join(', ')}`];

/** Text of the step that waits for the cluster operators. */
export const operatorsWords = {
  operators: {
    start: 'openshift-install wait-for install-complete',
    startEffect: 'runs in the background until the installation is complete',
    needed: 'the wait for completion has not started',
    /** All operators were available before the wait began. */
    toConfirm: (all: number) =>
      `all ${all} operators are available; openshift-install still has to confirm that the cluster is complete`,
    /** @param nodes Ready nodes with their problems */
    done: (console: string, open: number, nodes: readonly string[] = []) =>
      [
        `installed: ${console}`,
        ...(open === 0 ? [] : [`${open === 1 ? 'one operator needs' : `${open} operators need`} attention`]),
        ...formatSickNodes(nodes),
      ].join('; '),
    waiting: (percent: number | null, ready: number, all: number) =>
      percent === null
        ? `${ready} of ${all} operators healthy`
        : `${percent} % applied, ${ready} of ${all} operators healthy`,
    stabilizing: (stable: number, all: number) => `all ${all} operators available, ${stable} of them stable for 30 s`,
    /** @param state of the operators, in words */
    gaveUp: (state: string) => `openshift-install gave up waiting; ${state}`,
    repaired: 'no operator reports a fault any more: openshift-install has to watch again',
    /** The quorum guard of etcd, which was turned off to replace a member. */
    guard: {
      'members-missing': 'etcd waits for the replaced node: it becomes a member a few minutes after it is Ready',
      'turn-on': 'etcd has all its members again: turn the quorum guard on',
    },
    consoleUnknown: 'the console address is not known yet',
  },
};

/** Text of the pages that you can open while the operators finish. */
export const operatorPages = {
  events: {
    title: (operator: string) => `Latest events in the namespaces of ${operator}`,
    none: 'No events. OpenShift deletes events after three hours.',
    noNamespaces: 'This operator does not report its namespaces yet.',
    /** `age`: "5 min". */
    line: (age: string, type: string, reason: string, object: string, count: number) =>
      `${[age, type === 'Warning' ? 'WARNING' : '', reason, object].filter(Boolean).join('  ')}${count > 1 ? `  ×${count}` : ''}`,
    scope: (namespaces: string) => `In ${namespaces}; the newest first.`,
  },
  authority: {
    title: 'The CA of the console',
    notYet: 'The cluster has not published the CA yet: the ingress operator creates it. Try again in a few minutes.',
    saved: (path: string) => `Saved as ${path}`,
    certificate: (subject: string, until: string) => `${subject}, valid until ${until}`,
    fingerprint: (text: string) => `SHA-256 ${text}`,
    count: (count: number) =>
      `${plural(count, 'certificate')}. Import the file where the browser runs, and the console opens without a warning:`,
    copy: (path: string) => `scp root@BASTION:${path} .`,
    how: [
      'Firefox: Settings, Privacy & Security, View Certificates, Authorities, Import; tick "identify websites".',
      'Chrome on Linux: chrome://certificate-manager, Custom, Trusted Certificates, Import.',
      'Windows (Edge, Chrome), as administrator: certutil -addstore -f Root console-ca.crt',
      'macOS (Safari, Chrome): sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain console-ca.crt',
      'RHEL, Fedora: sudo cp console-ca.crt /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust',
      'The key of this CA can impersonate any site to a browser that trusts it. Remove the CA when you install your own certificate on the routers.',
    ],
  },
  password: {
    title: 'Login to the console',
    console: (url: string) => `Console   ${url}`,
    consoleUnknown: 'not known yet',
    user: 'User      kubeadmin',
    label: 'Password  ',
    hideHint: 'Any key hides the password. It was read from this file and is stored nowhere else:',
    missing: (path: string) =>
      `There is no password in ${path}. It may have been removed, as it should be once others can log in.`,
  },
  noCluster: 'There is no kubeconfig yet, so the cluster cannot be queried.',
};

/** Facts about a waiting operator that its texts mention. */
interface WaitFacts {
  readonly operator: string;
  /** The name in its message: a hostname, a node, or the reason alone. */
  readonly subject: string;
  /** Of the nodes that may run routers: how many are Ready, and how many are planned. */
  readonly ready: number;
  readonly planned: number;
}

interface WaitWords {
  readonly waitsFor: (facts: WaitFacts) => string;
  readonly remedy: (facts: WaitFacts) => string;
}

/** For operators, and for the diagnosis of a cluster without routers. */
export const noRouterRemedy =
  'Compare its replicas and nodePlacement with the nodes. For two routers: `oc scale ingresscontroller/default -n openshift-ingress-operator --replicas=2`';

const describe = (operator: string) => `Its full status: \`oc describe clusteroperator ${quoteShellArg(operator)}\``;

/** For each kind of wait: what the operator waits for, and what to do when it takes longer than usual. */
export const operatorWaits = {
  'registry-removed': {
    waitsFor: () => 'nothing: it is Removed, as on every platform without shareable object storage',
    remedy: () => 'The Infra nodes step sets up the storage of the registry when the nodes have joined.',
  },
  'registry-storage': {
    waitsFor: () => 'storage for the registry, which is Managed and has none',
    remedy: () => 'Set up its storage in the Infra nodes step, or set managementState to Removed until it has storage.',
  },
  'monitoring-config': {
    waitsFor: () => 'a valid configuration',
    remedy: () => 'Correct ConfigMap openshift-monitoring/cluster-monitoring-config: a key in it is wrong.',
  },
  'image-pull': {
    waitsFor: () => 'an image that it cannot pull',
    remedy: () =>
      'Check the pull secret, the mirror and internet access. This lists the images, and why each cannot be pulled: `oc get events -A --field-selector reason=Failed | grep -i pull`',
  },
  'disk-full': {
    waitsFor: () => 'space on a disk, which is full',
    remedy: ({ operator }) =>
      `Free space on its node, or attach a larger disk (at least ${MIN_DISK_GIB} GiB). To find the node, and then what is full on it: \`oc get pods -A -o wide | grep ${quoteShellArg(operator)}\` \`df -h\``,
  },
  'etcd-slow': {
    waitsFor: () => 'etcd, which answers too slowly',
    remedy: () =>
      'Look at the disks of the control plane: writing 8 KiB with fdatasync must take less than 10 ms (p99).',
  },
  compute: {
    waitsFor: ({ ready, planned }) => `compute nodes: ${ready} of ${planned} Ready`,
    remedy: () => 'Boot the compute nodes, and approve their requests in the Certificates step.',
  },
  name: {
    waitsFor: ({ subject }) => `the name ${subject || '*.apps'}, which is not in DNS`,
    remedy: () =>
      'The wildcard *.apps must resolve to the load balancer on the name server of the nodes, for any name below it: `dig +short anything.apps.CLUSTER.BASEDOMAIN`',
  },
  authority: {
    waitsFor: () => 'a certificate that it can trust: something between it and the routers answers in their place',
    remedy: () => 'Ports 80 and 443 of the load balancer must forward TCP to the routers, and not terminate TLS.',
  },
  routers: {
    waitsFor: () => 'the routers (ingress)',
    remedy: () => 'Look at ingress first: this operator recovers when ingress does.',
  },
  'routers-not-running': {
    waitsFor: () => 'a router: none runs',
    remedy: () => `The IngressController runs no router. ${noRouterRemedy}`,
  },
  'routes-closed': {
    waitsFor: () => 'the load balancer (ports 80 and 443)',
    remedy: () =>
      'The load balancer must forward these ports to the nodes on which routers run: put its generated file in place again (Hosts step). These nodes have a router: `oc -n openshift-ingress get pods -o wide`',
  },
  'well-known': {
    waitsFor: () => 'kube-apiserver to roll out on every control plane node',
    remedy: () => describe('kube-apiserver'),
  },
  authentication: {
    waitsFor: () => 'the login service (authentication)',
    remedy: () => 'Look at authentication first: this operator recovers when authentication does.',
  },
  'node-lost': {
    waitsFor: ({ subject }) => `node ${subject}, which is lost: it was Ready, and no update is restarting it`,
    remedy: ({ subject }) =>
      `Look at its console: power it on, or repair its network. If it is gone for good, replace it on the Boot page. Its conditions: \`oc describe node ${quoteShellArg(subject)}\``,
  },
  'node-not-ready': {
    waitsFor: ({ subject }) => `node ${subject}, which is not Ready`,
    remedy: ({ subject }) =>
      `A node that restarts for an update is back in 5 to 10 minutes. Its conditions: \`oc describe node ${quoteShellArg(subject)}\``,
  },
  revision: {
    waitsFor: () => 'its new revision to be rolled out on each control plane node',
    remedy: ({ operator }) => `Look at its installer pods: \`oc -n openshift-${operator} get pods\``,
  },
  pacemaker: {
    waitsFor: () => 'the jobs that let Pacemaker run etcd and use the BMCs',
    remedy: () =>
      'Look at the jobs, and at the log of the one that failed: `oc -n openshift-etcd get jobs` `oc -n openshift-etcd logs job/tnf-fencing-job`',
  },
  'bootstrap-member': {
    waitsFor: () => 'etcd to remove the bootstrap member',
    remedy: () => describe('etcd'),
  },
  pool: {
    waitsFor: () => 'the MachineConfigPools, one node at a time',
    remedy: () =>
      'Find the pool that is degraded, and read its message: `oc get mcp` `oc describe mcp | grep -e ^Name: -e Message:`',
  },
  'network-broken': {
    waitsFor: () => 'its own pods, which keep crashing',
    remedy: () =>
      'Look for networks that overlap (cluster, service, machine, 100.64.0.0/16) and for a different MTU on one of the nodes.',
  },
  daemons: {
    waitsFor: () => 'its pods on every node; each node that joins adds one',
    remedy: ({ operator }) => describe(operator),
  },
  room: {
    waitsFor: () => 'a node that can run its pods',
    remedy: () =>
      'All nodes have too little free CPU or memory, or a taint: see the pods below, and check the nodes that should run them: `oc describe nodes | grep -A 8 -e ^Name: -e ^Taints: -e ^Allocated`',
  },
  crash: {
    waitsFor: () => 'its own pods, which keep crashing',
    remedy: () =>
      'See the pods below, and the log of each one that restarts: `oc get pods -A --no-headers | grep CrashLoop | while read -r namespace pod _; do oc logs --previous -n $namespace $pod --all-containers --tail=20; done`',
  },
  samples: {
    waitsFor: () => 'the sample images to be imported',
    remedy: () => 'Harmless: without access to registry.redhat.io, set its managementState to Removed.',
  },
  upload: {
    waitsFor: () => 'access to console.redhat.com',
    remedy: () => 'Harmless. In a disconnected cluster, remove cloud.openshift.com from the global pull secret.',
  },
  'extension-apis': {
    waitsFor: () => 'its aggregated APIs to be served',
    remedy: () => 'Find the APIs that are not served: `oc get apiservices | grep -v True`',
  },
  rollout: {
    waitsFor: () => 'its pods to roll out',
    remedy: ({ operator }) => describe(operator),
  },
  start: {
    waitsFor: () => 'its start: it reports no status yet',
    remedy: ({ operator }) => `Its pods may not be running: \`oc get pods -A | grep ${quoteShellArg(operator)}\``,
  },
  'reason-only': {
    waitsFor: ({ subject }) => `something that it reports only as ${subject}`,
    remedy: ({ operator }) => describe(operator),
  },
  other: {
    waitsFor: () => 'what it reports',
    remedy: ({ operator }) => describe(operator),
  },
} as const satisfies Record<string, WaitWords>;
