import { type Clock, type ClockAnchor, followingClock, systemClock } from '../../ports/clock.ts';
import type { SiteConfig } from './config.ts';
import { type SitePaths, writeAtomically } from './files.ts';

/** The time of a site, which runs as fast as a person wishes. */
export interface TimeLine {
  readonly clock: Clock;
  /** 0: it stands still. */
  readonly speed: () => number;
  /** From now on; noted for the other processes of the site, and (unless it is 0) for the next start. */
  setSpeed(speed: number): void;
}

/** The time line that begins at `now` (ms of the site), at the speed of the configuration. */
export function startTimeLine(config: SiteConfig, paths: Pick<SitePaths, 'clock' | 'config'>, now: number): TimeLine {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  let anchor: ClockAnchor = { real: systemClock.now(), simulated: now, speed: config.speed };
  const note = () => writeAtomically(paths.clock, JSON.stringify(anchor));
  note();
  const clock = followingClock(() => anchor, subscribe);
  return {
    clock,
    speed: () => anchor.speed,
    setSpeed(speed) {
      anchor = { simulated: clock.now(), real: systemClock.now(), speed };
      note();
      if (speed > 0) writeAtomically(paths.config, JSON.stringify({ ...config, speed }, null, 1));
      for (const listener of [...listeners]) listener();
    },
  };
}
