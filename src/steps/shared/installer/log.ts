import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogSource } from '../../../diagnosis/bootstrap/evidence.ts';
import { followLog } from '../../../installer/log.ts';
import { type BookPages, createLogBook } from '../../../installer/log-book.ts';
import type { LogLine } from '../../../installer/log-line.ts';
import { createRedactor, type Redact, redactSecrets } from '../../../installer/redact.ts';
import type { StepContext } from '../../contract.ts';
import type { OpenLog } from '../../recollection.ts';
import { workspace } from '../workspace.ts';

export type { BookLine, BookPages } from '../../../installer/log-book.ts';
export type { LogLine } from '../../../installer/log-line.ts';

/** Pieces (of 1 MiB) that one look reads at most: a look never holds up the keys for long. */
const MOST_PIECES = 16;

/** All lines of `.openshift_install.log` and those added from the bootstrap node, without secrets. */
export async function readInstallerLog(context: StepContext): Promise<BookPages> {
  const log = openLog(context);
  log.reading ??= readOn(context, log).finally(() => {
    log.reading = null;
  });
  await log.reading;
  return log.book.pages();
}

/** The last lines of `.openshift_install.log`. */
export async function tailInstallerLog(context: StepContext, lines: number): Promise<readonly LogLine[]> {
  const { lines: all } = await readInstallerLog(context);
  return all.filter(({ source }) => source === 'installer').slice(-lines);
}

/** Adds lines of the bootstrap node to the log, in the order in which they come. */
export function addToLog(context: StepContext, source: LogSource, lines: readonly LogLine[]): void {
  openLog(context).book.add(source, lines, context.clock.now());
}

/** A function that hides the secrets of this installation. */
export function redactorOf(context: StepContext): Redact {
  return openLog(context).redact;
}

function openLog({ dir, recollection }: StepContext): OpenLog {
  if (recollection.installerLog) return recollection.installerLog;
  const log: OpenLog = {
    book: createLogBook(),
    follower: followLog(workspace(dir).installerLog, (text) => log.redact(text)),
    redact: redactSecrets,
    secrets: '',
    reading: null,
  };
  recollection.installerLog = log;
  return log;
}

async function readOn(context: StepContext, log: OpenLog): Promise<void> {
  await learnSecrets(context, log);
  for (let piece = 0; piece < MOST_PIECES; piece += 1) {
    const lines = await log.follower.next();
    if (lines.length === 0) return;
    log.book.add('installer', lines, context.clock.now());
  }
}

/** The very secrets of this installation, so that we hide them in any form; kept in memory only. */
async function learnSecrets({ dir, credentials }: StepContext, log: OpenLog): Promise<void> {
  const read = async (path: string | null) =>
    path === null
      ? ''
      : await readFile(path, 'utf8').then(
          (text) => text.trim(),
          () => '',
        );
  const [password, pullSecret] = await Promise.all([
    read(join(dir, 'auth', 'kubeadmin-password')),
    read(credentials.pullSecretFile),
  ]);
  const secrets = `${password}\n${pullSecret}`;
  if (secrets === log.secrets) return;
  log.secrets = secrets;
  log.redact = createRedactor([password, ...tokensOf(pullSecret)]);
}

/** The `auth` of each registry, and the password inside it. */
function tokensOf(pullSecret: string): string[] {
  try {
    const { auths } = JSON.parse(pullSecret) as { auths: Record<string, { auth?: unknown }> };
    return Object.values(auths).flatMap(({ auth }) => {
      if (typeof auth !== 'string') return [];
      const password = Buffer.from(auth, 'base64').toString('utf8').split(':').slice(1).join(':');
      return [auth, password];
    });
  } catch {
    return [];
  }
}
