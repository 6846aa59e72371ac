import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { appendToJournal } from '../../../src/session/journal-file.ts';
import type { JournalEvent } from '../../../src/session/journal-line.ts';
import { listPostInstallTasks } from '../../../src/steps/report/post-install-tasks.ts';
import { type ReportView, reportStep } from '../../../src/steps/report.ts';
import { exampleCredentials } from '../../support/example-design.ts';
import { startKubeServer } from '../../support/kube-server.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

/** Lines of the report, in the order of its file. */
const listLines = ({ sections }: ReportView) => sections.flatMap(({ heading, lines }) => ['', heading, '', ...lines]);

let fixture: StepFixture;
afterEach(() => fixture.remove());

test('the report names the cluster, every node and host, and is written for its owner only', async () => {
  fixture = createStepFixture();
  const first = await reportStep.probe(fixture.context);
  expect(first).toMatchObject({ state: 'needed', view: { isCurrent: false } });
  const lines: string[] = [];
  await reportStep.apply(fixture.context, (line) => lines.push(line));
  const path = join(fixture.dir, 'report.md');
  expect(lines).toEqual([`written to ${path}`]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const htmlPath = join(fixture.dir, 'report.html');
  expect(statSync(htmlPath).mode & 0o777).toBe(0o600);
  const html = readFileSync(htmlPath, 'utf8');
  for (const { name, mac } of fixture.context.design.nodes)
    for (const part of [`${name}.ocp45.example.localdomain</th>`, mac]) expect(html).toContain(part);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain('2024-03-01T12:00:00.000Z');
  expect(text).toContain('https://api.ocp45.example.localdomain:6443');
  expect(text).toContain('*.apps.ocp45.example.localdomain');
  for (const name of ['bs', 'm1', 'w3', 'i3'])
    expect(text).toMatch(new RegExp(`^\\|.*\\b${name}\\.ocp45\\..*\\|$`, 'm'));
  for (const host of ['bastion', 'ns1', 'lb1']) expect(text).toContain(`- ${host}.example.localdomain 172.16.0.`);
  expect(await reportStep.probe(fixture.context)).toMatchObject({ state: 'done', view: { isCurrent: true } });
  rmSync(htmlPath);
  expect(await reportStep.probe(fixture.context)).toMatchObject({ state: 'needed', view: { isCurrent: false } });
});

test('the task for a later node names the image that the cluster makes, where the version has it', () => {
  fixture = createStepFixture();
  const { context } = fixture;
  const findTask = (version: string) => {
    const design = { ...context.design, openshift: { ...context.design.openshift, version } };
    const source = {
      ...context,
      design,
      session: { context },
      hasUserDesign: true,
      connect: () => Promise.reject(new Error('no cluster')),
    };
    return listPostInstallTasks(source, null).find(({ title }) => title === 'Add a node later');
  };
  const command = `upi-wizard export node-image --dir ${fixture.dir} > node-image.sh`;
  expect(findTask('4.17')?.commands).toContain(command);
  expect(findTask('4.17')?.text).toMatch(
    /The cluster can also create an image for the node, instead of worker\.ign: the last command prints a script for that\.$/,
  );
  expect(findTask('4.16')?.commands).toHaveLength((findTask('4.17')?.commands.length ?? 0) - 1);
  expect(findTask('4.16')?.text).toMatch(/Renewals are approved automatically\.$/);
});

test('the report holds no secret, and only observed facts about the cluster', async () => {
  fixture = createStepFixture();
  const { view } = await reportStep.probe(fixture.context);
  const text = listLines(view).join('\n');
  expect(text).not.toContain('dXNlcjpwYXNz');
  expect(text).not.toContain(exampleCredentials.sshKey.split(' ')[1]);
  expect(text).not.toMatch(/https:\/\/console/);
  expect(text).not.toMatch(/\| Ready \|/);
});

test('problems are in the report, and replace the message of success', async () => {
  const server = await startKubeServer();
  try {
    fixture = createStepFixture({ resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }) });
    fixture.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
    const readyStatus = (status: string) => ({ conditions: [{ type: 'Ready', status }] });
    for (const { name, role } of fixture.context.design.nodes) {
      if (role === 'bootstrap') continue;
      const fqdn = `${name}.ocp45.example.localdomain`;
      server.put(`/api/v1/nodes/${fqdn}`, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: fqdn, labels: {} },
        spec: {},
        status: readyStatus(name === 'w2' ? 'False' : 'True'),
      });
    }
    server.put('/apis/config.openshift.io/v1/clusteroperators/insights', {
      apiVersion: 'config.openshift.io/v1',
      kind: 'ClusterOperator',
      metadata: { name: 'insights' },
      status: {
        conditions: [
          { type: 'Available', status: 'True' },
          { type: 'Degraded', status: 'True', reason: 'GatherFailed', message: 'no space' },
        ],
      },
    });
    const { view, findings } = await reportStep.probe(fixture.context);
    expect(findings.map(({ title }) => title)).toEqual(['Not Ready: w2', 'Operator insights: GatherFailed']);
    expect(listLines(view).join('\n')).toContain('## Open issues\n\n- Not Ready: w2\n- Operator insights');
  } finally {
    await server.close();
  }
});

