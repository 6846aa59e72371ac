import { catalogue } from '../../i18n/catalogue.ts';
import { systemClock } from '../../platform/clock.ts';
import type { SessionLock } from '../../session/lock.ts';
import { findPreviousRun } from '../../session/recovery.ts';
import type { Page, StepContext } from '../../steps/contract.ts';
import { describeClusterChanges } from '../../steps/welcome-back/cluster-changes.ts';
import { buildWelcomeBack } from '../../steps/welcome-back/index.ts';
import { isScreen } from '../../wizard/state.ts';

import type { WizardStore } from '../../wizard/store.ts';
import type { WorkingSession } from '../session/working-session.ts';

/** The card about what happened while the user was away; null after a short absence, or if nothing has begun. */
export async function createWelcomeCard(
  dir: string,
  { owner }: SessionLock,
  session: WorkingSession,
): Promise<Page | null> {
  const { place, question } = session.current();
  const { screen } = place;
  if (!session.isResumed || !isScreen(screen) || screen === 'welcome') return null;
  const { user, from } = owner;
  return await buildWelcomeBack(dir, {
    user,
    from,
    now: systemClock.now(),
    place: catalogue().screens.sidebar[screen],
    pendingStep: question?.step ?? null,
  });
}

/**
 * Adds the changes in the cluster to the card, once the cluster has answered, if the card is still shown.
 * @param speed speed of the site's time relative to real time
 */
export async function addClusterChanges(
  { getState, dispatch }: Pick<WizardStore, 'getState' | 'dispatch'>,
  card: Page,
  context: StepContext,
  speed: number,
): Promise<void> {
  const absence = systemClock.now() - (findPreviousRun(context.dir)?.at ?? systemClock.now());
  const changes = await describeClusterChanges(context, context.clock.now() - absence * speed);
  const { overlay } = getState();
  if (changes.length === 0 || overlay?.kind !== 'page' || overlay.shown !== card) return;
  const lines = changes.map((line) => catalogue().back.line(line));
  dispatch({ type: 'overlay/show', page: { ...card, lines: [...card.lines, ...lines] } });
}
