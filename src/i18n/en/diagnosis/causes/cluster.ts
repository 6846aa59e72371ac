import { SHORTCUTS } from '../../../shortcuts.ts';
import { formatArguments } from '../../ui.ts';

/** Causes in the cluster itself: nodes, requests, operators. */
export const clusterCauses = {
  'hostname-localhost': {
    title: 'A node has the hostname localhost',
    cause: 'It got its name neither from DHCP nor from a PTR record.',
    remedy:
      'Set its hostname in DHCP (option 12), or add a PTR record for its address: the generated files have both. Then reboot the machine. Do not approve a certificate request from a node named localhost.',
  },
  'node-name-unexpected': {
    title: 'A node has a different name from the planned one',
    cause: 'DHCP or DNS gives the machine a name that differs from the design.',
    remedy: (_node: string, _isEtcdMember: boolean | null, nodes: readonly string[]) =>
      nodes.length === 0
        ? 'Correct the hostname on the DHCP server or its PTR record, and install the machine again.'
        : `Correct the hostname on the DHCP server or its PTR record, delete the Node with the wrong name, and install the machine again: \`oc delete node ${formatArguments(nodes)}\``,
  },
  'hostile-csr': {
    title: 'A certificate request does not come from a node of the design',
    cause:
      'A client that reaches the API requests the certificate of a node, with a name or groups that are not planned.',
    remedy: (_node: string, _isEtcdMember: boolean | null, requests: readonly string[]) =>
      `Do not approve it. If it is a node of yours, add it on the Nodes page first. Otherwise find its sender, then deny it: \`upi-wizard csr deny ${formatArguments(requests)}\``,
  },
  'requests-wait': {
    title: 'Nodes wait for their certificate',
    cause: 'Their certificate requests to join the cluster are not approved.',
    remedy: (_node: string, _isEtcdMember: boolean | null, requests: readonly string[]) =>
      `Approve those of your nodes: ${SHORTCUTS.approveExpected} on Certificates. Each node sends a second request once it has joined. In a terminal: \`upi-wizard csr approve --expected\` or, if upi-wizard has no record of this installation, \`oc adm certificate approve ${formatArguments(requests)}\``,
  },
  'serving-requests-wait': {
    title: 'Nodes wait for their serving certificate',
    cause:
      'They have joined, and their requests for serving certificates are not approved: oc logs and oc exec fail, metrics are missing.',
    remedy: `Approve them: ${SHORTCUTS.approveExpected} on Certificates, or in a terminal: \`upi-wizard csr approve --expected\``,
  },
  'control-plane-absent': {
    title: 'A control plane node does not join',
    cause:
      'Its configuration is served, but it has not joined for longer than usual. A problem on the machine prevents it, or it was never started. Compute nodes that get an error from port 22623 only wait for the control plane, which is normal.',
    remedy:
      'Start it, if it is off. Then look at its console for what it waits for. "no such host" points to DNS, "has expired or is not yet valid" to its clock, "unauthorized" to the pull secret, an emergency shell to a disk.',
  },
  'control-plane-unreached': {
    title: 'The bootstrap node cannot log in to control plane nodes',
    cause:
      'The log bundle has no logs of them: they are off or not installed, wait for their configuration from port 22623, or have other addresses.',
    remedy:
      'Look at the console of each: it shows what the node waits for. Then gather again, with the address of the bootstrap node (--bootstrap) and of each control plane node (--master).',
    /** @param command with the addresses of the design */
    gatherAgain: (command: string) =>
      `Look at the console of each: it shows what the node waits for. Then gather again from all of them: \`${command}\``,
  },
  'control-plane-awaited': {
    title: 'The bootstrap waits for the control plane',
    cause:
      'The bootstrap node serves the configuration of the control plane nodes, but their pods or etcd members are missing. Too few nodes have joined, or the pods do not start.',
    remedy:
      'See which nodes have joined, and what their pods wait for: `oc get nodes` `oc get pods -A -o wide` For one that has not joined, see its console.',
  },
  'node-not-ready': {
    title: 'A node is not Ready',
    cause: 'Its kubelet runs and reports why, in the line above.',
    remedy: (node: string) =>
      `Fix the reason in that line. The logs of its kubelet and its container runtime: \`oc adm node-logs ${node} -u kubelet -u crio\``,
  },
  'bootstrap-etcd-down': {
    title: 'etcd on the bootstrap machine does not become healthy',
    cause:
      'bootkube.sh waits for etcd before anything else. The disk of the machine is too slow or full, the etcd image cannot be pulled, or the machine does not have its planned address.',
    remedy:
      'On the bootstrap machine, check the container, the disk and the addresses: `sudo crictl ps -a --name etcd` `df -h /var` `ip addr`',
  },
  'bootstrap-api-down': {
    title: 'The API on the bootstrap machine does not start',
    cause:
      'etcd runs, but the API server on the same machine does not answer: it crashes repeatedly, or its image cannot be pulled.',
    remedy:
      'On the bootstrap machine, see why it ends: `sudo tail -n 50 /var/log/bootstrap-control-plane/kube-apiserver.log` If the log reports expired certificates, create the ignition files again (Prepare).',
  },
  'network-not-ready': {
    title: 'The pod network of a node does not start',
    cause: 'Networks that overlap, an MTU that does not fit, or images that cannot be pulled.',
    remedy:
      'Compare the cluster, service and machine networks. See which pod crashes, and what the pods report: `oc get pods -n openshift-ovn-kubernetes -o wide` `oc logs -n openshift-ovn-kubernetes -l app=ovnkube-node --all-containers --prefix --tail=20`',
  },
  'node-gone': {
    title: 'A node no longer reports its status',
    cause: 'Its kubelet is down, the machine is off, or it does not reach api-int.',
    remedy: (node: string, isEtcdMember: boolean | null) => {
      const look = `Look at the machine: power, console, and its log, \`ssh core@${node} journalctl -u kubelet -n 50\``;
      const replace = `the wizard replaces it, one step after the other: go to Boot, select the node, and press ${SHORTCUTS.markReinstalled}.`;
      const reinstall = `delete it, then go to Boot, select the node, press ${SHORTCUTS.markReinstalled}, and install its machine again: \`oc delete node ${node}\``;
      if (isEtcdMember === null)
        return `${look} If it is gone for good: a control plane node is replaced on the Boot page. A node of any other role: ${reinstall}`;
      return `${look} If it is gone for good${isEtcdMember ? `, ${replace}` : `: ${reinstall}`}`;
    },
  },
  'storage-class-missing': {
    title: 'A volume is requested, and the cluster has no storage for it',
    cause:
      'A PersistentVolumeClaim, or the registry of the design, names a StorageClass that does not exist, or none while none is the default. Nothing creates the volume.',
    remedy:
      'Install a storage provider, or set an existing StorageClass on the Services page (its field StorageClass). For a trial the registry can use emptyDir (Registry storage on that page). To see whether there is a StorageClass: `oc get storageclass`',
  },
  'volume-not-provisioned': {
    title: 'A PersistentVolumeClaim is Pending, and its volume is not created',
    cause:
      'Its StorageClass exists, but the provisioner of that class does not run, is not installed, or cannot reach its storage.',
    remedy:
      'See whether the pods of the provisioner run, and what it reports. `oc get pods -A | grep -i -e csi -e provisioner` `oc get events -A --field-selector type=Warning | grep -i -e csi -e provision` A StorageClass with kubernetes.io/no-provisioner creates no volumes: it needs a PersistentVolume that you create.',
  },
  'monitoring-config-invalid': {
    title: 'The monitoring configuration is not valid',
    cause: 'The ConfigMap cluster-monitoring-config has a key or value that its operator does not accept.',
    remedy: 'Correct what the message names: `oc edit configmap cluster-monitoring-config -n openshift-monitoring`',
  },
  'routers-without-nodes': {
    title: 'Routers wait for compute nodes',
    cause: 'No node that routers may run on is Ready.',
    remedy: 'Power on the compute nodes, and approve their requests (Certificates step): each sends two.',
  },
  'operator-degraded': {
    title: 'An operator is unhealthy',
    cause: 'It reports this itself. Operators recover from temporary problems on their own, so a recent one may pass.',
    remedy: 'Read its message, then the events and pods of its namespace: the Operators step shows them.',
  },
  'version-failing': {
    title: 'The release is not applied',
    cause: 'The Cluster Version Operator has reported the same failure for more than ten minutes.',
    remedy: 'Read the message: it names the operator that the Cluster Version Operator is waiting for.',
  },
  'etcd-disk-slow': {
    title: 'etcd waits for its disk',
    cause:
      'etcd needs an fdatasync p99 of 10 ms at most. On slower disks it loses its leader, and the API does not answer.',
    remedy:
      'Put the control plane on fast disks: no shared spindles, no thin pool that is full, no other writers. The command below measures fdatasync.',
  },
  'etcd-bootstrap-member': {
    title: 'etcd keeps its member on the bootstrap node',
    cause: 'Not all three members on the control plane are healthy yet.',
    remedy:
      'Keep the bootstrap node on, and find the etcd pods that do not run: `oc get pods -n openshift-etcd -o wide`',
  },
  'fencing-job-failed': {
    title: 'The etcd operator could not set up the fencing of the two nodes',
    cause:
      'Its job logs in to each BMC from a node. The BMC does not answer there, refuses the credentials, or has a certificate that nodes do not trust. Or no secret has the name of the node.',
    remedy:
      'Read the log of the job, which hides the passwords. Compare the secrets with the names of the nodes, and correct the secret that is wrong; the operator then tries again: `oc -n openshift-etcd get secrets -o name | grep fencing-credentials` `oc -n openshift-etcd edit $(oc -n openshift-etcd get secrets -o name | grep fencing-credentials)`',
  },
  'bootkube-torn-down': {
    title: 'The bootstrap gave up once and is trying again',
    cause: 'The control plane nodes did not join in time.',
    remedy: 'Look at their consoles for what they wait for. The bootstrap tries again on its own.',
  },
  'node-runtime-down': {
    title: 'The container runtime of a node is down',
    cause: 'The kubelet runs, but reaches no container runtime: CRI-O stopped, or waits for its disk.',
    remedy: (node: string) =>
      `Read the log of CRI-O; restart the node if it hangs: \`oc adm node-logs ${node} -u crio\``,
  },
};
