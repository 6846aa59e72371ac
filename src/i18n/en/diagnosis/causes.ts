import { SHORTCUTS } from '../../shortcuts.ts';
import { stopApproverRemedy } from '../steps/certificates.ts';
import { noRouterRemedy } from '../steps/operators.ts';
import { formatArguments, formatCommands } from '../ui.ts';
import { clusterCauses } from './causes/cluster.ts';
import { machineCauses } from './causes/machines.ts';
import { serviceCauses } from './causes/services.ts';
import { bootChecks } from './site/boot-checks.ts';
import { networkChecks } from './site/network-checks.ts';

/** Causes in the network: DNS, DHCP, load balancers, ports and the pod network. */
const networkCauses = {
  'ptr-dot-missing': {
    title: 'A reverse record (PTR) lacks its last dot',
    cause:
      'A name in a zone file that does not end with a dot is relative to the zone. The name of the reverse zone is appended to that of the node.',
    remedy:
      'End each name after PTR with a dot, and increase the serial number; or put the generated reverse zone in place (Hosts step). Then reload it on the name server and reboot the machines: `named-checkconf -z` `rndc reload`',
  },
  'dhcp-pool-overlaps': {
    title: 'The DHCP server gives planned addresses to any machine',
    cause:
      'A range (pool) in its configuration contains addresses of nodes, service hosts or endpoints. If another machine gets one of them, two machines have the same address.',
    remedy:
      'Remove these addresses from the range, or put the generated file in place (Hosts step), and restart the DHCP server. If a machine already has one of them, renew its lease.',
  },
  'ingress-health-check-wrong': {
    title: 'The health check of the routes is wrong',
    cause:
      'On 80 and 443 a router serves only routes, and answers 503 to a check over HTTP. The load balancer marks it DOWN, and no route can be reached.',
    remedy:
      'Check only the TCP connection ("check" alone, as in the generated file), or use GET /healthz/ready on port 1936. Put the generated file in place (Hosts step) and reload HAProxy.',
  },
  'balancer-members-unchecked': {
    title: 'The load balancer does not check its members',
    cause:
      'Without "check", each member always counts as UP. While one is off or restarts, some connections go to it and fail.',
    remedy: 'Add "check" to each server line, or put the generated file in place (Hosts step) and reload HAProxy.',
  },
  'vrrp-split': {
    title: 'The load balancers do not share their address',
    cause:
      'Their keepalived files set different virtual router IDs for one address, so that both use it; or none configures it, and no host has it.',
    remedy:
      'Put the generated keepalived.conf in place on all load balancers (Hosts step) and restart keepalived there: `systemctl restart keepalived`',
  },
  'node-address-unexpected': {
    title: 'A node has a different address from the planned one',
    cause:
      'It joined under its name with an address from another network interface or network. DNS, the load balancer and its certificates have the planned one.',
    remedy:
      'Compare its interfaces with the MAC address of the design, and find the source of its address. Disconnect the other interface, or correct its lease; then install the machine again.',
  },
  'node-port-closed': {
    title: 'Other nodes cannot reach a port of a node',
    cause:
      'The node works, but another machine of the cluster gets no answer from this port. A firewall, a security group or a switch ACL blocks it.',
    remedy:
      'Let all nodes reach each other on TCP and UDP 9000-9999, TCP 10250-10259, UDP 4789 and 6081, and TCP and UDP 30000-32767. Control plane nodes also need TCP 2379-2380 and 6443 between them.',
  },
  'network-type-unsupported': {
    title: 'This release does not support the network type',
    cause:
      'install-config.yaml sets a network type that this release does not have (OpenShiftSDN ended with 4.14): no node becomes Ready.',
    remedy:
      'Set the network type to OVNKubernetes on the Networks page, create the ignition files again, and install the machines from the beginning. The network type of a running cluster cannot be changed.',
  },
  'pod-network-blocked': {
    title: 'Pods on different nodes do not reach each other',
    cause:
      'Nodes are Ready, and connections to pods and services time out: packets of the pod network (Geneve, UDP 6081; VXLAN, UDP 4789) are dropped between the nodes, or exceed the MTU of the path.',
    remedy:
      'Let UDP 6081 and 4789 through between all nodes, on the hypervisor and the switches as well. The MTU of the pod network has to be at least 100 bytes below that of the machines: `oc get network.config cluster -o yaml`',
  },
  'image-architecture': {
    title: 'Images are for another processor architecture',
    cause: 'The release, the mirror or an image is not for the processor of this machine.',
    remedy:
      'Choose the architecture of the machines on the Cluster page, use openshift-install and boot images of that architecture, and mirror the release for it.',
  },
  'api-certificate-expired': {
    title: 'The certificate of the API has expired',
    cause:
      'The cluster was off while its certificates had to be renewed (the first ones within 24 hours), or the clock of this machine is ahead.',
    remedy:
      'Compare the clocks first. Then leave the control plane on: it renews its certificates on its own. Approve the requests of its nodes as they arrive: `upi-wizard csr list`',
  },
};

