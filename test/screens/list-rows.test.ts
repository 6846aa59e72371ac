// The rows of a list are what the user watches: a finding, a notice and the text around the list give way to them.

import { expect, test } from 'vitest';
import { appRows } from '../../screens/app/app.ts';
import type { Finding } from '../../src/checks/check.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { getRowText } from '../../src/rows/page-rows.ts';
import type { CertificatesView } from '../../src/steps/certificates/certificates-probe.ts';
import type { Probe } from '../../src/steps/contract.ts';
import type { StepIdWithView } from '../../src/steps/registry.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { START } from '../support/wizard-state.ts';
import { bootstrapView, bootView, certificatesView, hostsView, operatorsView, STATES, stepState } from './views.ts';

const finding: Finding = {
  code: 'boot-stalled',
  state: 'failed',
  severity: 'fatal',
  subject: 'bs',
  title: 'bs stopped before fetching its boot script',
  cause:
    'it has an address, and its next request was due 15 minutes ago; the next request usually follows within 1 minute',
  remedy:
    'Its firmware got an address, but no boot program: open UDP port 69 (TFTP) of the bastion, and look at the console of bs. With Secure Boot it starts signed programs only. To check the files: `upi-wizard check --only tftp-server,tftp,http-boot-program,dhcp-boot`',
};

/** Returns a step that waits for 25 min, with a bar and a finding. */
function createWaitingState(step: StepIdWithView<unknown>, notice: string | null, summary: string): WizardState {
  const progress = [{ usualMinutes: [10, 25] as const, share: 0.4, startedAt: START - 20 * MINUTE }];
  const state = stepState(step, 'waiting', { findings: [finding], progress });
  const run = state.runs[step];
  const probe = { ...run.probe, summary } as Probe<unknown>;
  const runs = { ...state.runs, [step]: { ...run, probe, appliedAt: START - 25 * MINUTE } };
  return { ...state, runs, notice: notice === null ? null : { kind: 'info', text: notice } };
}

/** Of 56 rows. */
const MAX_EMPTY_ROWS = 20;

function renderPage(state: WizardState, [columns, rows]: readonly [number, number]): string[] {
  const terminal = { columns, rows, hasUnicode: true, canAnimate: false };
  return appRows(state, terminal, { resumeCommand: '' }).map(getRowText);
}

const countMatches = (lines: readonly string[], texts: readonly string[]) =>
  texts.filter((text) => lines.some((line) => /^│ [ ▸] /.test(line) && line.includes(text))).length;

const { steps, screens } = catalogue();
const machines = bootView.nodes.map(({ address }) => address);
const hosts = hostsView.hosts.map(({ name }) => `. ${name} `);
const stages = bootstrapView.stages.map(({ title }) => title);
const bootSummary = steps.boot.waiting(0, 4);
const bootstrapSummary = steps.bootstrap.waiting(steps.bootstrap.stages['control-plane']);
const notice = screens.step.stillWaiting;

test.each([
  ['boot', [80, 24], null, bootSummary, machines],
  ['boot', [80, 24], notice, bootSummary, machines],
  ['hosts', [80, 24], notice, steps.hosts.waiting('m1.ocp45.example.localdomain'), hosts],
  ['hosts', [60, 15], notice, steps.hosts.waiting('m1.ocp45.example.localdomain'), hosts],
  ['bootstrap', [80, 24], null, bootstrapSummary, stages],
  ['bootstrap', [80, 24], notice, bootstrapSummary, stages],
] as const)(
  '%s at %j shows its whole list beside a finding, and what to do (notice: %s)',
  (step, size, text, summary, rows) => {
    const lines = renderPage(createWaitingState(step, text, summary), size);
    const page = lines.join('\n');
    expect(countMatches(lines, rows), page).toBe(rows.length);
    if (size[1] > 15) expect(page).toContain('open UDP port 69');
    // The instruction comes before a command that only looks.
    if (step !== 'hosts') expect(page).toContain('upi-wizard check --only tftp-server');
  },
);

test.each([
  [
    'boot',
    bootSummary,
    machines.map((address) => bootView.nodes.find((node) => node.address === address)?.name ?? ''),
    4,
  ],
  ['bootstrap', bootstrapSummary, stages, 4],
] as const)('%s in the smallest window: the list keeps its rows beside a finding', (step, summary, rows, minimum) => {
  for (const text of [null, notice]) {
    const lines = renderPage(createWaitingState(step, text, summary), [60, 15]);
    expect(countMatches(lines, rows), lines.join('\n')).toBeGreaterThanOrEqual(minimum);
    expect(lines.join('\n')).toContain(screens.step.moreNotes);
  }
});

