import { mkdirSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { InterruptedError } from '../../src/cli/shared/process-io.ts';
import { readJournal } from '../../src/session/journal.ts';
import { listJournalFiles } from '../../src/session/journal-file.ts';
import { captureCommand } from '../support/run-command.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
  await cluster.addRequest('csr-w1', 'w1');
});
afterEach(() => cluster.close());

const run = (...argv: readonly string[]) => captureCommand([...argv, '--dir', cluster.dir], { cwd: cluster.cwd });
const isApproved = () => JSON.stringify(cluster.store.get(REQUESTS, null, 'csr-w1') ?? {}).includes('"Approved"');
const addInfraNodes = () => {
  for (const number of [1, 2, 3]) cluster.addNode(`i${number}`, `172.16.0.4${number}`);
};

/** Actions and program runs in the journal. */
const readActions = () =>
  readJournal(cluster.dir).flatMap((line) => {
    if (line.type === 'begun') return [`${line.step} ${line.action} ${line.subject}`];
    if (line.type === 'ended') return [[line.outcome, line.code].filter(Boolean).join(' ')];
    return line.type === 'opened' || line.type === 'left' ? [`${line.type} ${line.program}`] : [];
  });

test('approvals are recorded before and after', async () => {
  expect(await run('csr', 'approve', '--expected')).toMatchObject({ code: 0 });
  expect(readActions()).toEqual(['certificates approve csr-w1', 'done']);
});

test('each move is recorded, with the program that applied it', async () => {
  addInfraNodes();
  expect(await run('infra', 'apply', '--only', 'label', '--yes')).toMatchObject({ code: 0 });
  expect(await run('infra', 'undo', '--only', 'label', '--yes')).toMatchObject({ code: 0 });
  expect(readActions()).toEqual([
    'opened upi-wizard infra',
    'infra apply-one label',
    'done',
    'left upi-wizard infra',
    'opened upi-wizard infra',
    'infra undo label',
    'done',
    'left upi-wizard infra',
  ]);
});

test('an action that cannot be recorded is not run; a read-only command still works', async () => {
  const [file] = listJournalFiles(cluster.dir);
  rmSync(file);
  mkdirSync(file);
  const { code, stderr } = await run('csr', 'approve', '--expected');
  expect(code).toBe(4);
  expect(stderr).toMatch(/^The session cannot be saved: /);
  expect(isApproved()).toBe(false);
  expect(await run('status')).toMatchObject({ code: 0 });
});

test('a move that cannot be recorded is not applied, and the cause is reported', async () => {
  addInfraNodes();
  const [file] = listJournalFiles(cluster.dir);
  rmSync(file);
  mkdirSync(file);
  const { code, stderr } = await run('infra', 'apply', '--only', 'label', '--yes');
  expect(code).toBe(4);
  expect(stderr).toMatch(/^The session cannot be saved: /m);
  expect(JSON.stringify(cluster.store.list('nodes'))).not.toContain('node-role.kubernetes.io/infra');
});

test('the follower approves nothing while the journal cannot be written', async () => {
  const [file] = listJournalFiles(cluster.dir);
  rmSync(file);
  mkdirSync(file);
  const controller = new AbortController();
  let log = '';
  await captureCommand(['csr', 'approve', '--follow', '--forever', '--dir', cluster.dir], {
    cwd: cluster.cwd,
    signal: controller.signal,
    onStdout(text) {
      log += text;
      if (!/approving nothing for now: The session cannot be saved/.test(text)) return;
      expect(isApproved()).toBe(false);
      controller.abort(new InterruptedError(143));
    },
  });
  expect(log).toMatch(/stopped\n$/);
});
