// Moving the selection moves nothing else: the list keeps its rows, and the detail its place.

import { expect, test } from 'vitest';
import { appRows, getActiveBindings } from '../../screens/app/app.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { MOVE_NAMES, type ObservedMove } from '../../src/infra/moves.ts';
import { getPageViewport } from '../../src/rows/frame.ts';
import { getRowText } from '../../src/rows/page-rows.ts';
import { getActiveForm } from '../../src/wizard/design/active-form.ts';
import { readNodeDrafts } from '../../src/wizard/design/node-table.ts';
import type { Event, Intent } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { update } from '../../src/wizard/update.ts';
import { applyInputs, buildProbe, retypeText, safePlan, wizardState } from '../support/wizard-state.ts';
import { certificatesView, generateView, operatorsView, STATES, stepState } from './views.ts';

const PAGES = ['prepare', 'hosts', 'generate', 'boot', 'certificates', 'operators', 'infra'].flatMap((step) =>
  ['needed', 'waiting', 'done'].map((phase) => `${step} ${phase}`),
);
const SIZES = [
  [80, 24],
  [120, 40],
  [200, 60],
] as const;

const press = (state: WizardState, key: string, columns: number, rows: number): WizardState => {
  const viewport = getPageViewport({ columns, rows, hasUnicode: true, canAnimate: false }, []);
  const intent = getActiveBindings(state, viewport).find(({ keys }) => keys.includes(key))?.intent;
  return intent ? update(state, intent).state : state;
};

/** Describes where things are: for each row whether it is one of the list, and the text of the others that stays. */
function describeLayout(state: WizardState, columns: number, rows: number) {
  const frame = appRows(state, { columns, rows, hasUnicode: true, canAnimate: false }, { resumeCommand: '' });
  const lines = frame.map(getRowText);
  const listRows = lines.flatMap((_, row) => (frame[row]?.segments.some(({ isSelected }) => isSelected) ? [row] : []));
  return { lines, listRows };
}

test.each(SIZES.flatMap((size) => [...PAGES, 'bootstrap waiting'].map((name) => [name, size] as const)))(
  '%s at %j: a new check moves nothing',
  (name, [columns, rows]) => {
    const state = STATES[name]?.() ?? expect.fail(name);
    const checking = applyInputs(state, { type: 'screen/go', screen: state.screen });
    const [before, after] = [state, checking].map((each) => describeLayout(each, columns, rows));
    expect(after?.listRows).toEqual(before?.listRows);
    const { rechecking } = catalogue().screens.step;
    const isMoved = (line: string, row: number) =>
      !line.includes(rechecking) &&
      [...line].some((sign, column) => sign !== ' ' && sign !== before?.lines[row]?.[column]);
    // The edges name the keys.
    expect(after?.lines.slice(1, -2).filter((line, index) => isMoved(line, index + 1))).toEqual([]);
    expect(after?.lines.some((line) => line.includes(rechecking))).toBe(true);
  },
);

test.each(SIZES.flatMap((size) => [...PAGES, 'nodes', 'nodes wrong'].map((name) => [name, size] as const)))(
  '%s at %j: only the selection and the detail change',
  (name, [columns, rows]) => {
    let state = press(STATES[name]?.() ?? expect.fail(name), 'home', columns, rows);
    const layouts = [];
    for (let row = 0; row < 40; row += 1) {
      layouts.push(describeLayout(state, columns, rows));
      const next = press(state, 'down', columns, rows);
      if (JSON.stringify(next.runs) === JSON.stringify(state.runs) && next.nodes.row === state.nodes.row) break;
      state = next;
    }
    expect(layouts.length).toBeGreaterThan(1);
    const [first] = layouts;
    const listTop = Math.min(...layouts.flatMap(({ listRows }) => listRows));
    const listEnd = Math.max(...layouts.flatMap(({ listRows }) => listRows));
    // The rows above the list, apart from the range at their right end, and those below the detail stay as they are.
    const cutRange = (line: string | undefined) => line?.replace(/ *\d+–\d+ of \d+(?: \(Right\))?/, '').trimEnd();
    const left = (line: string | undefined) => cutRange(line)?.split(/ [│▐] /)[0] ?? '';
    for (const { lines, listRows } of layouts) {
      expect(listRows.length, lines.join('\n')).toBe(1);
      expect(lines.slice(0, listTop - 1).map(left)).toEqual(first?.lines.slice(0, listTop - 1).map(left));
      expect(lines.length).toBe(rows);
      // The last line of the page, and the edge under it.
      expect(cutRange(lines[rows - 3])).toEqual(cutRange(first?.lines[rows - 3]));
    }
    // Each row of the list is reached, and the list is drawn in the same rows.
    expect(listEnd).toBeGreaterThanOrEqual(listTop);
  },
);

