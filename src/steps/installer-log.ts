import { readLogTail } from '../installer/log.ts';
import type { LogLevel } from '../installer/log-line.ts';
import type { StepContext } from './contract.ts';
import { workspace } from './workspace.ts';

/** A line of the installer's log, redacted and sanitised. */
export interface LogLine {
  readonly at: number | null;
  readonly level: LogLevel;
  readonly text: string;
}

/** The last lines of `.openshift_install.log`. */
export async function tailInstallerLog(context: StepContext, lines: number): Promise<LogLine[]> {
  return await readLogTail(workspace(context.dir).installerLog, lines);
}
