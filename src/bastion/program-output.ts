import { getMinimalEnvironment } from '../platform/environment.ts';

/**
 * Runs a program of this machine in the C locale, without our own settings, and returns its standard output.
 * @param timeoutMs real milliseconds after which the program is ended
 * @returns null if the program is missing, fails or hangs
 */
export async function readProgramOutput(
  program: string,
  argv: readonly string[],
  timeoutMs: number,
): Promise<string | null> {
  const { execa } = await import('execa');
  const { exitCode, stdout } = await execa(program, argv, {
    reject: false,
    stdin: 'ignore',
    stderr: 'ignore',
    timeout: timeoutMs,
    env: getMinimalEnvironment(),
    extendEnv: false,
  });
  return exitCode === 0 ? stdout : null;
}