/** The states of the infra page from its first probe to the end of a run, each with its name. */
function listInfraStates(): readonly (readonly [string, WizardState])[] {
  const traffic = 'router: 0 of 12474 requests failed during the move (console, canary, API)';
  const longReason = 'The StorageClass fast has no provisioner that answers. Install its operator. '.repeat(4);
  const createMoves = (states: Readonly<Partial<Record<string, ObservedMove['state']>>>, why = '') =>
    MOVE_NAMES.map((name): ObservedMove => {
      const state = states[name] ?? 'needed';
      return { name, state, why: state === 'needed' || state === 'done' ? '' : why, changes: [] };
    });
  const progress = [{ usualMinutes: [1, 9], share: 0.3, startedAt: null, subject: 'router' }] as const;
  const createProbed = (
    state: 'needed' | 'waiting' | 'blocked' | 'done',
    moves: readonly ObservedMove[],
    changes: object = {},
  ): Event => ({
    ...{ type: 'step/probed', step: 'infra', plan: safePlan },
    probe: buildProbe(state, { moves, traffic: null }, { progress, ...changes }),
  });
  const report = (line: string, state: 'begun' | 'done', detail?: string): Event => ({
    ...{ type: 'step/reported', step: 'infra', line },
    part: { subject: 'router', state, ...(detail === undefined ? {} : { detail }) },
  });
  const summary = `to do: ${MOVE_NAMES.join(', ')}`;
  const blockedError = (command: string) => ({
    ...{ code: 'move-blocked', title: 'move registry is blocked', cause: longReason },
    remedy: `Do this, and then continue: ${command}`,
  });
  const blockedFinding = {
    ...({
      code: 'move-pod-waits',
      state: 'pending',
      subject: 'router',
      severity: 'warning',
      cause: longReason,
    } as const),
    ...{ title: 'router: no node can run router-default-1', remedy: longReason, command: 'oc describe pod router-1' },
  };
  const inputs: readonly (readonly [string, ...(Intent | Event)[]])[] = [
    ['long summary', createProbed('needed', createMoves({}), { summary })],
    ['notice', { type: 'notice/show', notice: { kind: 'info', text: longReason } }],
    ['checked again', createProbed('needed', createMoves({})), { type: 'step/probe' }],
    [
      'run begins',
      createProbed('needed', createMoves({})),
      { type: 'step/ask', action: 'apply' },
      { type: 'step/answer', isYes: true },
    ],
    ['move begins', report('move router', 'begun')],
    ['move waits', report(`router: ${longReason}`, 'begun', longReason)],
    ['move done', report('router: 3 routers run on the infra nodes.', 'done', longReason)],
    ['first Esc', { type: 'step/cancel', needsSecondPress: true }],
    ['second Esc', { type: 'step/cancel', needsSecondPress: true }],
    ['stopped', { type: 'step/cancelled', step: 'infra' }],
    ['after a stop', createProbed('waiting', createMoves({ router: 'moving' }, longReason), { summary: longReason })],
    ['pod waits', createProbed('waiting', createMoves({ router: 'moving' }), { findings: [blockedFinding] })],
    ['run again', createProbed('needed', createMoves({})), { type: 'step/ask', action: 'apply' }],
    ['declined', { type: 'step/answer', isYes: false }],
    [
      'failed',
      { type: 'step/ask', action: 'apply' },
      { type: 'step/answer', isYes: true },
      { type: 'step/failed', step: 'infra', during: 'run', userError: blockedError('`oc get storageclass`') },
    ],
    ['blocked', createProbed('blocked', createMoves({ registry: 'blocked' }, longReason))],
    ['all done', createProbed('done', createMoves(Object.fromEntries(MOVE_NAMES.map((name) => [name, 'done']))))],
    [
      'traffic',
      {
        ...{ type: 'step/probed', step: 'infra', plan: safePlan },
        probe: buildProbe('done', { moves: createMoves({ router: 'done' }), traffic }),
      },
    ],
    [
      'undo',
      { type: 'step/ask', action: 'undo', subject: 'router' },
      {
        ...{ type: 'step/previewed', step: 'infra', action: 'undo', subject: 'router' },
        confirmation: { question: 'Undo router?', lines: [], alternatives: [] },
      },
      { type: 'step/answer', isYes: true },
    ],
    ['undoing', report('undo router', 'begun', longReason)],
    ['undone', report('router: undone', 'done'), { type: 'step/applied', step: 'infra' }],
    ['needed again', createProbed('needed', createMoves({}))],
    ['back', { type: 'session/absence', text: `Since you left (5 min): ${longReason}` }],
  ];
  const states: (readonly [string, WizardState])[] = [];
  let state = stepState('infra', 'needed', { view: { moves: createMoves({}), traffic: null } });
  for (const [name, ...events] of inputs) {
    state = applyInputs(state, ...events);
    states.push([name, state]);
  }
  return states;
}

