import { formatMinutes } from './ui.ts';

/** Levels of x86-64 as processors, compilers and RHEL name them. */
const CPU_LEVELS = { none: '32-bit', v1: 'x86-64-v1', v2: 'x86-64-v2', v3: 'x86-64-v3' };

const toGib = (mib: number) => Math.round((mib / 1024) * 10) / 10;

function formatClockOffset(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return hours >= 2 ? `${Math.round(hours)} h` : formatMinutes(Math.round(hours * 60));
}

/** Messages about this machine: background jobs, the boot server, SSH, and the results of probes of other hosts. */
export const bastion = {
  jobProgramMissing: {
    title: 'A program cannot be started',
    cause: (program: string) => `There is no executable file ${program}.`,
    remedy: 'Install the program there, or add its directory to PATH, and try again.',
  },
  jobNotRecorded: {
    title: 'A background job did not start',
    cause: (name: string, log: string) => `The job ${name} ended before it recorded its process. Its log is ${log}.`,
    remedy: 'Read the end of the log, and check that the disk is not full.',
  },
  /** Reasons why a machine cannot work as planned. The iPXE menu shows them too: ASCII, 76 columns. */
  machineProblem: {
    cpu: (actual: keyof typeof CPU_LEVELS, needed: keyof typeof CPU_LEVELS) =>
      `CPU level ${CPU_LEVELS[actual]}, needs ${CPU_LEVELS[needed]}`,
    memory: (foundMiB: number, neededMiB: number) => `Memory ${toGib(foundMiB)} GiB, needs ${toGib(neededMiB)} GiB`,
    firmware: 'It boots with BIOS, but UEFI is planned',
    clock: (errorMs: number) =>
      `Its clock is ${formatClockOffset(Math.abs(errorMs))} ${errorMs > 0 ? 'ahead of' : 'behind'} the boot server`,
    address: (actual: string, planned: string) => `Its address is ${actual}, but ${planned} is planned`,
    'other-node': (mac: string, node: string) => `It also has the MAC address ${mac} of ${node}`,
  },
  bootServer: {
    config: {
      title: 'The boot server cannot read its configuration',
      cause: (file: string, detail: string) => `${file}: ${detail}`,
      remedy: 'Run the Boot step again: it rewrites the configuration.',
    },
    portTaken: {
      title: 'The port of the boot server is in use',
      cause: (host: string, port: number) => `Another program listens on ${host} port ${port}.`,
      remedy: 'Stop that program, or choose another boot server port on the Services page and generate again.',
    },
    portForbidden: {
      title: 'The boot server has no permission to use its port',
      cause: (host: string, port: number) =>
        `Listening on ${host} port ${port} was refused (ports below 1024 need root).`,
      remedy:
        'Choose a boot server port above 1023, such as 8080, on the Services page and generate again, or run upi-wizard as root.',
    },
    addressMissing: {
      title: 'The address of the boot server is not on this machine',
      cause: (host: string) => `No network interface here has the address ${host}.`,
      remedy: 'Run upi-wizard on the bastion of the design, or correct the address of the bastion.',
    },
    listenFailed: {
      title: 'The boot server cannot listen',
      cause: (host: string, port: number, detail: string) => `${host} port ${port}: ${detail}`,
      remedy: 'Check the address and port of the bastion on the Services page.',
    },
  },
  ssh: {
    title: (host: string) => `The files could not be copied to ${host}`,
    runTitle: (host: string) => `${host} could not run the command`,
    noMessage: 'ssh ended without a message.',
    kinds: {
      hostKeyUnknown: (host: string) =>
        `The host key of ${host} is not in known_hosts of this user yet. Log in once in another terminal, compare the fingerprint with the one on its console, and try again: \`ssh ${host}\``,
      hostKeyChanged: (host: string) =>
        `The host key of ${host} has changed. If ${host} was not reinstalled, another machine has its address. If it was, remove the old key: \`ssh-keygen -R ${host}\``,
      login: (host: string) =>
        `${host} accepts no SSH key of this user: set the right user in ~/.ssh/config, or run this in another terminal: \`ssh-copy-id ${host}\``,
      refused: (host: string) =>
        `Nothing listens on the SSH port of ${host}: start sshd there, or open the port in its firewall.`,
      unreachable: (host: string) => `Check that ${host} is on and that this machine has a route to it.`,
      name: (host: string) =>
        `The name ${host} does not resolve on this machine: set its address as HostName in ~/.ssh/config.`,
      full: (host: string) => `Free up space on the disk of ${host}, and try again.`,
      missing: () => 'Install tar and the OpenSSH client on this machine.',
      other: (host: string) => `Try in another terminal, which shows the reason: \`ssh ${host}\``,
    },
  },
  hostRun: {
    root: (host: string) => ({
      title: `Root privileges are missing on ${host}`,
      noMessage: 'sudo gave no reason.',
      remedy: `The wizard never asks for a password. Let this user use sudo there without one ("NOPASSWD: ALL" in sudoers, or a root login in ~/.ssh/config), or run install.sh on ${host} by hand.`,
    }),
    failed: (host: string) => ({
      title: `${host} could not report what would change`,
      noMessage: 'install.sh exited without a message.',
      remedy: 'Fix the reported problem, and try again; nothing was changed.',
    }),
    busy: (host: string) => ({
      title: `Another run is in progress on ${host}`,
      cause: 'It was started from another wizard or machine.',
      remedy: 'Wait until it has ended, and check again.',
    }),
  },
  probe: {
    noTime: (endpoint: string) => `${endpoint} answers, but without a valid time`,
    tooLong: (url: string) => `${url} is larger than expected`,
    systemResolver: 'the name server of this machine',
    hostAndPort: (host: string, port: number | string) => `${host} port ${port}`,
    open: (endpoint: string) => `${endpoint} accepts connections`,
    refused: (endpoint: string) => `${endpoint} refuses connections: nothing listens on this port`,
    timeout: (endpoint: string) => `${endpoint} does not answer: it is off, or a firewall drops the packets`,
    unreachable: (endpoint: string, reason: string) => `${endpoint} cannot be reached from here: ${reason}`,
    sendBlocked: (host: string, reason: string) => `this machine cannot send to ${host}: ${reason}`,
    sendBlockReasons: {
      EPERM: 'its own firewall blocks the packets',
      EACCES: 'one of its routes prohibits the destination',
      EINVAL: 'one of its routes drops the packets',
    },
    notResolvedHere: (name: string, servers: string) =>
      `this machine cannot resolve ${name}, and cannot query ${servers}, the name servers of the nodes`,
    notResolvedByNodes: (name: string, server: string) =>
      `neither this machine nor ${server}, the name server of the nodes, resolves ${name}`,
    nameUnknown: (endpoint: string) => `${endpoint}: the name does not resolve`,
    closedAtOnce: (endpoint: string) =>
      `${endpoint} accepts the connection and closes it at once: probably a load balancer without a healthy backend`,
    httpStatus: (url: string, status: number) => `${url} answers with status ${status}`,
    untrusted: (endpoint: string, code: string) =>
      `${endpoint} presents a certificate that the CA in the ignition file did not sign (${code})`,
    httpBroken: (url: string, detail: string) => `${url} does not answer with HTTP: ${detail}`,
    noCertificate: (endpoint: string) => `${endpoint} speaks TLS, but presents no certificate`,
    noHandshake: (endpoint: string) => `${endpoint} accepts the connection and then sends nothing for 3 seconds`,
    notTls: (endpoint: string, greeting: string) =>
      greeting === '' ? `${endpoint} does not speak TLS` : `${endpoint} does not speak TLS: it answers "${greeting}"`,
    tlsFailed: (endpoint: string, code: string) => `${endpoint} refuses the TLS handshake (${code})`,
    dnsAnswer: (name: string, answers: readonly string[]) => `${name} resolves to ${answers.join(', ')}`,
    dnsNoName: (server: string, name: string) => `${server} reports that ${name} does not exist`,
    dnsNoData: (server: string, name: string, type: string) => `${server} has ${name}, but no ${type} record for it`,
    dnsRefused: (server: string) =>
      `the query was refused by ${server}: no name server runs there, or it does not serve this machine`,
    nameServer: (address: string) => `the name server ${address}`,
    dnsTimeout: (nameServer: string) => `${nameServer} does not answer`,
    dnsFailed: (nameServer: string, code: string) => `${nameServer} failed (${code})`,
  },
};
