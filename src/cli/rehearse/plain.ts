import { cloudDesign } from '../../design/example-cloud.ts';
import { parseDesign } from '../../design/parse.ts';
import { SECOND, systemClock } from '../../ports/clock.ts';
import { acquireLock, guarded } from '../../session/lock.ts';
import { openSession } from '../../session/store.ts';
import { stopJobs } from '../../steps/shared/jobs.ts';
import { catalogue, commandLine } from '../../text/catalogue.ts';
import { CLOUD_SCREENS, SCREEN_IDS } from '../../wizard/state.ts';
import { holdProgram, leftLines } from '../session/holding.ts';
import { openSaved } from '../session/saved.ts';
import { placeAt } from '../session/saved-answers.ts';
import type { CommandIo } from '../shared/io.ts';
import { troubleText } from '../shared/trouble-text.ts';
import { siteWorld, versionOf } from '../shared/world.ts';
import { readAnswers } from '../wizard/answers.ts';
import { keepOnEvent } from '../wizard/events.ts';
import type { Host } from '../wizard/host.ts';
import { takeSteps } from '../wizard/plain-steps.ts';
import { openSite, type RehearsalOptions, siteFindings } from './site.ts';

const words = () => catalogue().cli;
/** Plays the whole way in plain lines, and takes the site down at the end. */
export async function rehearsePlainly(
  options: RehearsalOptions,
  answers: string | null,
  io: CommandIo,
  host: Host,
): Promise<number> {
  const { dir, onEvent } = options;
  const { design, document, isReadable } =
    answers === null ? { ...parseDesign(cloudDesign()), isReadable: true } : readAnswers(answers, io);
  if (!isReadable) return 2;
  if (design === null) return 3;
  const isOnCloud = answers === null;
  if (design.services.boot.kind === 'iso' && !isOnCloud) io.stderr(`${words().noIsoBoot}\n`);
  const lock = await acquireLock(dir, 'upi-wizard rehearse --plain', versionOf(host.programs));
  const abort = new AbortController();
  const saved = openSaved(guarded(openSession(dir), lock));
  for (const notice of saved.notices) io.stderr(troubleText(notice));
  const said = keepOnEvent(dir, onEvent);
  if (said !== null) io.stderr(`${said}\n`);
  const site = await openSite(options, design, saved, io, host.programs);
  // Nobody is there to let a halted one go on.
  if ((await site.status()).speed === 0) await site.setSpeed(site.speed);
  let told = '';
  const stopTelling = systemClock.interval(5 * SECOND, () => {
    void siteFindings(site).then(([found]) => {
      if (found && found.title !== told) io.stderr(troubleText(found));
      told = found?.title ?? '';
    });
  });
  const leave = (code: number) => {
    abort.abort(new Error('stopped'));
    io.stderr(`${words().siteLivesOn(commandLine('rehearse', '--stop', '--dir', dir))}\n`);
    process.exit(code);
  };
  // Every fact saves the state; the site lives on, and the same directory goes on from here.
  holdProgram(lock, (how, guest) => {
    for (const line of leftLines(how, guest, dir)) io.stderr(`${line}\n`);
    leave(0);
  });
  process.once('SIGINT', () => leave(130));
  process.once('SIGTERM', () => leave(143));
  process.once('SIGHUP', () => leave(129));
  // Nobody reads any more.
  process.stdout.once('error', () => leave(129));
  try {
    // With the design of this rehearsal: other commands on this directory judge by it.
    saved.update({ design: document, ...placeAt(isOnCloud ? 'infra' : 'generate', saved.current()) });
    const world = siteWorld(site);
    const { memory, recollection } = saved;
    const { programs } = host;
    const { check } = lock;
    const { signal } = abort;
    const where = { world, programs, dir, design, memory, recollection, signal, check };
    const code = await takeSteps(
      io,
      where,
      {
        confirm: () => Promise.resolve(true),
        at: (step) => saved.update(placeAt(step, saved.current())),
      },
      isOnCloud ? CLOUD_SCREENS : SCREEN_IDS,
    );
    io.stdout(`${words().filesIn(dir)}\n`);
    return code;
  } finally {
    stopTelling();
    await stopJobs(dir);
    await site.stop();
    lock.release();
  }
}