test.each([[60, 15], [80, 24], [100, 30], [120, 24], ...SIZES.slice(1), [160, 24]] as const)(
  'infra at %dx%d: whatever a run does, the table and its rows stay where they are',
  (columns, rows) => {
    const layouts = listInfraStates().flatMap(([name, state]) => {
      const { lines } = describeLayout(state, columns, rows);
      const head = lines.findIndex((line) => / Move +State +Why/.test(line));
      const isItem = (line: string) => / [▸ ] [a-z-]+ +(?:[✔!◦▸✖-]|checking) /.test(line);
      const items = lines.flatMap((line, row) => (isItem(line) ? [row] : []));
      return state.runs.infra.phase === 'asking' ? [] : [{ name, head, items, page: lines.join('\n') }];
    });
    expect(layouts.length).toBeGreaterThan(20);
    const [first] = layouts;
    for (const { name, head, items, page } of layouts)
      expect([name, head, items], page).toEqual([name, first?.head, first?.items]);
    expect(first?.items.length).toBeGreaterThan(2);
  },
);

/** The states of the operators page from its first probe to its end, each with its name. */
function listOperatorsStates(): readonly (readonly [string, WizardState])[] {
  const { operators } = catalogue().steps;
  const longText = 'Unable to apply 4.18.11: some cluster operators are not available. '.repeat(4);
  const healthy = operatorsView.operators.map((operator) => ({
    ...operator,
    ...{ available: true, degraded: false, wait: null, state: 'fine' as const, stability: 'stable' as const },
  }));
  const finding = {
    ...({ code: 'operator-degraded', state: 'failed', subject: 'ingress', severity: 'warning' } as const),
    ...{ title: 'ingress waits for a router', cause: longText, remedy: longText, command: 'oc describe co/ingress' },
  };
  const createProbed = (state: 'needed' | 'waiting' | 'done', summary: string, view: object, changes = {}): Event => ({
    ...{ type: 'step/probed', step: 'operators', plan: safePlan },
    probe: buildProbe(state, { ...operatorsView, ...view }, { summary, ...changes }),
  });
  const progress = [{ usualMinutes: [30, 60], share: 0.9, startedAt: null }] as const;
  const inputs: readonly (readonly [string, ...(Intent | Event)[]])[] = [
    ['needed', createProbed('needed', operators.needed, { clusterVersion: null })],
    ['run begins', { type: 'step/ask', action: 'apply' }, { type: 'step/answer', isYes: true }],
    ['applied', { type: 'step/applied', step: 'operators' }],
    ['waiting', createProbed('waiting', operators.waiting(92, 30, 33), {}, { progress })],
    ['an hour later', { type: 'clock/ticked', now: wizardState().now + 80 * 60_000 }],
    ['finding', createProbed('waiting', operators.waiting(92, 30, 33), {}, { progress, findings: [finding] })],
    ['API down', createProbed('waiting', operators.waiting(null, 30, 33), { clusterVersion: null }, { progress })],
    [
      'long message',
      createProbed('waiting', longText, {
        clusterVersion: { ...operatorsView.clusterVersion, failing: true, message: longText },
      }),
    ],
    ['notice', { type: 'notice/show', notice: { kind: 'info', text: longText } }],
    ['all healthy', createProbed('waiting', operators.stabilizing(29, 33), { operators: healthy }, { progress })],
    ['done', createProbed('done', operators.done('https://console', 0), { operators: healthy })],
    ['back', { type: 'session/absence', text: `Since you left (5 min): ${longText}` }],
  ];
  return playInputs(stepState('operators', 'needed'), inputs);
}

