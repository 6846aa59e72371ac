import { catalogue, formatCommandLine } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { systemClock } from '../../platform/clock.ts';
import { formatJson, sanitizeLine } from '../../platform/sanitize.ts';
import { findInstallDirectory } from '../../session/install-directories.ts';
import { createEventQueue } from '../../steps/events.ts';
import { executeMovesAsJob } from '../../steps/infra/move-execution.ts';
import {
  describeMoveJob,
  findMoveJob,
  followMoveJob,
  isMoveJobActive,
  stopMoveJob,
  toMoveJobStatus,
} from '../../steps/shared/moves/move-job.ts';
import { withOverlay } from '../../steps/step-state.ts';
import type { Arguments } from '../commands.ts';
import { requireSession } from '../session/open-session.ts';
import { type ClusterTarget, withClusterTarget } from '../shared/cluster-target.ts';
import type { CommandContext } from '../shared/context.ts';
import { formatUserError, UsageError } from '../shared/io.ts';
import { InterruptedError, type ProcessIo } from '../shared/process-io.ts';
import { printLine } from './output.ts';

const words = () => catalogue().clusterCommands.infra.job;

/**
 * `upi-wizard infra job [--follow | --stop] [--json]`: shows the job that carries out infra moves for the wizard,
 * follows it, or stops it. `--carry-out` is the job itself.
 * @returns 0; 4 no job runs, or the followed job failed; the code of a signal
 */
export async function jobCommand(
  { options }: Arguments<'infra job'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const { follow, stop, json, 'carry-out': isJob } = options;
  if ([follow, stop, json].filter(Boolean).length > 1) throw new UsageError(words().oneOf);
  const io = await openIo(isJob || stop ? 'acting' : follow ? 'watching' : undefined);
  const dir = findInstallDirectory(options.dir, io);
  if (isJob)
    return await withClusterTarget({ dir, isDirectoryOnly: true }, io, launcher.programs, (target) =>
      executeJob(target, io),
    );
  requireSession(dir);
  const job = findMoveJob({ dir });
  if (json) {
    io.stdout(formatJson({ job: job && toMoveJobStatus(job) }));
    return 0;
  }
  if (follow)
    return await withClusterTarget({ dir, isDirectoryOnly: true }, io, launcher.programs, (target) =>
      followJob(target, io),
    );
  if (!stop) {
    io.stdout(`${job === null ? words().none : describeMoveJob(job)}\n`);
    return 0;
  }
  if (job === null || !isMoveJobActive(job)) {
    io.stderr(`${words().none}\n`);
    return 4;
  }
  await stopMoveJob({ dir });
  printLine(io, words().stopped(formatCommandLine('infra', 'plan', '--dir', dir)));
  return 0;
}

async function executeJob({ session }: ClusterTarget, io: ProcessIo): Promise<number> {
  if (session === null) return 2;
  const { context } = session;
  const log = (line: string) => io.stdout(`${new Date(systemClock.now()).toISOString()} ${sanitizeLine(line, 2000)}\n`);
  const events = createEventQueue({ dir: context.dir, clock: systemClock, report: log });
  const end = await executeMovesAsJob(context, log, ({ move }) =>
    events.raise({ event: 'question', step: 'infra', text: catalogue().steps.infra.job.asks(move) }),
  );
  if (end === null) return 4;
  if (end.userError !== undefined) log(`${end.userError.title}: ${end.userError.cause} ${end.userError.remedy}`);
  log(words().ends[end.end]);
  events.detach();
  if (end.end === 'cancelled' && io.signal.reason instanceof InterruptedError) return io.signal.reason.exitCode;
  return end.end === 'done' || end.end === 'declined' ? 0 : 4;
}

/** Prints the progress of the job until it ends or has a question. */
async function followJob({ session, stepState }: ClusterTarget, io: ProcessIo): Promise<number> {
  if (session === null) return 2;
  const { context } = session;
  if (findMoveJob(context) === null) {
    io.stderr(`${words().none}\n`);
    return 4;
  }
  try {
    // The step state belongs to the holder of the lock: this command reads it and saves nothing.
    await followMoveJob({ ...context, stepState: withOverlay(stepState) }, (line) => printLine(io, line), {
      shouldAcknowledge: false,
    });
  } catch (error) {
    if (io.signal.reason instanceof InterruptedError) return io.signal.reason.exitCode;
    if (!(error instanceof UserErrorException)) throw error;
    io.stderr(formatUserError(error.userError));
    return 4;
  }
  const job = findMoveJob(context);
  if (job?.question)
    printLine(
      io,
      catalogue().steps.infra.job.leftAsking(job.question.move, formatCommandLine('answer', '--dir', context.dir)),
    );
  return 0;
}
