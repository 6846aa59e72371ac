import { plural } from '../ui.ts';
import { formatSickNodes } from './operators.ts';

/** Text of the step that boots the machines. */
export const bootWords = {
  /** Files that the boot server serves, and the addresses that may fetch them. */
  servedIgnition: {
    served: (file: string, addresses: string, since: string, fetchNote: string) =>
      `${file} is offered to ${addresses}, since ${since} (${fetchNote})`,
    clients: (address: string, others: number) =>
      others === 0 ? address : `${address} and ${plural(others, 'other')}`,
    fetched: (count: number, last: string) => `${plural(count, 'fetch', 'fetches')}, last ${last}`,
    notFetched: 'no fetch yet',
    notServed: (names: string) => `${names}: the ignition file is no longer served`,
    servedAgain: (names: string) => `${names}: the ignition file is served again`,
  },
  boot: {
    stages: {
      off: 'no sign yet',
      lease: 'has address',
      script: 'boot script',
      kernel: 'kernel',
      rootfs: 'system image',
      ignition: 'ignition',
      ready: 'Ready',
    },
    signs: {
      power: 'on',
      lease: 'address',
      arp: 'ARP',
      tftp: 'TFTP',
      script: 'boot script',
      kernel: 'kernel',
      rootfs: 'system image',
      ignition: 'ignition',
      restart: 'started again',
      ssh: 'sshd (22)',
      config: 'Machine Config Server (22623)',
      kubelet: 'kubelet (10250)',
      node: 'Node',
      ready: 'Ready',
    },
    machine: {
      reported: (values: readonly string[]) => `Its iPXE reports: ${values.join(', ')}`,
      cpuLevel: (level: 'none' | 'v1' | 'v2' | 'v3') =>
        level === 'none' ? 'a 32-bit processor' : `CPU level x86-64-${level}`,
      memory: (mib: number) => `${Math.round(mib / 102.4) / 10} GiB of memory`,
      differs: (problems: readonly string[]) => `Not as planned: ${problems.join('; ')}`,
      overridden: (reason: string) => `Installed anyway, for the reason given at its console: ${reason}`,
    },
    networkTest: {
      names: {
        kernel: 'kernel',
        initramfs: 'initramfs',
        rootfs: 'system image',
        ignition: 'ignition file',
        'api-int': 'api-int port 22623',
        api: 'api port 6443',
        registry: 'registry',
        gateway: 'gateway',
      },
      reached: (answers: readonly string[]) => `Reached from the machine: ${answers.join(', ')}`,
      failed: (failures: readonly string[]) => `Not reached from the machine: ${failures.join('; ')}`,
      outcomes: {
        missing: (name: string) => `${name}: no such file on the boot server (404)`,
        forbidden: (name: string) => `${name}: the boot server denies it to this address (403)`,
        refused: (name: string) => `${name}: the connection is refused`,
        'http-error': (name: string) => `${name}: the boot server answers with an error`,
        'no-name': (name: string) => `${name}: the name server of its lease does not resolve it`,
        silent: (name: string) => `${name}: no answer`,
        'no-route': (name: string) => `${name}: no route to it`,
      },
    },
    probe: {
      unavailable: (host: string, reason: string) =>
        `Leases, TFTP and neighbours of ${host} are not visible: ${reason}`,
      localTimeout: 'the probe of this machine did not finish in time',
      noSsh: 'ssh is not installed on this machine',
    },
    needed: (count: number) => `${plural(count, 'machine')} to power on`,
    serverStopped: 'the boot server no longer runs, and machines still need it',
    allFetched: (count: number) =>
      count === 1
        ? 'the machine fetched its ignition file'
        : `all ${plural(count, 'machine')} fetched their ignition files`,
    waiting: (fetchedCount: number, machineCount: number) =>
      `${fetchedCount} of ${plural(machineCount, 'machine')} fetched ${machineCount === 1 ? 'its ignition file' : 'their ignition files'}`,
    allInstalled: (count: number) =>
      count === 1
        ? 'the machine runs its installed system'
        : `all ${plural(count, 'machine')} run their installed systems`,
    installing: (installedCount: number, machineCount: number) =>
      `${installedCount} of ${plural(machineCount, 'machine')} run ${machineCount === 1 ? 'its installed system' : 'their installed systems'}`,
    powerOn: (node: string) => `power on ${node}`,
    enterWithoutServer: (machineCount: number, canPowerOn: boolean) =>
      machineCount === 0
        ? { key: 'start', sentence: 'Enter starts the boot server again.' }
        : canPowerOn
          ? { key: 'power on', sentence: 'Enter starts the boot server, then powers the machines on, in this order.' }
          : {
              key: 'start',
              sentence: 'Enter starts the boot server and watches for requests; then power on the machines.',
            },
    poweredOn: { ipxe: 'powered on; it boots from the network', iso: 'powered on; it boots from its ISO' },
    joined: (count: number, lost: readonly string[]) =>
      lost.length > 0
        ? `${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} lost: not Ready any more; every other node of the design is in the cluster`
        : count === 0
          ? 'the design has no nodes that join later'
          : `every node of the design is in the cluster (${count} besides the control plane)`,
    lost: (summary: string, lost: readonly string[]) =>
      `${summary}; ${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} lost: not Ready any more`,
    withUnhealthyNodes: (summary: string, nodes: readonly string[]) => [summary, ...formatSickNodes(nodes)].join('; '),
    notReady: (node: string) => `${node} (not Ready)`,
    preflight: ({ failed, unknown, all }: { failed: number; unknown: number; all: number }) =>
      failed > 0
        ? `${failed} of ${plural(all, 'check')} failed`
        : `${plural(all - unknown, 'check')} passed${unknown > 0 ? `, ${unknown} cannot be checked from here` : ''}`,
    reinstallMarked: (node: string) => `${node} counts as reinstalled: it may fetch its ignition file, and join again`,
    reinstallUnmarked: (node: string) =>
      `${node} no longer counts as reinstalled: the wizard does not wait for it to rejoin`,
    notReinstallable: (node: string) => ({
      title: `The wizard cannot replace ${node}`,
      cause:
        'It replaces compute, infra and storage nodes, and a control plane node or arbiter if etcd has at least three members.',
      remedy:
        'With fewer members, restore the cluster from a backup of etcd, as the OpenShift documentation describes.',
    }),
    /** A lost control plane node or arbiter, whose etcd member is replaced. */
    replacement: {
      steps: {
        'remove-member': 'remove it from etcd',
        'guard-off': 'turn off the quorum guard of etcd',
        'delete-objects': 'delete its certificates and its Node object',
        join: 'boot its machine, and approve its requests to join',
        'guard-on': 'turn on the quorum guard again (Operators step)',
      },
      enter: { key: 'next change', sentence: 'Enter shows the next change, and makes it after you confirm.' },
      enterGuardOn: {
        key: 'quorum guard',
        sentence:
          'Enter shows the change that turns the quorum guard of etcd on again, and makes it after you confirm.',
      },
      questions: {
        'remove-member': (node: string) => `Boot: remove ${node} from etcd?`,
        'guard-off': 'Boot: turn off the quorum guard of etcd?',
        'delete-objects': (node: string) => `Boot: delete the certificates and the Node object of ${node}?`,
        'guard-on': 'Operators: turn on the quorum guard of etcd again?',
      },
      title: (node: string) => `To replace ${node}`,
      summary: (node: string, step: string) => `to replace ${node}: ${step}`,
      marked: (node: string) => `${node} is lost: this step replaces it in etcd, and then its machine boots`,
      isReady: (node: string) => ({
        title: `${node} is not lost: its node is Ready`,
        cause: 'The wizard does not replace a running member of etcd.',
        remedy: 'To replace its machine anyway, power it off first, and wait until the node is NotReady.',
      }),
      noMember: 'no other member of etcd is on a node that is Ready',
      removeMember: (count: number, quorum: number) =>
        `removed for good; ${count} members remain, and etcd needs ${quorum} of them`,
      memberRemoved: (node: string) => `${node} is no longer a member of etcd`,
      guardOff: 'the quorum guard is turned off, so that the operator can write certificates for the new member',
      guardIsOff: 'the quorum guard of etcd is off',
      guardOn: 'the quorum guard is turned on again',
      guardIsOn: 'the quorum guard of etcd is on again',
      deleted: 'deleted; the cluster creates it again when the node joins',
      objectsDeleted: (node: string) =>
        `the certificates and the Node object of ${node} are deleted: its machine may fetch its ignition file`,
      refused: {
        title: 'etcd did not remove the member',
        remedy: 'Look at its members: `oc -n openshift-etcd get pods -o wide` Then check again.',
      },
    },
    powerOnByHand: (names: string) =>
      `Power on ${names}, and boot once from the network. Set the boot order to disk first, network second.`,
    powerOnFromIso: (names: string) =>
      `Attach the ISO to ${names}, in this order, and power on. An ISO from make-isos.sh installs on its own; for the unmodified live ISO, the generated file shows what to type at the console.`,
  },
};
