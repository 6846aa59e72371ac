/** The page `help files`: all kinds of generated files. */
export const filesHelp = {
  intro:
    '"upi-wizard generate" and the wizard write files/<host>/<path>; files that belong to no host are under the bastion. One run writes one stage: install, bootstrap-removed, infra-added or infra-only. The same design always gives the same files, byte for byte.',
  install:
    'install.sh of a host puts its files in place. "--dry-run" shows what it would do, "--undo" reverts it. Files below /root/upi-wizard/ on the bastion are for you; their descriptions state when you need them.',
  edited:
    'A file that you changed stops the next run with exit code 5, and nothing is written. "--force" keeps your version as <file>.<n>.orig.',
  manifest:
    'files.json lists every file with host, path, kind, mode and checksum, and the commands that check and reload it. The commands run on the host, with the path of the file there.',
  names: 'Words in capitals stand for a zone, a node name, a MAC address with hyphens, or a pool.',
  kindsTitle: 'Kinds',
  hosts: {
    dns: 'Name servers',
    'dns-primary': 'The primary name server',
    dhcp: 'The DHCP server',
    'load-balancer': 'Load balancers',
    bastion: 'The bastion',
    every: 'Every service host',
  },
  onHost: (host: string, paths: string) => `${host}: ${paths}`,
  reader: (owner: string) => `Read by: ${owner}.`,
  kinds: {
    'bind-conf': { meaning: 'The configuration of BIND.', reader: 'named' },
    'bind-zone': { meaning: 'The forward zone and the reverse zones.', reader: 'named' },
    'dns-nsupdate': {
      meaning:
        'With dns.kind external: the records as commands, "nsupdate -k KEYFILE dns-records.nsupdate". A second run changes nothing.',
      reader: 'nsupdate',
    },
    'dns-records': {
      meaning: 'With dns.kind external: the records as a table.',
      reader: 'your DNS team',
    },
    haproxy: { meaning: 'Ports and members of the load balancer; the members depend on the stage.', reader: 'HAProxy' },
    keepalived: {
      meaning:
        'Moves the endpoints between the load balancers, and lets HAProxy bind addresses that another host currently holds.',
      reader: 'keepalived, sysctl',
    },
    'isc-dhcpd': { meaning: 'A fixed lease for each node, and the boot program for its firmware.', reader: 'dhcpd' },
    'kea-dhcp4': {
      meaning: 'The same leases and boot programs for Kea, the DHCP server of RHEL 10.',
      reader: 'kea-dhcp4',
    },
    ipxe: {
      meaning:
        'boot.ipxe reports the machine to the boot server of upi-wizard, which stops a machine that is not as planned. It then chains to the script of the machine, which starts the live system with its kernel arguments. Another web server has no answer to the report (404), and the script continues. A machine that has fetched its ignition file gets installed.ipxe from the boot server of upi-wizard instead. It then starts from its disk, also when its firmware tries the network first. To install it again, choose Install in the menu that it shows for five seconds.',
      reader: 'iPXE',
    },
    grub: { meaning: 'With secureBoot: the menu, and the entry of each node.', reader: 'GRUB, started by shim' },
    tftp: { meaning: 'The directory that the TFTP server serves.', reader: 'tftp, tftpd-hpa' },
    nginx: {
      meaning:
        'For nginx instead of the boot server of upi-wizard: the same URLs, and the same access rules for the ignition files.',
      reader: 'nginx, if you use it',
    },
    'coreos-installer': {
      meaning:
        'With boot.kind iso. make-isos.sh (from 4.8) creates one ISO for each node, which installs the node unattended; the script needs coreos-installer. On a node that runs the plain live ISO, run its own script: "curl -O http://BASTION:8080/iso/NODE.sh", then "sudo bash NODE.sh"; the script stops if the machine lacks the MAC address or the disk of the node. boot-prompt.txt (4.5) shows what to type at the boot prompt.',
      reader: 'you, coreos-installer',
    },
    'install-config': {
      meaning: 'The configuration of the installation, with the pull secret.',
      reader: 'openshift-install',
    },
    chrony: {
      meaning:
        'The configuration of chronyd on the bastion: its time servers, and the networks that it serves time to.',
      reader: 'chronyd',
    },
    'chrony-machineconfig': {
      meaning:
        'With time servers: the chrony configuration of the nodes. Prepare adds it to the manifests of the installer.',
      reader: 'openshift-install',
    },
    firewall: {
      meaning: 'Opens the ports of the host. install.sh runs it; it supports --dry-run and --undo too.',
      reader: 'firewalld or ufw, through install.sh',
    },
    selinux: {
      meaning:
        'Lets SELinux allow what the services of the host do. install.sh runs it; it supports --dry-run and --undo too.',
      reader: 'SELinux, through install.sh',
    },
    'host-script': { meaning: 'Puts the files of the host in place.', reader: 'you' },
    env: { meaning: 'PATH and KUBECONFIG of a shell on the bastion: ". env.sh".', reader: 'your shell' },
    'infra-manifest': {
      meaning:
        'With infra nodes: the infra moves as one file, to review or to apply by hand: "oc apply --server-side --force-conflicts -f infra.yaml".',
      reader: 'you, oc',
    },
    'network-notes': {
      meaning:
        'For the owners of the network: return route, zones to forward, and every port with source, destination and reason.',
      reader: 'your network team',
    },
  },
  bootTitle: 'Boot programs',
  boot: 'DHCP offers the boot program for the firmware: iPXE for BIOS and UEFI (over TFTP, or over HTTP if the firmware requests it), shim and GRUB for a node with secureBoot. A node gets fixed IPv6 addresses from kernel arguments, because DHCP serves IPv4 only.',
};
