import { isClusterError, type TroubleClass } from '../../cluster/errors.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import type { StepContext } from '../contract.ts';

/**
 * While nodes restart the API answers late or not at all; after five minutes that is worth a word. An API server that starts
 * may refuse good credentials for a moment.
 */
const PASSES_IN: Readonly<Partial<Record<TroubleClass, number>>> = {
  'not-yet': 5 * MINUTE,
  unreachable: 5 * MINUTE,
  credentials: MINUTE,
};

/** Where time runs fast those minutes are seconds of a machine that may be busy: it is asked so often at least. */
const LEAST_TRIES = 10;

/**
 * Does something that the API is needed for, again as long as the API is away for a moment. What is done has to be safe to
 * do twice. @throws what `act` throws, when it is another fault or lasts too long: 5 minutes away, or a minute without accepting us
 */
export async function rideOut<T>(
  { clock, signal }: Pick<StepContext, 'clock' | 'signal'>,
  act: () => Promise<T>,
): Promise<T> {
  const began = clock.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      const patience = isClusterError(error) ? (PASSES_IN[error.class] ?? 0) : 0;
      const isOver = clock.now() - began > patience && tries >= LEAST_TRIES;
      if (patience === 0 || isOver) throw error;
      await clock.sleep(2 * SECOND, signal);
    }
  }
}
