import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LogSource } from '../../src/installer/log.ts';
import { createLogBuffer, createLogFollower, createLogMarker, type LogLine } from '../../src/installer/log.ts';
import { MINUTE } from '../../src/platform/clock.ts';

const START = Date.parse('2026-11-21T04:00:00Z');
const createLine = (minutes: number, text: string): LogLine => ({ at: START + minutes * MINUTE, level: 'debug', text });
const REFUSED = 'Still waiting for the Kubernetes API: Get "https://api:6443/version": connect: connection refused';
const HTTP = 'Still waiting for the Kubernetes API: http: server gave HTTP response to HTTPS client';

/**
 * Computes the mark of a line.
 * @param minutes since the wait began
 */
function computeMark(source: LogSource, minutes: number, text: string) {
  const marker = createLogMarker();
  const startText =
    source === 'installer' ? 'Waiting up to 20m0s for the Kubernetes API at x' : 'Starting bootkube.service';
  marker.mark(createLine(0, startText), source, 0);
  return marker.mark(createLine(minutes, text), source, 1).mark;
}

test.each([
  ['installer', 1, REFUSED, 'noise'],
  ['installer', 25, REFUSED, 'failure'],
  ['installer', 3, 'Still waiting for the Kubernetes API: Get "https://api:6443/version?timeout=32s": EOF', 'noise'],
  ['installer', 3, 'Still waiting for the Kubernetes API: the server could not find the requested resource', 'noise'],
  ['installer', 1, HTTP, 'noise'],
  ['installer', 1, 'Making control-plane schedulable by setting MastersSchedulable to true for Scheduler', 'noise'],
  ['installer', 5, HTTP, 'failure'],
  ['installer', 1, 'Failed to watch *v1.ConfigMap: Unexpected watch close', 'noise'],
  ['installer', 1, 'Get "https://api:6443": x509: certificate signed by unknown authority', 'failure'],
  ['installer', 1, 'dial tcp: lookup api.ocp45.example: no such host', 'failure'],
  ['installer', 1, 'API v1.31.6 up', null],
  ['bootkube', 1, '[#171] failed to create some manifests:', 'noise'],
  ['bootkube', 40, '[#971] failed to create some manifests:', 'failure'],
  ['bootkube', 1, 'error parsing profile: invalid organization', 'noise'],
  ['bootkube', 1, 'etcdserver: request timed out', 'failure'],
  ['bootkube', 1, 'Tearing down temporary bootstrap control plane...', 'failure'],
  ['release-image', 1, 'Error: reading manifest: unauthorized: authentication required', 'failure'],
  ['release-image', 1, 'Error: manifest unknown: manifest unknown', 'failure'],
] as const)('a line of %s after %i min gets its mark: %s', (source, minutes, text, mark) => {
  expect(computeMark(source, minutes, text)).toBe(mark);
});

test('a failure that later succeeds is solved, however often it failed', () => {
  const buffer = createLogBuffer();
  const failed =
    '"configmap-admin-kubeconfig-client-ca.yaml": failed to create configmaps.v1./x: namespaces "y" not found';
  buffer.add(
    'bootkube',
    [createLine(1, failed), createLine(1, 'Created "other.yaml" configmaps.v1./other -n y')],
    START,
  );
  buffer.add('bootkube', [createLine(2, failed)], START);
  const before = buffer.getSnapshot();
  expect(before.lines.map(({ mark }) => mark)).toEqual(['noise', null, 'noise']);
  buffer.add(
    'bootkube',
    [createLine(3, 'Created "configmap-admin-kubeconfig-client-ca.yaml" configmaps.v1./x -n y')],
    START,
  );
  expect(buffer.getSnapshot().lines.map(({ mark }) => mark)).toEqual(['solved', null, 'solved', null]);
  // Earlier snapshots stay as they were.
  expect(before.lines.map(({ mark }) => mark)).toEqual(['noise', null, 'noise']);
});

