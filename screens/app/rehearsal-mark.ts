import { catalogue } from '../../src/i18n/catalogue.ts';
import type { RehearsalPace } from '../../src/wizard/state.ts';

/** Returns the mark in the title line: `REHEARSAL 60x`; empty in a real installation. */
export function formatRehearsalMark(rehearsal: RehearsalPace | null): string {
  const { mark, pace, paused } = catalogue().rehearsal;
  return rehearsal === null ? '' : `${mark} ${rehearsal.isPaused ? paused : pace(rehearsal.speed)}`;
}
