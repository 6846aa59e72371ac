import { quoteShellArg } from '../../../platform/shell-quoting.ts';
import { SHORTCUTS } from '../../shortcuts.ts';
import { plural } from '../ui.ts';
import { boot } from './boot.ts';
import { bootstrap } from './bootstrap.ts';
import { causes } from './causes.ts';
import { joinChecks, replacementChecks } from './join-checks.ts';
import { machine } from './machine.ts';
import { moveChecks } from './move-checks.ts';
import { prepare } from './prepare.ts';
import { bootChecks } from './site/boot-checks.ts';
import { certificate, certificateChecks } from './site/certificates.ts';
import { details } from './site/details.ts';
import { networkChecks } from './site/network-checks.ts';
import { updateChecks } from './update-checks.ts';

/** The checks of a site: `title` if it passes, `wrong` if it fails. A finding begins with its subject. */
const site = {
  checks: { ...networkChecks, ...certificateChecks, ...bootChecks },
  details: { ...details, certificate },
};

/** Meaning of log lines that look like a fault but are normal during an installation, by sign. */
const normalSigns = {
  'workers-refused':
    'Port 22623 answers compute nodes with 500 ("refusing to serve") until a control plane node runs. They retry on their own.',
  'rest-mapping': 'bootkube repeats this until an operator has created the CRD of the kind, and then continues.',
  'unused-members':
    'The routers run on other nodes. The load balancer shows the members of 443 and 80 without a router as DOWN, and sends nothing to them.',
  'early-lookup': 'Ignition looks up names before the network is up: its first lookups go to localhost and fail.',
  'watch-closed': 'A watch ends when the API server that served it stops. The client starts another one.',
  'handshake-closed': 'A load balancer that only tests the port closes the connection at once.',
  'etcd-starting': 'etcd is not up yet: its clients retry until it is.',
  'api-starting': 'The API server of this machine is not up yet: its clients retry until it is.',
  'oc-missing': 'Fedora CoreOS has no oc: the script pulls the image with podman instead.',
  'node-unregistered': 'kubelet repeats this until its Node is registered in the API.',
  'approver-refuses':
    'On platform none the cluster does not approve the first requests of nodes: you approve them (Certificates step).',
} as const;

/** Findings while nodes join the cluster. */
const certificates = {
  'serving-foreign': {
    title: (node: string) => `${node}: another machine may be at its address`,
    cause: (address: string) => `${address} port 10250 does not present the certificate that was issued for this node`,
    remedy: (node: string) =>
      `Find out which machine has this address (arping, the leases of the DHCP server). If it is not ${node}: disconnect that machine from the network, remove the node as below, and install it again, which creates new keys: \`oc delete node ${node}\` If it is ${node}, restart its kubelet.`,
  },
  'boot-server-down': {
    title: 'The boot server does not run, and machines still need it',
    cause: 'without it they get no boot files and no ignition file, and send no requests',
    remedy:
      'Press Enter: the boot server starts before anything else. While requests are being approved, press Esc first.',
  },
  'certificate-unseen': {
    title: (names: readonly string[], count: number) => {
      const all = [...names, ...(count > names.length ? [`${count - names.length} more`] : [])].join(', ');
      const what = count === 1 ? 'its certificate' : 'their certificates';
      return `You need not do anything. ${all}: Ready; ${what} could not be checked from here`;
    },
    cause: 'nothing answers this machine on TCP port 10250 of these addresses',
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
      again: `Compare the request with the console of the machine, or open its page (${SHORTCUTS.details}) and press ${SHORTCUTS.verifyKey}. The wizard checks over SSH whether the key of the request is on the machine. Then press ${SHORTCUTS.approveOne} and type the name of the node.`,
      running: `Leave the request alone. Find out which machine on the network sent it, and look at this node. Approve the request only if its key is found on this node: open its page (${SHORTCUTS.details}) and press ${SHORTCUTS.verifyKey}. The request disappears after 24 hours.`,
      unrecorded: `Look at the machine: does it run, and did you reinstall it? Open its page (${SHORTCUTS.details}) and press ${SHORTCUTS.verifyKey}. The wizard checks over SSH whether the key of the request is on the machine. Only if it is, press ${SHORTCUTS.approveOne} and type the name of the node; otherwise leave the request alone. (The wizard does not see an installation from an image or another server.)`,
    },
  },
  'approval-waits': {
    title: (count: number) =>
      count === 1 ? '1 request waits on the Certificates page' : `${count} requests wait on the Certificates page`,
    cause: (names: readonly string[], count: number) =>
      `Planned nodes need an approval for: ${names.join(', ')}${count > names.length ? ', …' : ''}`,
    remedy: 'Open the Certificates page and approve the expected requests, or run: `upi-wizard csr approve --expected`',
  },
  'node-missing': {
    title: (node: string) => `${node} has not joined`,
    cause: (minutes: number) => `${minutes} min after power-on there is no node and no request from it`,
    remedy:
      'Look at its console: a loop on port 22623 points to the load balancer or DNS; a wrong clock shows as "certificate has expired or is not yet valid".',
  },
};

