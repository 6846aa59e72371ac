// A hundred thousand bent requests; mutations.test.ts judges the first of them.
import { test } from 'vitest';
import { judgeBent } from './bent-requests.ts';

const rounds = Array.from({ length: 20 }, (_, index) => index + 1);
test.each(rounds)('none of 5,000 bent requests is expected that the policy does not allow, %i of 20', (round) =>
  judgeBent(round),
);
