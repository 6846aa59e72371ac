import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The home directory of this user: what HOME names where that is an absolute path, else what the system knows of the user. An
 * empty HOME would lead to wherever somebody happens to work.
 */
export function homeDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const named = env.HOME ?? '';
  if (isAbsolute(named)) return named;
  try {
    return userInfo().homedir;
  } catch {
    // A user of a container without an entry in /etc/passwd.
    return '/';
  }
}

/** Where programs keep their preferences; a relative XDG_CONFIG_HOME counts as unset (XDG Base Directory Specification). */
export function configHome(env: NodeJS.ProcessEnv = process.env): string {
  const named = env.XDG_CONFIG_HOME ?? '';
  return isAbsolute(named) ? named : join(homeDirectory(env), '.config');
}