test.each([
  ['a wait', 'waiting', 1, 5],
  ['a wait with a bar and simulated times', 'simulated', 2, 3],
])('%s at 80x24 shows all stages, and the log below them', (_name, kind, noteRows, logRows) => {
  const progress = [{ usualMinutes: [10, 25] as const, share: 0.4, startedAt: START - 20 * MINUTE }];
  const state = stepState('bootstrap', 'waiting', { findings: [], ...(kind === 'simulated' ? { progress } : {}) });
  const rehearsal = { speed: 60, isPaused: false };
  const welcome = kind === 'simulated' ? { ...state.welcome, rehearsal } : state.welcome;
  const lines = renderPage({ ...state, welcome }, [80, 24]);
  const heading = lines.findIndex((line) => line.includes(screens.bootstrap.log.following));
  const log = lines.slice(heading + 1, lines.length - 3 - noteRows);
  expect(log.length, lines.join('\n')).toBe(logRows);
  expect(log.every((line) => /^│ \d\d:\d\d /.test(line))).toBe(true);
  expect(countMatches(lines, stages), lines.join('\n')).toBe(stages.length);
});

test('boot at 80x24 shows the whole detail of a machine that boots, with all ignition files, in a rehearsal, too', () => {
  const [bootstrapFile, masterFile] = bootView.servedIgnitionFiles;
  if (!bootstrapFile || !masterFile) throw new Error('the view has no ignition files');
  const workerFile = { ...masterFile, line: masterFile.line.replaceAll('master', 'worker') };
  const view = {
    ...bootView,
    unavailableHostLines: [],
    servedIgnitionFiles: [
      bootstrapFile,
      { ...masterFile, line: masterFile.line.replace('no fetch yet', '3 fetches, last 14:02') },
      workerFile,
    ],
  };
  const progress = [{ usualMinutes: [3, 6] as const, share: 0.4, startedAt: START - MINUTE }];
  const state = stepState('boot', 'waiting', { view, progress, findings: [] });
  const lines = renderPage(
    { ...state, welcome: { ...state.welcome, rehearsal: { speed: 20, isPaused: false } } },
    [80, 24],
  );
  expect(lines.join('\n')).toContain('worker.ign is offered');
  expect(lines.join('\n')).not.toMatch(/\d–\d+ of \d/);
});

test('the range of a list stands beside its titles, which make room for it', () => {
  const lines = renderPage(STATES['generate needed']?.() ?? expect.fail('no state'), [80, 20]);
  expect(lines.filter((line) => /\d–\d+ of 9/.test(line))).toEqual([
    expect.stringMatching(/^│ {3}State +File +Checked by {2,}1–\d of 9 │$/),
  ]);
});

test('a healthy Operator at 80x24 has its age, its version and its purpose below the list', () => {
  const [operator] = operatorsView.operators.filter(({ state }) => state === 'fine');
  const names = ['console', 'dns', 'etcd', 'ingress', 'monitoring', 'network', 'storage'];
  const operators = names.flatMap((name) => (operator === undefined ? [] : [{ ...operator, name }]));
  const lines = renderPage(stepState('operators', 'done', { view: { ...operatorsView, operators } }), [80, 24]);
  const page = lines.join('\n');
  expect(countMatches(lines, names), page).toBe(names.length);
  expect(page).toContain('console has been healthy for 5 min, version 4.18.11.');
  expect(page).toContain(screens.operators.purposes.console);
});

test.each([
  'generate needed',
  'hosts waiting',
  'prepare needed',
  'boot waiting',
  'bootstrap waiting',
  'bootstrap-removal needed',
  'operators waiting',
  'infra needed',
  'report done',
])('%s at 200x60: what belongs to the page fills it', (name) => {
  const lines = renderPage(STATES[name]?.() ?? expect.fail(name), [200, 60]).slice(2, -2);
  const emptyRows = lines.filter(
    (line) =>
      line
        .slice(18)
        .replace(/[│▐├┤─]/g, '')
        .trim() === '',
  );
  expect(emptyRows.length, lines.join('\n')).toBeLessThan(MAX_EMPTY_ROWS);
});

test('in a high window, Boot has the log of all machines below the selected one, newest first', () => {
  const page = renderPage(STATES['boot waiting']?.() ?? expect.fail('no state'), [200, 60]).join('\n');
  const log = page.slice(page.indexOf(screens.boot.events));
  // The selected machine has a row for each sign that it gives next.
  expect(page).toMatch(/◦ address +usually within 3 min[\s\S]*◦ Ready +usually within 5 min/);
  expect(log).toMatch(/11:50 {2}m2 {2}address[\s\S]*11:49 {2}bs {2}on/);
  expect(renderPage(STATES['boot waiting']?.() ?? expect.fail('no state'), [80, 24]).join('\n')).not.toContain(
    screens.boot.events,
  );
});

