import { existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { getInstallerEnvironment } from './programs.ts';

const words = () => catalogue().steps.prepare.fetch;
const SCRIPT_NAME = 'fetch-openshift.sh';
/** Real milliseconds: the download uses a real network, even in a rehearsal. */
const PROGRESS_INTERVAL_MS = 2000;

/**
 * Writes the script that downloads programs and images into an install directory, and runs it.
 * @param report receives its output, line by line
 * @throws UserErrorException `fetch-failed`; its remedy names the script, which can be run on another machine
 */
export async function runFetchScript(
  dir: string,
  script: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const path = join(dir, SCRIPT_NAME);
  await writeFile(path, script, { mode: 0o755 });
  await chmod(path, 0o755);
  const subprocess = execa('bash', [path], {
    cwd: dir,
    env: getInstallerEnvironment(),
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    buffer: { stdout: false, stderr: true },
    cancelSignal: signal,
  });
  let lastLine = '';
  const timer = setInterval(() => {
    const size = readPartSize(dir);
    if (size > 0) report(words().progress(lastLine, Math.floor(size / 1_000_000)));
  }, PROGRESS_INTERVAL_MS);
  try {
    for await (const line of subprocess) {
      lastLine = sanitizeLine(line);
      report(lastLine);
    }
  } finally {
    clearInterval(timer);
  }
  const { exitCode, stderr } = await subprocess;
  if (exitCode === 0) return;
  const message = `${stderr}`
    .trim()
    .split('\n')
    .slice(-2)
    .map((line) => sanitizeLine(line))
    .join(' ');
  throw new UserErrorException({
    code: 'fetch-failed',
    title: words().failed,
    cause: message,
    remedy: words().failedFix(path),
  });
}

/** Returns the size in bytes of the file that is being downloaded; 0 for none. */
function readPartSize(dir: string): number {
  const partSizes = [dir, join(dir, 'images')].flatMap((directory) =>
    (existsSync(directory) ? readdirSync(directory) : [])
      .filter((name) => name.endsWith('.part'))
      .map((name) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0),
  );
  return Math.max(0, ...partSizes);
}
