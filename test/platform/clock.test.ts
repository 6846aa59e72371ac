import { expect, test, vi } from 'vitest';
import { type ClockAnchor, createAnchoredClock, HOUR } from '../../src/platform/clock.ts';

/** Creates a clock whose anchor the test replaces. */
function createAdjustableClock(speed: number) {
  let anchor: ClockAnchor = { real: Date.now(), simulated: 0, speed };
  const listeners = new Set<() => void>();
  const clock = createAnchoredClock(
    () => anchor,
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  );
  const setSpeed = (next: number) => {
    anchor = { simulated: clock.now(), real: Date.now(), speed: next };
    for (const listener of [...listeners]) listener();
  };
  return { clock, setSpeed, listeners, goBack: () => (anchor = { ...anchor, simulated: -HOUR }) };
}

test('a wait follows a clock that stops, resumes, and speeds up', async () => {
  vi.useFakeTimers();
  try {
    const { clock, setSpeed, listeners } = createAdjustableClock(1);
    const onWake = vi.fn();
    const wait = clock.sleep(60_000).then(onWake);
    await vi.advanceTimersByTimeAsync(20_000);
    setSpeed(0);
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(clock.now()).toBe(20_000);
    setSpeed(1);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(onWake).not.toHaveBeenCalled();
    setSpeed(60);
    await vi.advanceTimersByTimeAsync(334);
    await wait;
    expect(clock.now()).toBe(40_000 + 334 * 60);
    expect(listeners.size).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('a wait does not get longer when the clock is set back, and ends when it is aborted', async () => {
  vi.useFakeTimers();
  try {
    const { clock, setSpeed, goBack } = createAdjustableClock(60);
    const wait = clock.sleep(60_000);
    goBack();
    await vi.advanceTimersByTimeAsync(2000);
    await wait;
    setSpeed(0);
    const controller = new AbortController();
    const pausedWait = clock.sleep(1, controller.signal);
    controller.abort(new Error('enough'));
    await expect(pausedWait).rejects.toThrow('enough');
  } finally {
    vi.useRealTimers();
  }
});

test('ticks come at the pace of the clock, and none once it is stopped', async () => {
  vi.useFakeTimers();
  try {
    const { clock, setSpeed } = createAdjustableClock(60);
    const tick = vi.fn();
    const stop = clock.startInterval(60_000, tick);
    await vi.advanceTimersByTimeAsync(3000);
    expect(tick).toHaveBeenCalledTimes(3);
    setSpeed(0);
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(tick).toHaveBeenCalledTimes(3);
    stop();
    setSpeed(60);
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(tick).toHaveBeenCalledTimes(3);
  } finally {
    vi.useRealTimers();
  }
});

test('while the time stands still, waits stand still too, or go on at the speed of a command', async () => {
  const halted: ClockAnchor = { real: 0, simulated: 5, speed: 0 };
  const command = createAnchoredClock(() => halted, undefined, 60);
  await command.sleep(6000);
  expect(command.now()).toBe(5);
  const abort = new AbortController();
  const wait = createAnchoredClock(() => halted).sleep(6000, abort.signal);
  await command.sleep(12_000);
  abort.abort(new Error('still waiting'));
  await expect(wait).rejects.toThrow('still waiting');
});
