import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRuntime, createStepContext } from '../../../src/cli/shared/runtime.ts';
import { addClusterChanges } from '../../../src/cli/wizard/full-screen.ts';
import { HOUR, systemClock } from '../../../src/platform/clock.ts';
import { listJournalFiles } from '../../../src/session/journal-file.ts';
import type { Page } from '../../../src/steps/contract.ts';
import { createProbeCache } from '../../../src/steps/probe-cache.ts';
import { createStepState } from '../../../src/steps/step-state.ts';
import { summarizeAbsence } from '../../../src/steps/welcome-back/absence-summary.ts';
import { readSnapshotOnReturn } from '../../../src/steps/welcome-back/cluster-changes.ts';
import { createWizardStore } from '../../../src/wizard/store.ts';
import { exampleSite } from '../../support/example-design.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../../support/simulated-cluster.ts';
import { applyInputs, wizardState } from '../../support/wizard-state.ts';

let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
  const isoTime = (ago: number) => new Date(systemClock.now() - ago).toISOString();
  const openEntry = { type: 'opened', program: 'upi-wizard', user: 'alice', from: null };
  const lines = [
    { at: isoTime(3 * HOUR), ...openEntry },
    { at: isoTime(HOUR), type: 'left', program: 'upi-wizard' },
    { at: isoTime(0), ...openEntry },
  ];
  writeFileSync(listJournalFiles(cluster.dir)[0], lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
});
afterEach(() => cluster.close());

const CARD: Page = { title: 'Welcome back.', lines: ['You left.'] };
const createStore = (card: Page) =>
  createWizardStore(applyInputs(wizardState(), { type: 'overlay/show', page: card }), () => undefined);

function addOperator(name: string, type: string, ago: number): void {
  const lastTransitionTime = new Date(systemClock.now() - ago).toISOString();
  const states = { Available: 'True', Degraded: 'False', Progressing: 'False', [type]: 'True' };
  const conditions = Object.entries(states).map(([each, status]) => ({ type: each, status, lastTransitionTime }));
  cluster.add('clusteroperators.config.openshift.io', { metadata: { name }, spec: {}, status: { conditions } });
}

const createContext = (dir = cluster.dir, stepState = createStepState({})) =>
  createStepContext({
    runtime: createRuntime(dir),
    programs: { bootServer: '', executable: '', site: '', standIn: '' },
    dir,
    base: dir,
    design: exampleSite(),
    stepState,
    probeCache: createProbeCache(),
    signal: new AbortController().signal,
  });
const addChanges = (store: ReturnType<typeof createStore>, dir = cluster.dir) => {
  const context = createContext(dir);
  return addClusterChanges(store, CARD, context, 1, readSnapshotOnReturn(context));
};

test('requests and operators that are new since are added to the card', async () => {
  await cluster.addRequest('csr-w2', 'w2');
  await cluster.addRequest('csr-evil', 'evil');
  addOperator('dns', 'Available', 2 * HOUR);
  addOperator('ingress', 'Degraded', HOUR / 2);
  addOperator('etcd', 'Progressing', HOUR / 2);
  const store = createStore(CARD);
  await addChanges(store);
  const { overlay } = store.getState();
  expect(overlay?.kind === 'page' && overlay.page?.lines).toEqual([
    'You left.',
    '- 2 new certificate requests wait: 1 expected, 1 for you to review.',
    '- Operators that changed: ingress (degraded), etcd (progressing).',
  ]);
});

test('changes before the recorded time of leaving are no news, however long the absence', async () => {
  addOperator('ingress', 'Degraded', HOUR / 2);
  const store = createStore(CARD);
  const context = createContext();
  await addClusterChanges(store, CARD, context, 1, readSnapshotOnReturn(context), systemClock.now() - HOUR / 4);
  const { overlay } = store.getState();
  expect(overlay?.kind === 'page' && overlay.page?.lines).toEqual(['You left.']);
});

test('the sentence about the absence separates requests that the wizard approves from those that need a decision', async () => {
  const stepState = createStepState({});
  const describe = (leftAt: number) => {
    const context = createContext(cluster.dir, stepState);
    return summarizeAbsence(context, leftAt, readSnapshotOnReturn(context));
  };
  const leftAt = systemClock.now() - HOUR;
  await cluster.addRequest('csr-w2', 'w2');
  expect(await describe(leftAt)).toBe('Since you left (1 h): 1 new certificate request to approve.');
  stepState.set('following', true);
  expect(await describe(leftAt)).toBe('Since you left (1 h): 1 new certificate request that the wizard approves.');
  await cluster.addRequest('csr-evil', 'evil');
  await cluster.addRequest('csr-w3', 'w3');
  expect(await describe(leftAt)).toBe(
    'Since you left (1 h): 2 new certificate requests that the wizard approves; 1 certificate request waits for your decision.',
  );
});

test('the card stays as it is if nothing is new, the API does not answer, or the card is closed', async () => {
  addOperator('dns', 'Available', 2 * HOUR);
  const store = createStore(CARD);
  const before = store.getState();
  await addChanges(store);
  expect(store.getState()).toBe(before);
  await cluster.addRequest('csr-w2', 'w2');
  cluster.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  await addChanges(store);
  expect(store.getState()).toBe(before);
  cluster.intercept = null;
  store.dispatch({ type: 'overlay/close' });
  await addChanges(store);
  expect(store.getState().overlay).toBeNull();
});
