import { expect, test } from 'vitest';
import type { HostEvent } from '../../../src/steps/hosts/setup/events.ts';
import { actTogether } from '../../../src/steps/hosts/setup/together.ts';
import { exampleSite } from '../../support/example-design.ts';

test('checks that fail are told once, and again when others do; a host after one that failed is left alone', async () => {
  const hosts = exampleSite().services.loadBalancer.servers;
  const [first] = hosts;
  if (first === undefined) throw new Error('the example has a load balancer');
  const checking = (secondsLeft: number, ...failing: string[]): HostEvent => ({
    type: 'checking',
    failing,
    secondsLeft,
  });
  const events: HostEvent[] = [
    checking(110, 'api is not known'),
    checking(105, 'api is not known'),
    checking(100, 'api is not known', 'bs is not known'),
    { type: 'line-back' },
    checking(95, 'api is not known', 'bs is not known'),
    checking(90),
  ];
  const lines: string[] = [];
  const outcomes = await actTogether(
    { signal: new AbortController().signal },
    ['lb1', 'lb2'].map((name) => ({ host: first, name, address: '', plan: null, run: null, trouble: null })),
    false,
    async (_seen, tell) => {
      for (const event of events) tell(event);
      return { end: 'unproven', why: 'a check fails' };
    },
    (line) => lines.push(line),
  );
  expect(outcomes.map(({ name }) => name)).toEqual(['lb1']);
  expect(lines.map((line) => /110|100|back|95|passes/.exec(line)?.[0])).toEqual(['110', '100', 'back', '95', 'passes']);
});
