import { expect, test } from 'vitest';
import { checkDocument } from '../../src/diagnosis/finding.ts';
import type { MachineEvidence } from '../../src/diagnosis/machine/evidence.ts';
import { judgeMachine } from '../../src/diagnosis/machine/index.ts';
import { found, GIB, RIGHT } from '../support/machine.ts';

const absent = { file: null, version: null, architecture: null };
const problem = (rule: string) => ({ rule, message: 'not there', fix: 'make it' });
const DUTIES = { version: '4.18', goArchitecture: 'amd64', serves: [] } as const;

const seen = (evidence: Partial<MachineEvidence>) =>
  judgeMachine({ ...RIGHT, ...evidence })
    .filter(({ state }) => state !== 'ok')
    .map(({ code, state, severity, subject }) =>
      [state, severity, code, ...(subject === null ? [] : [subject])].join(' '),
    );

test('a machine that has everything is in order, and every check says what it saw and what it is about', () => {
  expect(seen({})).toEqual([]);
  const { checks } = checkDocument(judgeMachine(RIGHT), 'start');
  expect(checks.length).toBeGreaterThan(24);
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
  });
});

const { terminal, programs, dir, user } = RIGHT;
const installer = (version: string | null, architecture: string | null) => ({
  duties: DUTIES,
  programs: { ...programs, 'openshift-install': { file: '/c/openshift-install', version, architecture } },
});
const busy = (program: string | null) => ({
  ports: [{ protocol: 'udp', port: 53, owner: program === null ? null : { program, pid: 7 } }] as const,
});

test.each<[string, Partial<MachineEvidence>, readonly string[]]>([
  ['no installer', { programs: { ...programs, 'openshift-install': absent } }, ['failed fatal openshift-install']],
  ['another minor version', installer('4.17.3', 'amd64'), ['failed fatal openshift-install']],
  ['another z version', installer('4.18.2', 'amd64'), []],
  ['another version, before anybody decided', { ...installer('4.17.3', 'amd64'), duties: null }, []],
  ['another architecture', installer('4.18.2', 'arm64'), ['failed fatal openshift-install']],
  ['an architecture that is not said (OKD)', installer('4.18.2', 'unknown'), []],
  ['one that does not say its version', installer(null, null), []],
  ['no oc', { programs: { ...programs, oc: absent } }, ['failed warning oc']],
  ['no ssh', { programs: { ...programs, ssh: absent } }, ['failed warning ssh']],
  [
    'kea in place of dhcpd',
    { programs: { ...programs, dhcpd: absent, 'kea-dhcp4': found('/usr/sbin/kea-dhcp4') } },
    [],
  ],
  [
    'no name server, and nobody knows who serves',
    { programs: { ...programs, named: absent } },
    ['unknown note service-program name server'],
  ],
  ['no name server, and this machine is none', { duties: DUTIES, programs: { ...programs, named: absent } }, []],
  [
    'no name server, and this machine is to be one',
    { duties: { ...DUTIES, serves: ['dns'] }, programs: { ...programs, named: absent } },
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
  ['a file system that says nothing', { dir: { ...dir, freeBytes: null } }, ['unknown fatal disk-space']],
  [
    'a directory that is none',
    { dir: { ...dir, problem: { code: 'directory-root', title: 't', cause: 'c', whatToDo: 'w' } } },
    ['failed fatal install-directory'],
  ],
  ['little memory', { memory: { total: 8 * GIB, available: GIB } }, ['failed warning memory']],
  [
    'a clock of its own',
    { clock: { isSynchronised: false, source: 's', timeZone: 'UTC' } },
    ['failed warning clock-synchronised'],
  ],
  [
    'a clock that nobody knows',
    { clock: { isSynchronised: null, source: 's', timeZone: 'UTC' } },
    ['unknown warning clock-synchronised'],
  ],
  ['no name servers', { nameServers: [] }, ['failed warning name-servers']],
  [
    'a name that is not found',
    {
      lookedUp: [
        { name: 'quay.io', problem: 'ENOTFOUND' },
        { name: 'b', problem: null },
      ],
    },
    ['failed warning outside-names quay.io'],
  ],
  [
    'a name that nobody could be asked for',
    { lookedUp: [{ name: 'quay.io', problem: 'EAI_AGAIN', isUnheard: true }] },
    ['unknown warning outside-names quay.io'],
  ],
  ['no sudo', { user: { ...user, sudoGroup: null, hasSudo: false } }, ['failed warning rights']],
  ['sudo by a rule', { user: { ...user, sudoGroup: null } }, ['unknown warning rights']],
  ['root', { user: { ...user, isRoot: true, sudoGroup: null, hasSudo: false } }, []],
  ['a tight umask', { umask: 0o077 }, ['failed note umask']],
  ['jobs that end at logout', { logout: { lingers: false, killsProcesses: true } }, ['failed warning lingering']],
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
  ['named on its port', busy('named'), []],
  ['dnsmasq on the port of named, elsewhere', busy('dnsmasq'), ['failed note ports UDP 53']],
  [
    'dnsmasq on the port of named, here',
    { ...busy('dnsmasq'), duties: { ...DUTIES, serves: ['dns'] } },
    ['failed warning ports UDP 53'],
  ],
  ['somebody on the port of named', busy(null), ['unknown note ports UDP 53']],
])('%s', (_name, evidence, want) => {
  expect(seen(evidence)).toEqual(want);
});
