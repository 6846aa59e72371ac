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
      cause: (minutes: number) =>
        `nothing was heard of it in ${minutes} min: it got no address by DHCP, and fetched no boot script`,
      whatToDo: (node: string, mac: string) =>
        `Is ${node} switched on, is its network cable or port group the machine network, and does it boot from the network? Its MAC address in the design is ${mac}. A compute node that is not there at all can be deleted on the Nodes page (c).`,
    },
    /** That may be as it should be. */
    iso: {
      title: (node: string) => `Nothing is heard of ${node}`,
      cause: (minutes: number) =>
        `it has asked the boot server for nothing for ${minutes} min; from an ISO that holds its ignition file (make-isos.sh) it never does`,
      whatToDo: (node: string) =>
        `Look at the console of ${node}. Where its ISO holds no ignition file, run its script there. n goes on to Bootstrap, which sees the machines by their ports.`,
    },
  },
  'boot-stuck': {
    title: (node: string, stage: string) => `${node} does not get beyond: ${stage}`,
    cause: (path: string, status: number) => `the last thing it asked for was ${path}, answered with ${status}`,
    whatToDo:
      'A 404 is a file that is missing or misnamed in the images directory; a 403 an ignition file asked for from another address than the design has.',
  },
};