/** Findings about generated files. */
const files = {
  'file-refused': {
    title: (file: string, program: string) => `${program} refuses ${file}`,
    remedy: (path: string) =>
      `This is a bug in upi-wizard: report it, and attach the file. To look at it: \`less -N ${quoteShellArg(path)}\``,
  },
};

/** In a rehearsal, the command that sets the host up replaces the first sentence. */
const setUpAgain = (server: string) => `Run on the ${server} as root: \`bash /root/upi-wizard/install.sh\`.`;
const dnsFix = `${setUpAgain('name server')} If that changes nothing, see what it reports: \`journalctl -u named -n 20\``;
const noRouteFix =
  'Bring the interface of this machine up, add the route, or open the firewall of this machine. Or run the wizard on a machine in that network. Addresses and routes here: `ip -brief address` `ip route`';
const externalDnsFix =
  'Enter the records in your name server: dns-records.csv lists them, dns-records.nsupdate has them as commands (both among the files of the bastion).';

/** Findings about the service hosts, and about a bootstrap node that is still in the load balancer. */
const hosts = {
  'service-dns': { title: (name: string) => `name ${name}`, remedy: dnsFix, externalFix: externalDnsFix },
  'service-reverse': {
    title: (address: string) => `reverse name ${address}`,
    remedy: dnsFix,
    externalFix: externalDnsFix,
  },
  'service-silent': {
    title: (subject: string) => subject,
    remedy: `${setUpAgain('name server')} Then check that its firewall allows port 53 and that the service runs: \`systemctl status named\``,
    externalFix:
      'Check that your name server runs, and that its firewall allows this machine on port 53 (UDP and TCP).',
  },
  'service-unsent': {
    title: (hosts: string) => `this machine cannot send to ${hosts}`,
    remedy: noRouteFix,
    externalFix: noRouteFix,
  },
  'service-port': {
    title: (port: string) => `load balancer port ${port}`,
    remedy: `${setUpAgain('load balancer')} If that changes nothing, see what it reports: \`journalctl -u haproxy -n 20\` If the bind fails, keepalived has not set the address or, most often, SELinux denies the port: \`setsebool -P haproxy_connect_any 1\``,
    unused: {
      title: (port: string) => `the load balancer forwards nothing on ${port}`,
      remedy: `Set the load balancer up again with ${SHORTCUTS.setUp}, which shows the difference first. If nothing differs, its health checks of the nodes fail: look at its log: \`journalctl -u haproxy -n 20\``,
      externalFix:
        'Add the nodes to the pool of this port on your load balancer. Compare its health check with network-notes.md, among the files of the bastion.',
    },
    externalFix:
      'Configure this port on your load balancer: network-notes.md, among the files of the bastion, has the ports, pools and health checks.',
  },
  silent: (server: string, names: number) => `${server} does not answer yet (${names} names queried)`,
  noMemberUp: 'accepts connections; no member is up yet',
  memberNotUsed: (node: string) => `accepts connections and closes them at once, although ${node} answers on this port`,
  noMemberYet: 'refused: some load balancers refuse until a member is up',
  expected: (expectedText: string, actual: string) => `${actual} (expected ${expectedText})`,
  'bootstrap-needed': {
    title: 'the bootstrap node is still needed',
    remedy: 'Wait until the Bootstrap step is done.',
  },
  'bootstrap-in-pool': {
    title: (balancers: string, name: string) => `${name} is still in the pools of ${balancers}`,
    cause: 'the status page of the running HAProxy lists it',
    remedy: (balancers: string) =>
      `The new file is not in place yet, or HAProxy was not reloaded. On the Hosts page, select ${balancers} and set it up with ${SHORTCUTS.setUp}: it shows the difference first, and reloads HAProxy.`,
  },
};

