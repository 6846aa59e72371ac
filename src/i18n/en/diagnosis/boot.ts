import { SHORTCUTS } from '../../shortcuts.ts';
import { plural } from '../ui.ts';

const NEXT_FETCH = {
  lease: 'its boot script',
  script: 'its kernel',
  kernel: 'its root file system',
  rootfs: 'its ignition file',
};
const LAST_PROGRESS = {
  lease: 'it has an address, and its next request was due',
  script: 'it fetched its boot script',
  kernel: 'it fetched kernel and initramfs',
  rootfs: 'it fetched its root file system',
};

/** Findings about machines that do not boot. */
export const boot = {
  'boot-address-taken': {
    title: (node: string, address: string) =>
      `A machine with an unplanned MAC address answers at ${address}, the address of ${node}`,
    cause: (actual: string, planned: string) => `${actual} answers ARP at this address; the design has ${planned}`,
    remedy: (actual: string, node: string) =>
      `If ${actual} is ${node} with a different MAC address: correct its MAC address (${SHORTCUTS.edit}), generate, and put the files in place again. If not, find the machine with MAC ${actual} and give it another address; then restart ${node}.`,
  },
  'boot-machine-unfit': {
    title: (node: string, problem: string) => `${node} is stopped before anything is written to its disk: ${problem}`,
    remedy: (node: string) =>
      `Change the machine, or the design of ${node} (${SHORTCUTS.edit}) and generate: its boot menu tries again every minute and continues on its own. To install it anyway, choose that in its menu, which asks for the reason.`,
  },
  'boot-unreached': {
    title: (node: string, failure: string) => `The network test of ${node} failed: ${failure}`,
    remedy:
      'Compare the settings of its lease, and its VLAN, with the design: `upi-wizard check --only dhcp-options,dhcp-gateway`. For "no such name": the name server of its lease must be that of the cluster. For "no answer": open the port between its network and the load balancer. For "no such file": put the file into the images directory. The boot menu of the machine tries again every minute.',
  },
  'boot-unknown-mac': {
    title: (node: string, mac: string) => `A machine with MAC ${mac} requests an address, and ${node} never did`,
    cause: (node: string, planned: string) => `the design has ${planned} for ${node}`,
    remedy: (node: string, mac: string) =>
      `Compare with the machine. If ${mac} belongs to ${node}: correct the design (${SHORTCUTS.edit}), generate, put the files in place again, and reboot that machine.`,
  },
  'boot-silent': {
    ipxe: {
      title: (node: string) => `${node} never sent a request`,
      cause: (minutes: number) => `in ${minutes} min it got no address by DHCP and fetched no boot script`,
      remedy: (node: string, mac: string) =>
        `Is ${node} powered on, is its cable or port group on the machine network, and does it boot from the network? Its MAC address in the design is ${mac}. If this compute node does not exist, delete it on the Nodes page (${SHORTCUTS.edit}).`,
    },
    /** The address in the design was changed after the files were generated. */
    corrected: {
      title: (node: string) => `The files still have the earlier address of ${node}`,
      cause: (mac: string) => `the design was corrected to ${mac} after they were generated`,
      remedy: (node: string) => `Generate, put the files in place again (Hosts), and reboot ${node}.`,
    },
    /** Normal for a machine whose ISO holds its ignition file. */
    iso: {
      title: (node: string) => `No request from ${node}`,
      cause: (minutes: number) =>
        `it requested nothing from the boot server in ${minutes} min; a machine that boots from an ISO with its ignition file (make-isos.sh) never does`,
      remedy: (node: string) =>
        `Look at the console of ${node}. If its ISO holds no ignition file, run its script there. ${SHORTCUTS.nextScreen} continues to Bootstrap, which detects machines by their ports.`,
    },
  },
  'boot-halted': {
    title: (node: string, stage: keyof typeof NEXT_FETCH) => `${node} stopped before fetching ${NEXT_FETCH[stage]}`,
    cause: (stage: keyof typeof NEXT_FETCH, minutes: number, usual: number) =>
      `${LAST_PROGRESS[stage]} ${plural(minutes, 'minute', 'minutes')} ago; the next request usually follows within ${plural(usual, 'minute', 'minutes')}`,
    remedy: {
      lease: (node: string) =>
        `Set the bastion up again (Hosts step): this starts its TFTP server and opens UDP port 69. The firmware got an address, but no boot program: look at the console of ${node}. With Secure Boot it starts signed programs only. To check the files: \`upi-wizard check --only tftp-server,tftp,http-boot-program,dhcp-boot\``,
      script: (node: string) =>
        `iPXE runs on ${node}, but loads nothing: its console shows the error or a menu. To check the files: \`upi-wizard check --only ipxe-nodes,http-artifacts\``,
      kernel: (node: string) =>
        `The live system of ${node} has no network. Compare the interface, the address, and the VLAN or bond in its boot script with the machine. Its console shows what it waits for.`,
      rootfs: (node: string) =>
        `${node} fetched its root file system, but no ignition file. Its installation disk may have another name than in the design. It may also have too little memory (the live system needs 4 GiB), or files of different builds. Its console shows the error. The builds: \`upi-wizard check --only rhcos-build,rhcos-sums\``,
    },
  },
  'boot-stuck': {
    title: (node: string, path: string) => `${node}: the boot server refuses ${path}`,
    cause: (path: string, status: number) => `the last request was ${path}, with status ${status}`,
    remedies: {
      missing: 'The file is missing or misnamed on the boot server: put it there, and reboot the machine.',
      refused: '403: the address that requests the ignition file is not in the design.',
    },
    unplannedAddress: {
      cause: (address: string) =>
        `${address} requested it, an address that is not in the design: another DHCP server may have given it`,
      remedy: (node: string) =>
        `Find that DHCP server and stop it on this network (a hypervisor’s own, a home router), then reboot ${node}. To list all that answer: \`sudo nmap --script broadcast-dhcp-discover\``,
    },
  },
};
