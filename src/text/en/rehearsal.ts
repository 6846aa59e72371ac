/** The words of the rehearsal: its faults, and what goes wrong with the site itself. */
export const rehearsal = {
  /** At the top of every screen, in a few cells. */
  mark: 'REHEARSAL',
  pace: (speed: number) => `${speed}x`,
  paused: 'paused',
  faults: {
    'ptr-missing': 'One node has no reverse record, and DHCP gives it no host name.',
    'wildcard-too-wide': 'The DNS wildcard is for the whole cluster domain, not for *.apps alone.',
    'api-int-missing': 'The name servers do not know api-int.',
    'apps-wildcard-missing': 'The name servers do not know *.apps.',
    'hostname-localhost': 'Reverse DNS calls one node localhost.',
    'config-server-closed': 'Port 22623 of the load balancer does not lead to the bootstrap node.',
    'api-health-check-wrong': 'The load balancer checks the API with plain HTTP, so every member is down.',
    'bootstrap-left-in-balancer': 'The bootstrap node stays in the load balancer.',
    'balancer-timeout-short': 'The load balancer ends connections after ten seconds of silence.',
    'routers-outside-pool': 'Ports 80 and 443 of the load balancer lead to nodes without a router.',
    'service-file-broken':
      'Somebody slips in the file of a name server, DHCP server or load balancer before the first boot, and restarts it.',
    'foreign-dhcp': 'A DHCP server of somebody else answers one node faster than ours.',
    'gateway-wrong': 'DHCP gives the nodes a router that is none.',
    'address-taken-twice': 'A machine of somebody else has the address of one node.',
    'mtu-too-small': 'Big packets from the load balancer do not come through to the nodes.',
    'proxy-without-no-proxy': 'The cluster sends requests to its own routes to the proxy.',
    'registry-unreachable': 'A firewall keeps the registry of the release away.',
    'pull-secret-without-registry': 'The pull secret lacks the registry of the release.',
    'ignition-stale': 'The certificates in the ignition files are a day old.',
    'ignition-of-another-cluster': 'The file master.ign is from an earlier attempt.',
    'rhcos-mixed': 'The rootfs is of another RHCOS build than kernel and initramfs.',
    'boot-file-missing': 'The initramfs disappears from the boot server before the first boot.',
    'node-never-boots': 'One compute node never powers on.',
    'wrong-mac': 'One compute node has another MAC address than the design says.',
    'clock-skew': 'The clock of one node is years behind.',
    'disk-too-small': 'One compute node has a disk that its images fill.',
    'install-disk-wrong': 'One node has another kind of disk than the design says.',
    'boots-old-disk': 'One node starts the system that somebody left on its disk.',
    'hostile-csr': 'Somebody on the machine network asks for certificates of nodes that are not theirs.',
    'storage-class-missing': 'The cluster has no storage class.',
    'operator-degraded': 'One cluster operator stays degraded, so the installation does not complete.',
    'machine-fails': 'On a cloud (--cloud aws): one infra machine cannot be made.',
  },
  siteDidNotStart: {
    title: 'The rehearsal site did not start',
    cause: (log: string) => `The process ended before it was ready. Its log is ${log}.`,
    whatToDo: 'Read the end of the log. Start the rehearsal in an empty directory when the saved world is damaged.',
  },
  siteRefused: {
    title: 'The rehearsal site refused',
    whatToDo: 'Look at the log of the site, beside its world file.',
  },
  siteGone: {
    title: 'The rehearsal site does not answer',
    whatToDo: 'Start the rehearsal again with the same directory: it continues where it was.',
  },
  notSaved: {
    title: (time: string) => `The rehearsal has not been saved since ${time}`,
    whatToDo:
      'Free space on that disk: the rehearsal is then saved by itself. Until then it runs on, but what happened since is lost if its site is stopped.',
  },
  /** From the rehearsal to the real installation. */
  install: {
    title: 'Install for real with this design',
    directory: 'Install directory',
    why: 'The answers go to a new install directory, and the wizard continues there with the first thing that needs the real world. Credentials that stood in for yours, kubeconfig and everything else of the rehearsal stay with it, and its simulated site is stopped.',
  },
  taken: {
    title: 'Name another directory',
    cause: (dir: string) => `There is an installation or a rehearsal in ${dir} already.`,
    whatToDo: 'A real installation begins in a directory of its own; it is made where it is missing.',
  },
  noSuchSpeed: (speed: string) => `its time cannot run ${speed} times as fast`,
  noSuchMachine: (name: string) => `there is no machine called ${name}`,
  noSuchHost: (name: string) => `there is no host called ${name}`,
};
