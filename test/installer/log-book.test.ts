import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LogSource } from '../../src/diagnosis/bootstrap/evidence.ts';
import { followLog } from '../../src/installer/log.ts';
import { createLogBook } from '../../src/installer/log-book.ts';
import type { LogLine } from '../../src/installer/log-line.ts';
import { createMarker } from '../../src/installer/log-marks.ts';
import { MINUTE } from '../../src/ports/clock.ts';

const START = Date.parse('2026-11-21T04:00:00Z');
const line = (minutes: number, text: string): LogLine => ({ at: START + minutes * MINUTE, level: 'debug', text });
const REFUSED = 'Still waiting for the Kubernetes API: Get "https://api:6443/version": connect: connection refused';
const HTTP = 'Still waiting for the Kubernetes API: http: server gave HTTP response to HTTPS client';

/** The mark of a line that comes so many minutes after the wait began. */
function markOf(source: LogSource, minutes: number, text: string) {
  const marker = createMarker();
  const began =
    source === 'installer' ? 'Waiting up to 20m0s for the Kubernetes API at x' : 'Starting bootkube.service';
  marker.mark(line(0, began), source, 0);
  return marker.mark(line(minutes, text), source, 1).mark;
}

test.each([
  ['installer', 1, REFUSED, 'noise'],
  ['installer', 25, REFUSED, 'trouble'],
  ['installer', 3, 'Still waiting for the Kubernetes API: Get "https://api:6443/version?timeout=32s": EOF', 'noise'],
  ['installer', 3, 'Still waiting for the Kubernetes API: the server could not find the requested resource', 'noise'],
  ['installer', 1, HTTP, 'noise'],
  ['installer', 5, HTTP, 'trouble'],
  ['installer', 1, 'Failed to watch *v1.ConfigMap: Unexpected watch close', 'noise'],
  ['installer', 1, 'Get "https://api:6443": x509: certificate signed by unknown authority', 'trouble'],
  ['installer', 1, 'dial tcp: lookup api.ocp45.example: no such host', 'trouble'],
  ['installer', 1, 'API v1.31.6 up', null],
  ['bootkube', 1, '[#171] failed to create some manifests:', 'noise'],
  ['bootkube', 40, '[#971] failed to create some manifests:', 'trouble'],
  ['bootkube', 1, 'error parsing profile: invalid organization', 'noise'],
  ['bootkube', 1, 'etcdserver: request timed out', 'trouble'],
  ['bootkube', 1, 'Tearing down temporary bootstrap control plane...', 'trouble'],
  ['release-image', 1, 'Error: reading manifest: unauthorized: authentication required', 'trouble'],
  ['release-image', 1, 'Error: manifest unknown: manifest unknown', 'trouble'],
] as const)('a line of %s after %i min is told for what it is: %s', (source, minutes, text, mark) => {
  expect(markOf(source, minutes, text)).toBe(mark);
});

test('what failed and then went well is solved, however often it failed', () => {
  const book = createLogBook();
  const failed =
    '"configmap-admin-kubeconfig-client-ca.yaml": failed to create configmaps.v1./x: namespaces "y" not found';
  book.add('bootkube', [line(1, failed), line(1, 'Created "other.yaml" configmaps.v1./other -n y')], START);
  book.add('bootkube', [line(2, failed)], START);
  const before = book.pages();
  expect(before.lines.map(({ mark }) => mark)).toEqual(['noise', null, 'noise']);
  book.add('bootkube', [line(3, 'Created "configmap-admin-kubeconfig-client-ca.yaml" configmaps.v1./x -n y')], START);
  expect(book.pages().lines.map(({ mark }) => mark)).toEqual(['solved', null, 'solved', null]);
  // What was handed out before stays as it was.
  expect(before.lines.map(({ mark }) => mark)).toEqual(['noise', null, 'noise']);
});

test('the book keeps the latest lines under their numbers, and is the same while nothing comes', () => {
  const book = createLogBook(100);
  book.add(
    'installer',
    Array.from({ length: 250 }, (_, index) => line(0, `line ${index}`)),
    START,
  );
  const pages = book.pages();
  expect([pages.first, pages.lines.length, pages.lines[0]?.text]).toEqual([150, 100, 'line 150']);
  book.add('installer', [], START);
  expect(book.pages()).toBe(pages);
  book.add('installer', [line(1, 'two\nrows')], START);
  expect(
    book
      .pages()
      .lines.slice(-2)
      .map(({ text }) => text),
  ).toEqual(['two', 'rows']);
  expect(book.pages().first).toBe(152);
});

test('lines of any length fill no more than 32 MiB', () => {
  const book = createLogBook();
  const long = 'x'.repeat(10_000);
  for (let turn = 0; turn < 50; turn += 1)
    book.add(
      'installer',
      Array.from({ length: 100 }, () => line(0, long)),
      START,
    );
  const { lines } = book.pages();
  expect(lines.length).toBe(Math.floor((32 * 1024 * 1024) / 10_000));
});

test('news is what was not said before and is no noise', () => {
  const book = createLogBook();
  book.add('installer', [line(0, 'Waiting up to 20m0s for the Kubernetes API'), line(1, REFUSED)], START);
  expect(book.pages().newsAt).toBe(START);
  book.add('installer', [line(5, 'Bootstrap status: progress 17')], START);
  book.add('installer', [line(9, 'Bootstrap status: progress 18'), line(9, REFUSED)], START);
  expect(book.pages().newsAt).toBe(START + 5 * MINUTE);
});

function logFile(): string {
  const dir = mkdtempSync(join(tmpdir(), 'book-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, '.openshift_install.log');
}

const logged = (text: string) => `time="2026-11-21T04:04:25Z" level=info msg=${JSON.stringify(text)}\n`;

test('a log that is cut short, replaced by another file or has a line of 1 MB is followed all the same', async () => {
  const file = logFile();
  writeFileSync(file, logged('one') + logged('two'));
  const follower = followLog(file);
  const texts = async () => (await follower.next()).map(({ text }) => text);
  expect(await texts()).toEqual(['one', 'two']);
  expect(await texts()).toEqual([]);
  truncateSync(file, 0);
  appendFileSync(file, logged('three'));
  expect(await texts()).toEqual(['three']);
  // Another file in its place, longer than the first was.
  writeFileSync(`${file}.new`, logged('four') + logged('five'));
  renameSync(`${file}.new`, file);
  expect(await texts()).toEqual(['four', 'five']);
  appendFileSync(file, `${'x'.repeat(1024 * 1024)}\n${logged('six')}`);
  const rest = [...(await texts()), ...(await texts())];
  expect(rest.map((text) => text.length)).toEqual([10_001, 3]);
});

test('of a long log the end is read, from a whole line on', async () => {
  const file = logFile();
  const text = logged('x'.repeat(950));
  writeFileSync(file, text.repeat(20_000));
  const follower = followLog(file);
  let count = 0;
  for (let lines = await follower.next(); lines.length > 0; lines = await follower.next()) {
    expect(new Set(lines.map((each) => each.text.length))).toEqual(new Set([950]));
    count += lines.length;
  }
  expect(count).toBe(Math.floor((16 * 1024 * 1024) / text.length));
});