test('the buffer keeps the latest lines under their numbers, and its snapshot is the same while nothing comes', () => {
  const buffer = createLogBuffer(100);
  buffer.add(
    'installer',
    Array.from({ length: 250 }, (_, index) => createLine(0, `line ${index}`)),
    START,
  );
  const snapshot = buffer.getSnapshot();
  expect([snapshot.firstNumber, snapshot.lines.length, snapshot.lines[0]?.text]).toEqual([150, 100, 'line 150']);
  buffer.add('installer', [], START);
  expect(buffer.getSnapshot()).toBe(snapshot);
  buffer.add('installer', [createLine(1, 'two\nrows')], START);
  expect(
    buffer
      .getSnapshot()
      .lines.slice(-2)
      .map(({ text }) => text),
  ).toEqual(['two', 'rows']);
  expect(buffer.getSnapshot().firstNumber).toBe(152);
});

test('lines of any length fill no more than 32 MiB', () => {
  const buffer = createLogBuffer();
  const long = 'x'.repeat(10_000);
  for (let turn = 0; turn < 50; turn += 1)
    buffer.add(
      'installer',
      Array.from({ length: 100 }, () => createLine(0, long)),
      START,
    );
  const { lines } = buffer.getSnapshot();
  expect(lines.length).toBe(Math.floor((32 * 1024 * 1024) / 10_000));
});

test('only a new message that is no noise sets the time of the last new message', () => {
  const buffer = createLogBuffer();
  buffer.add('installer', [createLine(0, 'Waiting up to 20m0s for the Kubernetes API'), createLine(1, REFUSED)], START);
  expect(buffer.getSnapshot().lastNewMessageAt).toBe(START);
  buffer.add('installer', [createLine(5, 'Bootstrap status: progress 17')], START);
  buffer.add('installer', [createLine(9, 'Bootstrap status: progress 18'), createLine(9, REFUSED)], START);
  expect(buffer.getSnapshot().lastNewMessageAt).toBe(START + 5 * MINUTE);
});

function createLogPath(): string {
  const dir = mkdtempSync(join(tmpdir(), 'book-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, '.openshift_install.log');
}

const formatLogLine = (text: string) => `time="2026-11-21T04:04:25Z" level=info msg=${JSON.stringify(text)}\n`;

test('a log that is cut short, replaced by another file or has a line of 1 MB is followed all the same', async () => {
  const file = createLogPath();
  writeFileSync(file, formatLogLine('one') + formatLogLine('two'));
  const follower = createLogFollower(file);
  const texts = async () => (await follower.next()).map(({ text }) => text);
  expect(await texts()).toEqual(['one', 'two']);
  expect(await texts()).toEqual([]);
  truncateSync(file, 0);
  appendFileSync(file, formatLogLine('three'));
  expect(await texts()).toEqual(['three']);
  // Another file in its place, longer than the first was.
  writeFileSync(`${file}.new`, formatLogLine('four') + formatLogLine('five'));
  renameSync(`${file}.new`, file);
  expect(await texts()).toEqual(['four', 'five']);
  appendFileSync(file, `${'x'.repeat(1024 * 1024)}\n${formatLogLine('six')}`);
  const rest = [...(await texts()), ...(await texts())];
  expect(rest.map((text) => text.length)).toEqual([10_001, 3]);
});

test('of a long log the end is read, from a whole line on', async () => {
  const file = createLogPath();
  const text = formatLogLine('x'.repeat(950));
  writeFileSync(file, text.repeat(20_000));
  const follower = createLogFollower(file);
  let count = 0;
  for (let lines = await follower.next(); lines.length > 0; lines = await follower.next()) {
    expect(new Set(lines.map((each) => each.text.length))).toEqual(new Set([950]));
    count += lines.length;
  }
  expect(count).toBe(Math.floor((16 * 1024 * 1024) / text.length));
});
