import { describe, expect, test } from 'vitest';
import { ClusterError } from '../../src/cluster/errors.ts';
import {
  type ApiPast,
  afterLook,
  isHopeless,
  NO_PAST,
  outageLine,
  pauseBeforeLook,
  skewOf,
  skewTrouble,
  urgencyOf,
} from '../../src/cluster/outage.ts';
import { MINUTE, SECOND } from '../../src/ports/clock.ts';

type Shape = ConstructorParameters<typeof ClusterError>[0];

const UP: ApiPast = { answeredAt: 0, outage: null };
const fail = (past: ApiPast, shape: Shape, now: number) =>
  afterLook(past, { hasAnswered: false, error: new ClusterError(shape, `raw ${shape}`) }, now);

/** The urgency after the same failure every three seconds for so long. */
function urgencyAfter(shape: Shape, ms: number, past: ApiPast = UP) {
  let here = past;
  for (let now = 0; now <= ms; now += 3 * SECOND) here = fail(here, shape, now);
  return urgencyOf(here, ms);
}

describe('how long a trouble is normal', () => {
  test.each([
    ['refused', 0, 'normal'],
    ['refused', 5 * MINUTE, 'normal'],
    ['refused', 6 * MINUTE, 'warning'],
    ['busy', 6 * MINUTE, 'warning'],
    ['timeout', 5 * MINUTE, 'normal'],
    ['timeout', 6 * MINUTE, 'warning'],
    ['name', 0, 'warning'],
    ['not-tls', MINUTE, 'normal'],
    ['not-tls', 3 * MINUTE, 'fatal'],
    ['not-kubernetes', 0, 'fatal'],
    ['proxy', 0, 'fatal'],
    ['wrong-ca', 0, 'fatal'],
    ['wrong-name', 0, 'fatal'],
    ['certificate-expired', 0, 'fatal'],
    ['certificate-early', 0, 'fatal'],
    ['unauthorized', 57 * SECOND, 'normal'],
    ['unauthorized', MINUTE, 'fatal'],
    ['forbidden', 2 * MINUTE, 'normal'],
    ['forbidden', 3 * MINUTE, 'fatal'],
    ['invalid', 0, 'fatal'],
  ] as const)('%s for %i ms: %s', (shape, ms, urgency) => {
    expect(urgencyAfter(shape, ms)).toBe(urgency);
  });

  test('an API that was never there may take twenty minutes', () => {
    expect(urgencyAfter('refused', 20 * MINUTE, NO_PAST)).toBe('normal');
    expect(urgencyAfter('refused', 21 * MINUTE, NO_PAST)).toBe('warning');
    // Nothing answers at all: that is a firewall or a balancer that is down, whatever the stage.
    expect(urgencyAfter('timeout', 6 * MINUTE, NO_PAST)).toBe('warning');
  });

  test('two refusals of the credentials a minute apart are a blip', () => {
    const first = fail(UP, 'unauthorized', 0);
    expect(urgencyOf(fail(first, 'unauthorized', 90 * SECOND), 90 * SECOND)).toBe('normal');
  });

  test('an outage that changes its face goes on; what each face may last begins anew', () => {
    let past = fail(UP, 'refused', 0);
    past = fail(past, 'forbidden', 4 * MINUTE);
    expect(past.outage).toMatchObject({ since: 0, sameSince: 4 * MINUTE, looks: 1 });
    expect(urgencyOf(past, 5 * MINUTE)).toBe('normal');
    past = fail(past, 'closed', 6 * MINUTE);
    expect(urgencyOf(past, 6 * MINUTE)).toBe('warning');
    past = afterLook(past, { hasAnswered: true, error: null }, 7 * MINUTE);
    expect([past, outageLine(past, 8 * MINUTE)]).toEqual([UP, null]);
  });
});

test('the line says what, since when, whether that is normal, and the raw line', () => {
  const past = fail(UP, 'refused', 0);
  expect(outageLine(past, 42 * SECOND)).toBe('The API does not answer yet (for 42 s, normal so far): raw refused');
  expect(outageLine(past, 6 * MINUTE)).toContain('(for 6 min, longer than usual)');
  expect(outageLine(fail(UP, 'wrong-ca', 0), 125 * MINUTE)).toContain('(for 2 h 5 min, will not pass by itself)');
});

test('clocks: what one answer proves, and nothing more', () => {
  expect(skewOf(10_000, 9_900, 10_100)).toBe(0);
  // A date of whole seconds lies up to a second behind the moment it is of.
  expect(skewOf(10_000, 10_900, 10_950)).toBe(0);
  expect(skewOf(10_000, 11_500, 11_600)).toBe(-500);
  expect(skewOf(200_000, 9_000, 10_000)).toBe(190_000);
  // A slow answer proves less.
  expect(skewOf(10_000, 5_000, 30_000)).toBe(0);
  expect(skewTrouble(null)).toBeNull();
  expect(skewTrouble(MINUTE)).toBeNull();
  expect(skewTrouble(190_000)).toMatchObject({
    code: 'cluster-clock-skew',
    cause: 'The API is 3 min ahead of this host.',
  });
  expect(skewTrouble(-61_000)?.cause).toBe('The API is 61 s behind this host.');
});

test('pauses grow while looks fail, up to a quarter of a minute, and are never in step', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 99].map((failures) => pauseBeforeLook(failures, 3000, 0.5))).toEqual([
    3000, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000,
  ]);
  expect([0, 1].map((random) => pauseBeforeLook(0, 3000, random))).toEqual([2400, 3600]);
});

test('no waiting helps where another cluster answers, or credentials are no good for long', () => {
  const after = (shape: Shape, ms: number) => {
    let here = UP;
    for (let now = 0; now <= ms; now += 10 * SECOND) here = fail(here, shape, now);
    return isHopeless(here, ms);
  };
  expect(isHopeless(UP, 0)).toBe(false);
  for (const shape of ['wrong-ca', 'wrong-name', 'other-install', 'kubeconfig-expired'] as const)
    expect(after(shape, 0)).toBe(true);
  expect([after('unauthorized', 50 * SECOND), after('unauthorized', MINUTE)]).toEqual([false, true]);
  for (const shape of ['refused', 'timeout', 'name', 'not-kubernetes', 'certificate-expired', 'forbidden'] as const)
    expect(after(shape, 60 * MINUTE)).toBe(false);
});
