import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { listStages } from '../../../src/checks/bootstrap/stages.ts';
import type { BalancerEvidence } from '../../../src/checks/service-hosts.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { HOUR, MINUTE } from '../../../src/platform/clock.ts';
import {
  bootstrapStep,
  gatherBootstrapEvidence,
  gatherStuckEvidence,
  summarizeCompletion,
} from '../../../src/steps/bootstrap.ts';
import { createProbeCache } from '../../../src/steps/probe-cache.ts';
import { refreshBootstrapNodeReport } from '../../../src/steps/shared/installer/bootstrap-node.ts';
import { recordProgress } from '../../../src/steps/shared/installer/bootstrap-progress.ts';
import { readInstallerLog } from '../../../src/steps/shared/installer/wait-for.ts';
import { exampleSite } from '../../support/example-design.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

let fixture: StepFixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

const design = exampleSite();
const BOOTSTRAP_STAGES = listStages(design, false);

test('an endpoint with two addresses is probed at both, with separate results', async () => {
  const { endpoints } = design;
  const dual = { ...design, endpoints: { ...endpoints, apiInt: [...endpoints.apiInt, 'fd00::110'] } };
  // Nothing listens on port 1, on either address.
  fixture = createStepFixture({
    design: dual,
    resolveEndpoint: (host) => ({ host: host === 'fd00::110' ? '::1' : '127.0.0.1', port: 1 }),
  });
  const { ports } = await gatherBootstrapEvidence(fixture.context);
  const balancer = ports.filter(({ kind, port }) => kind === 'api-int' && port === 22623);
  expect(balancer.map(({ host, address }) => [host, address])).toEqual([
    ['api-int (172.16.0.110)', '172.16.0.110'],
    ['api-int (fd00::110)', 'fd00::110'],
  ]);
  expect(ports.filter(({ kind }) => kind === 'api').map(({ host }) => host)).toEqual(['api']);
});

test('for a stuck cluster only the names that every node resolves are reported, whatever the cluster name', async () => {
  // The cluster's name contains "api", the first label of the names that are looked for.
  const designNamedCapital = { ...design, cluster: { ...design.cluster, name: 'capital' } };
  fixture = createStepFixture({ design: designNamedCapital, resolveEndpoint: () => ({ host: '127.0.0.1', port: 1 }) });
  const stuck = { stage: 'joined', stageTitle: 'the stage', timeWithoutProgress: 20 * MINUTE } as const;
  const { wrongNames } = await gatherStuckEvidence(
    fixture.context,
    await gatherBootstrapEvidence(fixture.context),
    stuck,
  );
  expect([...new Set(wrongNames.map(({ queryText }) => queryText))]).toEqual([
    'api.capital.example.localdomain',
    'api-int.capital.example.localdomain',
  ]);
});

test('lines about the bootstrap node follow those that the installer wrote before, whichever is read first', async () => {
  fixture = createStepFixture({ resolveEndpoint: () => ({ host: '127.0.0.1', port: 1 }) });
  const { context } = fixture;
  fixture.write('.openshift_install.log', 'time="2026-01-01T15:38:00Z" level=info msg="Ignition-Configs created"\n');
  refreshBootstrapNodeReport(context);
  while (context.probeCache.sshRead?.isRunning) await setImmediate();
  const { lines } = await readInstallerLog(context);
  expect(lines.map(({ source }) => source)).toEqual(['installer', 'bootkube']);
});

test('a complete bootstrap asks for its removal, and says that it is removed only where that is proven', () => {
  expect(summarizeCompletion(design, null)).toMatch(/remove the bootstrap node$/);
  const summarize = (state: BalancerEvidence['state'], isBootstrapClosed = true, isAnswering = true) =>
    summarizeCompletion(design, {
      balancers: [{ name: 'lb1', state, upMembers: ['api/m1'], downMembers: [] }],
      isBootstrapClosed,
      isAnswering,
    });
  expect(summarize('no-bootstrap')).toMatch(/the bootstrap node is out of the load balancer$/);
  expect(summarize('no-bootstrap', false)).toMatch(/the bootstrap node is out of the load balancer$/);
  expect(summarize('has-bootstrap')).toMatch(/the bootstrap node is still in the pools of lb1$/);
  expect(summarize('silent', false)).toMatch(/Removal checks whether the bootstrap node is out of the load balancer$/);
  expect(summarize('no-bootstrap', true, false)).toMatch(
    /Removal checks whether the bootstrap node is out of the load balancer$/,
  );
});

test('a control plane that finished after openshift-install gave up is done, and the sentence says both', () => {
  const summary = summarizeCompletion(design, null, new Date(2026, 0, 1, 5, 30).getTime());
  expect(summary).toMatch(/^openshift-install gave up at 05:30, and the control plane finished later; /);
  expect(summary).toContain('remove the bootstrap node');
});

