import { plainEnvironment } from '../ports/environment.ts';

/**
 * What a program of this machine prints, in the C locale and without our own settings.
 * @param patienceMs one that hangs longer (real milliseconds) is ended
 * @returns null when it is not there, fails or hangs
 */
export async function askProgram(program: string, argv: readonly string[], patienceMs: number): Promise<string | null> {
  const { execa } = await import('execa');
  const { exitCode, stdout } = await execa(program, argv, {
    reject: false,
    stdin: 'ignore',
    stderr: 'ignore',
    timeout: patienceMs,
    env: plainEnvironment(),
    extendEnv: false,
  });
  return exitCode === 0 ? stdout : null;
}
