import { askToLeave, newsOf, overrun, watchHolder } from '../../session/ask-holder.ts';
import type { News } from '../../session/conversation.ts';
import { describeGuest, describeOwner } from '../../session/describe-owner.ts';
import { SessionLocked } from '../../session/lock.ts';
import { isRunning, ownOwner } from '../../session/owner.ts';
import type { FoundOwner } from '../../session/owner-files.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { HolderChoice, HolderPage, OpenedWizard } from '../../wizard/front-end.ts';
import type { WizardState } from '../../wizard/state.ts';

const words = () => catalogue().holder.page;

/** How a person wants to meet a session that holds the directory: `ask` shows who it is first. */
export type Wish = 'ask' | 'view' | 'take-over';

/**
 * Opens a directory, and while another session holds it, asks the person on the screens what to do.
 * @returns how the person leaves, where they do: `interrupt` with Ctrl-C
 */
export async function openOrMeet<T>(
  open: () => Promise<T>,
  dir: string,
  opened: OpenedWizard,
  { wish, version }: { readonly wish: Wish; readonly version: string },
): Promise<T | Left> {
  let next = wish;
  for (;;) {
    const holder = await open().catch((error: unknown) => {
      if (error instanceof SessionLocked) return error;
      throw error;
    });
    if (!(holder instanceof SessionLocked)) return holder;
    const met = await meet({ dir, holder: holder.holder, opened, version }, next);
    if (met !== 'open') return met;
    next = 'ask';
  }
}

/** How a person leaves who opens nothing. */
export type Left = 'quit' | 'interrupt';

/** Gives the terminal back. @returns the exit code */
export async function leftAt(how: Left, opened: OpenedWizard): Promise<number> {
  await opened.close();
  return how === 'interrupt' ? 130 : 0;
}

interface Meeting {
  readonly dir: string;
  readonly holder: FoundOwner;
  readonly opened: OpenedWizard;
  /** Ours: another version has other screens. */
  readonly version: string;
}

/** @returns `open` when the directory may be free now */
async function meet(meeting: Meeting, wish: Wish): Promise<'open' | Left> {
  let choice: HolderChoice | 'interrupt' | null = wish === 'ask' ? null : wish;
  let warning: string | null = null;
  for (;;) {
    choice ??= await askAbout(meeting, warning);
    warning = null;
    switch (choice) {
      case 'quit':
      case 'interrupt':
      case 'open':
        return choice;
      case 'view': {
        const how = await watch(meeting);
        if (how === 'ended') return await askToOpen(meeting);
        if (how === 'impossible') warning = words().noWatching;
        choice = how === 'impossible' ? null : how;
        break;
      }
      case 'take-over': {
        const taken = await takeOver(meeting);
        if (taken === 'free') return 'open';
        if (typeof taken === 'string') return taken;
        warning = taken.warning;
        choice = null;
      }
    }
  }
}

async function askAbout(
  { dir, holder, opened, version }: Meeting,
  warning: string | null,
): Promise<HolderChoice | 'interrupt'> {
  const news = await newsOf(dir, holder, SOON);
  const canWatch = isWatchable(news, holder, version);
  const page: HolderPage = {
    dir,
    headline: words().headline,
    lines: [
      words().inUse(describeOwner(holder.owner, holder.liveness)),
      ...(news === null ? [] : [words().standsAt(sanitizeLine(news.place, 80), sanitizeLine(news.cluster, 80))]),
      ...(news?.isActing ? [words().isActing] : []),
      ...(canWatch ? [] : [news === null ? words().noAnswer : words().noWatching]),
    ],
    warning,
    // The first is what Enter takes: never what ends the other session.
    asks: { kind: 'choice', choices: canWatch ? ['view', 'take-over', 'quit'] : ['quit', 'take-over'] },
  };
  const answer = await opened.ask(page);
  return answer === 'typed' ? 'quit' : answer;
}

/** Long enough for a holder that is well, short enough for a person who waits for the page (ms). */
const SOON = 2000;

function isWatchable(news: News | null, { owner }: FoundOwner, version: string): boolean {
  return news?.canWatch === true && owner?.version === version;
}

async function watch({ dir, holder, opened, version }: Meeting) {
  const { owner } = holder;
  if (owner === null || !isWatchable(await newsOf(dir, holder, SOON), holder, version)) return 'impossible';
  return await opened.watch({
    who: describeGuest(owner),
    follow: (show, signal) => watchHolder(dir, holder, (state) => show(state as WizardState), signal),
  });
}

async function askToOpen({ dir, opened }: Meeting): Promise<'open' | Left> {
  const answer = await opened.ask({
    dir,
    headline: words().freeHeadline,
    lines: [words().free],
    warning: null,
    asks: { kind: 'choice', choices: ['open', 'quit'] },
  });
  return answer === 'open' || answer === 'interrupt' ? answer : 'quit';
}

async function takeOver({ dir, holder, opened }: Meeting): Promise<'free' | Left | { readonly warning: string }> {
  const page = { dir, headline: words().headline, lines: [], warning: null };
  const quit = opened.ask({ ...page, asks: { kind: 'nothing', waitsFor: words().asking } });
  const yielding = await Promise.race([
    askToLeave(dir, holder, 'take-over', ownOwner('', '')),
    quit.then((answer) => (answer === 'interrupt' ? answer : ('quit' as const))),
  ]);
  if (yielding === 'quit' || yielding === 'interrupt') return yielding;
  switch (yielding.kind) {
    case 'left':
      return 'free';
    case 'stays':
      return { warning: words().stays(sanitizeLine(yielding.why)) };
    case 'silent': {
      const { word, warning } = silence(holder);
      const answer = await opened.ask({
        ...page,
        headline: words().silent,
        lines: [describeOwner(holder.owner, holder.liveness)],
        warning,
        asks: { kind: 'word', word, question: words().typeWord(word) },
      });
      if (answer !== 'typed') return answer === 'interrupt' ? answer : 'quit';
      await overrun(dir, holder);
      return 'free';
    }
  }
}

/** What taking over a silent holder means, and the word that a person types to want it: it names what they end. */
export function silence({ owner, id }: FoundOwner): { readonly word: string; readonly warning: string } {
  if (owner === null) return { word: id.slice(0, 4), warning: words().fence('?') };
  if (isRunning(owner)) return { word: String(owner.pid), warning: words().kill(owner.pid) };
  const host = sanitizeLine(owner.host, 60);
  return { word: host, warning: words().fence(host) };
}
