import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listMatchingFaults } from '../checks/rules/index.ts';
import { renderCloudDesign } from '../design/example.ts';
import { parseDesign } from '../design/parse.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { SECOND, systemClock } from '../platform/clock.ts';
import { rememberDirectory } from '../session/install-directories.ts';
import { acquireLock, addLockCheck } from '../session/lock.ts';
import { openSession } from '../session/session.ts';
import type { StepContext } from '../steps/contract.ts';
import { stopJobs } from '../steps/shared/jobs.ts';
import {
  describeRunningSite,
  describeStoppedSite,
  listSiteScreens,
  openRunningSite,
  type RehearsalOptions,
  readSiteProblems,
} from './rehearsal-site.ts';
import { formatSessionEnd, servePeersOfProgram } from './session/session-holder.ts';
import { createPlace, openWorkingSession } from './session/working-session.ts';
import type { Launcher } from './shared/context.ts';
import { type CommandIo, formatUserError } from './shared/io.ts';
import { createSiteRuntime, createStepContext, readProgramVersion } from './shared/runtime.ts';
import { readAnswersFile } from './wizard/answers-file.ts';
import { saveOnEventCommand } from './wizard/events.ts';
import { saveMirror } from './wizard/mirror.ts';
import { createLinePrinter, runPlainSteps } from './wizard/plain-wizard.ts';

const words = () => catalogue().cli;
/** Runs the whole rehearsal in plain lines, and stops the site at the end. */
export async function rehearsePlain(
  options: RehearsalOptions,
  answersFile: string | null,
  io: CommandIo,
  launcher: Launcher,
): Promise<number> {
  const { dir, onEvent } = options;
  const { design, document, isReadable } =
    answersFile === null ? { ...parseDesign(renderCloudDesign()), isReadable: true } : readAnswersFile(answersFile, io);
  if (!isReadable) return 2;
  if (design === null) return 3;
  const isOnCloud = answersFile === null;
  if (design.services.boot.kind === 'iso' && !isOnCloud) io.stderr(`${words().noIsoBoot}\n`);
  const lock = await acquireLock(dir, 'upi-wizard rehearse --plain', readProgramVersion(launcher.programs));
  const abortController = new AbortController();
  const session = openWorkingSession(addLockCheck(openSession(dir), lock));
  for (const notice of session.notices) io.stderr(formatUserError(notice));
  const onEventNotice = saveOnEventCommand(dir, onEvent);
  if (onEventNotice !== null) io.stderr(`${onEventNotice}\n`);
  const mirrorNotice = saveMirror(session.stepState, options.mirror);
  if (mirrorNotice !== null) io.stderr(`${mirrorNotice}\n`);
  const site = await openRunningSite(options, design, session, io, launcher.programs);
  rememberDirectory(dir);
  let lastTitle = '';
  const stopReporting = systemClock.startInterval(5 * SECOND, () => {
    void readSiteProblems(site).then(([problem]) => {
      if (problem && problem.title !== lastTitle) io.stderr(formatUserError(problem));
      lastTitle = problem?.title ?? '';
    });
  });
  const leave = (code: number) => {
    abortController.abort(new Error('stopped'));
    io.stderr(`${describeRunningSite(dir)}\n`);
    process.exit(code);
  };
  // Every fact is saved and the site keeps running: the run can be continued in the same directory.
  servePeersOfProgram(lock, (reason, peer) => {
    for (const line of formatSessionEnd(reason, peer, dir)) io.stderr(`${line}\n`);
    leave(0);
  });
  process.once('SIGINT', () => leave(130));
  process.once('SIGTERM', () => leave(143));
  process.once('SIGHUP', () => leave(129));
  // The output has no reader any more.
  process.stdout.once('error', () => leave(129));
  try {
    // Save the design of this rehearsal, because other commands on this directory use it.
    session.update({ design: document, ...createPlace(isOnCloud ? 'infra' : 'generate', session.getState()) });
    const runtime = createSiteRuntime(site);
    const { stepState, probeCache } = session;
    const { programs } = launcher;
    const { assertHeld } = lock;
    const { signal } = abortController;
    const contextOptions = {
      runtime,
      programs,
      dir,
      design,
      stepState,
      probeCache,
      signal,
      assertLockHeld: assertHeld,
    };
    const code = await runPlainSteps(
      io,
      contextOptions,
      {
        confirm: () => Promise.resolve(true),
        onCurrentStep: (step) => session.update(createPlace(step, session.getState())),
      },
      listSiteScreens(site),
    );
    const print = createLinePrinter(io);
    if (site.faults.length > 0) print(words().injected(site.faults.join(', ')));
    if (site.faults.length > 0 && code === 0) {
      print(words().injectedVerified);
      const context = createStepContext({ ...contextOptions, base: dir });
      for (const line of await describeFaults(context, site.faults)) print(line);
    }
    print(words().filesIn(dir, existsSync(join(dir, 'report.md'))));
    return code;
  } finally {
    stopReporting();
    await stopJobs(dir);
    await site.stop();
    io.stderr(`${describeStoppedSite(dir)}\n`);
    lock.release();
  }
}

/** Describes whether each injected fault is still there: a rehearsal can also end verified in spite of a fault. */
async function describeFaults(context: StepContext, faults: readonly string[]): Promise<string[]> {
  const { diagnoseInstallation } = await import('../steps/diagnose/index.ts');
  const { diagnoses } = await diagnoseInstallation(context);
  return faults.map((fault) => {
    const diagnosis = diagnoses.find(({ rule }) => listMatchingFaults(rule).includes(fault));
    return words().injectedFault(fault, diagnosis?.title ?? null);
  });
}
