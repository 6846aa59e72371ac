import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { exampleDesign } from '../design/example.ts';
import type { Design } from '../design/model.ts';
import { checkDocument, parseDesign } from '../design/parse.ts';
import { runSteps } from '../plain/run-steps.ts';
import { FAULTS, type FaultId, findSite, isFaultId, type Site, startSite } from '../rehearsal/site-client.ts';
import { rememberDirectory } from '../session/directories.ts';
import { acquireLock } from '../session/lock.ts';
import { openSession } from '../session/store.ts';
import { cli as words } from '../text/en/cli.ts';
import { plain as plainWords } from '../text/en/plain.ts';
import type { Document } from '../wizard/document.ts';
import { usableDirectory } from './directory.ts';
import { fullScreenWizard } from './full-screen.ts';
import type { CommandIo } from './io.ts';
import { exampleDocument, openSaved, type Saved } from './saved.ts';
import { UsageError } from './usage.ts';
import { canShowScreens, type Host, type OpenedWizard, onScreens } from './wizard.ts';
import { type Programs, siteWorld, stepContext } from './world.ts';

interface Options {
  readonly dir: string;
  readonly answers: string | null;
  readonly speed: number;
  readonly seed: number;
  readonly faults: readonly FaultId[];
}

/** `upi-wizard rehearse`: the wizard against a simulated site, or with `--answers --plain` the whole way without a person. */
export async function rehearseCommand(argv: readonly string[], io: CommandIo, host: Host): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      dir: { type: 'string' },
      answers: { type: 'string' },
      plain: { type: 'boolean' },
      speed: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      break: { type: 'string', multiple: true },
      stop: { type: 'boolean' },
      'screen-reader': { type: 'boolean' },
    },
  });
  const isWithoutPerson = values.plain === true && values.answers !== undefined;
  const named = values.dir === undefined ? null : resolve(io.cwd, values.dir);
  if (values.stop) return await stopRehearsal(named ?? resolve(io.cwd, 'upi-rehearsal'), io);
  if (!isWithoutPerson && !canShowScreens(io)) return 2;
  const numbers = { speed: positive('--speed', values.speed), seed: positive('--seed', values.seed) };
  const faults = (values.break ?? []).flatMap((list) => list.split(',')).map(faultOf);
  const answers = values.answers ?? null;
  if (isWithoutPerson && answers !== null) {
    const dir = usableDirectory(named ?? mkdtempSync(join(tmpdir(), 'upi-rehearsal-')));
    return await rehearsePlainly({ dir, answers, faults, ...numbers }, io, host);
  }
  const read = answers === null ? null : readAnswers(answers, io);
  if (read && !read.isReadable) return 2;
  if (read && read.design === null) return 3;
  const dir = usableDirectory(named ?? resolve(io.cwd, 'upi-rehearsal'));
  const opening = { dir, isRehearsal: true, isForScreenReader: values['screen-reader'] === true };
  return await onScreens(host, opening, (opened) =>
    rehearseOnScreens({ dir, answers, faults, ...numbers }, read?.document ?? null, io, host, opened),
  );
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new UsageError(words.badNumber(option, text));
  return value;
}

function faultOf(id: string): FaultId {
  if (isFaultId(id)) return id;
  throw new UsageError(words.unknownFault(id, FAULTS.map((fault) => fault.id).join(', ')));
}

async function stopRehearsal(dir: string, io: CommandIo): Promise<number> {
  const site = await findSite(siteDirectory(dir));
  if (site === null) {
    io.stderr(`${words.noSite(dir)}\n`);
    return 4;
  }
  await stopJobs(dir);
  await site.stop();
  io.stderr(`${words.siteStopped}\n`);
  return 0;
}

const siteDirectory = (dir: string) => join(dir, '.upi-wizard', 'site');

/** The design of an answers file; its problems are printed. */
function readAnswers(
  file: string,
  io: CommandIo,
): {
  readonly design: Design | null;
  readonly document: Document;
  readonly base: string;
  readonly isReadable: boolean;
} {
  if (file === 'example') return { ...parseDesign(exampleDesign({})), base: io.cwd, isReadable: true };
  const path = resolve(io.cwd, file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    io.stderr(`${words.cannotRead(file, (error as Error).message)}\n`);
    return { design: null, document: null, base: io.cwd, isReadable: false };
  }
  const { design, document, problems } = parseDesign(text);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) io.stderr(`${words.designErrors(file)}\n`);
  for (const { path: at, message, fix } of errors) io.stderr(`${plainWords.problem(at, message, fix)}\n`);
  return { design, document, base: dirname(path), isReadable: true };
}

