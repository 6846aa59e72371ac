import { type Clock, type ClockAnchor, createAnchoredClock, systemClock } from '../../platform/clock.ts';
import type { SiteConfig } from './config.ts';
import { type SitePaths, writeAtomically } from './files.ts';

/** The time of a site, with adjustable speed. */
export interface SiteTime {
  readonly clock: Clock;
  /** 0: it is halted. */
  readonly speed: () => number;
  /** Takes effect at once. It is saved for the other processes of the site and, unless it is 0, for the next start. */
  setSpeed(speed: number): void;
}

/** Creates the time that begins at `now` (ms of the site), at the speed of the configuration. */
export function createSiteTime(config: SiteConfig, paths: Pick<SitePaths, 'clock' | 'config'>, now: number): SiteTime {
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
    speed: () => anchor.speed,
    setSpeed(speed) {
      anchor = { simulated: clock.now(), real: systemClock.now(), speed };
      saveAnchor();
      if (speed > 0) writeAtomically(paths.config, JSON.stringify({ ...config, speed }, null, 1));
      for (const listener of [...listeners]) listener();
    },
  };
}
