import { catalogue } from '../../src/text/catalogue.ts';
import type { Rehearsal } from '../../src/wizard/state.ts';

/** For the title line: `REHEARSAL 60x`; empty in life. */
export function rehearsalMark(rehearsal: Rehearsal | null): string {
  const { mark, pace, paused } = catalogue().rehearsal;
  return rehearsal === null ? '' : `${mark} ${rehearsal.isPaused ? paused : pace(rehearsal.speed)}`;
}
