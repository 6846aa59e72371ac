import { expect, test } from 'vitest';
import { UserErrorException } from '../../../src/i18n/user-error.ts';
import { formatHostEvent, type HostEvent, retryOverLostConnection } from '../../../src/steps/hosts/setup/follow.ts';
import { manualClock } from '../../support/manual-clock.ts';

/** Lets a request fail for a time, and returns the reported events with the second of each. */
async function loseConnection(lostSeconds: number, revertAfterSeconds: number) {
  const clock = manualClock(0);
  const events: (readonly [number, HostEvent])[] = [];
  const retry = retryOverLostConnection(
    { clock, signal: new AbortController().signal, revertAfterSeconds },
    (event) => events.push([clock.now() / 1000, event]),
    async () => {
      if (clock.now() >= lostSeconds * 1000) return 'answer';
      throw new UserErrorException({ code: 'ssh-unreachable', title: '', cause: 'Connection timed out', remedy: '' });
    },
  );
  let answer: string | null = null;
  void retry.then((value) => {
    answer = value;
  });
  while (answer === null) await clock.advance(1000);
  return events;
}

test('a host that reverts what cut it off is reported once, when it has had the time to do so', async () => {
  const events = await loseConnection(90, 30);
  expect(events.map(([, { type }]) => type)).toEqual(['connection-lost', 'revert-due', 'connection-restored']);
  const [second, event] = events[1] ?? [0, null];
  expect(second).toBeGreaterThan(50);
  expect(second).toBeLessThan(60);
  expect(event && formatHostEvent(event)).toMatch(
    /^No connection for 52 s\. .* has restored its previous files by now\. Log in on its console, or wait/,
  );
});

test('a host that reverts nothing, or is back before it would, is not said to have reverted', async () => {
  expect((await loseConnection(90, 0)).map(([, { type }]) => type)).toEqual(['connection-lost', 'connection-restored']);
  expect((await loseConnection(40, 30)).map(([, { type }]) => type)).toEqual([
    'connection-lost',
    'connection-restored',
  ]);
});
