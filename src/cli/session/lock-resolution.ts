import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { forceTakeOver, queryHolderStatus, requestTakeOver, watchHolder } from '../../session/holder-client.ts';
import type { FoundHolder } from '../../session/holder-files.ts';
import { createHolderRecord, describeHolder, describePeer, isRunning } from '../../session/holder-files.ts';
import { SessionLockedError } from '../../session/lock.ts';
import type { HolderStatus } from '../../session/session-protocol.ts';
import type { FrontEndHandle, HolderChoice, HolderPage } from '../../wizard/front-end.ts';
import type { WizardState } from '../../wizard/state.ts';

const words = () => catalogue().holder.page;

/** The first choice for a directory that another session holds. `ask`: show the holder first. */
export type LockChoice = 'ask' | 'view' | 'take-over';

interface LockOptions {
  readonly choice: LockChoice;
  readonly version: string;
  /** The user named no directory: the other installations are a choice as well. */
  readonly canChooseOtherInstallation?: boolean;
}

/**
 * Opens a directory. While another session holds it, asks the user what to do.
 * @returns the opened value, or how the user leaves: `interrupt` for Ctrl-C; `others` only with
 *   `canChooseOtherInstallation`
 */
export async function openOrResolveLock<T>(
  open: () => Promise<T>,
  dir: string,
  frontEnd: FrontEndHandle,
  { choice, version, canChooseOtherInstallation = false }: LockOptions,
): Promise<T | ExitReason> {
  let nextChoice = choice;
  for (;;) {
    const openResult = await open().catch((error: unknown) => {
      if (error instanceof SessionLockedError) return error;
      throw error;
    });
    if (!(openResult instanceof SessionLockedError)) return openResult;
    const conflict = { dir, holder: openResult.holder, frontEnd, version, canChooseOtherInstallation };
    const resolution = await resolveLock(conflict, nextChoice);
    if (resolution !== 'open') return resolution;
    nextChoice = 'ask';
  }
}

/** How the user leaves without opening the directory. `others`: to the other installations. */
export type ExitReason = 'quit' | 'interrupt' | 'others';

/**
 * Restores the terminal.
 * @returns the exit code
 */
export async function closeFrontEnd(reason: ExitReason, frontEnd: FrontEndHandle): Promise<number> {
  await frontEnd.close();
  return reason === 'interrupt' ? 130 : 0;
}

interface LockConflict {
  readonly dir: string;
  readonly holder: FoundHolder;
  readonly frontEnd: FrontEndHandle;
  /**
   * The version of this program. Only a session of the same version can be watched: other versions have other screens.
   */
  readonly version: string;
  readonly canChooseOtherInstallation: boolean;
}

/**
 * Asks until the conflict is resolved.
 * @returns `open` if the directory may be free now
 */
async function resolveLock(conflict: LockConflict, initialChoice: LockChoice): Promise<'open' | ExitReason> {
  let choice: HolderChoice | 'interrupt' | null = initialChoice === 'ask' ? null : initialChoice;
  let warning: string | null = null;
  for (;;) {
    choice ??= await askLockChoice(conflict, warning);
    warning = null;
    switch (choice) {
      case 'quit':
      case 'interrupt':
      case 'others':
      case 'open':
        return choice;
      case 'view': {
        const result = await watchSession(conflict);
        if (result === 'ended') return await askToReopen(conflict);
        if (result === 'impossible') warning = words().cannotWatch;
        choice = result === 'impossible' ? null : result;
        break;
      }
      case 'take-over': {
        const result = await takeOverSession(conflict);
        if (result === 'free') return 'open';
        if (typeof result === 'string') return result;
        warning = result.warning;
        choice = null;
      }
    }
  }
}

