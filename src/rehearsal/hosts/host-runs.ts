import { hash } from 'node:crypto';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, SECOND } from '../../platform/clock.ts';
import { readJson, readText, writeAtomically } from '../site/files.ts';
import {
  backUpFiles,
  formatDiffRecords,
  listChangedFiles,
  readScriptDeclarations,
  restoreFiles,
} from './host-files.ts';

/** State of the runs on a host; saved after every change. */
interface HostRunState {
  id: string | null;
  action: 'install' | 'undo';
  argument: string;
  exit: number | null;
  outcome: 'open' | 'confirmed' | 'reverted' | null;
  /** Ms of the site's clock. */
  deadline: number | null;
  log: string[];
  /** Paths that the last run changed. */
  changed: string[];
  /** Path -> checksum of each file that runs have installed since the first one. */
  placed: Record<string, string>;
  packages: string[];
  /** Units that runs have started. */
  started: string[];
  before: Pick<HostRunState, 'placed' | 'started'> | null;
}

const createState = (): HostRunState => ({
  ...{ id: null, action: 'install', argument: '', exit: null, outcome: null, deadline: null, before: null },
  ...{ log: [], changed: [], placed: {}, packages: [], started: [] },
});

/** Whether a run has started and not ended. */
function isRunInProgress({ id, exit }: HostRunState): boolean {
  return id !== null && exit === null;
}

/**
 * Formats the record of `host-run.sh status`.
 * @param now ms of the site's clock
 */
function formatStatusRecord(state: HostRunState, now: number): string {
  const { id, action, exit, outcome, deadline } = state;
  const remainingSeconds = outcome === 'open' && deadline !== null ? Math.ceil((deadline - now) / SECOND) : null;
  const isRunning = isRunInProgress(state) ? 'yes' : 'no';
  return ['status', id, action, isRunning, exit, outcome, remainingSeconds].map((field) => field ?? '').join('\t');
}

/** A service host as its runs use it. */
interface RunHost {
  readonly root: string;
  /** Copies files below the root, and applies the injected faults to them. */
  placeFiles(filesDir: string): void;
  /** Starts the configured services and stops all others. */
  reload(): Promise<void>;
  /** Whether a unit runs with its current file; null: the rehearsal does not simulate that service. */
  isRunning(unit: string): boolean | null;
}

/** Durations of the stages of a run, in the site's time. */
const STAGE_DURATIONS = {
  packages: 20 * SECOND,
  file: SECOND,
  checks: 2 * SECOND,
  firewall: 3 * SECOND,
  services: 4 * SECOND,
};

/** Minimum time to check and confirm a run, however fast the site's time runs (real ms). */
const MIN_CONFIRM_TIME = 20 * SECOND;

/** Output of `host-run.sh` for one list of arguments. */
export interface RunnerOutput {
  readonly lines: readonly string[];
  /** Whether no more lines follow. Only `follow` returns incomplete output. */
  readonly isOver: boolean;
}

/**
 * Simulates `host-run.sh`, which starts, follows, reverts and confirms runs of `install.sh` on a host. Takes the
 * arguments of the real script and prints its records. Really installs and restores files, in the time of the site.
 * @param options.dir directory for the state of the runs, which survives the end of the site
 */
