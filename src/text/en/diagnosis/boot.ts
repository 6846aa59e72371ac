/** Why machines do not come up. */
export const boot = {
  'boot-unknown-mac': {
    title: (node: string, mac: string) => `A machine with MAC ${mac} asks for an address, and ${node} never did`,
    cause: (node: string, planned: string) => `the design has ${planned} for ${node}: one of the two is a typing error`,
    whatToDo: (node: string, mac: string) =>
      `Compare with the machine. If ${mac} is ${node}: correct it (c), generate, put the files in place again, come back here, and reboot that machine.`,
  },
  'boot-silent': {
    ipxe: {
      title: (node: string) => `${node} never asked for anything`,
      cause: (minutes: number) => `in ${minutes} min it got no address by DHCP and fetched no boot script`,
      whatToDo: (node: string, mac: string) =>
        `Is ${node} powered on, is its cable or port group on the machine network, and does it boot from the network? Its MAC address in the design is ${mac}. If this compute node does not exist, delete it on the Nodes page (c).`,
    },
    /** That may be as it should be. */
    iso: {
      title: (node: string) => `No request from ${node}`,
      cause: (minutes: number) =>
        `it requested nothing from the boot server in ${minutes} min; from an ISO with its ignition file (make-isos.sh) it never does`,
      whatToDo: (node: string) =>
        `Look at the console of ${node}. If its ISO holds no ignition file, run its script there. n continues to Bootstrap, which sees the machines by their ports.`,
    },
  },
  'boot-stuck': {
    title: (node: string, stage: string) => `${node} does not get beyond: ${stage}`,
    cause: (path: string, status: number) => `its last request was ${path}, with status ${status}`,
    whatToDo:
      '404: a file is missing or misnamed in the images directory. 403: the address that requests the ignition file is not in the design.',
  },
};
