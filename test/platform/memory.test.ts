import { expect, test } from 'vitest';
import { startMemoryRelease } from '../../src/platform/memory.ts';
import { manualClock } from '../support/manual-clock.ts';

const MINUTE = 60_000;

function start() {
  const clock = manualClock(1000);
  const controller = new AbortController();
  const released: number[] = [];
  const { recordKey } = startMemoryRelease(clock, controller.signal, () => released.push(clock.now() - 1000));
  return { clock, controller, released, touch: recordKey };
}

test('memory is released once when no key has come for four seconds', async () => {
  const { clock, released, touch } = start();
  await clock.advance(3000);
  touch();
  await clock.advance(3000);
  expect(released).toEqual([]);
  await clock.advance(MINUTE);
  expect(released).toEqual([7000]);
  expect(clock.countSleepers()).toBe(0);
});

test('after later keys it is released again, but not sooner than after half a minute', async () => {
  const { clock, released, touch } = start();
  await clock.advance(4000);
  touch();
  await clock.advance(MINUTE / 2 - 1000);
  expect(released).toEqual([4000]);
  await clock.advance(1000);
  expect(released).toEqual([4000, 4000 + MINUTE / 2]);
  await clock.advance(60 * MINUTE);
  expect(released).toHaveLength(2);
});

test('nothing waits or is released after the end of the program', async () => {
  const { clock, controller, released, touch } = start();
  controller.abort();
  await clock.advance(MINUTE);
  touch();
  await clock.advance(MINUTE);
  expect(released).toEqual([]);
  expect(clock.countSleepers()).toBe(0);
});

test('the release gives memory back to the system', async () => {
  const clock = manualClock(0);
  startMemoryRelease(clock, new AbortController().signal);
  // Garbage that has survived collections: it fills the nursery and the old generation.
  const blocks = Array.from({ length: 200_000 }, (_, index) => ({ index, text: `${index}` }));
  const before = process.memoryUsage().heapTotal;
  expect(blocks.length).toBe(200_000);
  blocks.length = 0;
  await clock.advance(4000);
  expect(process.memoryUsage().heapTotal).toBeLessThan(before);
});
