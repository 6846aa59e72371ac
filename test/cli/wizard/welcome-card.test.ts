import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realWorld, stepContext } from '../../../src/cli/shared/world.ts';
import { addClusterNews } from '../../../src/cli/wizard/welcome-card.ts';
import { HOUR, systemClock } from '../../../src/ports/clock.ts';
import { journalFiles } from '../../../src/session/journal-file.ts';
import type { Page } from '../../../src/steps/contract.ts';
import { memoryOver } from '../../../src/steps/facts.ts';
import { newRecollection } from '../../../src/steps/recollection.ts';
import { createWizardStore } from '../../../src/wizard/store.ts';
import { exampleSite } from '../../support/example-design.ts';
import { type LiveCluster, startLiveCluster } from '../../support/live-cluster.ts';
import { after, wizardState } from '../../support/wizard-state.ts';

let cluster: LiveCluster;
beforeEach(async () => {
  cluster = await startLiveCluster();
  const at = (ago: number) => new Date(systemClock.now() - ago).toISOString();
  const opened = { type: 'opened', program: 'upi-wizard', user: 'alice', from: null };
  const lines = [
    { at: at(3 * HOUR), ...opened },
    { at: at(HOUR), type: 'left', program: 'upi-wizard' },
    { at: at(0), ...opened },
  ];
  writeFileSync(journalFiles(cluster.dir)[0], lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
});
afterEach(() => cluster.close());

const CARD: Page = { title: 'Welcome back.', lines: ['You left.'] };
const shown = (card: Page) =>
  createWizardStore(after(wizardState(), { type: 'overlay/show', page: card }), () => undefined);

function operator(name: string, type: string, ago: number): void {
  const lastTransitionTime = new Date(systemClock.now() - ago).toISOString();
  const states = { Available: 'True', Degraded: 'False', Progressing: 'False', [type]: 'True' };
  const conditions = Object.entries(states).map(([each, status]) => ({ type: each, status, lastTransitionTime }));
  cluster.add('clusteroperators.config.openshift.io', { metadata: { name }, spec: {}, status: { conditions } });
}

const news = (store: ReturnType<typeof shown>, dir = cluster.dir) =>
  addClusterNews(
    store,
    CARD,
    stepContext({
      world: realWorld(dir),
      programs: { bootServer: '', executable: '', site: '', standIn: '' },
      dir,
      base: dir,
      design: exampleSite(),
      memory: memoryOver({}),
      recollection: newRecollection(),
      signal: new AbortController().signal,
    }),
    1,
  );

test('requests and operators that are new since are added to the card', async () => {
  await cluster.addRequest('csr-w2', 'w2');
  await cluster.addRequest('csr-evil', 'evil');
  operator('dns', 'Available', 2 * HOUR);
  operator('ingress', 'Degraded', HOUR / 2);
  operator('etcd', 'Progressing', HOUR / 2);
  const store = shown(CARD);
  await news(store);
  const { overlay } = store.getState();
  expect(overlay?.kind === 'page' && overlay.shown?.lines).toEqual([
    'You left.',
    '- 2 new certificate requests wait: 1 expected, 1 for you to look at.',
    '- Operators that changed: ingress (degraded), etcd (progressing).',
  ]);
});

test('nothing is said where nothing is new, nobody answers, or the card is closed', async () => {
  operator('dns', 'Available', 2 * HOUR);
  const store = shown(CARD);
  const before = store.getState();
  await news(store);
  expect(store.getState()).toBe(before);
  await cluster.addRequest('csr-w2', 'w2');
  cluster.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  await news(store);
  expect(store.getState()).toBe(before);
  cluster.intercept = null;
  store.dispatch({ type: 'overlay/close' });
  await news(store);
  expect(store.getState().overlay).toBeNull();
});
