import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBootLog, readBootRequests } from '../../../../src/steps/shared/machines/boot-requests.ts';
import { createStepFixture } from '../../../support/step-fixture.ts';

const logLine = (second: number, path: string) =>
  `172.16.0.11 - - [21/Nov/2026:22:31:${String(second).padStart(2, '0')} +0000] "GET ${path} HTTP/1.1" 200 9 "-" "iPXE"\n`;

test('the log of another web server is read across its rotation, from the first power-on', async () => {
  const server = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const start = Date.parse('2026-11-21T22:31:10Z');
  const fixture = createStepFixture({
    resolveEndpoint: () => ({ host: '127.0.0.1', port }),
    facts: { 'powered-on': { bs: start } },
  });
  onTestFinished(() => fixture.remove());
  const dir = mkdtempSync(join(tmpdir(), 'upi-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const log = join(dir, 'access.log');
  const readPaths = async () => (await readBootRequests(fixture.context, [log])).map(({ path }) => path);
  expect(await readPaths()).toEqual([]);
  writeFileSync(log, logLine(5, '/of-another-time') + logLine(11, '/boot.ipxe'));
  expect(await readPaths()).toEqual(['/boot.ipxe']);
  appendFileSync(log, logLine(12, '/images/k'));
  renameSync(log, `${log}-20261121`);
  writeFileSync(log, logLine(13, '/ignition/bootstrap.ign'));
  expect(await readPaths()).toEqual(['/boot.ipxe', '/images/k', '/ignition/bootstrap.ign']);
  writeFileSync(`${log}.2.gz`, logLine(14, '/compressed'));
  expect(await readPaths()).toHaveLength(3);
});

test('without a request of a node, and our own query, the log of another web server proves nothing', async () => {
  const server = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const fixture = createStepFixture({
    facts: { 'powered-on': { bs: 1 } },
  });
  onTestFinished(() => fixture.remove());
  const dir = mkdtempSync(join(tmpdir(), 'upi-log-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const log = join(dir, 'access.log');
  const context = { ...fixture.context, resolveEndpoint: () => ({ host: '127.0.0.1', port }) };
  const isComplete = async () => (await readBootLog(context, [log])).isComplete;
  const formatTime = (at: number) => {
    const [day, month, year, time] = new Date(at).toUTCString().split(' ').slice(1);
    return `${day}/${month}/${year}:${time} +0000`;
  };
  const write = (client: string, at: number, path: string) =>
    appendFileSync(log, `${client} - - [${formatTime(at)}] "GET ${path} HTTP/1.1" 200 9 "-" "iPXE"\n`);
  expect(await isComplete()).toBe(false);
  write('192.0.2.1', fixture.context.clock.now(), '/boot.ipxe');
  expect(await isComplete()).toBe(false);
  write('127.0.0.1', fixture.context.clock.now(), '/images/k');
  expect(await isComplete()).toBe(true);
});