test('times: a stage keeps its duration, a stage done at the first probe has none, and an unchanged signature is no progress', async () => {
  const clock = manualClock(1_000_000);
  fixture = createStepFixture({ clock });
  const { context } = fixture;
  const record = (count: number, signature: string, startedAt: number | null = null, reportedTimes = {}) =>
    recordProgress(context, {
      stageOrder: BOOTSTRAP_STAGES,
      doneStages: new Set(BOOTSTRAP_STAGES.slice(0, count)),
      signature,
      startedAt,
      reportedTimes,
    });
  expect(record(0, 'a', 940_000)).toMatchObject({
    stages: { 'bootstrap-up': { startedAt: 940_000, doneAt: null } },
    changedAt: 1_000_000,
  });
  await clock.advance(5 * MINUTE);
  expect(record(0, 'a').changedAt).toBe(1_000_000);
  const after = record(2, 'b');
  expect(after.changedAt).toBe(1_300_000);
  expect(after.stages['bootstrap-up']).toEqual({ startedAt: 940_000, doneAt: 1_300_000 });
  expect(after.stages.api).toEqual({ startedAt: null, doneAt: 1_300_000 });
  expect(after.stages['machine-config']).toEqual({ startedAt: 1_300_000, doneAt: null });
  await clock.advance(MINUTE);
  // The load balancer restarts: the stage is briefly not done, and its first time counts once it is done again.
  record(1, 'c');
  expect(record(3, 'b').stages.api?.doneAt).toBe(1_300_000);
  // Stages that passed between two probes take their times from the log and the API, in stage order.
  await clock.advance(20 * MINUTE);
  const { joined, serving, complete } = record(7, 'd', null, { joined: 1_960_000, complete: 2_260_000 }).stages;
  expect(joined).toEqual({ startedAt: 1_360_000, doneAt: 1_960_000 });
  expect(serving).toEqual({ startedAt: null, doneAt: 2_560_000 });
  expect(complete?.doneAt).toBe(2_560_000);
});

test('a stage that ended while the wizard was closed has no duration, unless the log reports its end', async () => {
  const clock = manualClock(1_000_000);
  fixture = createStepFixture({ clock });
  const { context } = fixture;
  const record = (count: number, reportedTimes = {}, probeCache = createProbeCache()) =>
    recordProgress(
      { ...context, probeCache },
      {
        stageOrder: BOOTSTRAP_STAGES,
        doneStages: new Set(BOOTSTRAP_STAGES.slice(0, count)),
        signature: '',
        startedAt: null,
        reportedTimes,
      },
    ).stages;
  record(0);
  await clock.advance(4 * HOUR);
  const reopened = record(1);
  expect(reopened['bootstrap-up']).toEqual({ startedAt: null, doneAt: 1_000_000 + 4 * HOUR });
  expect(reopened.api).toEqual({ startedAt: 1_000_000 + 4 * HOUR, doneAt: null });
  const apiUp = 1_000_000 + 4 * HOUR + 2 * MINUTE;
  await clock.advance(4 * HOUR);
  expect(record(2, { api: apiUp }).api).toEqual({ startedAt: 1_000_000 + 4 * HOUR, doneAt: apiUp });
});

test('a stage is late by the same time before the wait begins, once the machines were powered on', async () => {
  const clock = manualClock(1_000_000);
  fixture = createStepFixture({ clock });
  const { context } = fixture;
  const probe = async () => {
    const { state, isStuck, summary, view } = await bootstrapStep.probe(context);
    return { state, isStuck, isLate: summary.startsWith('stuck since'), stage: view.stages[0]?.state };
  };
  await probe();
  await clock.advance(HOUR);
  expect(await probe()).toEqual({ state: 'needed', isStuck: false, isLate: false, stage: 'running' });
  context.stepState.set('powered-on', { bs: clock.now() - HOUR });
  expect(await probe()).toEqual({ state: 'needed', isStuck: true, isLate: true, stage: 'stuck' });
});

test('what is normal in a stage is shown within its usual time only, from the time the machines are on', async () => {
  const clock = manualClock(1_000_000);
  fixture = createStepFixture({ clock });
  const { context } = fixture;
  const { late, meaning } = catalogue().steps.bootstrap;
  const readMeaning = async () => (await bootstrapStep.probe(context)).view.stages[0]?.meaning;
  context.stepState.set('powered-on', { bs: clock.now() });
  expect(await readMeaning()).toBe(meaning['bootstrap-up']);
  await clock.advance(25 * MINUTE);
  expect(await readMeaning()).toBe(meaning['bootstrap-up']);
  await clock.advance(MINUTE);
  expect(await readMeaning()).toBe(late);
});

test('once the machines are on, the bootstrap goes on without the wait, and the page says so', async () => {
  fixture = createStepFixture({ clock: manualClock(1_000_000) });
  const { context } = fixture;
  const { needed, runsUnwatched } = catalogue().steps.bootstrap;
  expect((await bootstrapStep.probe(context)).summary).toBe(needed);
  context.stepState.set('powered-on', { bs: 1_000_000 });
  expect((await bootstrapStep.probe(context)).summary).toBe(runsUnwatched);
  expect(runsUnwatched).toContain('the bootstrap goes on');
});

test('a stage that ended while nothing but a key was awaited has no duration, unless the page was open', async () => {
  const clock = manualClock(1_000_000);
  fixture = createStepFixture({ clock });
  const { context } = fixture;
  const record = (count: number) =>
    recordProgress(context, {
      stageOrder: BOOTSTRAP_STAGES,
      doneStages: new Set(BOOTSTRAP_STAGES.slice(0, count)),
      signature: '',
      startedAt: null,
      reportedTimes: {},
    }).stages;
  const awaitKey = async () => {
    // No wait runs: the page asks for one, and the step is probed on while it is on the screen only.
    expect((await bootstrapStep.probe(context)).state).toBe('needed');
  };
  record(0);
  await awaitKey();
  await clock.advance(10_000);
  const onScreen = record(1);
  expect(onScreen['bootstrap-up']).toEqual({ startedAt: 1_000_000, doneAt: 1_010_000 });
  await awaitKey();
  await clock.advance(4 * HOUR);
  expect(record(2).api).toEqual({ startedAt: null, doneAt: 1_010_000 + 4 * HOUR });
});
