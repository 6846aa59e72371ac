import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { askProgram } from './ask-program.ts';

/** What becomes of this user's processes after logout, as systemd-logind has it. */
export interface LogoutRules {
  readonly user: string;
  /** The user's manager, and with it its units, stays (loginctl enable-linger). */
  readonly lingers: boolean;
  /** What a session leaves behind is killed (KillUserProcesses in logind.conf, which spares root by default). */
  readonly killsProcesses: boolean;
}

/** A program that hangs says nothing. */
const PATIENCE_MS = 5000;

/** What loginctl says; null where there is no systemd-logind. */
export async function logoutRules(): Promise<LogoutRules | null> {
  const { username: user, uid } = userInfo();
  // Without a user it shows the settings of logind; a user who is neither logged in nor lingers is an error.
  const [settings, own] = await Promise.all([
    ask('loginctl', ['show-user', ...properties('KillUserProcesses', 'KillOnlyUsers', 'KillExcludeUsers')]),
    ask('loginctl', ['show-user', String(uid), ...properties('Linger')]),
  ]);
  if (settings === null) return null;
  const users = (name: string) => setting(settings, name).split(' ').filter(Boolean);
  const [only, listed] = [users('KillOnlyUsers'), users('KillExcludeUsers')];
  // An empty list stands for its default.
  const spared = listed.length === 0 ? ['root'] : listed;
  const isMeant = !spared.includes(user) && (only.length === 0 || only.includes(user));
  return {
    user,
    lingers: own !== null && setting(own, 'Linger') === 'yes',
    killsProcesses: setting(settings, 'KillUserProcesses') === 'yes' && isMeant,
  };
}

/** How a job is started as a unit of the user's manager. */
export interface UserUnit {
  readonly name: string;
  /** What comes before the program: it becomes the program, with the same environment, session and output. */
  readonly argv: readonly string[];
  /** Where the user's manager is asked. */
  readonly env: { readonly XDG_RUNTIME_DIR: string };
}

/**
 * The unit for a job; null where there is no manager of this user, or it ends with the last session: without lingering
 * it takes its units with it, and a process of its own survives where logind kills none. A scope, because the job
 * keeps its own records and starts itself again.
 */
export async function userUnit(job: string): Promise<UserUnit | null> {
  const runtime = process.env.XDG_RUNTIME_DIR ?? `/run/user/${userInfo().uid}`;
  if (!existsSync(`${runtime}/systemd/private`)) return null;
  const [rules, version] = await Promise.all([logoutRules(), ask('systemd-run', ['--version'])]);
  if (!rules?.lingers || version === null) return null;
  const name = `upi-wizard-${job}-${randomBytes(4).toString('hex')}.scope`;
  // When the kernel kills the program for want of memory, its supervisor is to start it again. From 253 on a scope may say so.
  const outOfMemory = Number(/^systemd (\d+)/.exec(version)?.[1]) >= 253 ? ['--property=OOMPolicy=continue'] : [];
  const options = ['--user', '--scope', '--quiet', '--collect', `--unit=${name}`, `--description=upi-wizard: ${job}`];
  return { name, argv: ['systemd-run', ...options, ...outOfMemory, '--'], env: { XDG_RUNTIME_DIR: runtime } };
}

const ask = (program: string, argv: readonly string[]) => askProgram(program, argv, PATIENCE_MS);

const properties = (...names: readonly string[]) => names.map((name) => `--property=${name}`);

function setting(text: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
}