test.each([
  [110, 30],
  [120, 40],
  [160, 45],
  [200, 60],
] as const)('at %ix%i no request that comes or goes moves the columns of the requests', (columns, rows) => {
  const [first, second, foreign, other, decided] = certificatesView.requests;
  const lists = [[first], [first, second], [foreign, first], [other, decided], [foreign, second, decided]];
  const titles = lists.map((requests) => {
    const state = stepState('certificates', 'waiting', { view: { ...certificatesView, requests }, findings: [] });
    return describeLayout(state, columns, rows)
      .lines.find((line) => /Node +For +Age +Verdict/.test(line))
      ?.replace(/(Request +\S).*/, '$1');
  });
  expect(titles[0]).toMatch(/Verdict +Request/);
  expect(new Set(titles)).toEqual(new Set(titles.slice(0, 1)));
});

/** The states of the page of certificates from its first probe to its end, each with its name. */
function listCertificatesStates(): readonly (readonly [string, WizardState])[] {
  const { certificates } = catalogue().steps;
  const longText = 'The API has not answered for ten minutes, and the state of the nodes is unknown since. '.repeat(4);
  const { nodes, requests } = certificatesView;
  const planned = requests.slice(0, 2);
  const joined = nodes.map((node) => ({
    ...{ ...node, hasJoined: true, isReady: true },
    certificateProgress: ['done', 'done'] as const,
  }));
  const stages = nodes.map((node, index) => ({
    ...node,
    stage: node.role === 'compute' ? (['off', 'lease', 'kernel', 'rootfs'] as const)[index % 4] : null,
  }));
  const finding = {
    ...({ code: 'request-denied', state: 'failed', subject: 'w1', severity: 'fatal', likelihood: 'certain' } as const),
    ...{ title: 'A request of w1 was denied', cause: longText, remedy: longText, command: 'oc get csr csr-1' },
  };
  const createProbed = (state: 'needed' | 'waiting' | 'done', summary: string, view: object, changes = {}): Event => ({
    ...{ type: 'step/probed', step: 'certificates', plan: safePlan },
    probe: buildProbe(state, { ...certificatesView, ...view }, { summary, ...changes }),
  });
  const progress = [{ usualMinutes: [10, 25], share: 0.6, startedAt: null }] as const;
  const waiting = certificates.waiting(3, 9);
  const inputs: readonly (readonly [string, ...(Intent | Event)[]])[] = [
    ['needed', createProbed('needed', certificates.toPowerOn(6), { requests: [], nodes: stages }, { progress })],
    ['notice', { type: 'notice/show', notice: { kind: 'info', text: longText } }],
    ['run begins', { type: 'step/ask', action: 'apply' }, { type: 'step/answer', isYes: true }],
    ['approved', { type: 'step/reported', step: 'certificates', line: longText }],
    ['first request', createProbed('waiting', waiting, { requests: planned.slice(1), nodes: stages }, { progress })],
    ['applied', { type: 'step/applied', step: 'certificates' }],
    ['no requests', createProbed('waiting', waiting, { requests: [] }, { progress })],
    ['an hour later', { type: 'clock/ticked', now: wizardState().now + 80 * 60_000 }],
    ['finding', createProbed('waiting', waiting, {}, { progress, findings: [finding], awaitsRepair: true })],
    [
      'two findings',
      createProbed('waiting', waiting, {}, { progress, findings: [finding, { ...finding, code: 'b' }] }),
    ],
    ['API down', createProbed('waiting', longText, { apiDetail: longText, nodesAt: wizardState().now, requests: [] })],
    [
      'lost node',
      createProbed(
        'waiting',
        certificates.lost(2, 9, ['m1', 'm2'], true),
        { nodes: stages.map((node) => ({ ...node, isLost: node.name.startsWith('m') })) },
        { progress },
      ),
    ],
    [
      'many requests',
      createProbed('needed', longText, { requests: [...requests, ...requests, ...requests, ...requests] }),
    ],
    ['failed', { type: 'step/failed', step: 'certificates', during: 'run', userError: createError(longText) }],
    ['done', createProbed('done', certificates.done(9, 0), { nodes: joined })],
    ['back', { type: 'session/absence', text: `Since you left (5 min): ${longText}` }],
  ];
  return playInputs(stepState('certificates', 'needed', { findings: [] }), inputs);
}

