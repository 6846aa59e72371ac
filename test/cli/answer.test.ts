import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { holdForWizard } from '../../src/cli/session/session-holder.ts';
import { openWorkingSession } from '../../src/cli/session/working-session.ts';
import { acquireLock } from '../../src/session/lock.ts';
import { openSession } from '../../src/session/session.ts';
import { readSession } from '../../src/session/session-file.ts';
import type { SavedQuestion } from '../../src/session/state.ts';
import type { Confirmation } from '../../src/steps/contract.ts';
import type { Effect } from '../../src/wizard/intents.ts';
import { createWizardStore } from '../../src/wizard/store.ts';
import { hostsView } from '../screens/views.ts';
import { captureCommand } from '../support/run-command.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';
import { applyInputs, buildProbe, dangerousPlan, safePlan, wizardState } from '../support/wizard-state.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
});
afterEach(() => cluster.close());

const runAnswer = (...words: readonly string[]) =>
  captureCommand(['answer', '--dir', cluster.dir, ...words], { cwd: cluster.cwd });
const saveQuestion = (question: SavedQuestion) => openWorkingSession(openSession(cluster.dir)).update({ question });
const readQuestion = () => readSession(cluster.dir)?.question;
const GENERATE: SavedQuestion = { step: 'generate', action: 'apply', subject: null, words: null, plan: null };

test('without a question there is nothing to answer, and nothing is done', async () => {
  expect(await runAnswer()).toMatchObject({ code: 0, stdout: 'No question waits for an answer.\n' });
  expect(await runAnswer('yes')).toMatchObject({ code: 4, stderr: 'No question waits for an answer.\n' });
  expect(existsSync(join(cluster.dir, 'files'))).toBe(false);
});

test('a question can be shown repeatedly; no, an empty answer and nonsense start nothing', async () => {
  saveQuestion(GENERATE);
  const output = await runAnswer();
  expect(output.code).toBe(0);
  const [title, question, ...lines] = output.stdout.trimEnd().split('\n');
  expect([title, question]).toEqual(['[8/17] Generate', 'Generate: make these changes?']);
  // As a running wizard, it lists what a yes does.
  expect(lines.slice(0, -1)).toContain('  will change  ns1: /etc/named.conf: new');
  expect(lines.at(-1)).toMatch(/^To answer: .*answer --dir .* yes$/);
  expect(JSON.parse((await runAnswer('--json')).stdout)).toMatchObject({
    question: { step: 'generate', isHeld: false },
  });
  for (const nonsense of [' ', 'maybe', 'yes please'])
    expect(await runAnswer(nonsense)).toMatchObject({ code: 4, stderr: expect.stringContaining('yes or no') });
  expect(readQuestion()).toMatchObject({ step: 'generate' });
  expect(await runAnswer('no')).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was done') });
  expect(readQuestion()).toBeNull();
  expect(existsSync(join(cluster.dir, 'files'))).toBe(false);
});

test('a yes applies only to the plan that was shown: a changed plan is shown and must be confirmed again', async () => {
  saveQuestion(GENERATE);
  const first = await runAnswer('yes');
  expect(first).toMatchObject({ code: 4, stderr: expect.stringContaining('is about are different now') });
  expect(first.stderr).toContain('ns1: /etc/named.conf');
  expect(existsSync(join(cluster.dir, 'files'))).toBe(false);
  const second = await runAnswer('yes');
  expect(second.code, second.stderr).toBe(0);
  expect(existsSync(join(cluster.dir, 'files'))).toBe(true);
  expect(readQuestion()).toBeNull();
  expect(await runAnswer('yes')).toMatchObject({ code: 4 });
});

test('an action that needs a typed word does not start with yes', async () => {
  await cluster.addRequest('csr-w1', 'w1');
  saveQuestion({ step: 'certificates', action: 'apply-one', subject: 'csr-w1', words: ['w1'], plan: null });
  expect(await runAnswer('yes')).toMatchObject({ code: 4, stderr: expect.stringContaining('one of: w1') });
  const isApproved = () => JSON.stringify(cluster.store.get(REQUESTS, null, 'csr-w1') ?? {}).includes('"Approved"');
  expect(isApproved()).toBe(false);
  const typed = await runAnswer('w1');
  expect(typed.code, typed.stderr).toBe(0);
  expect(isApproved()).toBe(true);
  expect(readQuestion()).toBeNull();
});

test('the setup of a host shows the question and the diff of the screen', async () => {
  const lock = await acquireLock(cluster.dir, 'upi-wizard', '1.2.3');
  const hosts = wizardState({}, { screen: 'hosts' });
  const probe = buildProbe('needed', hostsView);
  const store = createWizardStore(
    applyInputs(hosts, { type: 'step/probed', step: 'hosts', probe, plan: safePlan }),
    () => undefined,
  );
  const holder = holdForWizard(lock);
  try {
    holder.begin(store);
    store.dispatch({ type: 'step/ask', action: 'set-up', subject: 'ns1' });
    const confirmation: Confirmation = {
      question: 'Run install.sh on ns1 from here?',
      lines: ['ns1: /etc/named.conf', { diffLine: '+  recursion yes;' }],
      alternatives: [],
    };
    store.dispatch({ type: 'step/previewed', step: 'hosts', action: 'set-up', subject: 'ns1', confirmation });
    const output = await runAnswer();
    expect(output.stdout).toContain('Run install.sh on ns1 from here?\n  ns1: /etc/named.conf\n  +  recursion yes;\n');
    expect(JSON.parse((await runAnswer('--json')).stdout)).toMatchObject({
      question: { question: confirmation.question, lines: ['ns1: /etc/named.conf', '+  recursion yes;'] },
    });
  } finally {
    holder.stop();
    lock.release();
  }
});

test('a question of a running wizard is answered from another terminal, and the wizard continues', async () => {
  const lock = await acquireLock(cluster.dir, 'upi-wizard', '1.2.3');
  const effects: Effect[] = [];
  const boot = { ...wizardState({}, { screen: 'boot' }) };
  const probe = buildProbe('needed', { nodes: [], refusedMacs: [] });
  const probedState = applyInputs(boot, { type: 'step/probed', step: 'boot', probe, plan: dangerousPlan });
  const store = createWizardStore(probedState, (effect) => void effects.push(effect));
  const holder = holdForWizard(lock);
  try {
    holder.begin(store);
    expect(await runAnswer()).toMatchObject({ code: 0, stdout: 'No question waits for an answer.\n' });
    expect(await runAnswer('yes')).toMatchObject({ code: 4, stderr: expect.stringContaining('No question waits') });
    store.dispatch({ type: 'step/ask', action: 'apply' });
    expect((await runAnswer()).stdout).toContain('[11/17] Boot');
    expect(await runAnswer('perhaps')).toMatchObject({ code: 4, stderr: expect.stringContaining('yes or no') });
    expect(store.getState().runs.boot.phase).toBe('asking');
    expect(await runAnswer('yes')).toMatchObject({ code: 0, stderr: expect.stringContaining('continues') });
    expect(store.getState().runs.boot.phase).toBe('applying');
    expect(effects).toContainEqual({ type: 'run', step: 'boot', action: 'apply', subject: null });
  } finally {
    holder.stop();
    lock.release();
  }
});
