import { expect, test } from 'vitest';
import { findRejectedAnswer } from '../../src/design/rejected-answer.ts';
import { toExitError } from '../../src/installer/exit.ts';

const reject = (problem: string) =>
  toExitError(3, null, [
    {
      level: 'fatal',
      text: `failed to fetch Master Machines: failed to load asset "Install Config": failed to create install config: invalid "install-config.yaml" file: ${problem}`,
    },
  ])!;

test.each([
  ['metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain', 'cluster.name'],
  ['baseDomain: Invalid value: "_": a lowercase RFC 1123 subdomain', 'cluster.baseDomain'],
  ['networking.serviceNetwork[1]: Invalid value: "x": invalid CIDR address: x', 'networks.service.1'],
  ['networking.clusterNetwork[0].hostPrefix: Invalid value: 40: too small', 'networks.cluster.0.hostPrefix'],
  ['networking.clusterNetwork: Required value: no cluster networks', 'networks.cluster.0.cidr'],
  ['[fips: Forbidden: not here, pullSecret: Invalid value: "": auths required]', 'fips'],
  ['[apiVersion: Invalid value: "v2": x, sshKey: Invalid value: "x: Invalid value": no key]', 'credentials.sshKeyFile'],
  ['platform: Invalid value: "": must specify one of the platforms (none)', null],
  ['metadata.name is long', null],
])('openshift-install rejects %s', (problem, answer) => {
  const userError = reject(problem);
  // The title names the file: the cause begins with the key.
  expect(userError.cause).toBe(problem);
  expect(findRejectedAnswer(userError)).toBe(answer);
  expect(findRejectedAnswer({ ...userError, code: 'installer-fatal' })).toBeNull();
});
