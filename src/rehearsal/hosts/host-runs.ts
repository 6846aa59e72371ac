import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, SECOND } from '../../ports/clock.ts';
import { keepFiles, otherFiles, putBack, scriptFacts } from './installed.ts';
import { isEdited, isRunning, type Notes, openNotes, sumAt } from './run-notes.ts';
import { planRecords, type RecordedHost, statusRecord, undoRecords } from './run-records.ts';

/** What the service hosts do for a run. */
export interface RunHost {
  readonly root: string;
  /** Copies files below the root, as the people of this rehearsal do. */
  place(filesDir: string): void;
  /** Starts what is configured there, and stops what is not any more. */
  reload(): Promise<void>;
  /** Whether a service of this name runs; null: the rehearsal plays no such service. */
  isRunning(unit: string): boolean | null;
}

/** How long the parts of a run take, in the site's time. */
const TAKES = { packages: 20 * SECOND, file: SECOND, checks: 2 * SECOND, firewall: 3 * SECOND, services: 4 * SECOND };
/** Whoever checks and confirms needs this long at least, however fast the site's time runs (real ms). */
const LEAST_TO_CONFIRM = 20 * SECOND;

/** What a host answers to an argument list of the runner. */
export interface RunAnswer {
  readonly lines: readonly string[];
  /** It has nothing more to say; only `follow` says so later. */
  readonly isOver: boolean;
}

/**
 * The runs of `install.sh` on a host of the rehearsal, as `host-run.sh` starts, follows, reverts and confirms them there: the same
 * arguments and records, files really put in place and back, in the time of the site.
 * @param dir of its own, where its notes survive the end of the site
 */
