import { SHORTCUTS } from '../../shortcuts.ts';

/** Findings while nodes join the cluster. */
export const certificates = {
  'serving-foreign': {
    title: (node: string) => `${node}: another machine may be at its address`,
    cause: (address: string) => `${address} port 10250 does not present the certificate that was issued for this node`,
    remedy: (node: string) =>
      `Find out which machine has this address (arping, the leases of the DHCP server). If it is not ${node}: take that machine off the network, remove the node as below, and install it again, which creates new keys: \`oc delete node ${node}\` If it is: restart kubelet there.`,
  },
  'certificate-unseen': {
    title: (names: readonly string[], count: number) => {
      const all = [...names, ...(count > names.length ? [`${count - names.length} more`] : [])].join(', ');
      const what = count === 1 ? 'its certificate' : 'their certificates';
      return `You need not do anything. ${all}: Ready; ${what} could not be checked from here`;
    },
    cause: 'nothing answers this machine at TCP port 10250 of these addresses',
    remedy:
      'Nothing: the API reports them Ready. To verify the certificates, let this machine reach TCP port 10250 of the nodes (firewall, router).',
  },
  'request-flood': {
    title: (time: string) => `Automatic approval stopped at ${time}: too many requests`,
    cause: (pending: number, limit: number) =>
      `${pending} pending requests came within an hour; the nodes of the design send ${limit} at most. A forged one may be among them`,
    remedy:
      'Find out which machine sends them, and stop it. Approval resumes when there are fewer (pending requests disappear after 24 hours). Meanwhile you can approve a request by the name of its node.',
    resumption: {
      title: (time: string) => `Automatic approval resumed at ${time}`,
      cause: (since: string) => `the flood of requests that began at ${since} is over`,
      remedy: 'Nothing. Each request is checked against the design again.',
    },
  },
  'request-refused': {
    title: (name: string, node: string, reasons: string) => `Request ${name} for ${node} is refused: ${reasons}`,
    remedy:
      'It does not fit the design, and is not approved. Find out who sent it before you do anything with it; it disappears on its own after 24 hours.',
    rejoinRemedies: {
      again: `Compare the request with the console of the machine, or let ${SHORTCUTS.verifyKey} on its page (${SHORTCUTS.details}) ask it over SSH whether the key is its own. Then ${SHORTCUTS.approveOne}, and type the name of the node.`,
      running: `Leave it alone. Find out which machine on the network sent it, and look at this node. Approve it only if ${SHORTCUTS.verifyKey} on its page (${SHORTCUTS.details}) finds its key on the machine of this node; it disappears after 24 hours.`,
      unseen: `Look at the machine: does it run, and did you reinstall it? Let ${SHORTCUTS.verifyKey} on its page (${SHORTCUTS.details}) ask it over SSH whether the key is its own. Only then ${SHORTCUTS.approveOne}, and type the name of the node; otherwise leave it alone. (The wizard does not see an installation from an image or another server.)`,
    },
  },
  'node-missing': {
    title: (node: string) => `${node} has not joined`,
    cause: (minutes: number) => `${minutes} min after power-on there is no node and no request from it`,
    remedy:
      'Look at its console: a loop on port 22623 is the load balancer or DNS; a wrong clock shows as "certificate is not yet valid".',
  },
};