/** The states of the page that generates the files, each with its name. */
function listGenerateStates(): readonly (readonly [string, WizardState])[] {
  const longText = 'The program that checks this file refuses it in the line that it names. '.repeat(4);
  const finding = {
    ...({ code: 'file-refused', state: 'failed', subject: 'lb1', severity: 'warning' } as const),
    ...{ title: 'haproxy refuses its file', cause: longText, remedy: longText, command: 'haproxy -c -f haproxy.cfg' },
  };
  const createProbed = (state: 'needed' | 'done', summary: string, changes = {}): Event => ({
    ...{ type: 'step/probed', step: 'generate', plan: safePlan },
    probe: buildProbe(state, generateView, { summary, ...changes }),
  });
  const { generate } = catalogue().steps;
  const inputs: readonly (readonly [string, ...(Intent | Event)[]])[] = [
    ['needed', createProbed('needed', generate.needed(4))],
    ['notice', { type: 'notice/show', notice: { kind: 'warning', text: longText } }],
    ['warning', createProbed('needed', generate.needed(4), { findings: [finding, { ...finding, code: 'b' }] })],
    ['run begins', { type: 'step/ask', action: 'apply' }, { type: 'step/answer', isYes: true }],
    ['writing', { type: 'step/reported', step: 'generate', line: longText }],
    ['failed', { type: 'step/failed', step: 'generate', during: 'run', userError: createError(longText) }],
    ['long state', createProbed('needed', longText)],
    ['checked again', { type: 'step/probe' }],
    ['done', createProbed('done', longText)],
    ['done with a warning', createProbed('done', longText, { findings: [finding], hasWarning: true })],
    ['back', { type: 'session/absence', text: `Since you left (5 min): ${longText}` }],
  ];
  return playInputs(stepState('generate', 'needed'), inputs);
}

const createError = (text: string) => ({
  code: 'x',
  title: 'It failed',
  cause: text,
  remedy: `${text} \`oc get csr\``,
});

function playInputs(
  start: WizardState,
  inputs: readonly (readonly [string, ...(Intent | Event)[]])[],
): readonly (readonly [string, WizardState])[] {
  let state = start;
  return inputs.map(([name, ...events]) => {
    state = applyInputs(state, ...events);
    return [name, state] as const;
  });
}

const ALL_SIZES = [[60, 15], [80, 24], [100, 30], [120, 24], ...SIZES.slice(1), [160, 24]] as const;

