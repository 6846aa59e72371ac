import { SHORTCUTS } from '../../shortcuts.ts';

const freeName = (node: string) =>
  `Give the new machine another name. If it is the same machine, mark it as reinstalled on this page (${SHORTCUTS.markReinstalled}), or remove the old node first: \`oc delete node ${node}\``;

/**
 * Checks before a node joins: `title` if it passes, `wrong` if it fails, `unknown` if it cannot be checked.
 * @param role the node's MachineConfigPool, which names its ignition file
 */
export const joinChecks = (role: string) => ({
  'join-api': {
    title: 'the API answers',
    wrong: 'the API does not answer',
    remedy: 'A node joins through the API: restore it first (see Operators).',
  },
  'join-config-server': {
    title: 'the Machine Config Server answers, through the load balancer',
    wrong: 'the Machine Config Server does not answer through the load balancer',
    unknown: `${role}.ign does not name the address of the server`,
    remedy:
      'New nodes fetch their configuration from api-int port 22623: check that port of the load balancer, its pool, and the firewalls between it and the node.',
    untrusted: {
      wrong: `${role}.ign does not trust the CA of the Machine Config Server`,
      remedy: `The CA has changed since the installation. Go back to Prepare: it reads ${role}.ign from the cluster.`,
    },
  },
  'join-pool': {
    title: `the MachineConfigPool ${role} is healthy`,
    wrong: `the MachineConfigPool ${role} is not healthy`,
    unknown: 'not reported by the API',
    remedy: `First fix what the pool reports, since a new node gets its configuration from it: \`oc describe mcp ${role}\``,
    degraded: (message: string) => `it is degraded: ${message || 'no reason is given'}`,
    paused: 'it is paused: a new node joins with the old configuration, and updates only when the pool is resumed',
  },
  'join-images': {
    title: 'the boot server has the images',
    wrong: 'the boot server lacks images',
    remedy: `Put them into the images directory (Prepare shows which), and press ${SHORTCUTS.recheck} to check again.`,
  },
  'join-ignition': {
    title: `${role}.ign is in the directory it is served from`,
    wrong: `there is no ${role}.ign to serve`,
    remedy: 'Go back to Prepare, which puts the file in place.',
  },
  'join-name': {
    title: 'no node has this name',
    wrong: 'a node with this name is in the cluster already',
    unknown: 'not reported by the API',
    remedy: freeName('NAME'),
    freeName,
  },
  'join-anew': {
    title: 'its old node no longer reports',
    wrong: 'its old node still reports that it is Ready',
    remedy: `The old system still runs, or ran until a minute ago. Power it off, wait until the node is NotReady, and press ${SHORTCUTS.recheck} to check again.`,
  },
  'join-address-owner': {
    title: 'no other node has its address',
    wrong: 'another node of the cluster has its address',
    remedy: 'Give the new machine an address of its own, on the Nodes page.',
  },
  'join-address': {
    title: 'nothing answers at its address yet',
    wrong: 'something answers at its address already',
    remedy:
      'If it is this machine, already powered on, continue. If not, two machines have the same address: change that of the new one.',
  },
  'join-dns': {
    title: 'its name and address resolve, both ways, on every name server',
    wrong: 'its name or address does not resolve as designed',
    remedy: 'Put the files of the name servers in place (Hosts step), and check that secondaries have the new serial.',
  },
  'join-dhcp': {
    title: 'the DHCP server has its entry',
    wrong: 'the DHCP server has no entry with its MAC address',
    remedy: 'Put the files of the DHCP server in place (Hosts step): without the entry the machine gets no address.',
  },
  'join-balancer': {
    title: 'the load balancer has it in its pools',
    wrong: 'the load balancer does not have it in its pools',
    remedy: 'Put the files of the load balancers in place (Hosts step): the node would get no traffic.',
  },
  'join-script': {
    title: 'the boot server has its script',
    wrong: 'the boot server has no script for it',
    remedy: 'Generate the files again, and continue from there.',
  },
  'join-door': {
    title: `its address may fetch ${role}.ign`,
    wrong: `its address may not fetch ${role}.ign`,
    remedy: 'Go back to Prepare: the boot server then allows its address.',
  },
});

/** Checks before a lost member of etcd is replaced: `title` if it passes, `wrong` if it fails. */
export const replacementChecks = {
  'member-lost': {
    title: 'the nodes of etcd are Ready',
    wrong: 'its node is not Ready, and etcd has lost a member',
    remedy: `Bring the node back first (power, console, network). If it is lost for good, select it here and press ${SHORTCUTS.markReinstalled}: the wizard replaces it.`,
  },
  'replace-members': {
    title: 'the members of etcd can be read',
    wrong: 'the members of etcd cannot be read',
    remedy:
      'The wizard reads them in an etcd pod on another control plane node. Check that such a pod runs: `oc get pods -n openshift-etcd -o wide`',
  },
  'replace-node': {
    title: 'its node is not Ready',
    wrong: 'its node is Ready, so it is not lost',
    unknown: 'not reported by the API',
    remedy: `To replace it anyway, power off its machine, wait a minute, and press ${SHORTCUTS.recheck}. To keep it, press ${SHORTCUTS.markReinstalled}.`,
  },
  'replace-machine': {
    title: 'its machine is off',
    wrong: 'its machine still answers',
    remedy: `Power it off: otherwise its etcd keeps running without the other members. Then press ${SHORTCUTS.recheck}.`,
  },
  'replace-quorum': {
    title: 'the other members keep the quorum',
    wrong: 'too few other members are healthy: etcd would lose its quorum',
    remedy:
      'Repair the other control plane nodes first. If most of them are lost, restore the cluster from a backup of etcd, as the documentation describes.',
    evidence: (ready: number, count: number) => `${ready} of ${count} other control plane nodes are Ready`,
  },
};
