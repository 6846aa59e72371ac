import { isClusterError } from '../cluster/errors.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import type { StepContext } from './contract.ts';

/** While nodes restart the API answers late or not at all; after five minutes that is worth a word. */
const AWAY_FOR = 5 * MINUTE;

/**
 * Does something that the API is needed for, again as long as the API is away for a moment. What is done has to be safe to
 * do twice. @throws what `act` throws, when it is another fault or the API stays away for 5 minutes
 */
export async function rideOut<T>(
  { clock, signal }: Pick<StepContext, 'clock' | 'signal'>,
  act: () => Promise<T>,
): Promise<T> {
  const began = clock.now();
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isClusterError(error, 'not-yet', 'unreachable') || clock.now() - began > AWAY_FOR) throw error;
      await clock.sleep(2 * SECOND, signal);
    }
  }
}
