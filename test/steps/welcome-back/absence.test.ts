import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getNodeFqdn } from '../../../src/design/derived-facts.ts';
import { getJobFiles } from '../../../src/host/jobs/job-files.ts';
import { MINUTE, SECOND } from '../../../src/platform/clock.ts';
import { listJournalFiles } from '../../../src/session/journal-file.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { summarizeAbsence } from '../../../src/steps/welcome-back/absence-summary.ts';
import { readSnapshotOnReturn } from '../../../src/steps/welcome-back/cluster-changes.ts';
import { exampleSite } from '../../support/example-design.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';
import { START } from '../../support/wizard-state.ts';

const LEFT_AT = START - 14 * MINUTE;
let fixture: StepFixture;
let server: KubeServer;
beforeEach(async () => {
  server = await startKubeServer();
  fixture = createStepFixture({
    clock: manualClock(START),
    resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }),
  });
  fixture.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
});
afterEach(async () => {
  await fixture.remove();
  await server.close();
});

const formatTime = (minutesAgo: number) => new Date(START - minutesAgo * MINUTE).toISOString();
const createCondition = (type: string, status: string, minutesAgo: number) => ({
  type,
  status,
  lastTransitionTime: formatTime(minutesAgo),
});

function putNode(name: string, createdAgo: number, status: string, minutesAgo: number): void {
  server.put(`/api/v1/nodes/${name}`, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: {}, creationTimestamp: formatTime(createdAgo) },
    status: { conditions: [createCondition('Ready', status, minutesAgo)] },
  });
}

function putOperator(name: string, ...conditions: readonly object[]): void {
  server.put(`/apis/config.openshift.io/v1/clusteroperators/${name}`, {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: { name },
    status: { conditions },
  });
}

/** Writes a journal: the wizard was left, then jobs ended these actions, then the wizard was started again. */
function writeJournal(
  ...actions: readonly (readonly [step: string, action: string, subject: string, outcome: string])[]
) {
  const opened = { type: 'opened', program: 'upi-wizard', user: 'alice', from: null };
  const lines = [
    opened,
    { type: 'left', program: 'upi-wizard' },
    ...actions.flatMap(([step, action, subject, outcome], index) => [
      { type: 'begun', id: `${index}`, step, action, subject },
      { type: 'ended', id: `${index}`, outcome, code: null },
    ]),
    opened,
  ].map((line) => JSON.stringify({ at: formatTime(10), ...line }));
  fixture.write('.upi-wizard/keep', '');
  writeFileSync(listJournalFiles(fixture.dir)[0], `${lines.join('\n')}\n`);
}

const describe = (leftAt: number) => summarizeAbsence(fixture.context, leftAt, readSnapshotOnReturn(fixture.context));

test('what changed while the wizard was away is counted from the times of the cluster and from the journal', async () => {
  putNode('w1', 9, 'True', 8);
  putNode('w2', 6, 'False', 6);
  putNode('m1', 90, 'True', 5);
  putNode('m2', 90, 'Unknown', 4);
  putNode('m3', 90, 'True', 80);
  putOperator('dns', createCondition('Available', 'True', 3), createCondition('Degraded', 'False', 3));
  putOperator('ingress', createCondition('Available', 'True', 60), createCondition('Degraded', 'False', 3));
  putOperator('etcd', createCondition('Available', 'True', 60), createCondition('Degraded', 'True', 2));
  writeJournal(
    ['certificates', 'approve', 'csr-1', 'done'],
    ['certificates', 'approve', 'csr-2', 'done'],
    ['infra', 'apply-one', 'label', 'done'],
    ['infra', 'apply-one', 'dns', 'failed'],
  );
  expect(await describe(LEFT_AT)).toBe(
    'Since you left (14 min): 2 nodes joined; 1 node became Ready; m2 lost: not Ready any more; 1 operator became available; not healthy: etcd; 2 certificate requests approved; label was applied; failed: dns.',
  );
});

test('a node that was Ready before, and restarted meanwhile, did not become Ready', async () => {
  const names = ['w1', 'w2'];
  for (const node of exampleSite().nodes.filter(({ name }) => names.includes(name)))
    putNode(getNodeFqdn(exampleSite(), node), 90, 'True', 5);
  fixture.context.stepState.set('ready-at', { w1: LEFT_AT - MINUTE, w2: LEFT_AT + MINUTE });
  writeJournal();
  expect(await describe(LEFT_AT)).toBe('Since you left (14 min): 1 node became Ready.');
});

test('moves and hosts that commands have undone meanwhile are named, and an API that does not answer any more', async () => {
  writeJournal(
    ['infra', 'undo', 'label', 'done'],
    ['infra', 'undo', 'dns', 'done'],
    ['infra', 'undo', 'dns,label', 'done'],
    ['infra', 'undo', 'router', 'failed'],
    ['hosts', 'undo', 'lb1', 'done'],
    ['hosts', 'set-up', 'ns1', 'done'],
  );
  await server.close();
  // Before the bootstrap is complete, the API may never have answered.
  const changes = 'label, dns were undone; 1 service host set up; 1 service host undone';
  expect(await describe(LEFT_AT)).toBe(`Since you left (14 min): ${changes}.`);
  fixture.context.stepState.set('stage', 'bootstrap-removed');
  expect(await describe(LEFT_AT)).toBe(`Since you left (14 min): the API does not answer; ${changes}.`);
});

test('a move that was undone and applied again is named once, by what was last', async () => {
  writeJournal(
    ['infra', 'undo', 'lb-final', 'done'],
    ['infra', 'undo', 'router', 'done'],
    ['infra', 'apply-one', 'lb-final', 'done'],
  );
  expect(await describe(LEFT_AT)).toContain('lb-final was applied; router was undone');
});

test('a job that ended meanwhile is named, with its exit code unless it succeeded', async () => {
  writeJournal();
  const { jobsDir } = workspace(fixture.dir);
  mkdirSync(jobsDir, { recursive: true });
  for (const [name, code, minutesAgo] of [
    ['install-complete', 0, 2],
    ['infra-moves', 4, 3],
    ['bootstrap-complete', 0, 30],
  ] as const) {
    const files = getJobFiles(jobsDir, name);
    writeFileSync(files.startRecord, JSON.stringify({ name, argv: ['/bin/true'], startedAt: LEFT_AT }));
    writeFileSync(files.exit, `${code}\n`);
    writeFileSync(files.runEvents, `${(START - minutesAgo * MINUTE) / SECOND} ended ${code}\n`);
  }
  expect(await describe(LEFT_AT)).toBe(
    'Since you left (14 min): openshift-install wait-for install-complete finished; the job that carries out infra moves ended with code 4.',
  );
});

test('an absence in which nothing happened is named, unless it was short', async () => {
  putNode('m1', 90, 'True', 80);
  writeJournal();
  expect(await describe(LEFT_AT)).toBe('Since you left (14 min): no change.');
  expect(await describe(START - MINUTE / 2)).toBeNull();
  // The clock was set back, or the rehearsal is another one.
  expect(await describe(START + MINUTE)).toBeNull();
});
