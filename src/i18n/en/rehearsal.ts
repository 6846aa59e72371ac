import { SHORTCUTS } from '../shortcuts.ts';

/** How the page on the screen goes on after a simulated repair. */
const afterRepair = {
  paused: `The rehearsal is paused: ${SHORTCUTS.pause} lets its time run, and what waited goes on.`,
  firstRemains: 'The first finding remains: it needs another repair.',
  waits: 'This page goes on by itself within a few minutes of simulated time.',
  gaveUp: 'openshift-install gave up before: Enter makes it watch again.',
  stopped: 'This page checks again: Enter continues when it shows no fault.',
};

/** Texts of the rehearsal: its faults, and problems of the simulated site. */
export const rehearsal = {
  /** Shown at the top of every screen, in a few columns. */
  mark: 'REHEARSAL',
  pace: (speed: number) => `${speed}x`,
  /** Shown in place of the speed while the clock stands still because the user reads or answers. */
  clockHeld: 'waits',
  /** The reply to a key that changes the speed while the clock stands still. */
  paceWhileHeld: (speed: number) => `The simulated clock waits for you; it then runs ${speed} times as fast.`,
  paused: 'paused',
  faults: {
    'ptr-missing': 'One node has no reverse DNS record, and DHCP gives it no hostname.',
    'wildcard-too-wide': 'The DNS wildcard is for the whole cluster domain, not for *.apps alone.',
    'api-int-missing': 'The name servers do not resolve api-int.',
    'apps-wildcard-missing': 'The name servers do not resolve *.apps.',
    'hostname-localhost': 'Reverse DNS gives one node the name localhost.',
    'config-server-closed': 'Port 22623 of the load balancer does not lead to the bootstrap node.',
    'api-health-check-wrong': 'The load balancer checks the API with plain HTTP, so every member is down.',
    'bootstrap-left-in-balancer': 'The bootstrap node stays in the load balancer.',
    'balancer-timeout-short': 'The load balancer closes idle connections after ten seconds.',
    'routers-outside-pool': 'Ports 80 and 443 of the load balancer lead to nodes without a router.',
    'service-file-broken':
      'A typo gets into the file of a name server, DHCP server or load balancer before the first boot, and the server is restarted.',
    'foreign-dhcp': 'A foreign DHCP server answers one node faster than that of the design.',
    'gateway-wrong': 'DHCP gives the nodes a wrong default gateway.',
    'address-taken-twice': 'Another machine has the address of one node.',
    'mtu-too-small': 'Large packets from the load balancer do not reach the nodes.',
    'proxy-without-no-proxy': 'The cluster sends the requests for its own routes through the proxy.',
    'registry-unreachable': 'A firewall blocks the registry of the release.',
    'pull-secret-without-registry': 'The pull secret lacks the registry of the release.',
    'ignition-stale': 'The certificates in the ignition files are a day old.',
    'ignition-of-another-cluster': 'The file master.ign is from an earlier attempt.',
    'rhcos-mixed': 'The rootfs is from a different build than kernel and initramfs.',
    'boot-file-missing': 'The initramfs disappears from the boot server before the first boot.',
    'boot-program-missing': 'The TFTP server lacks the boot programs that firmware downloads.',
    'tftp-silent': 'The firewall of the bastion drops the TFTP requests of the firmware.',
    'node-never-boots': 'One compute node never powers on.',
    'wrong-mac': 'The MAC address of one compute node differs from the design.',
    'clock-skew': 'The clock of one node is years behind.',
    'disk-too-small': 'The disk of one compute node is too small for its container images.',
    'install-disk-wrong': 'The disk of one node is of a different kind than in the design.',
    'boots-old-disk': 'One node boots an old system that is still on its disk.',
    'hostile-csr': 'An intruder on the machine network requests certificates in the name of nodes.',
    'storage-class-missing': 'The cluster has no StorageClass.',
    'operator-degraded': 'One cluster Operator stays degraded, so the installation does not complete.',
    'request-denied': 'Something in the cluster denies each certificate request of one compute node.',
    'node-credentials-expired': 'One compute node was off for longer than its certificates are valid.',
    'node-cordoned': 'One compute node has been cordoned.',
    'pool-degraded': 'A MachineConfig was added that this release cannot read.',
    'etcd-member-lost': 'Once the cluster is installed, one control plane machine loses power.',
    'routers-not-running': 'Once the cluster is installed, the routers are scaled to zero.',
    'volume-not-provisioned': 'The provisioner of the StorageClass does not run.',
    'release-not-loaded': 'Once the cluster is installed, an update to an image without a trusted signature begins.',
    'webhook-unanswered': 'A policy engine was removed, but not its webhook.',
    'api-service-unavailable': 'A metrics adapter was removed, but not its APIService.',
    'namespace-terminating':
      'A namespace was deleted, but a PersistentVolumeClaim in it waits for a controller that is gone.',
    'machine-fails': 'On a cloud (--cloud aws): one infra machine cannot be created.',
  },
  siteDidNotStart: {
    title: 'The simulated site did not start',
    cause: (log: string) => `The process ended before it was ready. Its log is ${log}.`,
    remedy: 'Read the end of the log. Start the rehearsal in an empty directory if its saved state is damaged.',
  },
  siteRefused: {
    title: 'The simulated site refused the request',
    remedy: 'Read site.log in the directory of the simulated site.',
  },
  siteGone: {
    title: 'The simulated site does not answer',
    remedy: 'Start the rehearsal again with the same directory: it continues where it stopped.',
  },
  notSaved: {
    title: (time: string) => `The rehearsal has not been saved since ${time}`,
    remedy:
      'Free up space on the disk of its directory: the rehearsal is then saved automatically. It continues without that, but its unsaved changes are lost if the simulated site is stopped.',
  },
  /** Texts of the dialog that begins the real installation with the answers of the rehearsal. */
  install: {
    title: 'Install for real with this design',
    directory: 'Install directory',
    explanation:
      'The answers go to a new install directory, and the wizard continues there with the first step that needs real machines. Placeholder credentials, kubeconfig and everything else of the rehearsal stay in its directory, and its simulated site is stopped.',
  },
  directoryInUse: {
    title: 'Choose another directory',
    cause: (dir: string) => `There is an installation or a rehearsal in ${dir} already.`,
    remedy: 'A real installation needs a directory of its own; the wizard creates it if it does not exist.',
  },
  noSuchSpeed: (speed: string) => `The simulated time cannot run ${speed} times as fast.`,
  /** @param next how the page on the screen goes on */
  repaired: (fault: string, next: keyof typeof afterRepair) =>
    `The simulated fault ${fault} is repaired. ${afterRepair[next]} ${SHORTCUTS.diagnose} shows what is still wrong.`,
  /** @param next how the page on the screen goes on; missing: in a command */
  rebooted: (next?: keyof typeof afterRepair) =>
    `The machines that have not joined boot from the network again, with the files as they are now.${next === undefined ? '' : ` ${afterRepair[next]}`}`,
  nothingToReboot: 'All machines that are on have joined: there is none to reboot.',
  /** @param isRepaired whether it was repaired before */
  nothingToRepair: (fault: string, isRepaired: boolean) =>
    isRepaired ? `The fault ${fault} is repaired already.` : `This rehearsal has no fault ${fault} to repair.`,
  noSuchMachine: (name: string) => `There is no machine called ${name}.`,
  noSuchHost: (name: string) => `There is no host called ${name}.`,
};
