import { systemClock } from '../../ports/clock.ts';
import { lastSitting } from '../../session/last-sitting.ts';
import type { SessionLock } from '../../session/lock.ts';
import type { Page, StepContext } from '../../steps/contract.ts';
import { clusterNews } from '../../steps/welcome-back/cluster-news.ts';
import { welcomeBack } from '../../steps/welcome-back/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { isScreen } from '../../wizard/state.ts';
import type { WizardStore } from '../../wizard/store.ts';
import type { Saved } from '../session/saved.ts';

/** What happened while nobody was here; null for who was away for moments only, or has not begun. */
export async function welcomeCard(dir: string, { owner }: SessionLock, saved: Saved): Promise<Page | null> {
  const { place, question } = saved.current();
  const { screen } = place;
  if (!saved.isResumed || !isScreen(screen) || screen === 'welcome') return null;
  const { user, from } = owner;
  return await welcomeBack(dir, {
    user,
    from,
    now: systemClock.now(),
    place: catalogue().screens.rail[screen],
    askedBy: question?.step ?? null,
  });
}

/**
 * Adds to the card what the cluster has to tell, once it has answered, and while a person still looks at the card.
 * @param speed how many times as fast as life the site's time runs
 */
export async function addClusterNews(
  { getState, dispatch }: Pick<WizardStore, 'getState' | 'dispatch'>,
  card: Page,
  context: StepContext,
  speed: number,
): Promise<void> {
  const away = systemClock.now() - (lastSitting(context.dir)?.at ?? systemClock.now());
  const news = await clusterNews(context, context.clock.now() - away * speed);
  const { overlay } = getState();
  if (news.length === 0 || overlay?.kind !== 'page' || overlay.shown !== card) return;
  const lines = news.map((line) => catalogue().back.line(line));
  dispatch({ type: 'overlay/show', page: { ...card, lines: [...card.lines, ...lines] } });
}
