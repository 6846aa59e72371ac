import { expect, test } from 'vitest';
import { createJobStop } from '../../src/terminal/job-control.ts';

/** Creates a job whose steps are recorded; `onStep` is called at each of them. */
function createJob(onStep: (step: string) => void) {
  const steps: string[] = [];
  const record = (step: string) => {
    steps.push(step);
    onStep(step);
  };
  const stop = createJobStop(
    async (task) => {
      record('released');
      await task();
      record('drawn');
    },
    async () => record('stopped'),
  );
  return { steps, stop };
}

test('a stop requested while the screen is being drawn follows the first one', async () => {
  let isFirst = true;
  const { steps, stop } = createJob((step) => {
    if (step !== 'drawn' || !isFirst) return;
    isFirst = false;
    void stop();
  });
  expect(await stop()).toBe(false);
  expect(steps).toEqual(['released', 'stopped', 'drawn', 'released', 'stopped', 'drawn']);
});

test.each(['released', 'stopped'])('a request when the terminal is %s is the same stop', async (moment) => {
  const others: Promise<boolean>[] = [];
  const { steps, stop } = createJob((step) => {
    if (step === moment) others.push(stop());
  });
  expect(await stop()).toBe(false);
  expect(await Promise.all(others)).toEqual([true]);
  expect(steps).toEqual(['released', 'stopped', 'drawn']);
  await stop();
  expect(steps.slice(3)).toEqual(['released', 'stopped', 'drawn']);
});
