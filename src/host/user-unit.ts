import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { getUserId, getUserName } from '../platform/environment.ts';
import { readProgramOutput } from './programs.ts';

/** Rules of systemd-logind for the processes of this user after logout. */
interface LogoutRules {
  readonly user: string;
  /** Whether the user's service manager and its units keep running after logout (loginctl enable-linger). */
  readonly hasLinger: boolean;
  /**
   * Whether processes that outlive their session are killed (KillUserProcesses in logind.conf, which spares root by
   * default).
   */
  readonly areProcessesKilled: boolean;
}

/** A program that hangs is ended after this time (ms). */
const LOGOUT_PROGRAM_TIMEOUT_MS = 5000;

/** Reads the rules from loginctl; null without systemd-logind. */
export async function readLogoutRules(): Promise<LogoutRules | null> {
  const user = getUserName();
  // Without a user, loginctl shows the settings of logind. It fails for a user who is neither logged in nor lingering.
  const [settings, userSettings] = await Promise.all([
    readOutput('loginctl', [
      'show-user',
      ...formatPropertyArgs('KillUserProcesses', 'KillOnlyUsers', 'KillExcludeUsers'),
    ]),
    readOutput('loginctl', ['show-user', String(getUserId()), ...formatPropertyArgs('Linger')]),
  ]);
  if (settings === null) return null;
  const listUsers = (name: string) => getSetting(settings, name).split(' ').filter(Boolean);
  const [onlyUsers, excludedUsers] = [listUsers('KillOnlyUsers'), listUsers('KillExcludeUsers')];
  // An empty list means the default, which is root.
  const exemptUsers = excludedUsers.length === 0 ? ['root'] : excludedUsers;
  const isAffected = !exemptUsers.includes(user) && (onlyUsers.length === 0 || onlyUsers.includes(user));
  return {
    user,
    hasLinger: userSettings !== null && getSetting(userSettings, 'Linger') === 'yes',
    areProcessesKilled: getSetting(settings, 'KillUserProcesses') === 'yes' && isAffected,
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
  const runtimeDir = process.env.XDG_RUNTIME_DIR ?? `/run/user/${getUserId()}`;
  if (!existsSync(`${runtimeDir}/systemd/private`)) return null;
  const [rules, version] = await Promise.all([readLogoutRules(), readOutput('systemd-run', ['--version'])]);
  if (!rules?.hasLinger || version === null) return null;
  const name = `upi-wizard-${job}-${randomBytes(4).toString('hex')}.scope`;
  // When the kernel kills the program for lack of memory, its supervisor should restart it. Scopes have this property
  // since systemd 253.
  const oomOptions = Number(/^systemd (\d+)/.exec(version)?.[1]) >= 253 ? ['--property=OOMPolicy=continue'] : [];
  const options = ['--user', '--scope', '--quiet', '--collect', `--unit=${name}`, `--description=upi-wizard: ${job}`];
  return { name, argv: ['systemd-run', ...options, ...oomOptions, '--'], env: { XDG_RUNTIME_DIR: runtimeDir } };
}

const readOutput = (program: string, argv: readonly string[]) =>
  readProgramOutput(program, argv, LOGOUT_PROGRAM_TIMEOUT_MS);

const formatPropertyArgs = (...names: readonly string[]) => names.map((name) => `--property=${name}`);

function getSetting(text: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
}
