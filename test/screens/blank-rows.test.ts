// No list and no sentence is cut while rows of the same page stand blank.
import { expect, test } from 'vitest';
import { appRows } from '../../screens/app/app.ts';
import type { Finding } from '../../src/checks/check.ts';
import { explainDeniedRequests } from '../../src/checks/denied-requests.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { getRowText } from '../../src/rows/page-rows.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { applyInputs, wizardState } from '../support/wizard-state.ts';
import { bootstrapView, certificatesView, STATES, stepState } from './views.ts';

type Size = readonly [columns: number, rows: number];

/** Returns the lines of the page: the column at the right of the sidebar, without the frame. */
function renderPage(state: WizardState, [columns, rows]: Size): string[] {
  const terminal = { columns, rows, hasUnicode: true, canAnimate: false };
  const lines = appRows(state, terminal, { resumeCommand: '' }).map(getRowText).slice(2, -2);
  return lines.map((line) =>
    line
      .slice(columns < 100 ? 1 : 18)
      .replace(/[│▐]$/, '')
      .trimEnd(),
  );
}

const renderState = (name: string, size: Size) => renderPage(STATES[name]?.() ?? expect.fail(name), size);

/** The most blank rows one below the other. */
const countBlankRows = (lines: readonly string[]) =>
  Math.max(
    ...(
      lines
        .map((line) => (line === '' ? ' ' : 'x'))
        .join('')
        .match(/ +|$/g) ?? ['']
    ).map((run) => run.length),
  );

