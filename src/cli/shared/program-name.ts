import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { shellWord } from '../../text/shell-word.ts';

/**
 * How this run was started, as the beginning of a command that works from anywhere: by npm, by a name that the shell finds, or by
 * its file.
 * @param argv of the process, with node and the script
 */
export function programName(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): string {
  const [node = 'node', script = ''] = argv;
  const checkout = dirname(dirname(realOf(script)));
  // npm tells a program of its package so; npx knows it by its name alone.
  if (env.npm_package_name === 'upi-wizard' && env.npm_lifecycle_event !== undefined)
    return env.npm_lifecycle_event === 'npx'
      ? `npx --prefix ${shellWord(checkout)} --no-install upi-wizard`
      : `npm --prefix ${shellWord(checkout)} start --silent --`;
  if (isFound('upi-wizard', script, env.PATH)) return 'upi-wizard';
  return `${isFound('node', node, env.PATH) ? 'node' : shellWord(node)} ${shellWord(script)}`;
}

/** The shell finds this file under the name. */
function isFound(name: string, file: string, path = ''): boolean {
  const found = path.split(delimiter).find((folder) => folder !== '' && isExecutable(join(folder, name)));
  return found !== undefined && realOf(join(found, name)) === realOf(file);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
