/** Checks of registries and of the boot files: see `site`. */
export const bootChecks = {
  'pull-secret-registry': {
    title: 'the registry accepts the pull secret',
    wrong: 'the registry does not accept the pull secret',
    remedy:
      'Download the pull secret again (console.redhat.com/openshift/install/pull-secret), or add the login of your mirror: `podman login --authfile pull-secret.txt REGISTRY`',
    meaning: 'Nodes pull every image of the release with it.',
  },
  'registry-mirror': {
    title: 'the mirror has the release',
    wrong: 'the mirror does not serve the release',
    remedy: 'Add the login of the mirror to the pull secret: `podman login --authfile pull-secret.txt REGISTRY`',
    meaning: 'Nodes pull the release from the mirror instead of quay.io.',
  },
  'registry-proxy': {
    title: 'the proxy connects to the registry',
    wrong: 'the proxy does not connect to the registry',
    remedy: 'Allow CONNECT to this registry on the proxy, or correct httpsProxy and noProxy of the design.',
    meaning: 'Nodes pull images through it.',
  },
  'boot-readable': {
    title: 'the web server can read the files that it serves',
    wrong: 'the web server cannot read it',
    remedy: 'Make it readable for the user of the web server.',
    meaning: 'Every machine gets status 403 for it.',
  },
  'tftp-readable': {
    title: 'the TFTP server may send its files',
    wrong: 'the TFTP server may not send it',
    remedy: 'Make it world-readable.',
    meaning: 'in.tftpd sends only world-readable files.',
  },
  'ignition-clients': {
    title: 'the web server serves each node its ignition file',
    wrong: 'the web server refuses nodes their own ignition file',
    remedy: 'Put the generated nginx.conf in place, and reload nginx.',
    meaning: 'These nodes get status 403 and wait forever.',
  },
  'boot-clients': {
    title: 'the web server serves scripts and images to each node',
    wrong: 'the web server refuses scripts or images to nodes',
    remedy: 'Put the generated nginx.conf in place, and reload nginx.',
    meaning: 'These nodes get status 403 and do not start.',
  },
  'http-from-hosts': {
    title: 'the boot server answers other hosts of the machine network',
    wrong: 'the boot server answers this machine, but not other hosts of the machine network',
    remedy: 'Let the whole machine network reach the boot server.',
    meaning: 'The nodes are in the same network, so they probably get no answer either.',
  },
  'boot-server': {
    title: 'the boot server answers',
    wrong: 'the boot server does not answer',
    remedy: 'Start it (in Prepare, or nginx with the generated file), and open its port in the firewall.',
    meaning: 'Machines fetch scripts, images and ignition files from it.',
  },
  'ipxe-script': {
    title: 'first boot script',
    wrong: 'the first boot script is not usable',
    remedy: 'Put the generated boot scripts in place again, and have the boot server serve them.',
    meaning: 'Every machine that boots from the network runs it.',
  },
  'ipxe-nodes': {
    title: 'its boot script',
    wrong: 'its boot script is missing, or is for another machine',
    remedy: 'Put the generated boot scripts in place again, and have the boot server serve them.',
    meaning: 'It names the kernel, the disk and the ignition file of this machine.',
  },
  'tftp-server': {
    title: 'the TFTP server answers',
    wrong: 'the TFTP server does not answer',
    remedy:
      'Run the bastion’s install.sh there as root: `bash /root/upi-wizard/install.sh` It starts the TFTP server and opens UDP port 69. Every firewall between the machines and the bastion has to allow this port, too.',
    meaning: 'Firmware that boots over TFTP waits for its program and gives up.',
  },
  tftp: {
    title: 'boot program over TFTP',
    wrong: 'the boot program cannot be fetched over TFTP',
    remedy:
      'Run the bastion’s install.sh there as root: `bash /root/upi-wizard/install.sh` It puts the program in place, starts the TFTP server and opens UDP port 69.',
    meaning: 'The firmware loads iPXE over TFTP.',
  },
  'http-boot-program': {
    title: 'boot program over HTTP',
    wrong: 'the boot program cannot be fetched over HTTP',
    remedy:
      'Run the bastion’s install.sh there as root: `bash /root/upi-wizard/install.sh` Only firmware that boots over HTTP needs this boot program.',
  },
  'http-artifacts': {
    title: 'boot image',
    wrong: 'the boot image is not served',
    remedy:
      'Prepare fetches the images. On another web server, copy them below images/ and let its user read them (a copy over a file keeps the old mode): `sudo chmod 0644 /var/www/upi-wizard/images/*; sudo chmod 0755 /var/www/upi-wizard /var/www/upi-wizard/images; ! command -v restorecon || sudo restorecon -R /var/www/upi-wizard`',
    meaning: 'Every machine fetches it.',
  },
  'rhcos-sums': {
    title: 'boot image, byte for byte',
    wrong: 'this boot image is not the one that openshift-install lists',
    remedy:
      'Prepare fetches it again; or download the file that this command lists: `openshift-install coreos print-stream-json`',
    meaning: 'A machine that boots from it stops in the middle of its installation.',
  },
  'rhcos-build': {
    title: 'build of the boot images',
    wrong: 'the boot images are from several builds, or too new',
    remedy: 'Fetch kernel, initramfs and root file system of one build, of this version of OpenShift or an older one.',
    meaning: 'The live system refuses the root file system of another build.',
  },
  'ignition-age': {
    title: 'the certificates in the ignition files are valid',
    wrong: 'the certificates in the ignition files expire soon, or have expired',
    remedy:
      'Before the first machine boots, go to Prepare: it creates new files. A running cluster no longer needs them.',
    meaning: 'They are valid for 24 hours; a machine that boots later never becomes a node.',
  },
  'ignition-run': {
    title: 'ignition file of this cluster',
    wrong: 'the ignition file belongs to another cluster or run',
    remedy: 'Go to Prepare: it creates new files, all in one run.',
    meaning: 'A machine that trusts another CA waits for its configuration forever.',
  },
  'ignition-same': {
    title: 'the served file is the one of openshift-install',
    wrong: 'the served ignition file is not the one of openshift-install',
    remedy:
      'Copy the files of the install directory to the web server again; the boot server of upi-wizard serves them from there.',
    meaning: 'An old copy leads machines to a cluster that no longer exists.',
  },
  'ignition-served': {
    title: 'ignition file',
    wrong: 'the ignition file is not served',
    remedy: 'Prepare creates the ignition files and serves them.',
    meaning: 'A machine becomes a node with this file. Only the nodes that it is for may fetch it.',
  },
  'machine-reports': {
    title: 'machines report that they are as planned',
    wrong: 'a machine is not as planned, or does not reach what it needs',
    remedy:
      'Correct the machine or its design, or its switch port, VLAN, DHCP lease or name server. Its boot menu tries again every minute.',
    meaning: 'iPXE on the machine reports this, over its own network interface, before the disk is written.',
  },
  'ip-conflict': {
    title: 'its address is free or its own',
    wrong: 'a MAC address that is not planned answers at its address',
    remedy:
      'If it is this node with a different MAC address, correct its MAC address in the design, generate the files and put them in place. If it is another machine, give that one another address.',
    meaning:
      'DHCP and the boot server know a node by its MAC address, and with two machines at one address neither can be reached.',
  },
  'ntp-servers': {
    title: 'time server',
    wrong: 'the time server does not answer',
    remedy:
      'On the time server: start chronyd, let chrony.conf allow the machine network (allow), and open UDP port 123: `sudo firewall-cmd --permanent --add-service=ntp; sudo firewall-cmd --reload`. Or name another time server in the design.',
    meaning: 'Certificates are not valid on a machine whose clock is off.',
  },
  'api-clock': {
    title: 'clock of the API',
    wrong: 'the clock of the API differs from the others',
    remedy: 'Compare both with a time server, here and on the control plane node: `chronyc tracking`',
    meaning: 'Requests and certificates are refused when clocks differ.',
  },
  'bootstrap-route': {
    title: 'its network has a default route',
    wrong: 'its network has no default route',
    remedy: 'Give its machine network a gateway in the design.',
    meaning: 'The bootstrap node uses its default route to choose the address that it announces to the nodes.',
  },
  bmc: {
    title: 'BMC',
    wrong: 'the BMC cannot be used for fencing',
    remedy: 'Correct the address in the fencing credentials file.',
    meaning:
      'When this node fails, the other one powers it off through this BMC. Without fencing, etcd stays degraded, and the installation does not finish.',
  },
  'bootstrap-8091': {
    title: 'konnectivity',
    wrong: 'konnectivity is not reachable',
    remedy: 'Open TCP port 8091 between the machine networks.',
    meaning: 'In releases with konnectivity, the API server of the bootstrap node reaches the nodes through it.',
  },
};
