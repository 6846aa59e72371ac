import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The home directory of this user: HOME if it is an absolute path, else that of the user database. An empty HOME would
 * mean the current directory.
 */
export function homeDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const value = env.HOME ?? '';
  if (isAbsolute(value)) return value;
  try {
    return userInfo().homedir;
  } catch {
    // A user of a container without an entry in /etc/passwd.
    return '/';
  }
}

/**
 * Returns the directory of user preferences; a relative XDG_CONFIG_HOME counts as unset (XDG Base Directory
 * Specification).
 */
export function configHome(env: NodeJS.ProcessEnv = process.env): string {
  const value = env.XDG_CONFIG_HOME ?? '';
  return isAbsolute(value) ? value : join(homeDirectory(env), '.config');
}