async function askLockChoice(
  { dir, holder, frontEnd, version, canChooseOtherInstallation }: LockConflict,
  warning: string | null,
): Promise<HolderChoice | 'interrupt'> {
  const status = await queryHolderStatus(dir, holder, STATUS_TIMEOUT_MS);
  const canWatch = isWatchable(status, holder, version);
  const otherChoices: readonly HolderChoice[] = canChooseOtherInstallation ? ['others'] : [];
  const choices: readonly HolderChoice[] = canWatch
    ? ['view', 'take-over', ...otherChoices, 'quit']
    : [...otherChoices, 'quit', 'take-over'];
  const page: HolderPage = {
    dir,
    headline: words().headline,
    lines: [
      words().inUse(describeHolder(holder.record, holder.liveness)),
      ...(status === null
        ? []
        : [words().currentPlace(sanitizeLine(status.place, 80), sanitizeLine(status.cluster, 80))]),
      ...(status?.isActing ? [words().isActing] : []),
      ...(canWatch ? [] : [status === null ? words().noAnswerYet : words().cannotWatch]),
    ],
    warning,
    // Enter takes the first choice, which must never be the one that ends the other session.
    prompt: { kind: 'choice', choices },
  };
  const answer = await frontEnd.ask(page);
  return answer === 'typed' ? 'quit' : answer;
}

/** Timeout for the status of a holder: long enough for a healthy one, short for a user who waits for the page (ms). */
const STATUS_TIMEOUT_MS = 2000;

function isWatchable(status: HolderStatus | null, { record }: FoundHolder, version: string): boolean {
  return status?.canWatch === true && record?.version === version;
}

async function watchSession({ dir, holder, frontEnd, version }: LockConflict) {
  const { record } = holder;
  if (record === null || !isWatchable(await queryHolderStatus(dir, holder, STATUS_TIMEOUT_MS), holder, version))
    return 'impossible';
  return await frontEnd.watch({
    holder: describePeer(record),
    follow: (show, signal) => watchHolder(dir, holder, (state) => show(state as WizardState), signal),
  });
}

async function askToReopen({ dir, frontEnd }: LockConflict): Promise<'open' | ExitReason> {
  const answer = await frontEnd.ask({
    dir,
    headline: words().freeHeadline,
    lines: [words().free],
    warning: null,
    prompt: { kind: 'choice', choices: ['open', 'quit'] },
  });
  return answer === 'open' || answer === 'interrupt' ? answer : 'quit';
}

async function takeOverSession({
  dir,
  holder,
  frontEnd,
}: LockConflict): Promise<'free' | ExitReason | { readonly warning: string }> {
  const page = { dir, headline: words().headline, lines: [], warning: null };
  const userAnswer = frontEnd.ask({ ...page, prompt: { kind: 'nothing', waitReason: words().waitingForExit } });
  const reply = await Promise.race([
    requestTakeOver(dir, holder, 'take-over', createHolderRecord('', '')),
    userAnswer.then((answer) => (answer === 'interrupt' ? answer : ('quit' as const))),
  ]);
  if (reply === 'quit' || reply === 'interrupt') return reply;
  switch (reply.kind) {
    case 'left':
      return 'free';
    case 'stays':
      return { warning: words().refused(sanitizeLine(reply.reason)) };
    case 'silent': {
      const { word, warning } = describeUnresponsiveHolder(holder);
      const answer = await frontEnd.ask({
        ...page,
        headline: words().unresponsive,
        lines: [describeHolder(holder.record, holder.liveness)],
        warning,
        prompt: { kind: 'word', word, question: words().typeWord(word) },
      });
      if (answer !== 'typed') return answer === 'interrupt' ? answer : 'quit';
      await forceTakeOver(dir, holder);
      return 'free';
    }
  }
}

/**
 * Returns the consequences of taking over an unresponsive holder, and the word that the user types to confirm the
 * take-over. The word names the affected process or host.
 */
export function describeUnresponsiveHolder({ record, id }: FoundHolder): {
  readonly word: string;
  readonly warning: string;
} {
  if (record === null) return { word: id.slice(0, 4), warning: words().fenceWarning('?') };
  if (isRunning(record)) return { word: String(record.pid), warning: words().killWarning(record.pid) };
  const host = sanitizeLine(record.host, 60);
  return { word: host, warning: words().fenceWarning(host) };
}
