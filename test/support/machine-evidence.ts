import type { MachineEvidence } from '../../src/checks/machine/evidence.ts';

export const GIB = 1024 ** 3;
export const createProgram = (file: string, version: string | null = null) => ({ file, version, architecture: null });

/** Evidence of a machine on which every check passes. */
export const HEALTHY_MACHINE: MachineEvidence = {
  requirements: null,
  httpPort: 8080,
  node: { version: 'v24.21.0', file: '/usr/bin/node' },
  terminal: {
    isTerminal: true,
    term: 'xterm',
    columns: 80,
    rows: 24,
    hasUnicode: true,
    hasColour: true,
    multiplexer: 'tmux',
    isRemote: true,
  },
  programs: {
    'openshift-install': { file: '/c/openshift-install', version: '4.18.11', architecture: 'amd64' },
    oc: createProgram('/c/oc', '4.18.11'),
    ssh: createProgram('/usr/bin/ssh'),
    named: createProgram('/usr/sbin/named'),
    dhcpd: createProgram('/usr/sbin/dhcpd'),
    haproxy: createProgram('/usr/sbin/haproxy'),
    'in.tftpd': createProgram('/usr/sbin/in.tftpd'),
  },
  programDirectories: ['/c'],
  pullSecret: { file: '/c/pull-secret.txt', problem: null },
  sshKey: { file: '/root/.ssh/id_ed25519.pub', problem: null },
  dir: { path: '/c', problem: null, freeBytes: 50 * GIB },
  memory: { total: 8 * GIB, available: 4 * GIB },
  processors: 2,
  clock: { isSynchronized: true, source: 'chronyd: Normal', timeZone: 'UTC' },
  nameServers: ['172.16.0.102'],
  lookups: null,
  selinux: 'enforcing',
  firewall: 'firewalld',
  user: { name: 'alice', isRoot: false, sudoGroup: 'wheel', hasSudo: true },
  umask: 0o022,
  logout: { hasLinger: true, areProcessesKilled: true },
  ports: [],
};