/** Findings about jobs in the background: how they ended, what restarts them, and which version runs them. */
const jobs = {
  names: {
    'boot-server': 'The boot server',
    'csr-follow': 'The job that approves certificate requests',
    'infra-moves': 'The job that applies infra moves',
  },
  withCode: (code: number) => `exited with code ${code}`,
  bySignal: (signal: string) => `was terminated by ${signal}`,
  lastLine: (line: string) => `last line of its log: ${line}`,
  noOutput: 'it printed nothing',
  restarted: {
    title: (job: string, ending: string, time: string, count: number) =>
      `${job} ${ending} at ${time} and was restarted, ${plural(count, 'time')} so far`,
    remedy: (log: string) => `Nothing, if it does not happen again. Its log is ${log}.`,
  },
  failing: {
    title: (job: string, ending: string, time: string, count: number) =>
      `${job} does not keep running: it ${ending} at ${time}, ${plural(count, 'time')} in a row`,
    remedy: (seconds: number, log: string) =>
      `It is restarted ${plural(seconds, 'second')} after it ends; this delay grows up to 60 seconds. Its log is ${log}.`,
  },
  unsupervised: {
    title: (job: string) => `${job} runs, but nothing restarts it if it ends`,
    cause: 'the process that supervised it was killed',
  },
  otherVersion: {
    title: (job: string) => `${job} was started by another version of upi-wizard`,
    cause: (started: string | null, own: string) =>
      started === null
        ? `it was started by a version that recorded no version number; this is version ${own}`
        : `version ${started} started it; this is version ${own}`,
    remedy: (pid: number) =>
      `You need not do anything: it continues its work, and this version monitors it. To restart it with this version, end it: \`kill ${pid}\``,
  },
  lost: {
    title: (job: string) => `${job} no longer runs`,
    cause: 'it was killed together with the process that supervised it, or this machine restarted',
  },
  logout: {
    title: (job: string) => `${job} ends when you log out`,
    causes: {
      killed: (user: string) =>
        `systemd-logind kills the processes of a session at logout (KillUserProcesses), and lingering is off for ${user}`,
      early: (user: string) => `it was started before lingering was enabled for ${user}`,
      unit: (user: string) => `it runs as a systemd user unit of ${user}, and lingering is now off`,
    },
    enable: (user: string) => `Run this: \`loginctl enable-linger ${quoteShellArg(user)}\``,
    restart: (pid: number) => `Then end it: \`kill ${pid}\``,
  },
  restartHints: {
    'boot-server': () => 'Prepare starts it again.',
    'csr-follow': (command: string) => `Start it again: \`${command}\``,
    'infra-moves': () => 'The remaining moves stay open: apply them on this page.',
  },
};

/** Findings that are still open when the report is written. */
const remainingIssues = {
  'left-open': {
    nodes: (names: string) => `Not Ready: ${names}`,
    operator: (name: string, reason: string) => `Operator ${name}: ${reason}`,
    cause: 'the problem was still open when the report was written',
    remedy:
      'The report lists the problem, too. To find its cause: `upi-wizard diagnose` When it is fixed, write the report again.',
  },
};

/** Findings about operators. */
const operators = {
  'version-differs': {
    title: (designed: string, runs: string) => `The design says ${designed}, and the cluster runs ${runs}`,
    cause: 'openshift-install was of another version, or the cluster has been updated since',
    remedy: (runs: string) =>
      `You need not do anything: all remaining steps use the version of the cluster. For new files, set the version on the Cluster page to ${runs}.`,
  },
  'operator-degraded': { title: (name: string) => `Operator ${name} stays degraded` },
  'operator-slow': { title: (name: string) => `Operator ${name} takes longer than usual` },
  /** Used if the dependency that the operators wait for is known. */
  waitsFor: (name: string, dependency: string) => `${name}: waiting for ${dependency}`,
  remedy: (name: string) =>
    `Look at the operator, then at the pods of its namespace: \`oc describe clusteroperator ${quoteShellArg(name)}\` \`oc get pods -A | grep -v -e Running -e Completed\``,
};

/** Texts of findings, by occasion, each under the code of its check or rule. */
export const diagnosis = {
  notObservable: 'cannot be checked from here',
  boot,
  bootstrap,
  causes,
  certificates,
  files,
  hosts,
  jobs,
  nodeJoin: joinChecks,
  replacement: replacementChecks,
  remainingIssues,
  machine,
  infraMove: moveChecks,
  normalSigns,
  operators,
  prepare,
  site,
  update: updateChecks,
};
