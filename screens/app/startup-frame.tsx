import { catalogue } from '../../src/i18n/catalogue.ts';
import { AppFrame } from '../../src/ui/components/app-frame.tsx';
import type { RehearsalPace } from '../../src/wizard/state.ts';
import { WelcomeView, welcomeBindings } from '../welcome.tsx';

/** Returns the mark in the title line: `REHEARSAL 60x`; empty in a real installation. */
export function formatRehearsalMark(rehearsal: RehearsalPace | null): string {
  const { mark, pace, paused } = catalogue().rehearsal;
  return rehearsal === null ? '' : `${mark} ${rehearsal.isPaused ? paused : pace(rehearsal.speed)}`;
}

/** Renders the first frame: the welcome of a new installation, before it is known whether a session can be resumed. */
export function StartupFrame({ dir, isRehearsal }: { readonly dir: string | null; readonly isRehearsal: boolean }) {
  const facts = { dir: dir ?? '', isResumed: false, rehearsal: null, choice: 0, overview: null, nextDir: null };
  const hasChoices = dir !== null && !isRehearsal;
  const state = { welcome: facts, document: {}, reached: 0 };
  return (
    <AppFrame
      cluster=""
      version=""
      rehearsal={isRehearsal ? catalogue().rehearsal.mark : ''}
      place={catalogue().screens.places.welcome}
      position=""
      sidebar={[]}
      bindings={hasChoices ? welcomeBindings(state) : []}
    >
      <WelcomeView state={state} hasChoices={hasChoices} />
    </AppFrame>
  );
}
