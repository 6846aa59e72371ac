// A hundred thousand bent requests, together with mutations.test.ts, which judges the first round.
import { test } from 'vitest';
import { judgeBent } from './bent-requests.ts';

const rounds = Array.from({ length: 19 }, (_, index) => index + 2);
test.each(rounds)('none of 5,000 bent requests is expected that the policy does not allow, %i of 20', judgeBent);
