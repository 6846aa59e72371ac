import { execa } from 'execa';
import { askingOnce } from './ask-once.ts';
import { installerEnvironment } from './environment.ts';

const versionOnce = askingOnce<string | null>();
/** A program that hangs says nothing. */
const PATIENCE_MS = 10_000;

/** The version that `oc version --client` says ("4.18.11"), asked once for the same file; null where it says none. */
export function ocVersion(program: string): Promise<string | null> {
  return versionOnce(program, async () => {
    const { stdout } = await execa(program, ['version', '--client'], {
      env: installerEnvironment(),
      extendEnv: false,
      stdin: 'ignore',
      stderr: 'ignore',
      reject: false,
      timeout: PATIENCE_MS,
    });
    return /^Client Version:\s*v?(\d+\.\d+\S*)/m.exec(stdout ?? '')?.[1] ?? null;
  });
}