test('a long value of a request is wrapped in its column, after a separator', () => {
  const state = stepState('certificates', 'waiting');
  const { probe } = state.runs.certificates;
  if (probe === null) throw new Error('the step has a probe');
  const { subject, requester } = steps.certificates.page.facts;
  const account = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
  const facts = [
    { label: subject, value: 'O=system:nodes,CN=system:node:m1.a-long-name-of-a-cluster.example.localdomain' },
    { label: requester, value: `${account}-of-another-namespace` },
  ];
  const view = probe.view as CertificatesView;
  const requests = view.requests.map((request) => ({ ...request, facts }));
  const shown = { ...state.runs.certificates, probe: { ...probe, view: { ...view, requests } } };
  const runs = { ...state.runs, certificates: shown } as typeof state.runs;
  const cells = renderPage({ ...state, runs }, [170, 60]).map((line) => line.split('│')[2]?.trimEnd() ?? '');
  const first = cells.findIndex((cell) => cell.includes('Subject: '));
  const values = cells.slice(first, cells.indexOf('', first));
  expect(values.length).toBe(4);
  for (const value of values) expect(value.slice(1)).toMatch(/^(?:[A-Z][a-z ]+: +| {13})\S/);
  expect(values[0]?.endsWith('.')).toBe(true);
  expect(values[2]?.endsWith(':')).toBe(true);
});

test('a denied request shows who denied it and why, below the list and in its details', () => {
  const refusal = 'CSRApproverDenied: csr-approver: the host name w1 does not match ^node-[0-9]+';
  const [first] = certificatesView.requests;
  if (first === undefined) throw new Error('the view has requests');
  const facts = [{ label: steps.certificates.page.facts.denied, value: refusal }, ...first.facts];
  const denied = { ...first, verdict: 'decided' as const, reasons: ['TERMINAL'] as const, refusal, facts };
  const state = stepState('certificates', 'waiting', { view: { ...certificatesView, requests: [denied] } });
  expect(
    renderPage(state, [80, 24])
      .join(' ')
      .replace(/[│▐\s]+/g, ' '),
  ).toContain(`csr-7xk2p ${refusal}`);
  expect(renderPage(state, [200, 60]).join('\n')).toMatch(/Denied: {6}CSRApproverDenied: csr-approver/);
});

test('at 80 columns, the reason why automatic approval ended leaves the bar its row', () => {
  const { followEnded } = steps.certificates;
  const progress = [{ usualMinutes: [10, 25], share: 0.5, startedAt: null }] as const;
  for (const why of ['settled', 'idle'] as const) {
    const state = stepState('certificates', 'waiting', { progress });
    const { probe } = state.runs.certificates;
    if (probe === null) throw new Error('the step has a probe');
    const run = { ...state.runs.certificates, probe: { ...probe, summary: followEnded[why](18, 19, '03:25') } };
    const page = renderPage({ ...state, runs: { ...state.runs, certificates: run } as typeof state.runs }, [80, 24]);
    expect(page[2]).toContain(followEnded[why](18, 19, '03:25'));
    expect(page[3]).toMatch(/━.* \d+ % /);
  }
});

test('at 200x60 the selected request has its verdict, its sender and its whole fingerprint', () => {
  const state = stepState('certificates', 'waiting');
  const page = renderPage(state, [200, 60])
    .join(' ')
    .replace(/[│▐\s]+/g, ' ');
  const { verdicts } = steps.certificates.page;
  expect(page).toContain('In design: w1, compute, 172.16.0.31, 00:50:56:96:6b:da');
  expect(page).toContain('Subject: O=system:nodes, ');
  expect(page).toContain('Usages: digital signature, client auth');
  // Each node has a row of its own.
  expect(page).toMatch(/w1 compute ignition ◦ not yet ◦ not yet ◦ not yet/);
  expect(page).toContain(verdicts.expected.slice(0, 50));
  expect(page).toContain('a3f1'.repeat(16));
  expect(renderPage(state, [80, 24]).join(' ')).not.toContain(verdicts.expected.slice(0, 50));
});

test('the state of a wait that continues only after a repair has a warning sign in place of a spinner', () => {
  const stuckState = createWaitingState('boot', null, bootSummary);
  const { runs } = stuckState;
  const probe = { ...runs.boot.probe, findings: [] } as unknown as Probe<unknown>;
  const runningState = { ...stuckState, runs: { ...runs, boot: { ...runs.boot, probe } } };
  const findState = (state: WizardState) =>
    renderPage(state, [80, 24]).find((line) => line.includes(bootSummary.slice(0, 20)));
  expect(findState(stuckState)).toMatch(/^│ ! 0 of 4 /);
  expect(findState(runningState)).toMatch(/^│ [^!] 0 of 4 /);
});
