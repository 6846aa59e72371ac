import { isClusterError, type TroubleClass } from '../../cluster/errors.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { beginWait } from '../../ports/waiting.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';

/**
 * While nodes restart the API answers late or not at all; after five minutes that deserves a warning. An API server
 * that starts may refuse good credentials for a moment.
 */
const PASSES_IN: Readonly<Partial<Record<TroubleClass, number>>> = {
  'not-yet': 5 * MINUTE,
  unreachable: 5 * MINUTE,
  credentials: MINUTE,
};

/** Where time runs fast, those minutes are seconds of a machine that may be busy: we ask at least this often. */
const LEAST_TRIES = 10;

/**
 * Runs `act`, again while the API is away for a moment, so it must be idempotent. @throws what `act` throws when it
 * is another fault or lasts too long: 5 minutes away, or a minute without accepting us
 * @param away told before each pause
 */
export async function rideOut<T>(
  { clock, signal }: Pick<StepContext, 'clock' | 'signal'>,
  act: () => Promise<T>,
  away: (error: TroubleError) => void = () => undefined,
): Promise<T> {
  const wait = beginWait(clock);
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const patience = isClusterError(error) ? (PASSES_IN[error.class] ?? 0) : 0;
      if (wait.isOver(patience, LEAST_TRIES)) throw error;
      if (error instanceof TroubleError) away(error);
      await clock.sleep(2 * SECOND, signal);
    }
  }
}
