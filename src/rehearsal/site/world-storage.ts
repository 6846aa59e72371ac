import { type Clock, type ClockAnchor, createAnchoredClock, systemClock } from '../../platform/clock.ts';
import type { Store } from '../api/store.ts';
import type { FileFaultState } from '../hosts/file-faults.ts';
import type { SavedWorld } from '../world/saved-world.ts';
import type { SiteConfig, SiteStatus } from './config.ts';
import { readJson, type SitePaths, writeAtomically } from './files.ts';

const SAVE_INTERVAL_MS = 2000;
/** Delay after a change: later changes within it are saved together. */
const SAVE_DELAY_MS = 300;

/** Loads the saved world of a site, or creates a new one. */
export function loadWorld(paths: SitePaths): SavedWorld & { readonly slips: FileFaultState } {
  const savedWorld: SavedWorld = readJson<SavedWorld>(paths.world) ?? {
    format: 1,
    now: systemClock.now(),
    machines: {},
    cluster: null,
    timers: {},
    monitoringConfig: '',
    store: null,
    slips: {},
  };
  const { slips = {} } = savedWorld;
  // Without changes, only the time is saved, in its own file.
  const now = Math.max(savedWorld.now, readJson<number>(paths.now) ?? 0);
  return Object.assign(savedWorld, { slips, now });
}

/**
 * Saves the world of a site to disk, and a kubeconfig for the user's own `oc`.
 * @param options.buildOcKubeconfig returns the text of that kubeconfig; empty while there is no cluster
 */
export function createWorldStorage(options: {
  readonly saved: SavedWorld;
  readonly paths: SitePaths;
  readonly clock: Clock;
  readonly store: Store;
  readonly buildOcKubeconfig: () => string;
}) {
  const { saved, paths, clock, store } = options;
  let saveTimer: NodeJS.Timeout | undefined;
  let timeInterval: NodeJS.Timeout | undefined;
  let writtenKubeconfig = '';
  let saveFailure: SiteStatus['unsaved'] = null;

  function writeOcKubeconfig(): void {
    const text = options.buildOcKubeconfig();
    if (text === '' || text === writtenKubeconfig) return;
    writeAtomically(paths.ocKubeconfig, text);
    writtenKubeconfig = text;
  }

  /** Saves the world. A failed save, as on a full disk, is reported and repeated; the site continues. */
  function save(): void {
    clearTimeout(saveTimer);
    saveTimer = undefined;
    saved.now = clock.now();
    try {
      const { store: _loaded, ...otherFields } = saved;
      writeAtomically(paths.world, `${JSON.stringify(otherFields).slice(0, -1)},"store":${store.dumpText()}}`);
      writeOcKubeconfig();
      saveFailure = null;
    } catch (error) {
      saveFailure ??= { since: clock.now(), detail: error instanceof Error ? error.message : String(error) };
    }
  }

  function saveTime(): void {
    try {
      writeAtomically(paths.now, JSON.stringify(clock.now()));
      if (saveFailure !== null) save();
    } catch {
      save();
    }
  }

  return {
    save,
    /** Saves a change after a short delay, together with the changes that follow it. */
    scheduleSave: () => {
      saveTimer ??= setTimeout(save, SAVE_DELAY_MS);
    },
    /** Returns since when and why the world could not be saved; null: the world is saved. */
    getSaveFailure: () => saveFailure,
    start() {
      timeInterval = setInterval(saveTime, SAVE_INTERVAL_MS);
      save();
    },
    stop: () => clearInterval(timeInterval),
  };
}

/** The time of a site, with adjustable speed. */
export type SiteTime = ReturnType<typeof createSiteTime>;

/** Creates the time that begins at `now` (ms of the site), at the speed of the configuration. */
export function createSiteTime(config: SiteConfig, paths: Pick<SitePaths, 'clock' | 'config'>, now: number) {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  let anchor: ClockAnchor = { real: systemClock.now(), simulated: now, speed: config.speed };
  const saveAnchor = () => writeAtomically(paths.clock, JSON.stringify(anchor));
  saveAnchor();
  const clock = createAnchoredClock(() => anchor, subscribe);
  return {
    clock,
    /** Returns the speed, as a multiple of real time. 0: the time is halted. */
    getSpeed: () => anchor.speed,
    /** Sets the speed at once. Saves the speed for other processes and, unless it is 0, for the next start. */
    setSpeed(speed: number): void {
      anchor = { simulated: clock.now(), real: systemClock.now(), speed };
      saveAnchor();
      if (speed > 0) writeAtomically(paths.config, JSON.stringify({ ...config, speed }, null, 1));
      for (const listener of [...listeners]) listener();
    },
  };
}
