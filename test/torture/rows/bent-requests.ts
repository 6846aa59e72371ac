import { reviewMutatedRequests } from '../../csr/mutated-requests.ts';
import { createTally, type Row } from '../row.ts';

/** The two requests of a pair are reviewed together: a round has 5,000 requests. */
const PAIRS = 2500;
const ROUNDS = 20;

/**
 * Reviews randomly mutated certificate requests and compares the verdicts with a second implementation of the policy.
 */
export const bentRequests: Row = {
  description:
    'Mutate certificate requests at random: their fields, their bytes, and their bytes with a new signature. Review them in pairs, and compare the verdicts with a second, independent implementation of the policy.',
  target: '>= 100,000 requests; no request gets the verdict expected unless the policy allows it',
  minCases: 2 * PAIRS * ROUNDS,
  needs: [],
  async run({ report, seed, isShort }) {
    const tally = createTally(report);
    const pairs = isShort ? PAIRS / 10 : PAIRS;
    const rounds = isShort ? 1 : ROUNDS;
    for (let round = 1; round <= rounds; round += 1)
      await tally.try(`round ${round}`, async () => {
        await reviewMutatedRequests(seed + round, pairs);
        return [];
      });
    const requests = tally.cases() * 2 * pairs;
    return { cases: requests, failures: tally.failures, figure: `${requests} requests` };
  },
};
