import { judgeBent } from '../../cluster/csr/bent-requests.ts';
import { newTally, type Row } from '../row.ts';

/** Two requests are judged together: 5,000 a round. */
const PAIRS = 2500;
const ROUNDS = 20;

/** Certificate requests bent at random, judged beside the policy said once more in other words. */
export const bentRequests: Row = {
  what: 'certificate requests bent at random by fields, by bytes, and by bytes that are signed again, two at a time; judged, and compared with the policy as a second, independent reader says it',
  target: '>= 100,000 requests; none is expected that the policy does not allow',
  least: 2 * PAIRS * ROUNDS,
  needs: [],
  async run({ say, seed, isShort }) {
    const tally = newTally(say);
    const pairs = isShort ? PAIRS / 10 : PAIRS;
    const rounds = isShort ? 1 : ROUNDS;
    for (let round = 1; round <= rounds; round += 1)
      await tally.try(`round ${round}`, async () => {
        await judgeBent(seed + round, pairs);
        return [];
      });
    const requests = tally.cases() * 2 * pairs;
    return { cases: requests, failures: tally.failures, figure: `${requests} requests` };
  },
};