test('kubelet requests that others approved or denied are listed with their reason, and no other request', async () => {
  const server = await startKubeServer();
  try {
    fixture = createStepFixture({ resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }) });
    fixture.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
    const put = (name: string, signerName: string, conditions: readonly object[]) =>
      server.put(`/apis/certificates.k8s.io/v1/certificatesigningrequests/${name}`, {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec: { signerName, username: 'system:node:w1', request: '' },
        status: { conditions },
      });
    const decision = (type: string, reason: string, message: string) => ({
      ...{ type, status: 'True', reason, message, lastTransitionTime: '2024-03-01T11:58:10Z' },
    });
    const kubelet = 'kubernetes.io/kubelet-serving';
    put('csr-ours', kubelet, [decision('Approved', 'UPIWizardApprove', 'w1 as designed')]);
    put('csr-elsewhere', kubelet, [decision('Approved', 'UPIWizardApprove', 'w2 as designed')]);
    put('csr-theirs', kubelet, [decision('Approved', 'KubectlApprove', 'approved by kubectl')]);
    put('csr-denied', kubelet, [decision('Denied', 'Policy', 'not\u001b[2J ours')]);
    put('csr-other', 'kubernetes.io/kube-apiserver-client', [decision('Approved', 'AutoApproved', '')]);
    put('csr-waits', kubelet, []);
    const begun: JournalEvent = {
      type: 'begun',
      id: '1',
      step: 'certificates',
      action: 'approve',
      subject: 'csr-ours',
    };
    appendToJournal(fixture.dir, [begun]);
    const { view } = await reportStep.probe(fixture.context);
    const lines = listLines(view).filter((line) => line.startsWith('| csr-'));
    expect(lines).toEqual([
      expect.stringMatching(/^\| csr-ours \| approved by the wizard \| w1 as designed \| \d{4}-/),
      '| csr-elsewhere | approved by the wizard | w2 as designed | 2024-03-01 11:58 |',
      '| csr-theirs | approved by others | KubectlApprove: approved by kubectl | 2024-03-01 11:58 |',
      '| csr-denied | denied | Policy: not\ufffd ours | 2024-03-01 11:58 |',
      expect.stringMatching(/^\| csr-waits \| pending: not expected \| .+ \|/),
    ]);
    // Requests come and go, and the API deletes decided ones after an hour: the written report stays current.
    await reportStep.apply(fixture.context, () => undefined);
    expect(await reportStep.probe(fixture.context)).toMatchObject({ view: { isCurrent: true } });
    put('csr-later', kubelet, [decision('Approved', 'KubectlApprove', 'approved by kubectl')]);
    expect(await reportStep.probe(fixture.context)).toMatchObject({ view: { isCurrent: true } });
  } finally {
    await server.close();
  }
});

test('every row of its table has the same cells', async () => {
  fixture = createStepFixture();
  const { view } = await reportStep.probe(fixture.context);
  const rows = view.sections.find(({ id }) => id === 'nodes')?.lines ?? [];
  expect(rows).toHaveLength(12);
  for (const { lines } of view.sections.filter(({ lines: [first] }) => first?.startsWith('|'))) {
    expect(lines.length).toBeGreaterThan(2);
    expect(new Set(lines.map((row) => row.split('|').length)).size).toBe(1);
  }
  expect(new Set(rows.map((row) => row.split('|').length)).size).toBe(1);
});

