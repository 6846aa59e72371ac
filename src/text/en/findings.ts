/** The words of the diagnosis: what was noticed, its likely cause, and what to do. */
export const findings = {
  refusedRequest: {
    whatToDo: 'Do not approve it. Find out which machine sent it.',
  },
  missingNode: {
    title: (node: string) => `${node} has not joined`,
    cause: (minutes: number) => `${minutes} min after power-on there is no node and no request from it`,
    whatToDo:
      'Look at its console: a loop on port 22623 is the load balancer or DNS; a wrong clock shows as "certificate is not yet valid".',
  },
  flood: {
    title: (time: string) => `Automatic approval has stopped since ${time}: too many requests`,
    cause: (pending: number, limit: number) =>
      `${pending} requests came within an hour and wait; the nodes of the design make ${limit} at most. Somebody may hide a false one among them`,
    whatToDo:
      'Find out which machine sends them, and stop it. Approval goes on by itself when they are fewer (what nobody decides disappears after 24 hours). Meanwhile a request can be approved by the name of its node.',
  },
  floodOver: {
    title: (time: string) => `Automatic approval goes on since ${time}`,
    cause: (since: string) => `the flood of requests that began at ${since} is over`,
    whatToDo: 'Nothing. Each request is judged by the design again.',
  },
  foreignServing: {
    title: (node: string) => `${node}: another machine may be at its address`,
    cause: (address: string) =>
      `what answers at ${address} port 10250 does not show the certificate that was issued for this node`,
    whatToDo: (node: string) =>
      `Look which machine has this address (arping, the leases of the DHCP server). If it is not ${node}: take that machine off the network, remove the node with oc delete node, and install it again, which makes new keys. If it is: restart kubelet there.`,
  },
  operator: {
    title: (name: string) => `Operator ${name} stays degraded`,
    slow: (name: string) => `Operator ${name} takes longer than usual`,
    whatToDo: (name: string) =>
      `oc describe clusteroperator ${name}; then the pods of its namespace: oc get pods -A | grep -v -e Running -e Completed`,
  },
};
