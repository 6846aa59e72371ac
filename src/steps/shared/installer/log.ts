import { readFile } from 'node:fs/promises';
import type { LogSource } from '../../../checks/bootstrap/evidence.ts';
import { createLogBuffer, followLog, type LogSnapshot } from '../../../installer/log.ts';
import type { LogLine } from '../../../installer/log-line.ts';
import { registerSecrets } from '../../../platform/secrets.ts';

import type { StepContext } from '../../contract.ts';
import type { InstallerLog } from '../../probe-cache.ts';
import { readCredentials } from '../files/credentials.ts';
import { workspace } from '../workspace.ts';

export type { LogSnapshot, MarkedLogLine } from '../../../installer/log.ts';
export type { LogLine } from '../../../installer/log-line.ts';

/** Chunks (of 1 MiB) that one probe reads at most, so that it never delays keyboard input for long. */
const MAX_CHUNKS = 16;

/** Reads all lines of `.openshift_install.log` and those added from the bootstrap node, without secrets. */
export async function readInstallerLog(context: StepContext): Promise<LogSnapshot> {
  const log = getInstallerLog(context);
  log.pendingRead ??= readChunks(context, log).finally(() => {
    log.pendingRead = null;
  });
  await log.pendingRead;
  return log.book.snapshot();
}

/** Returns the last lines of `.openshift_install.log`. */
export async function tailInstallerLog(context: StepContext, lines: number): Promise<readonly LogLine[]> {
  const { lines: all } = await readInstallerLog(context);
  return all.filter(({ source }) => source === 'installer').slice(-lines);
}

/** Adds lines of the bootstrap node to the log, in the order of their arrival. */
export function addToLog(context: StepContext, source: LogSource, lines: readonly LogLine[]): void {
  getInstallerLog(context).book.add(source, lines, context.clock.now());
}

function getInstallerLog({ dir, probeCache }: StepContext): InstallerLog {
  if (probeCache.installerLog) return probeCache.installerLog;
  const log: InstallerLog = {
    book: createLogBuffer(),
    follower: followLog(workspace(dir).installerLog),
    pendingRead: null,
  };
  probeCache.installerLog = log;
  return log;
}

async function readChunks(context: StepContext, log: InstallerLog): Promise<void> {
  await registerInstallationSecrets(context);
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    const lines = await log.follower.next();
    if (lines.length === 0) return;
    log.book.add('installer', lines, context.clock.now());
  }
}

/** Registers the exact secrets of this installation, so that they are hidden in any form. */
async function registerInstallationSecrets({ dir, credentials }: StepContext): Promise<void> {
  const [password] = await Promise.all([
    readFile(workspace(dir).kubeadminPassword, 'utf8').catch(() => ''),
    readCredentials({ credentials }).catch(() => null),
  ]);
  registerSecrets([password]);
}
