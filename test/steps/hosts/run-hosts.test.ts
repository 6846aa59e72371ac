import { expect, test } from 'vitest';
import type { HostEvent } from '../../../src/steps/hosts/setup/follow.ts';
import { runOnHosts } from '../../../src/steps/hosts/setup/run-hosts.ts';
import { exampleSite } from '../../support/example-design.ts';

test('failing checks are reported once, and again when others fail; hosts after a failed one are left alone', async () => {
  const hosts = exampleSite().services.loadBalancer.servers;
  const [first] = hosts;
  if (first === undefined) throw new Error('the example has a load balancer');
  const createCheckingEvent = (secondsLeft: number, ...failedChecks: string[]): HostEvent => ({
    type: 'checking',
    failedChecks,
    secondsLeft,
  });
  const events: HostEvent[] = [
    createCheckingEvent(110, 'api is not known'),
    createCheckingEvent(105, 'api is not known'),
    createCheckingEvent(100, 'api is not known', 'bs is not known'),
    { type: 'connection-restored' },
    createCheckingEvent(95, 'api is not known', 'bs is not known'),
    createCheckingEvent(90),
  ];
  const lines: string[] = [];
  const outcomes = await runOnHosts(
    { signal: new AbortController().signal },
    ['lb1', 'lb2'].map((name) => ({ host: first, name, address: '', plan: null, run: null, problem: null })),
    false,
    async (_host, tell) => {
      for (const event of events) tell(event);
      return { kind: 'unproven', reason: 'a check fails' };
    },
    (line) => lines.push(line),
  );
  expect(outcomes.map(({ name }) => name)).toEqual(['lb1']);
  expect(lines.map((line) => /110|100|back|95|passes/.exec(line)?.[0])).toEqual(['110', '100', 'back', '95', 'passes']);
});
