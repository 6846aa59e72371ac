import { catalogue } from '../../src/i18n/catalogue.ts';
import { createFrameRows, type TerminalSize } from '../../src/rows/frame.ts';
import type { PageRow } from '../../src/rows/page-rows.ts';
import type { RehearsalPace } from '../../src/wizard/state.ts';
import { createWelcomeBindings, welcomeRows } from '../welcome.ts';

/**
 * Returns the mark in the title line: `REHEARSAL 60x`, `REHEARSAL waits`, `REHEARSAL paused`; empty in a real
 * installation.
 * @param isHeld whether the simulated clock stands still until the user goes on
 */
export function formatRehearsalMark(rehearsal: RehearsalPace | null, isHeld: boolean): string {
  const { mark, pace, clockHeld, paused } = catalogue().rehearsal;
  if (rehearsal === null) return '';
  return `${mark} ${rehearsal.isPaused ? paused : isHeld ? clockHeld : pace(rehearsal.speed)}`;
}

/** Returns the first frame: the welcome of a new installation, before it is known whether a session can be resumed. */
export function startupRows(
  { dir, isRehearsal }: { readonly dir: string | null; readonly isRehearsal: boolean },
  terminal: TerminalSize,
): readonly PageRow[] {
  const welcome = { dir: dir ?? '', isResumed: false, rehearsal: null, choice: 0, overview: null, nextDir: null };
  const hasChoices = dir !== null && !isRehearsal;
  const state = { welcome, document: {}, furthestScreenIndex: 0 };
  return createFrameRows(
    {
      cluster: '',
      version: '',
      rehearsal: isRehearsal ? catalogue().rehearsal.mark : '',
      breadcrumb: catalogue().screens.breadcrumbs.welcome,
      position: '',
      bindings: hasChoices ? createWelcomeBindings(state) : [],
      body: (viewport) =>
        welcomeRows(state, viewport, {
          hasChoices,
          ...(isRehearsal && dir !== null ? { status: catalogue().screens.welcome.startingSite } : {}),
        }),
    },
    terminal,
  );
}
