import { MIN_DISK_GIB } from '../../../field-words.ts';
import { formatArguments, formatCommands } from '../../ui.ts';

/** @param file path of the pull secret, quoted for a shell */
const addRegistryLogin = (file: string, registry: string) =>
  `The pull secret is part of the ignition files. Add the login, write install-config.yaml again (Generate), create the ignition files again (Prepare), and boot the machines again. The login: \`podman login --authfile ${file} ${registry}\``;

/** Causes on the machines and in the files that they use: boot, ignition, time, container images. */
export const machineCauses = {
  'boot-file-missing': {
    title: 'A file that machines boot with is missing',
    cause: 'A machine requests a file that is not served, is empty or has wrong content. It stops at that point.',
    remedy:
      'Put the file where the Prepare step expects it (the step lists each file), or put the bastion’s generated files in place. Then power the machine on again.',
  },
  'boot-file-forbidden': {
    title: 'The web server refuses a file that machines boot with',
    cause:
      'Status 403: the web server may not read the file (mode, SELinux), or the machine sends its request from an address that is not in the design.',
    remedy:
      'For an ignition file, compare the machine’s address with the design. For other files, let the web server read them and enter their directories: `chmod -R o+rX /var/www/upi-wizard` `restorecon -Rv /var/www`',
  },
  'rhcos-mixed': {
    title: 'Boot images of different builds',
    cause: 'Kernel, initramfs and root file system have to be from one build, and identical to the published files.',
    remedy:
      'Fetch all of them again: fetch-images.sh in the files of the bastion downloads the build that this openshift-install specifies. Then power the machines on again.',
  },
  'ignition-of-another-role': {
    title: 'A machine was installed with the ignition file of another role',
    cause:
      'Its boot script, or a URL typed by hand, named the wrong file. A control plane node becomes a worker, and etcd never gets its third member.',
    remedy: (_node: string, _isEtcdMember: boolean | null, nodes: readonly string[]) =>
      `Put the bastion’s generated files in place (Hosts step), delete the node if it has joined, and install the machine again: \`oc delete node ${formatArguments(nodes)}\``,
  },
  'dhcp-boot-wrong': {
    title: 'DHCP points machines to another boot server or file',
    cause:
      'next-server or the boot file that the DHCP server sends is not the planned one: the firmware gets its address and then loads nothing.',
    remedy:
      'Put the DHCP server’s generated file in place (Hosts step), restart the service, and power the machines on again.',
  },
  'dhcp-options-wrong': {
    title: 'DHCP gives machines settings that differ from the design',
    cause:
      'The DHCP server assigns an address, name server, domain or hostname that differs from the design, or none at all. With another name server a node never finds api-int; with another name its certificate request is refused.',
    remedy:
      'Put the DHCP server’s generated file in place (Hosts step), restart the service, and reboot the machines that got the wrong settings. A machine whose address comes from a kernel argument also needs the argument nameserver= with the address of that name server.',
    /** Texts for machines that started before the file was corrected. */
    outdated: {
      title: 'Machines still have the settings from before a file was corrected',
      symptom: (machine: string, startTime: string, host: string, installTime: string) =>
        `${machine} has had its settings since ${startTime}; the files of ${host} were put in place at ${installTime}`,
      cause:
        'A machine keeps the gateway, name servers and hostname that it got when it started, although the files are right now.',
      remedy: (host: string) =>
        `The files of ${host} are in place: reboot these machines, so that they get its settings.`,
    },
  },
  'boot-image-not-of-release': {
    title: 'A machine started from a boot image of another release',
    cause:
      'The system on the machine does not fit the release: it lacks programs, cannot be replaced by the system of the release, or supports other versions of file formats. OKD from 4.19 on needs CentOS Stream CoreOS; Fedora CoreOS and RHCOS are other systems.',
    remedy:
      'Download the boot images of this release, serve them, and install the machine again from the beginning. The installer of the release lists its boot images: `openshift-install coreos print-stream-json` OKD 4.16 to 4.18: use a newer release, whose boot image has the same system.',
  },
  'shim-signature-bad': {
    title: 'Secure Boot refuses to start the system',
    cause:
      'The firmware has Secure Boot enabled, and does not accept the signature of the boot program or of the kernel. CentOS Stream CoreOS, which OKD uses, is not signed for it; some Dell firmware rejects shim 15.8 over the network.',
    remedy:
      'Disable Secure Boot in the firmware settings of the machine (in vSphere: VM Options, Boot Options), and start it again. With RHCOS, where Secure Boot works: serve the shim and GRUB of the release that the kernel is from.',
  },
  'cpu-too-old': {
    title: 'The processor of a machine is too old for the release',
    cause:
      'Programs of RHEL 9 (from 4.13 on) need a processor of level x86-64-v2, those of RHEL 10 (5.0) level x86-64-v3. A hypervisor may hide what its processor can do: kvm64 and qemu64 have level v1 only.',
    remedy:
      'For a virtual machine, select the processor type of the host, and start it again (libvirt: host-passthrough, in virt-manager or by virt-xml; Proxmox: type host; vSphere: raise the EVC level). A machine with an older processor cannot be used.',
  },
  'disk-busy': {
    title: 'The install disk is in use',
    cause:
      'coreos-installer writes only to a disk that nothing uses. An old LVM, RAID or swap on it was activated, or the machine started from this disk.',
    remedy:
      'Mounted on /boot or /sysroot: start the machine from the network or the live ISO instead of this disk. Otherwise find the disk, stop what uses it and erase it, then install again: `lsblk` `swapoff -a; vgchange -an; mdadm --stop --scan; wipefs -a /dev/DISK`',
  },
  'hostname-etcd': {
    title: 'The name of the single node contains "etcd"',
    cause:
      'The bootstrap waits until no line of the container list contains "etcd". The hostname is part of the names of other containers, so it waits forever (OCPBUGS-15852, fixed in 4.14).',
    remedy:
      'Give the node a name without "etcd" on the Nodes page and in DNS, generate, and install it again; or use a newer version.',
  },
  'signatures-missing': {
    title: 'The mirror has images without their signatures',
    cause:
      'From 4.21 on the cluster accepts images of a release only with their signatures. Only oc-mirror v2 copies these; the older mirror commands do not.',
    remedy:
      'Mirror the release again with oc-mirror v2, which copies signatures, and an ImageSetConfiguration whose platform channel is that of this version: `oc mirror --v2 -c imageset-config.yaml --workspace file://mirror --remove-signatures=false docker://REGISTRY` Then apply what it wrote: `oc apply -f mirror/working-dir/cluster-resources/` If the API does not answer, enter the pairs of idms-oc-mirror.yaml as image mirrors of the design instead.',
  },
  'release-broken': {
    title: 'The release or its installer is broken',
    cause:
      'Parts of the release are missing or of different versions, or this openshift-install was built without a release and requests one that does not exist. No change at the site helps.',
    remedy:
      'Extract openshift-install from the release that you want, and start again with its files. For 4.18.11: `oc adm release extract --tools quay.io/openshift-release-dev/ocp-release:4.18.11-x86_64` If the same error returns, use another version.',
  },
  'wrong-mac': {
    title: 'The MAC address of a machine differs from the design',
    cause:
      'A machine of the design never requested an address, and one that is not in the design did. One of the two MAC addresses is a typo.',
    remedy:
      'Read the MAC address at the machine. Correct it on the Nodes page, generate, put the DHCP server’s files in place, and reboot the machine.',
  },
  'boots-old-disk': {
    title: 'A machine starts from its old disk',
    cause:
      'It was powered on and requested nothing from the boot server, and a system answers at its address: an earlier installation is on its disk.',
    remedy:
      'Let it boot from the network once (boot menu of the firmware), and power it on again. Or find its disk and wipe it first: `lsblk` `wipefs -a /dev/DISK`',
  },
  'node-never-boots': {
    title: 'A machine never sent a request',
    cause:
      'After power-on it got no address and fetched nothing: it is off, not on the machine network, or does not boot from the network.',
    remedy: 'Look at its console: power, cable or port group, boot order (network first). Then power it on again.',
  },
  'install-disk-wrong': {
    title: 'The install disk has another name on this machine',
    cause:
      'The machine has no disk of the planned name, so coreos-installer writes nothing: /dev/sda on one machine is /dev/nvme0n1 or /dev/vda on another.',
    remedy:
      'Look at the console of the machine, and correct its install disk on the Nodes page. Then generate, put the bastion’s files in place, and power it on again.',
  },
  'disk-too-small': {
    title: 'A disk is too small or full',
    cause: `A node needs ${MIN_DISK_GIB} GiB; the installation stops, or the kubelet evicts pods (DiskPressure).`,
    remedy: 'Give the machine a larger disk and install it again; on a running node, free space below /var.',
  },
  'installs-again': {
    title: 'A machine installs itself again and again',
    cause: 'It boots from the network first, and each time the boot server lets it install.',
    remedy:
      'Set the disk before the network in its boot order, or use the boot server of upi-wizard, which boots an installed machine from its disk.',
  },
  'ignition-stale': {
    title: 'The ignition files are older than 24 hours',
    cause: 'Their certificates have expired. Machines that boot with them never join.',
    remedy:
      'Create them again on the Prepare step, which moves the old ones aside, and boot all machines again, the bootstrap machine first.',
  },
  'ignition-of-another-cluster': {
    title: 'Machines boot with ignition files from another run',
    cause:
      'The certificates that they trust are not those of this installation: the files were created again after the old ones had been copied or booted.',
    remedy:
      'Serve the files of this install directory only, and boot all machines again with them, the bootstrap machine first.',
  },
  'clock-skew': {
    title: 'Clocks differ',
    cause: 'A machine whose clock is wrong rejects valid certificates as expired or not yet valid.',
    remedy:
      'Set the clock of that machine (firmware too: UTC), and let all machines use the same time server; then reboot that machine. To check both: `timedatectl` `chronyc sources`',
  },
  'kubeconfig-of-another-cluster': {
    title: 'The API does not belong to this install directory',
    cause: 'Its certificate is not signed by the CA in auth/kubeconfig.',
    remedy: 'Use the install directory that the machines booted with, or boot them with the files of this one.',
  },
  'credentials-refused': {
    title: 'The API does not accept auth/kubeconfig',
    cause: 'The kubeconfig is from another run of the installer, or has expired.',
    remedy: 'Use the install directory that the machines booted with.',
  },
  'pull-secret-without-registry': {
    title: 'The pull secret lacks a registry',
    cause: 'Images come from a registry that the pull secret has no login for.',
    remedy: addRegistryLogin('pull-secret.txt', 'REGISTRY'),
    remedyFor: addRegistryLogin,
  },
  'pull-secret-rejected': {
    title: 'A registry refuses the pull secret',
    cause: 'The login in the pull secret is wrong or has expired.',
    remedy:
      'Get a new login: for the registries of Red Hat from console.redhat.com/openshift/install/pull-secret, for a mirror from its owner. The pull secret is part of the ignition files: write install-config.yaml again (Generate), create them again (Prepare), and boot the machines again.',
  },
  'release-missing': {
    title: 'The registry does not have an image of this release',
    cause: 'A mirror is incomplete, or holds a release other than that of openshift-install.',
    remedy:
      'Mirror exactly the release that openshift-install names, from 4.16 on with oc-mirror v2. To show it: `openshift-install version`',
  },
  'registry-unreachable': {
    title: 'Nodes do not reach a registry',
    cause: 'Image pulls get no answer: a firewall, the proxy, a missing route, or a mirror that is down.',
    remedy: (_node: string, _isEtcdMember: boolean | null, [registry = 'REGISTRY']: readonly string[]) =>
      `Allow connections to it, or correct the proxy or the mirror; pulls continue on their own. On a node, this must get an answer (401 is fine): \`curl -sI https://${registry}/v2/\``,
  },
  'ignition-broken': {
    title: 'A machine fetched a file that is not an ignition file',
    cause:
      'Ignition cannot use what it received: an error page, a part of a file, or a file for another version of the operating system.',
    remedy:
      'Fetch the URL that the machine fetches and look at it. Serve the files of the installer unchanged, boot the images of the same release, and power the machine on again.',
  },
  'node-credentials-expired': {
    title: 'The certificate of a node has expired',
    cause:
      'The node was off, or its requests were not approved in time. It requests a certificate to join again, and this request waits for your approval.',
    remedy: (_node: string, _isEtcdMember: boolean | null, requests: readonly string[]) =>
      `Make sure that the request comes from that machine: its console shows the same error. Then approve the newest request (named here) on the Certificates step. The wizard does not approve it on its own, because the node is already in the cluster. \`upi-wizard csr list\` ${formatCommands('upi-wizard csr approve', requests)} A minute later the node sends its second request: \`upi-wizard csr approve --expected\``,
  },
  'registry-untrusted': {
    title: 'Nodes do not trust the certificate of a registry',
    cause:
      'The registry has no certificate, one of a private CA, or one without the name of the registry. Or a proxy in between intercepts TLS.',
    remedy:
      'Set the CA bundle file on the Credentials page before the ignition files are created. Or give the registry a certificate with its name in subjectAltName.',
    plainHttp: {
      title: 'A registry answers in plain HTTP',
      remedy:
        'Give the registry a certificate with its name in subjectAltName. Set its CA as the CA bundle file on the Credentials page before the ignition files are created. If it has one, check that the mirrors name its TLS port.',
    },
  },
  'proxy-fails': {
    title: 'The proxy does not work for the nodes',
    cause:
      'The nodes reach the registries through a proxy that does not answer, or requires a login that it did not get.',
    remedy:
      'Check the address, port and login of the proxy on the Networks page, and that the machine network may use it. They are part of the ignition files: create those again after a change.',
  },
  'image-policy-refuses': {
    title: 'The policy of the node refuses an image',
    cause: 'It requires a signature by a key other than that of the image, or allows only other registries.',
    remedy:
      'Compare the policy with the registry that the image comes from. What the cluster allows: `oc get image.config.openshift.io cluster -o yaml`',
  },
  'registry-limits': {
    title: 'A registry limits the number of pulls',
    cause: 'Its pull rate limit, by address or login, is exceeded.',
    remedy: 'Wait, put a login with a higher limit into the pull secret, or mirror the images.',
  },
  'machine-too-weak': {
    title: 'A machine has too little memory or too few processors',
    cause:
      'Processes are killed for lack of memory, the live system does not fit into it, or no node has enough resources for pods.',
    remedy:
      'Compare the machine with the requirements: control plane 4 CPUs and 16 GiB, compute 2 CPUs and 8 GiB. Give it more, or use more nodes.',
  },
  'fips-mismatch': {
    title: 'The FIPS mode of a machine differs from that of the cluster',
    cause: 'The machine did not boot in the FIPS mode that install-config.yaml sets. It stops at its first start.',
    remedy:
      'Set FIPS mode on the Cluster page as needed, create the ignition files again, and install the machines from the beginning.',
  },
};