/** Texts of the diagnostic rules about a running cluster, which read the status of its objects. */
const stateCauses = {
  'request-denied': {
    title: 'The certificate request of a planned node was denied',
    cause:
      'An administrator or an approver denied it, or the signer refused it. The node sends a new one within a minute.',
    remedy: `If each new request is denied as well, an approver denies them: its reason is in the request. ${stopApproverRemedy} Then approve the next request: ${SHORTCUTS.approveExpected} on Certificates, or in a terminal: \`upi-wizard csr approve --expected\``,
  },
  'node-cordoned': {
    title: 'A node accepts no new pods',
    cause: 'It is cordoned (SchedulingDisabled), and no change of its configuration is in progress.',
    remedy: (_node: string, _isEtcdMember: boolean | null, nodes: readonly string[]) =>
      `If its maintenance is over, let it accept pods again: \`oc adm uncordon ${formatArguments(nodes)}\``,
  },
  'pool-degraded': {
    title: 'A MachineConfigPool is degraded',
    cause:
      'The Machine Config Operator cannot render the configuration of the pool (RenderDegraded), or a node cannot apply it (NodeDegraded).',
    remedy:
      'RenderDegraded: a MachineConfig of the pool cannot be read. Find the newest one, and correct it or delete it. `oc get machineconfig --sort-by=.metadata.creationTimestamp` NodeDegraded: the message names the node. See what the daemons report, and on which node each runs. `oc logs -n openshift-machine-config-operator -l k8s-app=machine-config-daemon -c machine-config-daemon --prefix --tail=20` `oc get pods -n openshift-machine-config-operator -l k8s-app=machine-config-daemon -o wide`',
    /** For a rendered configuration that nodes have and the cluster lacks. */
    missingConfig: {
      remedy:
        'The nodes booted with a configuration that the cluster does not have: the bootstrap rendered another one from its manifests and images. Compare those that exist with the missing one, which each node keeps in /etc/machine-config-daemon/currentconfig: `oc get machineconfig` Undo the change of a MachineConfig, or of a setting that becomes one (proxy, mirrors, kernel arguments): the missing one is then rendered again. If nothing was changed, see solution 4970731 of the Red Hat knowledge base.',
    },
  },
  'api-service-unavailable': {
    title: 'An aggregated API does not answer',
    cause: 'The pods behind its service are down, or the API server does not reach them.',
    remedy: (_node: string, _isEtcdMember: boolean | null, services: readonly string[]) =>
      `Look at the pods of the service that the message names. If the service is missing because its component was removed, delete the APIService as well: ${formatCommands('oc delete apiservice', services)}`,
  },
  'webhook-unanswered': {
    title: 'An admission webhook does not answer',
    cause:
      'The API server calls the webhook before it stores an object. Without an answer, the request is rejected (failurePolicy Fail).',
    remedy: (_node: string, _isEtcdMember: boolean | null, configurations: readonly string[]) =>
      `Look at the pods of its service. If it belongs to something that was removed, delete its configuration: ${formatCommands('oc delete --ignore-not-found validatingwebhookconfiguration,mutatingwebhookconfiguration', configurations)}`,
  },
  'namespace-terminating': {
    title: 'A namespace stays Terminating',
    cause: 'An object in it has a finalizer that no controller removes, or an aggregated API does not answer.',
    remedy: (_namespace: string, _isEtcdMember: boolean | null, [namespace = 'NAMESPACE']: readonly string[]) =>
      `The message names what remains, and its finalizer. Repair the operator that has to remove it, or the APIService. Only if that operator is gone for good, remove the finalizer from what remains, never from the namespace: \`oc api-resources --verbs=list --namespaced -o name | xargs -n 1 oc get -n ${namespace} --ignore-not-found --show-kind --no-headers\` \`oc patch KIND/OBJECT -n ${namespace} --type=merge -p '{"metadata":{"finalizers":null}}'\``,
  },
  'release-not-loaded': {
    title: 'The cluster cannot fetch or verify its release',
    cause: 'The registry does not answer or refuses the image, or the image has no signature that the cluster trusts.',
    remedy:
      'The message names the image and the reason. Cancel the update; the cluster then stays at its current release: `oc adm upgrade --clear` Before you try again, check the pull secret and the mirror. Without internet the signatures of the mirrored release have to be in the cluster, too: the mirroring tool wrote them as manifests.',
  },
  'etcd-member-lost': {
    title: 'etcd has lost a member',
    cause: 'The control plane node that it runs on is off or not reachable, or the member does not start there.',
    remedy: `Bring that node back first (its power, console and network): do not restart another one, since with two members lost the API stops. If the node is lost for good, the wizard replaces it, one step after the other: go to Boot, select the node, and press ${SHORTCUTS.markReinstalled}.`,
  },
  'routers-not-running': {
    title: 'No router runs',
    cause:
      'The IngressController has no replicas, no node matches its placement, or its pods do not start: no route answers, and logins fail.',
    remedy: noRouterRemedy,
  },
};

/** Creates the texts of a rule that only reports a failed check, from the texts of that check. */
function createCause({
  wrong,
  meaning,
  remedy,
}: {
  readonly wrong: string;
  readonly meaning: string;
  readonly remedy: string;
}) {
  return { title: `${wrong.charAt(0).toUpperCase()}${wrong.slice(1)}`, cause: meaning, remedy };
}

/** Texts of the rules that only report a failed check. */
const checkCauses = {
  'dns-server-silent': createCause(networkChecks['dns-server']),
  'wildcard-too-wide': createCause(networkChecks['dns-no-cluster-wildcard']),
  'ptr-missing': createCause(networkChecks['dns-reverse']),
  'node-name-missing': createCause(networkChecks['dns-nodes']),
  'boot-server-silent': createCause(bootChecks['boot-server']),
  'tftp-silent': createCause(bootChecks['tftp-server']),
  'boot-program-missing': createCause(bootChecks.tftp),
};

/** Texts of every diagnostic rule, by the id of the rule. */
export const causes = {
  ...serviceCauses,
  ...networkCauses,
  ...machineCauses,
  ...clusterCauses,
  ...stateCauses,
  ...checkCauses,
};
