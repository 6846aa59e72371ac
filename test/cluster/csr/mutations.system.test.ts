// A hundred thousand bent requests, together with mutations.test.ts, which judges the first two rounds.
import { test } from 'vitest';
import { judgeBent } from './bent-requests.ts';

const rounds = Array.from({ length: 18 }, (_, index) => index + 3);
test.each(rounds)('none of 5,000 bent requests is expected that the policy does not allow, %i of 20', judgeBent);
