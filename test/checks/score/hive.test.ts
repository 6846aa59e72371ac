import { expect, test } from 'vitest';
import { matchHivePattern } from './hive.ts';
import { renderBoard } from './scoreboard.ts';

const FAILED =
  'time="2026-11-22T12:00:00Z" level=error msg="Failed waiting for Kubernetes API. This error usually happens when there is a problem on the bootstrap host that prevents creating a temporary control plane"';
const CHECK = 'level=info msg="Cluster operator authentication Degraded is True with OAuthServerRouteEndpoint: EOF"';

test('Hive reports the first of its patterns that matches an installer log, and none for a successful log', () => {
  expect(matchHivePattern(`${CHECK}\n${FAILED}`)).toBe('KubeAPIWaitFailed');
  expect(matchHivePattern(CHECK)).toBe('AuthenticationOperatorDegraded');
  expect(matchHivePattern(CHECK.replace('authentication', 'ingress'))).toBe('GeneralOperatorDegraded');
  expect(
    matchHivePattern('level=error msg="failed to fetch Metadata: failed to load asset \\"Install Config\\": invalid"'),
  ).toBe('FallbackInvalidInstallConfig');
  expect(
    matchHivePattern('level=info msg="Waiting up to 20m0s for the Kubernetes API at https://api:6443..."'),
  ).toBeNull();
});

test('the scoreboard shows the result of Hive for the same log beside our verdict, and counts both', () => {
  const score = {
    site: 'hosts',
    verdict: 'first',
    since: 'before',
    likelihood: 'certain',
    otherFindings: [],
    snapshots: [],
  } as const;
  const text = renderBoard(
    '',
    [
      { ...score, fault: 'ptr-missing', hive: 'BootstrapFailed' },
      { ...score, fault: 'wrong-mac', hive: null },
    ],
    [],
  );
  expect(text).toContain('| ptr-missing | hosts | named first | before | certain |  | BootstrapFailed |');
  expect(text).toContain('| wrong-mac | hosts | named first | before | certain |  | nothing |');
  expect(text).toContain("Hive's patterns fit the log of 1 of 2 plays");
});
