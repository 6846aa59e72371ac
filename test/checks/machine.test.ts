import { expect, test } from 'vitest';
import { buildCheckDocument } from '../../src/checks/check.ts';
import { checkMachine } from '../../src/checks/machine/checks.ts';
import type { MachineEvidence } from '../../src/checks/machine/evidence.ts';
import { createProgram, GIB, HEALTHY_MACHINE } from '../support/machine-evidence.ts';

const absent = { file: null, version: null, architecture: null };
const problem = (rule: string) => ({ rule, message: 'not there', fix: 'make it' });
const DUTIES = { version: '4.18', goArchitecture: 'amd64', localServices: [] } as const;

const listFailures = (evidence: Partial<MachineEvidence>) =>
  checkMachine({ ...HEALTHY_MACHINE, ...evidence })
    .filter(({ state }) => state !== 'ok')
    .map(({ code, state, severity, subject }) =>
      [state, severity, code, ...(subject === null ? [] : [subject])].join(' '),
    );

test('a complete machine passes, and every check has its evidence and meaning', () => {
  expect(listFailures({})).toEqual([]);
  const { checks } = buildCheckDocument(checkMachine(HEALTHY_MACHINE), 'start');
  expect(checks.map(({ id }) => id)).toEqual([
    ...['node-version', 'openshift-install', 'oc', 'pull-secret', 'ssh-key', 'install-directory', 'disk-space'],
    ...['memory', 'processors', 'ssh', ...Array.from({ length: 5 }, () => 'service-program'), 'ports', 'rights'],
    ...['umask', 'lingering', 'clock-synchronised', 'time-zone', 'name-servers', 'firewall', 'selinux'],
    ...['terminal-size', 'terminal-utf8', 'terminal-colour', 'terminal-multiplexer'],
  ]);
  expect(checks.filter(({ meaning, title }) => meaning === null || title === '')).toEqual([]);
  expect(checks[1]).toEqual({
    id: 'openshift-install',
    title: 'openshift-install',
    phase: 'start',
    subject: null,
    result: 'ok',
    severity: 'fatal',
    evidence: '4.18.11 /c/openshift-install',
    meaning: expect.stringContaining('ignition'),
    remedy: null,
    command: null,
    causedBy: null,
  });
});

test('a pull secret that no image needs passes, and the check says so', () => {
  const { checks } = buildCheckDocument(
    checkMachine({ ...HEALTHY_MACHINE, pullSecret: { file: null, problem: null } }),
    'start',
  );
  expect(checks.find(({ id }) => id === 'pull-secret')).toMatchObject({ result: 'ok', evidence: 'OKD needs none' });
});

test('OKD has its own place for missing programs', () => {
  const requirements = { ...DUTIES, version: '4.20.0-okd-scos.3' };
  const findings = checkMachine({ ...HEALTHY_MACHINE, requirements, programs: {} });
  for (const program of ['openshift-install', 'oc']) {
    const { remedy } = findings.find(({ code }) => code === program) ?? {};
    expect(remedy).toContain('github.com/okd-project/okd/releases');
    expect(remedy).not.toContain('redhat.com');
  }
});

const { terminal, programs, dir, user } = HEALTHY_MACHINE;
const installer = (version: string | null, architecture: string | null) => ({
  requirements: DUTIES,
  programs: { ...programs, 'openshift-install': { file: '/c/openshift-install', version, architecture } },
});
const withPortOwner = (program: string | null) => ({
  ports: [{ protocol: 'udp', port: 53, owner: program === null ? null : { program, pid: 7 } }] as const,
});

