import { runSteps } from '../plain/run-steps.ts';
import { keepHeapSmall } from '../ports/small-heap.ts';
import { acquireLock } from '../session/lock.ts';
import { openSession } from '../session/store.ts';
import { stopJobs } from '../steps/shared/jobs.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { readAnswers } from './answers.ts';
import type { Host } from './host.ts';
import type { CommandIo } from './io.ts';
import { openSite, type RehearsalOptions } from './rehearsal-site.ts';
import { openSaved } from './saved.ts';
import { troubleText } from './trouble-text.ts';
import { siteWorld, stepContext } from './world.ts';

const words = () => catalogue().cli;
const plainWords = () => catalogue().plain;

/** Plays the whole way in plain lines, and takes the site down at the end. */
export async function rehearsePlainly(
  options: RehearsalOptions,
  answers: string,
  io: CommandIo,
  host: Host,
): Promise<number> {
  const { dir } = options;
  const { design, document, base, isReadable } = readAnswers(answers, io);
  if (!isReadable) return 2;
  if (design === null) return 3;
  if (design.services.boot.kind === 'iso') io.stderr(`${words().noIsoBoot}\n`);
  const lock = acquireLock(dir);
  const abort = new AbortController();
  const saved = openSaved(openSession(dir));
  for (const notice of saved.notices) io.stderr(troubleText(notice));
  const site = await openSite(options, design, saved, io, host.programs);
  const leave = (code: number) => {
    abort.abort(new Error('stopped'));
    io.stderr(`${words().siteLivesOn(commandLine('rehearse', '--stop', '--dir', dir))}\n`);
    process.exit(code);
  };
  // Every fact saves the state; the site lives on, and the same directory goes on from here.
  process.once('SIGINT', () => leave(130));
  process.once('SIGTERM', () => leave(143));
  process.once('SIGHUP', () => leave(129));
  try {
    // With the design of this rehearsal: other commands on this directory judge by it.
    saved.update({ design: document, place: { screen: 'generate', field: null } });
    const context = stepContext({
      world: siteWorld(site),
      programs: host.programs,
      dir,
      base,
      design,
      memory: saved.memory,
      recollection: saved.recollection,
      signal: abort.signal,
    });
    const print = (line: string) => io.stdout(`${line}\n`);
    keepHeapSmall();
    const outcome = await runSteps(context, { print, confirm: () => Promise.resolve(true) });
    const open = outcome.findings.filter(({ severity }) => severity !== 'note').map(({ title }) => title);
    print(outcome.isVerified ? plainWords().verified : plainWords().notVerified([...new Set(open)].join('; ')));
    print(words().filesIn(dir));
    return outcome.isVerified ? 0 : 4;
  } finally {
    await stopJobs(dir);
    await site.stop();
    lock.release();
  }
}
