import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { resolveRealPath } from '../../platform/files.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';

/**
 * Returns the command that started this run, in a form that works from any directory: by npm, by a name on PATH, by the
 * start script of a package, or by its file.
 * @param argv of the process, with node and the script
 */
export function getProgramName(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): string {
  const [node = 'node', script = ''] = argv;
  const checkout = dirname(dirname(resolveRealPath(script)));
  const launcher = env.UPI_WIZARD_LAUNCHER ?? '';
  // npm sets these variables for a program of its package; npx finds it by its name alone.
  if (launcher === '' && env.npm_package_name === 'upi-wizard' && env.npm_lifecycle_event !== undefined)
    return env.npm_lifecycle_event === 'npx'
      ? `npx --prefix ${quoteShellArg(checkout)} --no-install upi-wizard`
      : `npm --prefix ${quoteShellArg(checkout)} start --silent --`;
  if (isOnPath('upi-wizard', launcher || script, env.PATH)) return 'upi-wizard';
  if (launcher !== '') return quoteShellArg(launcher);
  return `${isOnPath('node', node, env.PATH) ? 'node' : quoteShellArg(node)} ${quoteShellArg(script)}`;
}

/**
 * Returns the same command in a form that works in the directory where it was typed: in a checkout, npm needs no
 * --prefix.
 * @param cwd working directory of the process; npm sets INIT_CWD to that of the shell
 */
export function getShortProgramName(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): string {
  const name = getProgramName(argv, env);
  const checkout = dirname(dirname(resolveRealPath(argv[1] ?? '')));
  const invocationDir = resolveRealPath(env.INIT_CWD ?? cwd);
  return invocationDir === checkout ? name.replace(` --prefix ${quoteShellArg(checkout)}`, '') : name;
}

/** Whether the shell finds this file under the name. */
function isOnPath(name: string, file: string, path = ''): boolean {
  const pathDirectory = path
    .split(delimiter)
    .find((directory) => directory !== '' && isExecutable(join(directory, name)));
  return pathDirectory !== undefined && resolveRealPath(join(pathDirectory, name)) === resolveRealPath(file);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