test.each<[string, Partial<MachineEvidence>, readonly string[]]>([
  ['no installer', { programs: { ...programs, 'openshift-install': absent } }, ['failed fatal openshift-install']],
  ['another minor version', installer('4.17.3', 'amd64'), ['failed fatal openshift-install']],
  ['another z version', installer('4.18.2', 'amd64'), []],
  ['another version, before a design exists', { ...installer('4.17.3', 'amd64'), requirements: null }, []],
  ['another architecture', installer('4.18.2', 'arm64'), ['failed fatal openshift-install']],
  ['an unknown architecture (OKD)', installer('4.18.2', 'unknown'), []],
  ['an installer of unknown version', installer(null, null), []],
  ['no oc', { programs: { ...programs, oc: absent } }, ['failed warning oc']],
  ['no ssh', { programs: { ...programs, ssh: absent } }, ['failed warning ssh']],
  [
    'our own boot server, which Node 24 names after its main thread',
    { ports: [{ protocol: 'tcp', port: HEALTHY_MACHINE.httpPort, owner: { program: 'MainThread', pid: 7 } }] },
    [],
  ],
  [
    'kea in place of dhcpd',
    { programs: { ...programs, dhcpd: absent, 'kea-dhcp4': createProgram('/usr/sbin/kea-dhcp4') } },
    [],
  ],
  [
    'no name server, and no design yet',
    { programs: { ...programs, named: absent } },
    ['unknown note service-program name server'],
  ],
  ['no name server, and this machine is none', { requirements: DUTIES, programs: { ...programs, named: absent } }, []],
  [
    'no name server, and this machine is to be one',
    { requirements: { ...DUTIES, localServices: ['dns'] }, programs: { ...programs, named: absent } },
    ['pending note service-program name server'],
  ],
  [
    'no pull secret',
    { pullSecret: { file: 'p', problem: problem('pull-secret-missing') } },
    ['failed fatal pull-secret'],
  ],
  [
    'a pull secret without a registry',
    { pullSecret: { file: 'p', problem: problem('pull-secret-registry') } },
    ['failed warning pull-secret'],
  ],
  ['no key', { sshKey: { file: 'k', problem: problem('ssh-key-missing') } }, ['failed warning ssh-key']],
  ['little space', { dir: { ...dir, freeBytes: 5 * GIB } }, ['failed warning disk-space']],
  ['no space', { dir: { ...dir, freeBytes: GIB } }, ['failed fatal disk-space']],
  ['an unknown amount of space', { dir: { ...dir, freeBytes: null } }, ['unknown fatal disk-space']],
  [
    'an unusable directory',
    { dir: { ...dir, problem: { code: 'directory-root', title: 't', cause: 'c', remedy: 'w' } } },
    ['failed fatal install-directory'],
  ],
  ['little memory', { memory: { total: 8 * GIB, available: GIB } }, ['failed warning memory']],
  [
    'an unsynchronized clock',
    { clock: { isSynchronized: false, source: 's', timeZone: 'UTC' } },
    ['failed warning clock-synchronised'],
  ],
  [
    'a clock of unknown state',
    { clock: { isSynchronized: null, source: 's', timeZone: 'UTC' } },
    ['unknown warning clock-synchronised'],
  ],
  ['no name servers', { nameServers: [] }, ['failed warning name-servers']],
  [
    'a name that is not found',
    {
      lookups: [
        { name: 'quay.io', problem: 'ENOTFOUND' },
        { name: 'b', problem: null },
      ],
    },
    ['failed warning outside-names quay.io'],
  ],
  [
    'a name that could not be queried',
    { lookups: [{ name: 'quay.io', problem: 'EAI_AGAIN', isUnanswered: true }] },
    ['unknown warning outside-names quay.io'],
  ],
  ['no sudo', { user: { ...user, sudoGroup: null, hasSudo: false } }, ['failed warning rights']],
  ['sudo by a rule', { user: { ...user, sudoGroup: null } }, ['unknown warning rights']],
  ['root', { user: { ...user, isRoot: true, sudoGroup: null, hasSudo: false } }, []],
  ['a tight umask', { umask: 0o077 }, ['failed note umask']],
  ['jobs that end at logout', { logout: { hasLinger: false, areProcessesKilled: true } }, ['failed warning lingering']],
  ['no systemd-logind', { logout: null }, []],
  ['a small terminal', { terminal: { ...terminal, columns: 70 } }, ['failed note terminal-size']],
  ['a tiny terminal', { terminal: { ...terminal, rows: 10 } }, ['failed warning terminal-size']],
  ['no terminal', { terminal: { ...terminal, isTerminal: false } }, ['unknown warning terminal-size']],
  ['SSH alone', { terminal: { ...terminal, multiplexer: null } }, ['failed note terminal-multiplexer']],
  ['a console alone', { terminal: { ...terminal, multiplexer: null, isRemote: false } }, []],
  [
    'a console without UTF-8 and colours',
    { terminal: { ...terminal, hasUnicode: false, hasColour: false } },
    ['failed note terminal-utf8', 'failed note terminal-colour'],
  ],
  ['named on its port', withPortOwner('named'), []],
  ['dnsmasq on the port of named, elsewhere', withPortOwner('dnsmasq'), ['failed note ports UDP 53']],
  [
    'dnsmasq on the port of named, here',
    { ...withPortOwner('dnsmasq'), requirements: { ...DUTIES, localServices: ['dns'] } },
    ['failed warning ports UDP 53'],
  ],
  ['an unknown program on the port of named', withPortOwner(null), ['unknown note ports UDP 53']],
])('%s', (_name, evidence, want) => {
  expect(listFailures(evidence)).toEqual(want);
});