export function createHostRuns(options: {
  readonly dir: string;
  readonly host: RunHost;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How many times as fast as life the site's time runs. */
  readonly speed: () => number;
}) {
  const { dir, host, clock, signal, speed } = options;
  const paths = {
    notes: join(dir, 'notes.json'),
    files: join(dir, 'files'),
    first: join(dir, 'first'),
    last: join(dir, 'last'),
  };
  const { notes, save } = openNotes(paths.notes);
  const say = (line: string) => {
    notes.log.push(line);
    save();
  };
  const wait = (ms: number) => clock.sleep(ms, signal);

  /** Puts the files in place, with what is needed to put them back. */
  function place(filesDir: string): void {
    const changed = otherFiles(filesDir, host.root).map(({ path }) => path);
    keepFiles(
      changed.filter((path) => notes.placed[path] === undefined),
      host.root,
      paths.first,
    );
    rmSync(paths.last, { recursive: true, force: true });
    keepFiles(changed, host.root, paths.last);
    notes.changed = changed;
    host.place(filesDir);
    for (const path of changed) notes.placed[path] = sumAt(host.root, path);
    save();
  }

  const isActive = (unit: string) => host.isRunning(unit) ?? notes.started.includes(unit);
  const recorded: RecordedHost = { notes, root: host.root, first: paths.first, isActive };

  async function install(): Promise<void> {
    const { packages, units } = scriptFacts(paths.files);
    say('@stage\tpackages');
    const missing = packages.filter((name) => !notes.packages.includes(name));
    if (missing.length > 0) {
      say(`Install: ${missing.join(' ')}`);
      await wait(TAKES.packages);
      notes.packages.push(...missing);
    }
    say('@stage\tfiles');
    for (const { path } of otherFiles(paths.files, host.root)) {
      say(`Place: ${path}`);
      await wait(TAKES.file);
    }
    place(paths.files);
    say('@stage\tchecks');
    await wait(TAKES.checks);
    say('@stage\tfirewall');
    await wait(TAKES.firewall);
    say('@stage\tservices');
    const idleBefore = units.filter((unit) => !isActive(unit));
    for (const unit of idleBefore) say(`Run: systemctl start ${unit}`);
    await host.reload();
    await wait(TAKES.services);
    notes.started = [...new Set([...notes.started, ...idleBefore])];
    const idle = units.find((unit) => !isActive(unit));
    if (idle !== undefined) {
      say(`${idle} does not run.`);
      say('@stage\trevert');
      await revert();
      return end(1, null);
    }
    say('Done.');
    const seconds = Number(notes.argument);
    if (seconds === 0) return end(0, 'confirmed');
    notes.deadline = clock.now() + Math.max(seconds * SECOND, LEAST_TO_CONFIRM * speed());
    end(0, 'open');
  }

  async function revert(): Promise<void> {
    putBack(notes.changed, host.root, paths.last);
    notes.placed = { ...notes.before?.placed };
    notes.started = [...(notes.before?.started ?? [])];
    await host.reload();
    say('As it was before this run; packages stay.');
  }

  async function undo(): Promise<void> {
    const all = Object.keys(notes.placed);
    const stay = notes.argument === '--all' ? [] : all.filter((path) => isEdited(notes, host.root, path));
    for (const path of stay) say(`Somebody changed it, so it stays: ${path}`);
    putBack(
      all.filter((path) => !stay.includes(path)),
      host.root,
      paths.first,
    );
    await wait(TAKES.services);
    notes.started = [];
    await host.reload();
    notes.placed = Object.fromEntries(Object.entries(notes.placed).filter(([path]) => stay.includes(path)));
    say('As it was before the first run; packages stay.');
    end(0, null);
  }

  function end(exit: number, outcome: Notes['outcome']): void {
    Object.assign(notes, { exit, outcome });
    save();
  }

  async function play(): Promise<void> {
    if (isRunning(notes)) await (notes.action === 'undo' ? undo() : install());
    const { id, deadline } = notes;
    if (notes.outcome !== 'open' || deadline === null) return;
    await wait(Math.max(0, deadline - clock.now()));
    if (notes.id !== id || notes.outcome !== 'open') return;
    await revert();
    end(0, 'reverted');
  }

  /** The end of the site ends what is played; it goes on when the site is there again. */
  const playOn = () =>
    void play().catch((error: unknown) => {
      if (signal.aborted) return;
      say(error instanceof Error ? error.message : String(error));
      end(1, null);
    });

  function start(filesDir: string, action: string, argument: string): string[] {
    if (isRunning(notes)) throw new Error('Another run is under way here.');
    rmSync(paths.files, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    cpSync(filesDir, paths.files, { recursive: true });
    const id = `${Math.floor(clock.now() / SECOND)}-${notes.log.length}`;
    const before = { placed: { ...notes.placed }, started: [...notes.started] };
    Object.assign(notes, {
      id,
      action: action === 'undo' ? 'undo' : 'install',
      argument,
      exit: null,
      outcome: null,
      deadline: null,
      log: [],
      before,
    });
    save();
    playOn();
    return [`job\t${id}`];
  }

  function answer(filesDir: string, argv: readonly string[]): RunAnswer {
    const [verb, first = '', second = ''] = argv;
    const over = (lines: readonly string[]): RunAnswer => ({ lines, isOver: true });
    switch (verb) {
      case 'plan':
        return over(planRecords(recorded, filesDir));
      case 'undo-plan':
        return over(undoRecords(recorded));
      case 'start':
        return over(start(filesDir, first, second));
      case 'status':
        return over([statusRecord(notes, clock.now())]);
      case 'confirm':
        if (notes.outcome === 'open') end(0, 'confirmed');
        return over([`outcome\t${notes.outcome ?? ''}`]);
      case 'follow': {
        const lines = notes.log.slice(Number(first) - 1);
        return isRunning(notes) ? { lines, isOver: false } : over([...lines, `@end\t${notes.exit ?? ''}`]);
      }
      default:
        throw new Error(`host-run.sh ${argv.join(' ')}?`);
    }
  }

  playOn();
  return { place, answer };
}

export type HostRuns = ReturnType<typeof createHostRuns>;
