import { UserErrorException } from '../../i18n/user-error.ts';
import { type ClusterErrorClass, isClusterError } from '../../kube/errors.ts';
import { MINUTE, SECOND, startWaitTimer } from '../../platform/clock.ts';

import type { StepContext } from '../contract.ts';

/**
 * While nodes restart the API answers late or not at all; after five minutes that deserves a warning. An API server
 * that starts may refuse valid credentials for a moment.
 */
const RETRY_LIMITS: Readonly<Partial<Record<ClusterErrorClass, number>>> = {
  'not-yet': 5 * MINUTE,
  unreachable: 5 * MINUTE,
  credentials: MINUTE,
};

/** In an accelerated rehearsal, those minutes are seconds of a machine that may be busy: at least this many tries. */
const MIN_TRIES = 10;

/**
 * Runs `action`, and again while the API is down for a moment, so it must be idempotent.
 * @param onRetry called before each pause
 * @throws what `action` throws if it is another error or lasts too long: an API that is down for 5 minutes, or refuses
 * the credentials for a minute
 */
export async function retryWhileApiDown<T>(
  { clock, signal }: Pick<StepContext, 'clock' | 'signal'>,
  action: () => Promise<T>,
  onRetry: (error: UserErrorException) => void = () => undefined,
): Promise<T> {
  const wait = startWaitTimer(clock);
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const limit = isClusterError(error) ? (RETRY_LIMITS[error.class] ?? 0) : 0;
      if (wait.isOver(limit, MIN_TRIES)) throw error;
      if (error instanceof UserErrorException) onRetry(error);
      await clock.sleep(2 * SECOND, signal);
    }
  }
}
