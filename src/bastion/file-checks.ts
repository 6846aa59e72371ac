import { join } from 'node:path';
import { execa } from 'execa';
import { plainEnvironment } from '../ports/environment.ts';
import { sanitize } from '../text/sanitize.ts';

/** A file to check and the command that is run on its host; the file's own path in it is replaced by where it lies here. */
export interface CheckedFile {
  readonly file: string;
  readonly path: string;
  readonly check: readonly string[] | null;
}

/** What came of the check of one file; `file` is relative to the output directory, `program` the first word of the command. */
export interface CheckResult {
  readonly file: string;
  readonly program: string;
  /** `absent`: the program is not installed here, so its host's own script runs it. */
  readonly state: 'ok' | 'refused' | 'absent';
  /** What the program printed about a file that it refused, sanitised. */
  readonly output: string;
}

/**
 * Runs the check of every file, where its program is installed here, on the file under `dir`. Checks that need a whole host
 * (other files in place) are left to the host's own script.
 */
export async function checkFiles(
  dir: string,
  files: readonly CheckedFile[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const environment = plainEnvironment();
  for (const { file, path, check } of files) {
    const [program, ...args] = check ?? [];
    // A check that does not name the file itself looks at the host, not at the file.
    if (program === undefined || !SELF_CONTAINED.test(program) || !args.includes(path)) continue;
    const here = args.map((argument) => (argument === path ? join(dir, file) : argument));
    const result = await execa(program, here, {
      all: true,
      reject: false,
      stdin: 'ignore',
      env: { ...environment, PATH: `${environment.PATH}:/usr/sbin:/sbin` },
      extendEnv: false,
      cancelSignal: signal,
    });
    const state = result.code === 'ENOENT' ? 'absent' : result.exitCode === 0 ? 'ok' : 'refused';
    // What the program says of a file it takes is noise: versions, licences.
    const output = state === 'refused' ? sanitize(result.all ?? '', 2000).trim() : '';
    results.push({ file, program, state, output });
  }
  return results;
}

/** Programs that judge one file by itself. */
const SELF_CONTAINED = /^(?:haproxy|dhcpd|named-checkzone|kea-dhcp4|sh|bash|shellcheck)$/;
