import { userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** The variables that are passed unchanged to openshift-install, oc and the script that downloads them. */
export const PASSED_THROUGH_VARIABLES = [
  'PATH',
  'HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'RELEASE_KEY',
] as const;

/** The environment variables that the program and its generated scripts read. */
export const ENVIRONMENT_VARIABLES = [
  'LC_ALL',
  'LC_MESSAGES',
  'LC_CTYPE',
  'LANG',
  'TERM',
  'ACCESSIBLE',
  'TERM_PROGRAM',
  'NO_COLOR',
  'COLORFGBG',
  'FORCE_COLOR',
  'PAGER',
  'LESS',
  'INIT_CWD',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_RUNTIME_DIR',
  'SSH_CONNECTION',
  'SSH_TTY',
  'TMUX',
  'STY',
  'TMPDIR',
  'UPI_WIZARD_LAUNCHER',
  ...PASSED_THROUGH_VARIABLES,
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_COMPILE_CACHE',
] as const;

/**
 * Returns the variables that let a child process of ours use the code that Node.js has compiled for this one. Empty if
 * Node.js has no compile cache.
 */
export function getCompileCacheVariables(): Record<string, string> {
  const dir = process.getBuiltinModule('node:module').getCompileCacheDir();
  // Node.js appends its version to the directory.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) };
}

/**
 * Returns the environment of a program that needs no settings of the user: the paths of programs, home and temporary
 * files, and messages in English, because they are parsed. Other variables may be secret, and a process exposes them as
 * long as it runs.
 */
export function getMinimalEnvironment(): Record<string, string> {
  const { PATH = '/usr/bin:/bin', HOME = '/', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), LANG: 'C', LC_ALL: 'C' };
}

/** Returns the name of the user who runs this program; the UID if the system has no name for it, as in a container. */
export function getUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(getUserId());
  }
}

/** Returns the UID of the user who runs this program. */
export function getUserId(): number {
  // Only Windows has no UIDs.
  return process.getuid?.() ?? -1;
}

/**
 * Returns the home directory of this user: HOME if it is an absolute path, else that of the user database. An empty
 * HOME would mean the current directory.
 */
export function getHomeDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const value = env.HOME ?? '';
  if (isAbsolute(value)) return value;
  try {
    return userInfo().homedir;
  } catch {
    // In a container, the UID may have no entry in /etc/passwd.
    return '/';
  }
}

/**
 * Returns the directory of user preferences; a relative XDG_CONFIG_HOME counts as unset (XDG Base Directory
 * Specification).
 */
export function getConfigHome(env: NodeJS.ProcessEnv = process.env): string {
  const value = env.XDG_CONFIG_HOME ?? '';
  return isAbsolute(value) ? value : join(getHomeDirectory(env), '.config');
}