test.each(
  ALL_SIZES.flatMap((size) =>
    (
      [
        ['certificates', / Node .*Verdict/, listCertificatesStates],
        ['generate', / State +File/, listGenerateStates],
      ] as const
    ).map(([step, ...page]) => [step, size, ...page] as const),
  ),
)(
  '%s: the list and the bar stay in their rows, whatever the step does, at %j',
  (step, [columns, rows], titles, listStates) => {
    const layouts = listStates().flatMap(([name, state]) => {
      const { lines } = describeLayout(state, columns, rows);
      const head = lines.findIndex((line) => titles.test(line));
      const bars = lines.flatMap((line, row) => (/━.* \d+ % /.test(line) ? [row] : []));
      return state.runs[step].phase === 'asking' ? [] : [{ name, head, bars, page: lines.join('\n') }];
    });
    expect(layouts.length).toBeGreaterThan(9);
    const [first] = layouts;
    const firstBar = layouts.find(({ bars }) => bars.length > 0)?.bars ?? [];
    for (const { name, head, bars, page } of layouts) {
      expect([name, head], page).toEqual([name, first?.head]);
      if (bars.length > 0) expect([name, bars], page).toEqual([name, firstBar]);
    }
    expect(first?.head, first?.page).toBeGreaterThan(0);
  },
);

test.each(ALL_SIZES)(
  'operators at %dx%d: from the first probe to the end, the table begins in the same row',
  (columns, rows) => {
    const layouts = listOperatorsStates().map(([name, state]) => {
      const { lines } = describeLayout(state, columns, rows);
      const head = lines.findIndex((line) => / Operator +State/.test(line));
      const items = lines.flatMap((line, row) =>
        / [▸ ] \S+ +[✔!◦▸✖] (?:healthy|not|deg|prog)/.test(line) ? [row] : [],
      );
      return { name, head, items, page: lines.join('\n') };
    });
    const [first] = layouts;
    for (const { name, head, items, page } of layouts) {
      expect([name, head, items[0]], page).toEqual([name, first?.head, (first?.head ?? 0) + 1]);
      expect(items.length, page).toBeGreaterThan(1);
    }
    const waiting = layouts.find(({ name }) => name === 'an hour later')?.page ?? '';
    if (columns >= 80)
      expect(waiting).toMatch(/92 % applied, 30 of 33 operators healthy, 1 h 20 min since Operators began/);
    if (columns === 80) expect(waiting).toMatch(/ authentication +◦ not available +\S+ \S+ +the routers \(ingress\)/);
  },
);

test('in Prepare, the selection starts at what needs the user, and the detail is that of the selected row', () => {
  const state = STATES['prepare needed']?.() ?? expect.fail('no state');
  const { lines, listRows } = describeLayout(state, 80, 24);
  expect(lines[listRows[0] ?? 0]).toMatch(/▸ ✖ boot images/);
  expect(lines.join('\n')).toContain('Boot images are missing in /home/user/upi-cluster/images');
  let below = state;
  for (let row = 0; row < 5; row += 1) below = press(below, 'down', 80, 24);
  const moved = describeLayout(below, 80, 24);
  expect(moved.lines[moved.listRows[0] ?? 0]).toMatch(/▸ {3}✖ m2/);
  expect(moved.lines.join('\n')).toMatch(/Why: no such name/);
});

test('the table of the nodes shows no blank line while it hides nodes', () => {
  const { lines } = describeLayout(wizardState({}, { screen: 'nodes' }), 80, 24);
  expect(lines.join('\n')).toMatch(/ bs +bootstrap[\s\S]* i3 +infra/);
  const nodes = readNodeDrafts(wizardState().document);
  const more = Array.from({ length: 9 }, (_, index) => ({
    ...nodes[4],
    name: `v${index}`,
    ip: `172.16.0.6${index}`,
    mac: `00:50:56:96:6c:0${index}`,
  }));
  let state = wizardState({ nodes: [...nodes, ...more] }, { screen: 'nodes' });
  for (let row = 0; row < 19; row += 1) {
    const page = describeLayout(state, 80, 24).lines;
    const range = page.findIndex((line) => /\d+–\d+ of 19/.test(line));
    const [, start, end] = /(\d+)–(\d+) of 19/.exec(page[range] ?? '') ?? [];
    expect(Number(end) - Number(start) + 1).toBe(10);
    // The longest advice needs the three lines between the table and the totals.
    const totals = page.findIndex((line) => line.includes('1 bootstrap: 4 vCPU'));
    expect(totals - range).toBe(4);
    state = press(state, 'down', 80, 24);
  }
});

