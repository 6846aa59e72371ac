import { describe, expect, test } from 'vitest';
import {
  type ApiHealth,
  assessUrgency,
  computeProbePause,
  formatApiOutage,
  isUnrecoverable,
  recordProbe,
  UNKNOWN_HEALTH,
} from '../../src/kube/api-health.ts';
import { measureSkew } from '../../src/kube/cluster-client.ts';
import { ClusterError, checkClockSkew } from '../../src/kube/errors.ts';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';

type Shape = ConstructorParameters<typeof ClusterError>[0];

const UP: ApiHealth = { answeredAt: 0, outage: null };
const recordFailure = (health: ApiHealth, shape: Shape, now: number) =>
  recordProbe(health, { hasAnswered: false, error: new ClusterError(shape, `raw ${shape}`) }, now);

/** Returns the urgency after the same failure every three seconds for `ms` milliseconds. */
function urgencyAfter(shape: Shape, ms: number, health: ApiHealth = UP) {
  let current = health;
  for (let now = 0; now <= ms; now += 3 * SECOND) current = recordFailure(current, shape, now);
  return assessUrgency(current, ms);
}

describe('how long a failure is normal', () => {
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

  test('an API that was never up may take twenty minutes', () => {
    expect(urgencyAfter('refused', 20 * MINUTE, UNKNOWN_HEALTH)).toBe('normal');
    expect(urgencyAfter('refused', 21 * MINUTE, UNKNOWN_HEALTH)).toBe('warning');
    // Nothing answers at all: that is a firewall or a balancer that is down, whatever the stage.
    expect(urgencyAfter('timeout', 6 * MINUTE, UNKNOWN_HEALTH)).toBe('warning');
  });

  test('two refusals of the credentials a minute apart are a blip', () => {
    const first = recordFailure(UP, 'unauthorized', 0);
    expect(assessUrgency(recordFailure(first, 'unauthorized', 90 * SECOND), 90 * SECOND)).toBe('normal');
  });

  test('an outage continues when its error changes; the time limit of each error starts again', () => {
    let health = recordFailure(UP, 'refused', 0);
    health = recordFailure(health, 'forbidden', 4 * MINUTE);
    expect(health.outage).toMatchObject({ since: 0, errorSince: 4 * MINUTE, probeCount: 1 });
    expect(assessUrgency(health, 5 * MINUTE)).toBe('normal');
    health = recordFailure(health, 'closed', 6 * MINUTE);
    expect(assessUrgency(health, 6 * MINUTE)).toBe('warning');
    health = recordProbe(health, { hasAnswered: true, error: null }, 7 * MINUTE);
    expect([health, formatApiOutage(health, 8 * MINUTE)]).toEqual([UP, null]);
  });
});

test('the line has the error, its duration, whether that is normal, and the raw message', () => {
  const health = recordFailure(UP, 'refused', 0);
  expect(formatApiOutage(health, 42 * SECOND)).toBe(
    'The API does not answer yet (for 42 s, normal so far): raw refused',
  );
  expect(formatApiOutage(health, 6 * MINUTE)).toContain('(for 6 min, longer than usual)');
  expect(formatApiOutage(recordFailure(UP, 'wrong-ca', 0), 125 * MINUTE)).toContain(
    '(for 2 h 5 min, does not go away on its own)',
  );
});

test('clock skew: what one answer proves, and nothing more', () => {
  expect(measureSkew(10_000, 9_900, 10_100)).toBe(0);
  // A date in whole seconds is up to a second behind the time that it stands for.
  expect(measureSkew(10_000, 10_900, 10_950)).toBe(0);
  expect(measureSkew(10_000, 11_500, 11_600)).toBe(-500);
  expect(measureSkew(200_000, 9_000, 10_000)).toBe(190_000);
  // A slow answer proves less.
  expect(measureSkew(10_000, 5_000, 30_000)).toBe(0);
  expect(checkClockSkew(null)).toBeNull();
  expect(checkClockSkew(MINUTE)).toBeNull();
  expect(checkClockSkew(190_000)).toMatchObject({
    code: 'cluster-clock-skew',
    cause: 'The API is 3 min ahead of this host.',
  });
  expect(checkClockSkew(-61_000)?.cause).toBe('The API is 61 s behind this host.');
});

test('pauses grow while probes fail, up to 15 seconds, and vary at random', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 99].map((failures) => computeProbePause(failures, 3000, 0.5))).toEqual([
    3000, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000,
  ]);
  expect([0, 1].map((random) => computeProbePause(0, 3000, random))).toEqual([2400, 3600]);
});

test('an answer of another cluster, or credentials refused for long, are unrecoverable', () => {
  const isUnrecoverableAfter = (shape: Shape, ms: number) => {
    let health = UP;
    for (let now = 0; now <= ms; now += 10 * SECOND) health = recordFailure(health, shape, now);
    return isUnrecoverable(health, ms);
  };
  expect(isUnrecoverable(UP, 0)).toBe(false);
  for (const shape of ['wrong-ca', 'wrong-name', 'other-install', 'kubeconfig-expired'] as const)
    expect(isUnrecoverableAfter(shape, 0)).toBe(true);
  expect([isUnrecoverableAfter('unauthorized', 50 * SECOND), isUnrecoverableAfter('unauthorized', MINUTE)]).toEqual([
    false,
    true,
  ]);
  for (const shape of ['refused', 'timeout', 'name', 'not-kubernetes', 'certificate-expired', 'forbidden'] as const)
    expect(isUnrecoverableAfter(shape, 60 * MINUTE)).toBe(false);
});
