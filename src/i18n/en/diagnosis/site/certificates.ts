import { joinNames } from '../../ui.ts';

const HAPROXY_CONFIG = '/etc/haproxy/haproxy.cfg';

/** Checks of the certificates at the ports of the cluster: see `site`. */
export const certificateChecks = {
  'api-certificate': {
    title: 'certificate of the API',
    wrong: 'the server that answers here is not the API of this cluster, or its certificate is not valid',
    remedy: 'Look at the certificate with the command below, and correct the server that presents it.',
    meaning: 'oc, openshift-install and every node refuse an API with such a certificate.',
  },
  'machine-config-certificate': {
    title: 'certificate of the Machine Config Server',
    wrong: 'nodes refuse the Machine Config Server: its certificate is not from the CA that their ignition files trust',
    remedy: 'Look at the certificate with the command below, and correct the server that presents it.',
    meaning: 'A node repeats its request forever, and never gets its configuration.',
  },
  'ingress-certificate': {
    title: 'certificate of the routes',
    wrong: 'the certificate of the routes is not valid, or no router presents it',
    remedy: 'Look at the certificate with the command below, and correct the server that presents it.',
    meaning: 'Browsers refuse the console and the login page, and so does oc.',
  },
};

/** Details of the results of `certificateChecks`. */
export const certificate = {
  members: 'machines behind port',
  noneYet: 'none of them answers there yet',
  certificateLabel: (subject: string, issuer: string | null) =>
    issuer === null ? `"${subject}", self-signed` : `"${subject}", issued by "${issuer}"`,
  seeMember: (name: string) => `${name} answers through it, and is checked separately`,
  onlyDirect: (detail: string, serving: readonly string[]) =>
    `${detail}, while ${joinNames(serving)} ${serving.length === 1 ? 'answers' : 'answer'} directly: small packets arrive, but not a whole certificate`,
  terminatesTls: (certificate: string, serving: readonly string[]) =>
    serving.length === 0
      ? `the load balancer terminates TLS: it presents ${certificate}, and none of its members is up`
      : `the load balancer terminates TLS: it presents ${certificate}, which is not the certificate of ${joinNames(serving)}`,
  otherRun: (certificate: string, issuer: string) =>
    `it presents ${certificate}; the CA "${issuer}" of this install directory has another key: the two are from different runs of openshift-install`,
  foreign: (certificate: string, issuer: string) =>
    `it presents ${certificate}; "${issuer}" is not a CA of this install directory`,
  expired: (certificate: string, at: string) => `it presents ${certificate}, which expired at ${at}`,
  notYet: (certificate: string, from: string, now: string) =>
    `it presents ${certificate}, which is valid from ${from} on; the clock of this machine says ${now}`,
  otherName: (names: readonly string[], requestedName: string) =>
    `its certificate is for ${joinNames(names)}, but clients connect to ${requestedName}`,
  remedies: {
    /** @param balancers the load balancers that the wizard writes haproxy.cfg for */
    passThrough: (port: number, balancers: readonly string[], script: string) => {
      const byHand = `remove "ssl crt …" from the bind line of this port in ${HAPROXY_CONFIG}, use "mode tcp"`;
      return balancers.length === 0
        ? `The load balancer has to pass TLS through at port ${port}: ${byHand}, and reload it.`
        : `The load balancer has to pass TLS through at port ${port}: put the generated haproxy.cfg in place again. Run on ${joinNames(balancers)} as root: \`bash ${script}\` If you have sections of your own in that file, ${byHand} instead, and run there as root: \`haproxy -c -f ${HAPROXY_CONFIG} && systemctl reload haproxy\``;
    },
    stalls: (address: string) =>
      `Give all ports on the path the same MTU, also that of the switch. On the host: \`ip link\` The MTU is the cause if the first of these commands gets no answer, and the second does: \`ping -M do -s 1472 ${address}\` \`ping -s 1200 ${address}\``,
    time: (port: number) =>
      port === 443
        ? 'Compare the clocks: `date -u`. If they are right, renew the certificate in the secret that spec.defaultCertificate of the IngressController names.'
        : 'Compare the clocks of this machine and of the node: `date -u`. If they are right and the cluster is not installed yet, create new ignition files in Prepare and start the machines again with them. A running cluster renews the certificate: `oc get co kube-apiserver`',
    otherRun: () =>
      'Use the install directory that the machines were installed with. Or start all machines again with the ignition files of this directory, the bootstrap node first.',
    foreign: (port: number) =>
      `On the load balancer, if another cluster or program answers at this address, correct the members of port ${port} in ${HAPROXY_CONFIG}. If the load balancer has a certificate of its own for this port, remove "ssl crt …" from the bind line. Then run as root: \`systemctl reload haproxy\``,
    name: (port: number) =>
      `Another cluster or program answers. On the load balancer, correct the members of port ${port} in ${HAPROXY_CONFIG} and run as root: \`systemctl reload haproxy\` On the machine that answers, find the program: \`ss -ltnp 'sport = :${port}'\``,
    /** @param address the address of one of the machines, which were queried directly */
    foreignMember: (port: number, address: string) =>
      `These machines were queried at their own addresses, so the load balancer is not the cause. See which program answers: \`ssh core@${address} sudo ss -ltnp 'sport = :${port}'\` If another machine has the address, remove it from that machine. If the node was installed with the files of another cluster, start it again with the ignition files of this install directory.`,
    member: (port: number) => `Find the program on that machine, and stop it: \`ss -ltnp 'sport = :${port}'\``,
  },
};