export function createHostRuns(options: {
  readonly dir: string;
  readonly host: RunHost;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Speed of the site's time, as a multiple of real time. */
  readonly getSpeed: () => number;
}) {
  const { dir, host, clock, signal, getSpeed } = options;
  const paths = {
    state: join(dir, 'notes.json'),
    files: join(dir, 'files'),
    originals: join(dir, 'first'),
    previous: join(dir, 'last'),
  };
  const state: HostRunState = { ...createState(), ...readJson<HostRunState>(paths.state) };
  const save = () => writeAtomically(paths.state, JSON.stringify(state));
  const log = (line: string) => {
    state.log.push(line);
    save();
  };
  const wait = (ms: number) => clock.sleep(ms, signal);
  const isActive = (unit: string) => host.isRunning(unit) ?? state.started.includes(unit);
  /** Returns the checksum of a file on the host; a missing file counts as empty. */
  const hashFile = (path: string) => hash('sha256', readText(join(host.root, path)) ?? '');
  /** Whether the file was changed after a run installed it. */
  const isEdited = (path: string) => state.placed[path] !== undefined && hashFile(path) !== state.placed[path];

  /** Formats the records of `install.sh --plan`. */
  function formatPlanRecords(filesDir: string): string[] {
    const { packages, units, modes } = readScriptDeclarations(filesDir);
    const missingPackages = packages.filter((name) => !state.packages.includes(name));
    const inactiveUnits = units.filter((unit) => !isActive(unit));
    return [
      ...(missingPackages.length > 0 ? [`install\t${missingPackages.join(' ')}`] : []),
      ...listChangedFiles(filesDir, host.root).flatMap(({ path, isNew }) => {
        const mode = modes.get(path) ?? '0644';
        const status = isEdited(path) ? 'edited' : isNew ? 'new' : 'changed';
        const diff = formatDiffRecords(readText(join(host.root, path)), readText(join(filesDir, path)));
        return [`place\t${path}\t${status}\t${mode}`, ...(isNew || mode.endsWith('00') ? [] : diff)];
      }),
      ...inactiveUnits.map((unit) => `run\tsystemctl start ${unit}`),
      ...units.map((unit) => `unit\t${unit}\t${isActive(unit) ? 'active' : 'inactive'}`),
      ...(state.outcome === 'open' ? ['unsettled'] : []),
      ...(Object.keys(state.placed).length > 0 ? ['installed'] : []),
    ];
  }

  /** Formats the records of `install.sh --undo-plan`. */
  function formatUndoRecords(): string[] {
    const restoreRecords = Object.keys(state.placed).map((path) => {
      const hasOriginal = readText(join(paths.originals, path)) !== null;
      return `back\t${path}\t${isEdited(path) ? 'edited' : hasOriginal ? 'restore' : 'remove'}`;
    });
    return [
      ...restoreRecords,
      ...state.started.map((unit) => `run\tsystemctl stop ${unit}`),
      ...state.packages.map((name) => `stays\t${name}`),
    ];
  }

  /** Installs the files, after a backup of those that they replace. */
  function installFiles(filesDir: string): void {
    const changedPaths = listChangedFiles(filesDir, host.root).map(({ path }) => path);
    const firstChangedPaths = changedPaths.filter((path) => state.placed[path] === undefined);
    backUpFiles(firstChangedPaths, host.root, paths.originals);
    rmSync(paths.previous, { recursive: true, force: true });
    backUpFiles(changedPaths, host.root, paths.previous);
    state.changed = changedPaths;
    host.placeFiles(filesDir);
    for (const path of changedPaths) state.placed[path] = hashFile(path);
    save();
  }

  /** Installs the files, packages and services at once, without a run. */
  function installAtOnce(filesDir: string): void {
    const { packages, units } = readScriptDeclarations(filesDir);
    const inactiveUnits = units.filter((unit) => !isActive(unit));
    installFiles(filesDir);
    state.packages = [...new Set([...state.packages, ...packages])];
    state.started = [...new Set([...state.started, ...inactiveUnits])];
    save();
  }

  async function install(): Promise<void> {
    const { packages, units } = readScriptDeclarations(paths.files);
    log('@stage\tpackages');
    const missingPackages = packages.filter((name) => !state.packages.includes(name));
    if (missingPackages.length > 0) {
      log(`Install: ${missingPackages.join(' ')}`);
      await wait(STAGE_DURATIONS.packages);
      state.packages.push(...missingPackages);
    }
    log('@stage\tfiles');
    for (const { path } of listChangedFiles(paths.files, host.root)) {
      log(`Place: ${path}`);
      await wait(STAGE_DURATIONS.file);
    }
    installFiles(paths.files);
    log('@stage\tchecks');
    await wait(STAGE_DURATIONS.checks);
    log('@stage\tfirewall');
    await wait(STAGE_DURATIONS.firewall);
    log('@stage\tservices');
    const unitsToStart = units.filter((unit) => !isActive(unit));
    for (const unit of unitsToStart) log(`Run: systemctl start ${unit}`);
    await host.reload();
    await wait(STAGE_DURATIONS.services);
    state.started = [...new Set([...state.started, ...unitsToStart])];
    const inactiveUnit = units.find((unit) => !isActive(unit));
    if (inactiveUnit !== undefined) {
      log(`${inactiveUnit} does not run.`);
      log('@stage\trevert');
      await revert();
      return finish(1, null);
    }
    log('Done.');
    const seconds = Number(state.argument);
    if (seconds === 0) return finish(0, 'confirmed');
    state.deadline = clock.now() + Math.max(seconds * SECOND, MIN_CONFIRM_TIME * getSpeed());
    finish(0, 'open');
  }

  async function revert(): Promise<void> {
    restoreFiles(state.changed, host.root, paths.previous);
    state.placed = { ...state.before?.placed };
    state.started = [...(state.before?.started ?? [])];
    await host.reload();
    log('This host is as it was before this run; packages stay installed.');
  }

  async function undo(): Promise<void> {
    const placedPaths = Object.keys(state.placed);
    const editedPaths = state.argument === '--all' ? [] : placedPaths.filter(isEdited);
    for (const path of editedPaths) log(`Not restored, because it was changed since it was installed: ${path}`);
    const restoredPaths = placedPaths.filter((path) => !editedPaths.includes(path));
    restoreFiles(restoredPaths, host.root, paths.originals);
    await wait(STAGE_DURATIONS.services);
    state.started = [];
    await host.reload();
    state.placed = Object.fromEntries(Object.entries(state.placed).filter(([path]) => editedPaths.includes(path)));
    log('This host is as it was before the first run; packages stay installed.');
    finish(0, null);
  }

  function finish(exit: number, outcome: HostRunState['outcome']): void {
    Object.assign(state, { exit, outcome });
    save();
  }

  async function resumeRun(): Promise<void> {
    if (isRunInProgress(state)) await (state.action === 'undo' ? undo() : install());
    const { id, deadline } = state;
    if (state.outcome !== 'open' || deadline === null) return;
    await wait(Math.max(0, deadline - clock.now()));
    if (state.id !== id || state.outcome !== 'open') return;
    await revert();
    finish(0, 'reverted');
  }

  /** Starts or resumes the run. When the site ends, the run is interrupted; the next start of the site resumes it. */
  const resumeInBackground = () =>
    void resumeRun().catch((error: unknown) => {
      if (signal.aborted) return;
      log(error instanceof Error ? error.message : String(error));
      finish(1, null);
    });

  function start(filesDir: string, action: string, argument: string): string[] {
    if (isRunInProgress(state)) throw new Error('Another run is in progress here.');
    rmSync(paths.files, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    cpSync(filesDir, paths.files, { recursive: true });
    const id = `${Math.floor(clock.now() / SECOND)}-${state.log.length}`;
    const before = { placed: { ...state.placed }, started: [...state.started] };
    const run = { id, action: action === 'undo' ? 'undo' : 'install', argument, log: [], before };
    Object.assign(state, { ...run, exit: null, outcome: null, deadline: null });
    save();
    resumeInBackground();
    return [`job\t${id}`];
  }

  function execute(filesDir: string, argv: readonly string[]): RunnerOutput {
    const [verb, firstArgument = '', secondArgument = ''] = argv;
    const createOutput = (lines: readonly string[]): RunnerOutput => ({ lines, isOver: true });
    switch (verb) {
      case 'plan':
        return createOutput(formatPlanRecords(filesDir));
      case 'undo-plan':
        return createOutput(formatUndoRecords());
      case 'start':
        return createOutput(start(filesDir, firstArgument, secondArgument));
      case 'status':
        return createOutput([formatStatusRecord(state, clock.now())]);
      case 'confirm':
        if (state.outcome === 'open') finish(0, 'confirmed');
        return createOutput([`outcome\t${state.outcome ?? ''}`]);
      case 'follow': {
        const lines = state.log.slice(Number(firstArgument) - 1);
        return isRunInProgress(state)
          ? { lines, isOver: false }
          : createOutput([...lines, `@end\t${state.exit ?? ''}`]);
      }
      default:
        throw new Error(`host-run.sh ${argv.join(' ')}?`);
    }
  }

  resumeInBackground();
  return { installAtOnce, execute };
}

export type HostRuns = ReturnType<typeof createHostRuns>;
