import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { getMinimalEnvironment, getUserId, getUserName } from '../platform/environment.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';

/** Programs that the user may have put next to the design. */
const INSTALLER_PROGRAMS = ['openshift-install', 'oc'];

/** The programs that the wizard or its generated files use, with the arguments that print their version. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  'openshift-install': ['version'],
  oc: ['version', '--client'],
  ssh: ['-V'],
  gpg: ['--version'],
  curl: ['--version'],
  tar: ['--version'],
  systemctl: ['--version'],
  nmcli: ['--version'],
  'firewall-cmd': ['--version'],
  named: ['-v'],
  haproxy: ['-v'],
  keepalived: ['--version'],
  dhcpd: ['--version'],
  'kea-dhcp4': ['-v'],
  nginx: ['-v'],
  'coreos-installer': ['--version'],
  podman: ['--version'],
};

/** A program of this machine. */
interface ProgramFact {
  readonly name: string;
  /** The first line of its version output; null: it is missing, or prints nothing. */
  readonly version: string | null;
}

const PROGRAM_TIMEOUT = 10_000;

/**
 * Runs each program for its version, with none of our environment.
 * @param programPath directories that are searched before PATH for openshift-install and oc
 */
export async function readProgramFacts(programPath: readonly string[], path: string): Promise<readonly ProgramFact[]> {
  const system = [...path.split(':').filter(Boolean), '/usr/sbin', '/sbin'];
  return await Promise.all(
    Object.entries(PROGRAMS).map(async ([name, args]) => {
      const directories = INSTALLER_PROGRAMS.includes(name) ? [...programPath, ...system] : system;
      // Checked first: starting a missing program costs a copy of this process.
      if (!directories.some((place) => existsSync(join(place, name)))) return { name, version: null };
      const { all } = await execa(name, args, {
        all: true,
        reject: false,
        stdin: 'ignore',
        env: { ...getMinimalEnvironment(), PATH: directories.join(':') },
        extendEnv: false,
        // A program that hangs counts as silent and must not delay the others.
        timeout: PROGRAM_TIMEOUT,
      });
      const line = (all ?? '').split('\n').find((each) => each.trim() !== '');
      return { name, version: line === undefined ? null : sanitizeLine(redact(line), 200) };
    }),
  );
}

/**
 * Runs a program of this machine in the C locale, without our own settings, and returns its standard output.
 * @param timeoutMs real milliseconds after which the program is ended
 * @returns null if the program is missing, fails or hangs
 */
export async function readProgramOutput(
  program: string,
  argv: readonly string[],
  timeoutMs: number,
): Promise<string | null> {
  const { execa } = await import('execa');
  const { exitCode, stdout } = await execa(program, argv, {
    reject: false,
    stdin: 'ignore',
    stderr: 'ignore',
    timeout: timeoutMs,
    env: getMinimalEnvironment(),
    extendEnv: false,
  });
  return exitCode === 0 ? stdout : null;
}

/** Rules of systemd-logind for the processes of this user after logout. */
interface LogoutRules {
  readonly user: string;
  /** The user's service manager and its units keep running (loginctl enable-linger). */
  readonly lingers: boolean;
  /** Processes that a session leaves are killed (KillUserProcesses in logind.conf, which spares root by default). */
  readonly killsProcesses: boolean;
}

/** A program that hangs is ended after this time (ms). */
const LOGOUT_PROGRAM_TIMEOUT = 5000;

/** Reads the rules from loginctl; null without systemd-logind. */
export async function readLogoutRules(): Promise<LogoutRules | null> {
  const user = getUserName();
  // Without a user, loginctl shows the settings of logind; for a user who is neither logged in nor lingers it fails.
  const [settings, userSettings] = await Promise.all([
    readOutput('loginctl', ['show-user', ...propertyArgs('KillUserProcesses', 'KillOnlyUsers', 'KillExcludeUsers')]),
    readOutput('loginctl', ['show-user', String(getUserId()), ...propertyArgs('Linger')]),
  ]);
  if (settings === null) return null;
  const users = (name: string) => getSetting(settings, name).split(' ').filter(Boolean);
  const [onlyUsers, excludedUsers] = [users('KillOnlyUsers'), users('KillExcludeUsers')];
  // An empty list means its default.
  const exempt = excludedUsers.length === 0 ? ['root'] : excludedUsers;
  const isAffected = !exempt.includes(user) && (onlyUsers.length === 0 || onlyUsers.includes(user));
  return {
    user,
    lingers: userSettings !== null && getSetting(userSettings, 'Linger') === 'yes',
    killsProcesses: getSetting(settings, 'KillUserProcesses') === 'yes' && isAffected,
  };
}

/** A unit of the user's service manager that a job is started in. */
export interface UserUnit {
  readonly name: string;
  /** Arguments before the program: systemd-run becomes the program, with the same environment, session and output. */
  readonly argv: readonly string[];
  /** The variable with which systemd-run finds the user's service manager. */
  readonly env: { readonly XDG_RUNTIME_DIR: string };
}

/**
 * Creates the unit for a job. Null if this user has no service manager, or if it ends with the last session: without
 * lingering it stops its units, while a plain process survives unless logind kills it. The unit is a scope, because the
 * job keeps its own records and restarts its program on its own.
 */
export async function createUserUnit(job: string): Promise<UserUnit | null> {
  const runtime = process.env.XDG_RUNTIME_DIR ?? `/run/user/${getUserId()}`;
  if (!existsSync(`${runtime}/systemd/private`)) return null;
  const [rules, version] = await Promise.all([readLogoutRules(), readOutput('systemd-run', ['--version'])]);
  if (!rules?.lingers || version === null) return null;
  const name = `upi-wizard-${job}-${randomBytes(4).toString('hex')}.scope`;
  // When the kernel kills the program for lack of memory, its supervisor should restart it. Scopes have this property
  // since systemd 253.
  const outOfMemory = Number(/^systemd (\d+)/.exec(version)?.[1]) >= 253 ? ['--property=OOMPolicy=continue'] : [];
  const options = ['--user', '--scope', '--quiet', '--collect', `--unit=${name}`, `--description=upi-wizard: ${job}`];
  return { name, argv: ['systemd-run', ...options, ...outOfMemory, '--'], env: { XDG_RUNTIME_DIR: runtime } };
}

const readOutput = (program: string, argv: readonly string[]) =>
  readProgramOutput(program, argv, LOGOUT_PROGRAM_TIMEOUT);

const propertyArgs = (...names: readonly string[]) => names.map((name) => `--property=${name}`);

function getSetting(text: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
}
