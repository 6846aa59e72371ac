import { type Clock, systemClock } from '../../ports/clock.ts';
import type { Store } from '../api/store.ts';
import type { SlipNotes } from '../hosts/slips.ts';
import type { SavedWorld } from '../world/saved.ts';
import type { SiteStatus } from './config.ts';
import { readJson, type SitePaths, writeAtomically } from './files.ts';

const SAVE_EVERY_MS = 2000;
/** After a change; more that follow meanwhile are saved with it. */
const SAVE_AFTER_MS = 300;

/** The world as a site left it; a new one where it has not run before. */
export function loadWorld(paths: SitePaths): SavedWorld & { readonly slips: SlipNotes } {
  const saved: SavedWorld = readJson<SavedWorld>(paths.world) ?? {
    format: 1,
    now: systemClock.now(),
    machines: {},
    cluster: null,
    timers: {},
    monitoringConfig: '',
    store: null,
    slips: {},
  };
  const { slips = {} } = saved;
  // While nothing happens only the time is saved, in a file of its own.
  const now = Math.max(saved.now, readJson<number>(paths.now) ?? 0);
  return Object.assign(saved, { slips, now });
}

/**
 * Keeps the world of a site on disk, and beside it the kubeconfig of somebody's oc.
 * @param options.ocKubeconfig its text as it is due now; empty while there is no cluster
 */
export function keepWorld(options: {
  readonly saved: SavedWorld;
  readonly paths: SitePaths;
  readonly clock: Clock;
  readonly store: Store;
  readonly ocKubeconfig: () => string;
}) {
  const { saved, paths, clock, store } = options;
  let soon: NodeJS.Timeout | undefined;
  let saving: NodeJS.Timeout | undefined;
  let written = '';
  let unsaved: SiteStatus['unsaved'] = null;

  function writeOc(): void {
    const text = options.ocKubeconfig();
    if (text === '' || text === written) return;
    writeAtomically(paths.ocKubeconfig, text);
    written = text;
  }

  /** A save that fails, as on a full disk, is told, and tried again; the site plays on. */
  function save(): void {
    clearTimeout(soon);
    soon = undefined;
    saved.now = clock.now();
    try {
      const { store: _loaded, ...others } = saved;
      writeAtomically(paths.world, `${JSON.stringify(others).slice(0, -1)},"store":${store.dumpText()}}`);
      writeOc();
      unsaved = null;
    } catch (error) {
      unsaved ??= { since: clock.now(), detail: error instanceof Error ? error.message : String(error) };
    }
  }

  function saveTime(): void {
    try {
      writeAtomically(paths.now, JSON.stringify(clock.now()));
      if (unsaved !== null) save();
    } catch {
      save();
    }
  }

  return {
    save,
    /** Saves what has changed, with what changes right after it. */
    saveSoon: () => {
      soon ??= setTimeout(save, SAVE_AFTER_MS);
    },
    /** Since when the world could not be saved, and why; null: it is. */
    unsaved: () => unsaved,
    begin() {
      saving = setInterval(saveTime, SAVE_EVERY_MS);
      save();
    },
    end: () => clearInterval(saving),
  };
}