test('the bootstrap node is called removed once the files of a later stage were generated, not before', async () => {
  fixture = createStepFixture();
  const readBootstrapRow = async () => {
    const { view } = await reportStep.probe(fixture.context);
    return view.sections.find(({ id }) => id === 'nodes')?.lines.find((row) => row.includes('| bootstrap |'));
  };
  expect(await readBootstrapRow()).toMatch(/\| temporary \|$/);
  fixture.context.stepState.set('stage', 'bootstrap-removed');
  expect(await readBootstrapRow()).toMatch(/\| temporary, removed \|$/);
});

test('the report lists the events of the journal, and is updated with later ones', async () => {
  fixture = createStepFixture();
  const appendEvent = (event: JournalEvent) => appendToJournal(fixture.dir, [event]);
  appendEvent({ type: 'opened', program: 'upi-wizard', user: 'alice', from: '10.0.0.9' });
  const appendAction = (id: string, step: string, action: string, subject: string | null) =>
    appendEvent({ type: 'begun', id, step, action, subject });
  appendAction('1', 'hosts', 'apply', null);
  appendEvent({ type: 'ended', id: '1', outcome: 'done', code: null });
  appendAction('2', 'infra', 'apply-one', 'router');
  appendEvent({ type: 'ended', id: '2', outcome: 'failed', code: 'move-failed' });
  // The step and the move that it undoes record one each.
  appendAction('3', 'infra', 'undo', 'label');
  appendAction('3a', 'infra', 'undo', 'label');
  appendEvent({ type: 'ended', id: '3a', outcome: 'cancelled', code: null });
  appendEvent({ type: 'ended', id: '3', outcome: 'cancelled', code: null });
  // A move that is undone with another one before it, and a consent.
  appendAction('5', 'infra', 'undo', 'label,taint defaults');
  for (const [id, move] of [
    ['5a', 'label'],
    ['5b', 'taint'],
  ] as const) {
    appendAction(id, 'infra', 'undo', move);
    appendEvent({ type: 'ended', id, outcome: 'done', code: null });
  }
  appendEvent({ type: 'ended', id: '5', outcome: 'done', code: null });
  appendAction('6', 'infra', 'undo', 'taint');
  appendEvent({ type: 'ended', id: '6', outcome: 'done', code: null });
  appendAction('4', 'certificates', 'approve', 'csr-\u001b[2J\u202ew1');
  // A job outlives the wizard: it ended last, and is listed last.
  vi.useFakeTimers({ now: Date.now() + 1000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  appendAction('8', 'infra', 'apply', null);
  appendAction('7', 'report', 'apply', null);
  appendEvent({ type: 'left', program: 'upi-wizard' });
  appendEvent({ type: 'opened', program: 'upi-wizard infra', user: 'bob', from: null });
  vi.setSystemTime(Date.now() + 133_000);
  appendEvent({ type: 'ended', id: '8', outcome: 'done', code: null });
  await reportStep.apply(fixture.context, () => undefined);
  const written = readFileSync(join(fixture.dir, 'report.md'), 'utf8').trimEnd().split('\n');
  const heading = written.indexOf('## What happened (UTC)');
  const timeline = written.slice(heading + 2);
  for (const line of timeline) expect(line).toMatch(/^- \d{4}-\d\d-\d\d \d\d:\d\d:\d\d /);
  expect(timeline.map((line) => line.slice(22))).toEqual([
    'upi-wizard opened by alice from 10.0.0.9',
    'Hosts: apply: done in 0 s',
    'Infra nodes: apply router: failed (move-failed)',
    'Infra nodes: undo label: stopped on request',
    'Infra nodes: undo label,taint defaults: done in 0 s',
    'Infra nodes: undo taint: done in 0 s',
    'Certificates: approve csr-\ufffd\ufffdw1: interrupted',
    'upi-wizard exited',
    'upi-wizard infra opened by bob',
    'Infra nodes: apply: done in 2 min',
  ]);
  appendEvent({ type: 'left', program: 'upi-wizard infra' });
  const { state, view } = await reportStep.probe(fixture.context);
  expect(state).toBe('done');
  expect(listLines(view).at(-1)).toMatch(/upi-wizard infra exited$/);
});