test('in a wide form the column at the right is complete where lines are free, and the focus moves no field', () => {
  for (const [screen, columns, rows] of [
    ['networks', 110, 30],
    ['networks', 130, 40],
    ['networks', 160, 50],
    ['cluster', 110, 24],
    ['credentials', 110, 24],
  ] as const) {
    let state = wizardState({}, { screen });
    const listLabelLines = (lines: readonly string[]) =>
      lines.flatMap((line, index) => (/^│[ ▸]{3}[A-Z]/.test(line.slice(17)) ? [`${index} ${line.slice(21, 34)}`] : []));
    const labels = listLabelLines(describeLayout(state, columns, rows).lines);
    expect(labels.length).toBeGreaterThan(1);
    for (const _ of labels) {
      const page = describeLayout(state, columns, rows).lines.slice(2, -2);
      expect(page.join('\n')).not.toContain('…');
      expect(listLabelLines(describeLayout(state, columns, rows).lines)).toEqual(labels);
      state = press(state, 'tab', columns, rows);
    }
  }
  // In a low one, each gets as many lines as the others.
  const low = describeLayout(wizardState({}, { screen: 'networks' }), 110, 24).lines.join('\n');
  expect(low).toMatch(/API address .*keepalived adds it to lb1 /);
  expect(low).toMatch(/Ingress address .*keepalived adds it to lb1 /);
  // A problem of another field is complete, too: under the fields, where it moves none of them.
  const wrong = wizardState({ 'networks.machine.0.gateway': '172.16.1.254' }, { screen: 'networks' });
  const text = describeLayout(wrong, 110, 30).lines.join('\n');
  expect(text).toMatch(/Gateway +172\.16\.1\.254 +! The gateway 172\.16\.1\.254 is not/);
  const page = text.replace(/^.[^│┤]*[│┤]/gm, '');
  expect(page.replace(/[│\n]/g, ' ').replace(/ +/g, ' ')).toMatch(
    /Error Gateway: The gateway 172\.16\.1\.254 is not inside 172\.16\.0\.0\/24\. Use the router’s address on the machine network\./,
  );
});

test('what is typed into a form moves no column, whatever it derives', () => {
  const opened = applyInputs(wizardState(), { type: 'screen/go', screen: 'networks', field: 'networks.company' });
  const findColumns = (state: WizardState) =>
    describeLayout(state, 80, 24)
      .lines.filter((line) => line.includes('Machine network') || line.includes('Service network'))
      .map((line) => line.search(/\d+ of|\d+,\d+ addresses/));
  const before = findColumns(opened);
  expect(before).toHaveLength(2);
  let state = opened;
  for (const letter of '192.168.124.0/24, 10.77.0.0/16, 10.78.0.0/16') {
    state = applyInputs(state, { type: 'field/edit', event: { kind: 'char', text: letter } });
    expect(findColumns(state)).toEqual(before);
  }
});

/** Texts that derive nothing, much, and an error, whatever the field is. */
const TYPED_TEXTS = ['x', '172.16.1.254', '10.128.0.0/13', 'no good!', '4.99', '/no/such/file, which has a long name'];

