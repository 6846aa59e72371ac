import { existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { TroubleError } from '../text/trouble.ts';
import { installerEnvironment } from './environment.ts';

const words = () => catalogue().steps.prepare.fetch;
const NAME = 'fetch-openshift.sh';
/** Of real time: what is fetched is fetched over a real line. */
const PROGRESS_EVERY = 2000;

/**
 * Writes the script that fetches programs and images into an install directory, and runs it.
 * @param report gets its output, line by line
 * @throws TroubleError `fetch-failed`, with the script to take elsewhere in what to do
 */
export async function fetchInto(
  dir: string,
  script: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const path = join(dir, NAME);
  await writeFile(path, script, { mode: 0o755 });
  await chmod(path, 0o755);
  const running = execa('bash', [path], {
    cwd: dir,
    env: installerEnvironment(),
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    buffer: { stdout: false, stderr: true },
    cancelSignal: signal,
  });
  let last = '';
  const timer = setInterval(() => {
    const size = partSize(dir);
    if (size > 0) report(words().progress(last, Math.floor(size / 1_000_000)));
  }, PROGRESS_EVERY);
  try {
    for await (const line of running) {
      last = sanitizeLine(line);
      report(last);
    }
  } finally {
    clearInterval(timer);
  }
  const { exitCode, stderr } = await running;
  if (exitCode === 0) return;
  const said = `${stderr}`
    .trim()
    .split('\n')
    .slice(-2)
    .map((line) => sanitizeLine(line))
    .join(' ');
  throw new TroubleError({
    code: 'fetch-failed',
    title: words().failed,
    cause: said,
    whatToDo: words().failedFix(path),
  });
}

/** Bytes of the file that is being fetched now. */
function partSize(dir: string): number {
  const parts = [dir, join(dir, 'images')].flatMap((each) =>
    (existsSync(each) ? readdirSync(each) : [])
      .filter((name) => name.endsWith('.part'))
      .map((name) => statSync(join(each, name), { throwIfNoEntry: false })?.size ?? 0),
  );
  return Math.max(0, ...parts);
}
