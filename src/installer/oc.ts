import { execa } from 'execa';
import { installerEnvironment } from './environment.ts';
import { createProgramCache } from './program-cache.ts';

const readVersionOnce = createProgramCache<string | null>();
/** Limit for a program that hangs. */
const TIMEOUT_MS = 10_000;

/** Returns the version that `oc version --client` prints ("4.18.11"), read once per file; null if it prints none. */
export function getOcVersion(program: string): Promise<string | null> {
  return readVersionOnce(program, async () => {
    const { stdout } = await execa(program, ['version', '--client'], {
      env: installerEnvironment(),
      extendEnv: false,
      stdin: 'ignore',
      stderr: 'ignore',
      reject: false,
      timeout: TIMEOUT_MS,
    });
    return /^Client Version:\s*v?(\d+\.\d+\S*)/m.exec(stdout ?? '')?.[1] ?? null;
  });
}
