import { join } from 'node:path';
import { execa } from 'execa';
import { sanitize } from '../text/sanitize.ts';

/** A file to check and the command that is run on its host; the file's own path in it is replaced by where it lies here. */
export interface CheckedFile {
  readonly file: string;
  readonly path: string;
  readonly check: readonly string[] | null;
}

export interface CheckResult {
  readonly file: string;
  readonly isOk: boolean;
  /** What the program printed, sanitised. */
  readonly output: string;
}

/**
 * Runs the check of every file whose program is installed here, on the file under `dir`. Checks that need a whole host
 * (other files in place) are left to the host's own script.
 */
export async function checkFiles(
  dir: string,
  files: readonly CheckedFile[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { file, path, check } of files) {
    const [program, ...args] = check ?? [];
    // A check that does not name the file itself looks at the host, not at the file.
    if (program === undefined || !SELF_CONTAINED.test(program) || !args.includes(path)) continue;
    const here = args.map((argument) => (argument === path ? join(dir, file) : argument));
    const result = await execa(program, here, {
      all: true,
      reject: false,
      stdin: 'ignore',
      env: { LANG: 'C', PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` },
      cancelSignal: signal,
    });
    if (result.code === 'ENOENT') continue;
    results.push({ file, isOk: result.exitCode === 0, output: sanitize(result.all ?? '', 2000).trim() });
  }
  return results;
}

/** Programs that judge one file by itself. */
const SELF_CONTAINED = /^(?:haproxy|dhcpd|named-checkzone|kea-dhcp4|sh|bash|shellcheck)$/;