/** Plays the whole way in plain lines, and takes the site down at the end. */
async function rehearsePlainly(options: Options, io: CommandIo, host: Host): Promise<number> {
  const { dir, answers } = options;
  const { design, document, base, isReadable } = readAnswers(answers ?? 'example', io);
  if (!isReadable) return 2;
  if (design === null) return 3;
  const lock = acquireLock(dir);
  const abort = new AbortController();
  const saved = openSaved(openSession(dir));
  const site = await openSite(options, design, saved, io, host.programs);
  const leave = (code: number) => {
    abort.abort(new Error('stopped'));
    io.stderr(`${words.siteLivesOn(dir)}\n`);
    process.exit(code);
  };
  // The state is saved with every fact; the site lives on, and the same directory goes on from here.
  process.once('SIGINT', () => leave(130));
  process.once('SIGTERM', () => leave(143));
  process.once('SIGHUP', () => leave(129));
  try {
    // With the design that is played: other commands on this directory judge by it.
    saved.update({ design: document, place: { screen: 'generate', field: null } });
    const context = stepContext({
      world: siteWorld(site),
      programs: host.programs,
      dir,
      base,
      design,
      memory: saved.memory,
      signal: abort.signal,
    });
    const print = (line: string) => io.stdout(`${line}\n`);
    const outcome = await runSteps(context, { print, confirm: () => Promise.resolve(true) });
    const open = outcome.findings.filter(({ severity }) => severity !== 'note').map(({ title }) => title);
    print(outcome.isVerified ? plainWords.verified : plainWords.notVerified([...new Set(open)].join('; ')));
    print(words.filesIn(dir));
    return outcome.isVerified ? 0 : 4;
  } finally {
    await stopJobs(dir);
    await site.stop();
    lock.release();
  }
}

/** The jobs of a rehearsal end with it: nothing is left to serve. */
async function stopJobs(dir: string): Promise<void> {
  const { stopJob } = await import('../bastion/jobs.ts');
  const { systemClock } = await import('../ports/clock.ts');
  const jobs = join(dir, '.upi-wizard', 'jobs');
  await Promise.all(
    ['boot-server', 'bootstrap-complete', 'install-complete'].map((name) =>
      stopJob(jobs, name, { clock: systemClock }),
    ),
  );
}

/** Finds the site of a directory, or starts it; what it runs with is written down for the next time. */
async function openSite(
  options: Options,
  design: Design,
  saved: Saved,
  io: CommandIo,
  programs: Programs,
): Promise<Site> {
  const { dir, speed, seed, faults } = options;
  const siteDir = siteDirectory(dir);
  if (!existsSync(siteDir)) io.stderr(`${words.siteStarting(siteDir)}\n`);
  const site = await startSite({
    siteDir,
    design,
    speed,
    seed,
    faults,
    siteProgram: programs.site,
    standInProgram: programs.standIn,
  });
  if (site.speed !== speed || site.seed !== seed || site.faults.join() !== faults.join())
    io.stderr(`${words.siteKept(site.speed)}\n`);
  saved.update({ rehearsal: { siteDir, speed: site.speed, seed: site.seed, faults: [...site.faults] } });
  return site;
}

/** Goes on with the rehearsal that lives in an install directory. */
export function resumeRehearsal(
  dir: string,
  { speed, seed, faults }: { readonly speed: number; readonly seed: number; readonly faults: readonly string[] },
  io: CommandIo,
  host: Host,
  opened: OpenedWizard,
): Promise<number> {
  const options = { dir, answers: null, speed, seed, faults: faults.filter(isFaultId) };
  return rehearseOnScreens(options, null, io, host, opened);
}

/** The full-screen wizard against the site of the directory. */
async function rehearseOnScreens(
  options: Options,
  answered: Document | null,
  io: CommandIo,
  host: Host,
  opened: OpenedWizard,
): Promise<number> {
  const { dir } = options;
  // The terminal shows the wizard already: nothing may be printed over it.
  const quiet: CommandIo = { ...io, stderr: () => undefined };
  let saved = openSaved(openSession(dir));
  if (answered !== null && !saved.isResumed) {
    saved.update({ design: answered, place: { screen: 'review', field: null } });
    saved = openSaved(openSession(dir));
  }
  const planned = checkDocument(saved.current().design).design ?? checkDocument(exampleDocument()).design;
  if (planned === null) return 1;
  let site = await openSite(options, planned, saved, quiet, host.programs);
  rememberDirectory(dir);
  let built = JSON.stringify(planned);
  const world = siteWorld(site);
  const code = await fullScreenWizard({
    dir,
    saved,
    io,
    host,
    opened,
    world: { ...world, hands: delegate(() => site.hands) },
    // The machines of the site are those of the design: they are set up anew as long as none was switched on.
    beforeStep: async ({ design }) => {
      const wanted = JSON.stringify(design);
      if (wanted === built) return;
      const { machines } = await site.status();
      if (machines.every(({ isOn }) => !isOn)) {
        await site.stop();
        site = await openSite(options, design, saved, quiet, host.programs);
      }
      built = wanted;
    },
  });
  // The way is at its end: what was played is over, and nothing is left running.
  if (saved.current().place.screen === 'report' && existsSync(join(dir, 'report.md'))) {
    await stopJobs(dir);
    await site.stop();
  } else {
    io.stderr(`${words.siteLivesOn(dir)}\n`);
  }
  return code;
}

function delegate<T extends object>(current: () => T): T {
  return new Proxy({} as T, { get: (_target, name) => Reflect.get(current(), name) });
}
