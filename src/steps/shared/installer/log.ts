import { readFile } from 'node:fs/promises';
import type { LogSource } from '../../../diagnosis/bootstrap/evidence.ts';
import { followLog } from '../../../installer/log.ts';
import { type BookPages, createLogBook } from '../../../installer/log-book.ts';
import type { LogLine } from '../../../installer/log-line.ts';
import { rememberSecrets } from '../../../text/redact.ts';
import type { StepContext } from '../../contract.ts';
import type { OpenLog } from '../../recollection.ts';
import { readCredentials } from '../files/credentials.ts';
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

function openLog({ dir, recollection }: StepContext): OpenLog {
  if (recollection.installerLog) return recollection.installerLog;
  const log: OpenLog = {
    book: createLogBook(),
    follower: followLog(workspace(dir).installerLog),
    reading: null,
  };
  recollection.installerLog = log;
  return log;
}

async function readOn(context: StepContext, log: OpenLog): Promise<void> {
  await learnSecrets(context);
  for (let piece = 0; piece < MOST_PIECES; piece += 1) {
    const lines = await log.follower.next();
    if (lines.length === 0) return;
    log.book.add('installer', lines, context.clock.now());
  }
}

/** The very secrets of this installation, so that we hide them in any form. */
async function learnSecrets({ dir, credentials }: StepContext): Promise<void> {
  const [password] = await Promise.all([
    readFile(workspace(dir).kubeadminPassword, 'utf8').catch(() => ''),
    readCredentials({ credentials }).catch(() => null),
  ]);
  rememberSecrets([password]);
}
