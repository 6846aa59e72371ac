import { join } from 'node:path';
import { execa } from 'execa';
import { getMinimalEnvironment } from '../platform/environment.ts';
import { sanitize } from '../platform/sanitize.ts';

/**
 * A file with the command that checks it on its host. `file` is relative to the output directory, `path` is the path on
 * the host. In the command, `path` is replaced by the local path.
 */
interface FileToCheck {
  readonly file: string;
  readonly path: string;
  readonly check: readonly string[] | null;
}

/**
 * Result of the check of one file. `file` is relative to the output directory, `program` is the first word of the
 * command.
 */
export interface FileCheckResult {
  readonly file: string;
  readonly program: string;
  /** `absent`: the program is not installed on this machine, so the host's own script runs the check. */
  readonly state: 'ok' | 'refused' | 'absent';
  /** Output of the program for a file that it refused, sanitized. */
  readonly output: string;
}

/**
 * Runs the check of every file under `dir` whose program is installed on this machine. Checks that need a whole host
 * (other files in place) are left to the host's own script.
 */
export async function checkFiles(
  dir: string,
  files: readonly FileToCheck[],
  signal: AbortSignal,
): Promise<FileCheckResult[]> {
  const results: FileCheckResult[] = [];
  const environment = getMinimalEnvironment();
  for (const { file, path, check } of files) {
    const [program, ...args] = check ?? [];
    // A check that does not name the file inspects the host, not the file.
    if (program === undefined || !SINGLE_FILE_CHECKERS.test(program) || !args.includes(path)) continue;
    const localArgs = args.map((argument) => (argument === path ? join(dir, file) : argument));
    const result = await execa(program, localArgs, {
      all: true,
      reject: false,
      stdin: 'ignore',
      env: { ...environment, PATH: `${environment.PATH}:/usr/sbin:/sbin` },
      extendEnv: false,
      cancelSignal: signal,
    });
    const state = result.code === 'ENOENT' ? 'absent' : result.exitCode === 0 ? 'ok' : 'refused';
    // For an accepted file the output is noise: versions, licences.
    const output = state === 'refused' ? sanitize(result.all ?? '', 2000).trim() : '';
    results.push({ file, program, state, output });
  }
  return results;
}

/** Programs that can check a single file. */
const SINGLE_FILE_CHECKERS = /^(?:haproxy|dhcpd|named-checkzone|kea-dhcp4|sh|bash|shellcheck)$/;