test.each(
  (['cluster', 'networks', 'services', 'credentials'] as const).flatMap((screen) =>
    (
      [
        [80, 24],
        [110, 24],
        [120, 40],
        [200, 60],
      ] as const
    ).map((size) => [screen, size] as const),
  ),
)('%s at %j: neither typing nor an error moves a field or a derived value', (screen, [columns, rows]) => {
  const opened = press(wizardState({}, { screen }), 'home', columns, rows);
  const fields = getActiveForm(opened)?.fields ?? expect.fail('no form');
  /** Labels of the fields, each with its row. */
  const findPlaces = (state: WizardState) => {
    const { lines } = describeLayout(state, columns, rows);
    return fields.flatMap(({ words }) => {
      const { label } = words();
      const row = lines.findIndex((line) => new RegExp(`^│(?:.*│)? [ ▸] ${label.slice(0, 20)}`).test(line));
      return row < 0 ? [] : [`${row} ${label}`];
    });
  };
  const findFactColumns = (state: WizardState, typedLabel: string) =>
    describeLayout(state, columns, rows).lines.flatMap((line) => {
      const isOther = fields.some(({ words }) => line.includes(`  ${words().label}  `)) && !line.includes(typedLabel);
      const column = line.search(/(?<= {2,})(?:example(?![.a-z])|512 nodes|65,534)/);
      return column < 0 || !isOther ? [] : [column];
    });
  for (const [focus, field] of fields.entries()) {
    const before = applyInputs(opened, { type: 'screen/go', screen, field: field.path });
    expect(getActiveForm(before)?.form.focus).toBe(focus);
    const { label } = field.words();
    const places = findPlaces(before);
    const factColumn = findFactColumns(before, label)[0];
    expect(places.length).toBeGreaterThan(0);
    for (const text of TYPED_TEXTS) {
      let state = before;
      const check = () => {
        expect(findPlaces(state), `${label}: ${text}`).toEqual(places);
        for (const column of findFactColumns(state, label)) expect(column, `${label}: ${text}`).toBe(factColumn);
      };
      for (const input of retypeText(text)) {
        state = applyInputs(state, input);
        check();
      }
      state = press(state, 'enter', columns, rows);
      // The cursor stays at an error.
      if (getActiveForm(state)?.form.focus === focus && state.notice?.kind === 'error') check();
    }
  }
});

test('the diagram of the networks stays while an answer is wrong', () => {
  const right = describeLayout(wizardState({}, { screen: 'networks' }), 160, 50).lines;
  const wrong = describeLayout(
    wizardState({ 'networks.machine.0.gateway': '172.16.1.254' }, { screen: 'networks' }),
    160,
    50,
  ).lines;
  const findDiagram = (lines: readonly string[]) =>
    lines.findIndex((line) => line.includes('machine network 172.16.0.0/24'));
  expect(findDiagram(right)).toBeGreaterThan(0);
  expect(findDiagram(wrong)).toBe(findDiagram(right));
});

test('answers and errors on the cluster page move no field while the cursor goes on', () => {
  const enter = { type: 'field/accept' } as const;
  for (const [domain, isLong] of [
    ['corp.test', false],
    ['datacenter.corporation.example', true],
  ] as const) {
    const listLines = (state: WizardState) => {
      const { lines } = describeLayout(state, 80, 24);
      return ['Topology', 'Cluster name', 'Base domain', 'FIPS mode'].map((label) =>
        lines.findIndex((line) => line.includes(` ${label} `)),
      );
    };
    const own = { 'cluster.name': 'prod7', ...(isLong ? { 'cluster.baseDomain': domain } : {}) };
    let state = applyInputs(wizardState(own), { type: 'screen/go', screen: 'cluster', field: 'cluster.name' });
    const first = listLines(state);
    for (const inputs of [
      [...retypeText('Prod_7'), enter],
      [...retypeText('pr.od'), enter],
      [{ type: 'field/move', by: -1 } as const, ...retypeText('prod7'), enter],
      [...retypeText('10.9.9.9'), enter],
      [...retypeText(domain), enter],
    ]) {
      state = applyInputs(state, ...inputs);
      if (state.overlay) state = applyInputs(state, { type: 'follow/decline' });
      expect(listLines(state), describeLayout(state, 80, 24).lines.join('\n')).toEqual(first);
    }
    expect(getActiveForm(state)?.form.focus).toBe(5);
  }
});

test('below a form the errors come first, that of the field under the cursor or those of others, and then the reason', () => {
  const wrong = wizardState({ 'networks.machine.0.gateway': '10.1.1.1' });
  for (const field of ['networks.machine.0.gateway', 'networks.machine.0.cidr']) {
    const state = applyInputs(wrong, { type: 'screen/go', screen: 'networks', field });
    const { lines } = describeLayout(state, 80, 24);
    const [error, reason] = ['│ Error', '│ Why'].map((head) => lines.findIndex((line) => line.startsWith(head)));
    expect(error, lines.join('\n')).toBeGreaterThan(0);
    expect(reason, lines.join('\n')).toBeGreaterThan(error ?? 0);
  }
});
