import { expect, test } from 'vitest';
import { dropResolvedLines } from '../../../src/steps/diagnose/log-lines.ts';

/** Lines of one pasted file, each `program: message`. */
const listUnresolved = (...lines: readonly string[]) =>
  dropResolvedLines(
    lines.map((line) => {
      const [source = '', ...rest] = line.split(': ');
      return { source, host: 'bs', text: rest.join(': '), at: null, path: 'pasted.txt' };
    }),
  ).map(({ source, text }) => `${source}: ${text}`);

const PULL = 'release-image-download.sh: Pull failed. Retrying quay.io/x...';
const KUBELET = 'kubenswrapper: E1 node "m1" not found';

test('in a text of several units, the success of one resolves its own problems only', () => {
  const downloaded = 'systemd: Finished Download the OpenShift Release Image.';
  expect(listUnresolved(PULL, KUBELET, downloaded)).toEqual([KUBELET, downloaded]);
  const ended = 'systemd: kubelet.service: Deactivated successfully.';
  expect(listUnresolved(PULL, KUBELET, ended)).toEqual([PULL, ended]);
  const other = 'systemd: chronyd.service: Deactivated successfully.';
  expect(listUnresolved(PULL, KUBELET, other)).toEqual([PULL, KUBELET, other]);
  const id = `release-image-download.sh: ${'ab'.repeat(32)}`;
  expect(listUnresolved(PULL, KUBELET, id)).toEqual([KUBELET, id]);
  // A problem after the success is a new one.
  expect(listUnresolved(downloaded, PULL)).toEqual([downloaded, PULL]);
});

test('Ignition has its configuration: its earlier attempts are over, and nothing else', () => {
  const refused = 'ignition: GET error: Get "https://api-int.x:22623/config/master": connection refused';
  const ok = 'ignition: GET result: OK';
  expect(listUnresolved(PULL, refused, ok)).toEqual([PULL, ok]);
});
