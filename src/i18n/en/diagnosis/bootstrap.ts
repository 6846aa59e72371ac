import { formatCommands } from '../ui.ts';

/** Findings about a stuck bootstrap: evidence, and the next thing to check. */
export const bootstrap = {
  /** Title of a bootstrap check that has no title of its own. */
  noChange: (stage: string, age: string) => `No change for ${age}, longer than usual: ${stage}`,
  'release-image': {
    remedy: (address: string) =>
      `Read its log: \`ssh core@${address} journalctl -b -u release-image.service\` The pull needs DNS, the proxy, a valid pull secret, and the registry, which answers 401 to \`curl -sI https://quay.io/v2/\``,
  },
  bootkube: {
    remedy: (address: string) =>
      `Read its log, and see which containers run: \`ssh core@${address} journalctl -b -u bootkube.service\` \`ssh core@${address} sudo crictl ps -a\``,
  },
  'no-way-from-here': {
    cause: (addresses: string) => `this machine cannot send to ${addresses}`,
    remedy: (address: string) =>
      `This machine has no route to ${address}, or its own firewall blocks its packets; the installation itself may continue. Bring its interface up or add the route: \`ip route get ${address}\``,
  },
  'bootstrap-silent': {
    cause: (host: string) => `nothing listens on ${host} port 6443 or 22623`,
    remedy: (address: string) =>
      `Read its log: \`ssh core@${address} journalctl -b -u release-image.service -u bootkube.service\` "unauthorized" points to the pull secret, "no such host" or a timeout to the connection to the registry. If the bootkube journal is empty, the release image is not pulled yet. If SSH fails, look at the console, and at the table of the Boot step.`,
  },
  'bootstrap-half': {
    cause: (open: string, closed: string) => `${open} is open, ${closed} is not`,
    remedy: (address: string) =>
      `Either the API or the Machine Config Server does not run. See which containers run, and read the log: \`ssh core@${address} sudo crictl ps -a\` \`ssh core@${address} journalctl -b -u bootkube.service\``,
  },
  'lb-pool': {
    cause: (port: number) => `the bootstrap node serves port ${port}, but the load balancer closes the connection`,
    remedy: (port: number) =>
      `The pool of ${port} lacks the bootstrap node, or its health check fails. Put the files of stage "install" in place on the load balancer (Hosts step), which also sets SELinux.`,
  },
  'lb-silent': {
    cause: (address: string, port: number) => `${address} port ${port} gives no answer at all`,
    remedy: (port: number) =>
      `A firewall drops the packets, or no host has the address: open ${port} on the load balancer, and check that it has the address. There: \`firewall-cmd --list-all\` \`ip a\``,
  },
  'lb-refuses': {
    cause: (address: string, port: number) => `${address} port ${port} refuses connections`,
    remedy: 'The load balancer does not listen there. On it: `systemctl status haproxy`',
  },
  'names-wrong': {
    cause: (query: string, detail: string) => `${query}: ${detail}`,
    remedy:
      'Nodes look up api-int before they fetch anything: correct the record and reload the name server. They continue on their own.',
  },
  'nodes-absent': {
    cause: (nodes: string) => `not joined: ${nodes}`,
    remedy:
      'Look at their consoles. A loop on port 22623 with "EOF" or a timeout points to the load balancer, a firewall or the MTU. "no such host" points to DNS, "certificate has expired or is not yet valid" to their clock. If they show a boot menu again, check their boot order.',
  },
  'nodes-not-ready': {
    cause: (nodes: string) => `joined but not Ready: ${nodes}`,
    remedy: (nodes: readonly string[]) =>
      `Image pulls that fail, overlapping networks or a wrong MTU stop the network pods. Look at the node and its pods: ${formatCommands('oc describe node', nodes)} \`oc get pods -A -o wide\``,
  },
  'nodes-not-serving': {
    cause: (nodes: string) => `Ready, but their own API server does not answer: ${nodes}`,
    remedy:
      'Look at the pods: `oc get pods -n openshift-etcd -o wide` `oc get pods -n openshift-kube-apiserver -o wide` In their logs, "etcdserver: request timed out" points to a slow disk: etcd needs an fdatasync p99 below 10 ms.',
  },
  'bootstrap-late': {
    cause: 'the control plane serves the API, but the bootstrap has not handed over to it',
    remedy: (address: string) =>
      `Look at both operators, and read the log: \`oc get co etcd kube-apiserver\` \`ssh core@${address} journalctl -b -u bootkube.service\` "Tearing down temporary bootstrap control plane" means that it tries again on its own.`,
  },
  'etcd-bootstrap-member': {
    cause: 'the etcd operator has not removed the bootstrap member',
    remedy:
      'All three etcd members on the control plane have to be healthy first: `oc get co etcd` `oc get etcd cluster -o yaml`',
  },
  'lb-without-bootstrap': {
    title: 'The bootstrap node serves the API, but the load balancer does not forward to it',
    cause: (address: string) => `${address} answers on port 6443, but the API address closes the connection`,
    remedy:
      'The pools of 6443 and 22623 need the bootstrap node: put the files of stage "install" in place on the load balancer and reload it.',
  },
  /** By the phase in which openshift-install gave up, if known; `exit` describes how the program ended. */
  'wait-gave-up': {
    api: {
      title: (exit: string) => `openshift-install waited 20 minutes for the API and gave up (${exit})`,
      remedy:
        'Its timeout is not final: the bootstrap continues. Look at the bootstrap node and at port 6443 on the load balancer. The Bootstrap step can wait again.',
    },
    bootstrap: {
      title: (minutes: number | null, exit: string) =>
        `openshift-install waited ${minutes === null ? '' : `${minutes} minutes `}for the control plane and gave up (${exit})`,
      remedy:
        'Its timeout is not final: many installations finish later. The first stage that is not done shows what is missing; also look at the consoles of the control plane nodes. The Bootstrap step can wait again.',
    },
    exit: (code: number, signal: string | null) => (signal === null ? `exit code ${code}` : `terminated by ${signal}`),
    again: (step: string) => `The ${step} step can wait again.`,
  },
};
