import { field, MIN_DISK_GIB, OLD_MIN_DISK_GIB } from '../../../field-words.ts';

/** Texts of the questions about one node. */
export const nodeWords = {
  name: field(
    'Name',
    'One short label such as m1, not the full name: the domain of the cluster is added.',
    'Lowercase letters, digits and hyphens. The full name is <name>.<cluster>.<domain>; DNS, DHCP and the certificates of the node use it. A node that receives no name is called localhost and cannot join the cluster: therefore both DNS (reverse records) and DHCP provide the name. It cannot be changed later without reinstalling the node.',
  ),
  role: field(
    'Role',
    'bootstrap is temporary. infra nodes are compute nodes that only run the router, registry and monitoring.',
    'bootstrap: starts the control plane and is then no longer needed. control-plane: the API and etcd; three of them. arbiter: the third member of etcd beside two control plane nodes, and nothing else; it runs close to them (round trip below 500 ms). compute: your applications. infra: compute nodes reserved for the router, registry and monitoring (they need no OpenShift subscription). storage: compute nodes reserved for OpenShift Data Foundation. The last three boot alike and get their role afterwards, so it may change later. A control plane node and an arbiter keep theirs.',
  ),
  ip: field(
    'Address',
    'Inside the machine network. For dual stack, IPv4 and IPv6 separated by a comma.',
    'The fixed address of the machine. DHCP assigns it by the MAC address, so you configure nothing on the machine itself. It must be free, and outside the ranges that another DHCP server assigns. Changing it later means installing the node again.',
  ),
  mac: field(
    'MAC address',
    'Of the network interface that the machine boots from. The hypervisor or the BMC shows it.',
    'Twelve hexadecimal digits in any usual spelling: 00:50:56:96:11:c2, 00-50-56-96-11-C2, 0050.5696.11c2. On VMware it is in the settings of the network adapter; on hardware the BMC or a label shows it; with libvirt: `virsh domiflist MACHINE` The MAC address decides which address and which role the machine gets: with one wrong digit no DHCP server answers the machine. With several interfaces use the one that boots from the network.',
  ),
  vcpu: field(
    'vCPU',
    'The number of CPU threads of the machine.',
    ({ cpuLevel }) =>
      `Sockets x cores x threads per core. Minimum: 4 for bootstrap and control plane, 2 for compute and arbiter. More nodes in the cluster need a larger control plane; the page shows a warning when it is too small. Virtual machines can be given more later, one after the other.${
        cpuLevel === null
          ? ''
          : ` The processor has to be of level ${cpuLevel}. A virtual machine gets the level of its host with \`virt-install --cpu host-passthrough\` (Proxmox: type host; vSphere: the EVC level).`
      }`,
  ),
  memoryGiB: field(
    'Memory (GiB)',
    'Control plane at least 16, compute at least 8. Below that the installation stalls without an error.',
    'Infra nodes need more than compute nodes: Prometheus grows with the cluster, and 24 to 32 GiB are usual for a small one. The wizard only compares this number with what the node needs, so enter what the machine really has.',
  ),
  diskGiB: field(
    'Disk (GiB)',
    `At least ${MIN_DISK_GIB}.`,
    ({ isAtLeast }) =>
      `The size of the install disk, ${isAtLeast('4.6') ? `${MIN_DISK_GIB} GiB at least (120 are usual)` : `${OLD_MIN_DISK_GIB} GiB at least`}. For the control plane its speed matters more than its size: etcd needs each write on the disk within 10 ms, so SSD or NVMe, and no disk shared with busy neighbours.`,
  ),
  installDisk: field(
    'Install disk',
    'The device that is overwritten: /dev/sda, /dev/vda or /dev/nvme0n1. A wrong name leaves the machine in a boot loop.',
    'VMware and SAS disks are /dev/sda, virtio (KVM) /dev/vda, NVMe /dev/nvme0n1. Everything on it is lost. With several disks the order may change from boot to boot: then use a persistent name, such as /dev/disk/by-path/pci-0000:00:1f.2-ata-1. Any live system lists them: `ls -l /dev/disk/by-path`',
  ),
  interface: field(
    'Interface',
    'Only with several network interfaces, a VLAN, or without DHCP: the name of the interface, such as enp1s0. Empty otherwise.',
    'The name that Linux gives to the interface. A live system shows it: `ip link` It goes into the boot arguments, so that the right interface is used. With a bond leave it empty.',
  ),
  vlan: field(
    'VLAN',
    'Only when the port of the switch is tagged: its number. Leave it empty otherwise.',
    'A number from 1 to 4094 from the network team. It becomes vlan=... in the boot arguments; the firmware has to boot from the network in that VLAN too, or from an ISO image. A VLAN needs the interface (or a bond) as well.',
  ),
  bondName: field(
    'Bond',
    'Only to join two network interfaces: the name of the bond, bond0. Leave it empty otherwise.',
    'Two network interfaces that act as one, so that the node stays reachable when a cable or a switch fails. Network boot still uses one of them, the one with the MAC address above.',
  ),
  bondInterfaces: field(
    'Bond interfaces',
    'The network interfaces in the bond, separated by commas: enp1s0, enp2s0.',
    'The names that Linux gives to the interfaces. A live system shows them: `ip link`',
  ),
  bondMode: field(
    'Bond mode',
    'active-backup works with every switch. 802.3ad (LACP) has to be configured on the switch as well.',
    'active-backup: one interface works, the other takes over. 802.3ad: both work; the ports of the switch must form one LACP group, or the machine gets no answers at all. The other modes are for special networks.',
  ),
  firmware: field(
    'Firmware',
    'uefi or bios: the firmware of the machine. Both can boot; a machine that starts with BIOS although UEFI is planned is stopped at its boot menu.',
    'The firmware setup of the machine (BIOS or UEFI), or the settings of the virtual machine, show it. Secure Boot needs uefi.',
  ),
  secureBoot: field(
    'Secure Boot',
    'Yes: the machine starts signed programs only. It then boots over the network with GRUB instead of iPXE.',
    'iPXE is not signed by Microsoft, so a machine with Secure Boot refuses it silently. With yes, the signed shim and GRUB of RHEL are served to it. Or turn Secure Boot off for the installation and on again afterwards: RHCOS itself is signed.',
  ),
  kernelArguments: field(
    'Kernel arguments',
    'More arguments for the kernel, separated by spaces: console=ttyS0,115200. Leave it empty otherwise.',
    'They are added to the boot arguments of this machine; console=, ip= and similar ones stay on the installed system. Addresses, disk and Ignition come from the design and do not belong here.',
  ),
};