const { moreNotes } = catalogue().screens.step;
/** The help beside a list ends with a whole paragraph: the rows of the next one may stay blank. */
const MAX_BLANK_ROWS = 3;
const RANGE = /\d+–\d+ of \d+(?! \()/;

test.each<[string, Size]>([
  ['prepare needed', [80, 24]],
  ['certificates needed', [80, 24]],
  ['certificates waiting', [80, 24]],
  ['certificates waiting', [120, 40]],
  ['nodes', [120, 40]],
  ['hosts waiting', [120, 40]],
  ['boot waiting', [120, 40]],
  ['prepare needed', [120, 40]],
  ['hosts looking', [120, 40]],
  ['operators looking', [120, 40]],
])('%s at %j: a list or a text that is cut leaves no rows blank', (name, size) => {
  const lines = renderState(name, size);
  const isCut = lines.some((line) => RANGE.test(line) || line.includes(moreNotes));
  expect(isCut && countBlankRows(lines) > MAX_BLANK_ROWS, lines.join('\n')).toBe(false);
});

const unverifiedCertificate: Finding = {
  code: 'certificate-unverified',
  state: 'failed',
  severity: 'warning',
  subject: 'w3',
  title: 'You need not do anything. w3: Ready; its certificate could not be checked from here',
  cause: 'nothing answers this machine on TCP port 10250 of these addresses',
  remedy: 'Nothing: the API reports them Ready. To check it, let this machine reach TCP port 10250 of the nodes.',
};

test.each<[string, 'needed' | 'waiting' | 'done', readonly Finding[], string | null, number]>([
  ['before the nodes boot', 'needed', [], null, 8],
  ['while nodes join', 'waiting', [], null, 9],
  ['beside a notice', 'waiting', [], `${'Approve w1 first. '.repeat(6)}`, 8],
  ['beside a finding with a command', 'waiting', [{ ...unverifiedCertificate, command: 'oc get csr' }], null, 5],
  ['beside a finding at the end', 'done', [unverifiedCertificate], null, 5],
])(
  '16 requests to approve: %s, the list has the rows, and the progress of the nodes stays',
  (_when, phase, findings, notice, minRequests) => {
    const [request] = certificatesView.requests;
    const requests = Array.from({ length: 16 }, (_, index) => ({ ...request, name: `csr-${index}aaaa` }));
    const view = { ...certificatesView, requests };
    const state = stepState('certificates', phase, { view, findings });
    const lines = renderPage(
      notice === null ? state : { ...state, notice: { kind: 'warning', text: notice } },
      [80, 24],
    );
    const page = lines.join('\n');
    expect(lines.filter((line) => /^ [ ▸] w1 +to join/.test(line)).length, page).toBeGreaterThanOrEqual(minRequests);
    expect(countBlankRows(lines), page).toBe(1);
    expect(page).toContain('join, serve, Ready:');
  },
);

test.each([null, 'A notice that takes two rows, beside a fault that takes many. '.repeat(2)])(
  'denied requests: the node has its mark and its number, and the list keeps its rows, beside the notice %j',
  (notice) => {
    const [request = expect.fail('no request')] = certificatesView.requests;
    const terminal = { verdict: 'decided' as const, reasons: ['TERMINAL'] as const };
    const denied = Array.from({ length: 125 }, (_, index) => ({ ...request, ...terminal, name: `csr-${index}aaaa` }));
    const approved = ['w2', 'w3', 'i1'].map((shortName) => ({
      ...{ ...request, name: `csr-${shortName}`, shortName, node: `${shortName}.ocp45.example.localdomain` },
      ...{ verdict: 'decided' as const, isApproved: true, isIssued: true },
    }));
    const nodes = certificatesView.nodes.map((node) =>
      node.name === 'w1' ? { ...node, certificateProgress: ['refused', 'open'] as const, deniedCount: 125 } : node,
    );
    const findings = explainDeniedRequests({
      design: wizardState().design,
      requests: denied,
      nodeNames: [],
      now: wizardState().now,
    });
    const progress = [{ usualMinutes: [10, 25] as const, share: 0.4, startedAt: null }];
    const view = { ...certificatesView, nodes, requests: [...approved, ...denied] };
    const state = stepState('certificates', 'waiting', { view, findings, progress });
    const lines = renderPage(
      notice === null ? state : { ...state, notice: { kind: 'warning', text: notice } },
      [80, 24],
    );
    const page = lines.join('\n');
    expect(page).toContain('w1 ✖··');
    expect(page).toContain('Not finished: w1 (denied 125 times), ');
    const head = lines.findIndex((line) => / Node .*Verdict/.test(line));
    expect(lines.slice(head + 1, head + 4).filter((line) => line.includes('to join')).length, page).toBe(3);
    expect(lines[head + 1]).toMatch(/▸ w1 .* denied, 125 times/);
    expect(page).toContain('oc get deployments -A | grep -i -e csr -e approver');
  },
);

test('a long finding beside a progress bar leaves rows to the progress of the nodes and to the requests', () => {
  const [request] = certificatesView.requests;
  const requests = Array.from({ length: 16 }, (_, index) => ({ ...request, name: `csr-${index}aaaa` }));
  const finding = {
    ...unverifiedCertificate,
    severity: 'fatal' as const,
    remedy: 'Let it reach the port. '.repeat(12),
  };
  const progress = [{ usualMinutes: [10, 25] as const, share: 0.4, startedAt: null }];
  const state = stepState('certificates', 'waiting', {
    view: { ...certificatesView, requests },
    findings: [finding],
    progress,
  });
  const { probe } = state.runs.certificates;
  if (!probe) throw new Error('no probe');
  for (const [count, hasBar] of [
    [2, true],
    // A state of two lines goes on in the row of the bar.
    [3, false],
  ] as const) {
    const summary = Array<string>(count).fill('waiting for the next requests').join(', ');
    const run = { ...state.runs.certificates, probe: { ...probe, summary } };
    const runs = { ...state.runs, certificates: run as WizardState['runs']['certificates'] };
    const lines = renderPage({ ...state, runs }, [80, 24]);
    const page = lines.join('\n');
    expect(/ \d+ % /.test(page), page).toBe(hasBar);
    expect(page.replace(/\s+/g, ' ')).toContain(summary);
    expect(page).toContain('join, serve, Ready:');
    expect(lines.filter((line) => /^ [ ▸] w1 +to join/.test(line)).length, page).toBeGreaterThanOrEqual(3);
  }
});

test('the last sentence about an operator wraps like the others', () => {
  expect(renderState('operators needed', [200, 60]).join('\n')).not.toContain('…');
});

test('welcome: the other installations come before the advice', () => {
  const lines = renderState('welcome around', [80, 24]);
  expect(lines.join('\n')).not.toMatch(RANGE);
  expect(lines.join('\n')).toContain('An installation needs:');
});

test('a paragraph of the help page keeps the indent of its first line', () => {
  const waiting = STATES['certificates waiting']?.() ?? expect.fail('no state');
  const lines = renderPage(applyInputs(waiting, { type: 'overlay/open', overlay: 'help' }), [80, 60]);
  const start = lines.findIndex((line) => line.startsWith('   Do this:'));
  expect(lines[start + 1], lines.join('\n')).toMatch(/^ {3}\S/);
});

test('a stage that was not watched leaves the columns of the stages in their place', () => {
  const findColumn = (isWatched: boolean) => {
    const stages = bootstrapView.stages.map((stage, index) => ({
      ...stage,
      startedAt: isWatched ? index * MINUTE + 1 : null,
      doneAt: (index + 1) * MINUTE,
    }));
    const lines = renderPage(stepState('bootstrap', 'waiting', { view: { ...bootstrapView, stages } }), [80, 24]);
    return lines.find((line) => line.includes('Usually'))?.indexOf('Took');
  };
  expect(findColumn(false)).toBe(findColumn(true));
});

test('a key draws a page of many rows without laying out the detail of each row again', () => {
  const state = stepState('certificates', 'waiting');
  const { probe } = state.runs.certificates;
  const [request] = certificatesView.requests;
  if (!probe || !request) throw new Error('no request');
  let readCount = 0;
  const requests = Array.from({ length: 200 }, (_, index) => ({ ...request, name: `csr-${index}` }));
  const view = {
    ...certificatesView,
    get requests() {
      readCount += 1;
      return requests;
    },
  };
  const shownProbe = { ...probe, view };
  const render = (row: number) => {
    readCount = 0;
    const run = { ...state.runs.certificates, probe: shownProbe, row } as WizardState['runs']['certificates'];
    renderPage({ ...state, runs: { ...state.runs, certificates: run } }, [80, 24]);
    return readCount;
  };
  expect(render(0)).toBeGreaterThanOrEqual(requests.length);
  expect(render(1)).toBeLessThan(20);
});
