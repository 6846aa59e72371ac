import { resolve } from 'node:path';
import { buildCheckDocument } from '../checks/check.ts';
import { checkDocument } from '../design/parse.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { formatJson } from '../platform/sanitize.ts';
import { getConfigDirectory, listSessions } from '../session/install-directories.ts';
import { readSession } from '../session/session-file.ts';
import type { SessionState } from '../session/state.ts';
import { STEP_IDS } from '../steps/contract.ts';
import { type InspectionInput, inspectMachine } from '../steps/doctor.ts';
import { formatFindings, formatVerdict, listBlockingFindings } from '../steps/doctor-lines.ts';
import { resolveCredentialFiles } from '../steps/shared/files/design-paths.ts';
import type { Arguments } from './commands.ts';
import { createExampleDocument } from './session/working-session.ts';
import type { CommandContext } from './shared/context.ts';
import { getTerminalProperties, type ProcessIo, wrapLine } from './shared/process-io.ts';
import { createRuntime } from './shared/runtime.ts';

/**
 * `upi-wizard doctor [--dir D] [--online] [--json]`: checks what this machine has and lacks for an installation, by the
 * design of the install directory if there is one. Read-only; without `--online`, nothing leaves the machine.
 * @returns 4 something is missing without which no installation is possible
 */
export async function doctorCommand({ options }: Arguments<'doctor'>, { openIo }: CommandContext): Promise<number> {
  const io = await openIo();
  const dir = options.dir ?? findLastInstallation(io);
  const { findings } = await inspectMachine({
    ...createInspectionInput(resolve(io.cwd, dir), tryReadSession(dir), io.env),
    isOnline: options.online,
  });
  if (options.json) io.stdout(formatJson(buildCheckDocument(findings, 'start')));
  else
    io.stdout(
      [...formatFindings(findings), '', formatVerdict(findings)].map((line) => wrapLine(line, io.columns)).join(''),
    );
  return listBlockingFindings(findings).length === 0 ? 0 : 4;
}

/** Finds the last used installation that is not a rehearsal: a rehearsal needs nothing of this machine. */
function findLastInstallation({ cwd, env }: ProcessIo): string {
  const lastRealSession = listSessions(getConfigDirectory({ ...env })).find(
    ({ dir }) => (tryReadSession(dir)?.rehearsal ?? null) === null,
  );
  return lastRealSession?.dir ?? resolve(cwd, 'upi-cluster');
}

/** Creates the options of the check: the design of the session if it has passed the review, else the example. */
function createInspectionInput(dir: string, session: SessionState | null, env: ProcessIo['env']): InspectionInput {
  const isAtStep = (STEP_IDS as readonly string[]).includes(session?.place.screen ?? '');
  const savedDesign = isAtStep ? checkDocument(session?.design).design : null;
  const design = savedDesign ?? checkDocument(createExampleDocument()).design;
  if (design === null) throw new Error('the example design is not valid');
  return {
    dir,
    design,
    hasSavedDesign: savedDesign !== null,
    programDirectories: createRuntime(dir).programDirectories,
    credentials: resolveCredentialFiles(design, dir),
    terminal: getTerminalProperties(env),
  };
}

/** Reads the session of a directory. An unreadable one counts as none: the wizard reports it. */
function tryReadSession(dir: string): SessionState | null {
  try {
    return readSession(dir);
  } catch (error) {
    if (error instanceof UserErrorException) return null;
    throw error;
  }
}
