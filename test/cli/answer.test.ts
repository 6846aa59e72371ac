import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerCommand } from '../../src/cli/answer.ts';
import { holdWizard } from '../../src/cli/session/holding.ts';
import { openSaved } from '../../src/cli/session/saved.ts';
import { readSession } from '../../src/session/load.ts';
import { acquireLock } from '../../src/session/lock.ts';
import type { SavedQuestion } from '../../src/session/state.ts';
import { openSession } from '../../src/session/store.ts';
import type { Effect } from '../../src/wizard/intents.ts';
import { createWizardStore } from '../../src/wizard/store.ts';
import { type LiveCluster, runLive, startLiveCluster } from '../support/live-cluster.ts';
import { after, dangerousPlan, probeOf, wizardState } from '../support/wizard-state.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
let cluster: LiveCluster;
beforeEach(async () => {
  cluster = await startLiveCluster();
});
afterEach(() => cluster.close());

const answer = (...words: readonly string[]) =>
  runLive(answerCommand, ['--dir', cluster.dir, ...words], { cwd: cluster.cwd });
const ask = (question: SavedQuestion) => openSaved(openSession(cluster.dir)).update({ question });
const left = () => readSession(cluster.dir)?.question;
const GENERATE: SavedQuestion = { step: 'generate', action: 'apply', subject: null, words: null, plan: null };

test('without a question there is nothing to answer, and nothing is done', async () => {
  expect(await answer()).toMatchObject({ code: 0, stdout: 'No question waits for an answer.\n' });
  expect(await answer('yes')).toMatchObject({ code: 4, stderr: 'No question waits for an answer.\n' });
  expect(existsSync(join(cluster.dir, 'files'))).toBe(false);
});

test('a question is shown as often as one likes, and no, nothing and nonsense begin nothing', async () => {
  ask(GENERATE);
  const shown = await answer();
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(
    /^\[8\/17\] Generate files\nGenerate files: do this now\?\nTo answer: .*answer --dir .* yes\n$/,
  );
  expect(JSON.parse((await answer('--json')).stdout)).toMatchObject({ question: { step: 'generate', isHeld: false } });
  for (const nonsense of ['', 'maybe', 'yes please'])
    expect(await answer(nonsense)).toMatchObject({ code: 4, stderr: expect.stringContaining('yes or no') });
  expect(left()).toMatchObject({ step: 'generate' });
  expect(await answer('no')).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was done') });
  expect(left()).toBeNull();
  expect(existsSync(join(cluster.dir, 'files'))).toBe(false);
});

test('a yes counts only for what was shown: what has changed since is shown and asked about anew', async () => {
  ask(GENERATE);
  const first = await answer('yes');
  expect(first).toMatchObject({ code: 4, stderr: expect.stringContaining('has changed since it was asked') });
  expect(first.stderr).toContain('ns1: /etc/named.conf');
  expect(existsSync(join(cluster.dir, 'files'))).toBe(false);
  const second = await answer('yes');
  expect(second.code, second.stderr).toBe(0);
  expect(existsSync(join(cluster.dir, 'files'))).toBe(true);
  expect(left()).toBeNull();
  expect(await answer('yes')).toMatchObject({ code: 4 });
});

test('what wants a word typed is not begun by yes', async () => {
  await cluster.addRequest('csr-w1', 'w1');
  ask({ step: 'certificates', action: 'apply-one', subject: 'csr-w1', words: ['w1'], plan: null });
  expect(await answer('yes')).toMatchObject({ code: 4, stderr: expect.stringContaining('one of: w1') });
  const isApproved = () => JSON.stringify(cluster.store.get(REQUESTS, null, 'csr-w1') ?? {}).includes('"Approved"');
  expect(isApproved()).toBe(false);
  const typed = await answer('w1');
  expect(typed.code, typed.stderr).toBe(0);
  expect(isApproved()).toBe(true);
  expect(left()).toBeNull();
});

test('a wizard that asks is answered from another terminal, and carries on by itself', async () => {
  const lock = await acquireLock(cluster.dir, 'upi-wizard', '1.2.3');
  const performed: Effect[] = [];
  const boot = { ...wizardState({}, { screen: 'boot' }) };
  const probe = probeOf('needed', { nodes: [], refusedMacs: [] });
  const looked = after(boot, { type: 'step/looked', step: 'boot', probe, plan: dangerousPlan });
  const store = createWizardStore(looked, (effect) => void performed.push(effect));
  const holding = holdWizard(lock);
  try {
    holding.begin(store);
    expect(await answer()).toMatchObject({ code: 0, stdout: 'No question waits for an answer.\n' });
    expect(await answer('yes')).toMatchObject({ code: 4, stderr: expect.stringContaining('No question waits') });
    store.dispatch({ type: 'step/ask', action: 'apply' });
    expect((await answer()).stdout).toContain('[11/17] Boot');
    expect(await answer('perhaps')).toMatchObject({ code: 4, stderr: expect.stringContaining('yes or no') });
    expect(store.getState().runs.boot.phase).toBe('asking');
    expect(await answer('yes')).toMatchObject({ code: 0, stderr: expect.stringContaining('carries on') });
    expect(store.getState().runs.boot.phase).toBe('applying');
    expect(performed).toContainEqual({ type: 'run', step: 'boot', action: 'apply', subject: null });
  } finally {
    holding.stop();
    lock.release();
  }
});
