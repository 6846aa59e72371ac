// The screens of the infra moves and of Prepare: rows, keys and commands.
import { afterEach, expect, test } from 'vitest';
import { type Finding, runChecks } from '../../src/checks/check.ts';
import { summarizeBlockingChecks } from '../../src/checks/prepare/items.ts';
import { evaluateServices } from '../../src/checks/service-hosts.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { MOVE_NAMES, type MoveName, type ObservedMove } from '../../src/infra/moves.ts';
import { createBlockedError, createMoveError } from '../../src/infra/run.ts';
import { MOVE_STATUS_CHECKS } from '../../src/infra/status-checks.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { createUndoConfirmation, summarizeMoves } from '../../src/steps/infra.ts';
import { formatTarget } from '../../src/steps/step-action.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { exampleSite } from '../support/example-design.ts';
import { applyInputs, buildProbe, safePlan, wizardState } from '../support/wizard-state.ts';
import { app, closeWizard, showState } from './show-state.ts';
import { hostsView, infraView, operatorsView, stepState } from './views.ts';

afterEach(closeWizard);

const findLine = (lines: readonly string[], text: string) => lines.find((candidate) => candidate.includes(text)) ?? '';

const UNDOABLE: ObservedMove = { name: 'label', state: 'done', why: '', changes: [] };

const HOME = '\u001b[H';

const createMove = (name: MoveName, state: ObservedMove['state'], why = ''): ObservedMove => ({
  ...{ name, state, why, changes: [] },
});

test('infra: a run that ends at a blocked move says once what is done and what is blocked, and is no failure', async () => {
  const why = 'The registry has no StorageClass. Install storage first.';
  const listMoves = (state: 'needed' | 'done') => [
    ...[createMove('label', state), createMove('router', state), createMove('registry-storage', 'blocked', why)],
    ...[createMove('registry', 'blocked', 'The registry is turned off.'), createMove('monitoring', 'needed')],
    createMove('lb-final', 'absent'),
  ];
  const buildInfraProbe = (moves: readonly ObservedMove[]) =>
    ({ ...summarizeMoves(moves, exampleSite()), view: { moves, traffic: null } }) as const;
  const createProbedEvent = (moves: readonly ObservedMove[]) =>
    ({ type: 'step/probed', step: 'infra', probe: buildInfraProbe(moves), plan: null }) as const;
  const userError = createBlockedError('registry-storage', why).userError;
  const lines = await showState(
    applyInputs(
      wizardState({}, { screen: 'infra' }),
      createProbedEvent(listMoves('needed')),
      { type: 'step/ask', action: 'apply' },
      { type: 'step/answer', isYes: true },
      { type: 'step/failed', step: 'infra', during: 'run', userError },
      createProbedEvent(listMoves('done')),
    ),
    [80, 24],
  );
  const screen = lines.join('\n');
  // It was announced: no failure. The headline says how many moves wait for it.
  expect(screen).not.toContain('✖');
  expect(findLine(lines, '! 2')).toContain('! 2 moves are done; registry-storage is blocked, 2 moves wait for it');
  expect(findLine(lines, '▸ ')).toContain('▸ registry-storage  ! blocked');
  expect(findLine(lines, ' monitoring ')).toMatch(/◦ to do +after registry-storage/);
  expect(screen.match(/is blocked/g)).toHaveLength(1);
  expect(screen).not.toContain('failed');
  expect(screen).toContain(`Do this: ${catalogue().steps.infra.blockedRemedy}`.slice(0, 70));
  for (const { name } of listMoves('done')) expect(screen).toMatch(new RegExp(`[▸ ] ${name} +[✔!◦-] `));
});

test.each(['blocked', 'failed'] as const)(
  'infra: the detail of a %s move begins with its whole reason, then the remedy; no sentence promises that Enter works',
  async (state) => {
    const why = `The registry has no StorageClass. ${'Install storage first. '.repeat(8)}Then go on.`;
    const moves = [
      ...MOVE_NAMES.slice(0, 8).map((name) => createMove(name, 'done')),
      createMove('registry-storage', state, why),
      ...MOVE_NAMES.slice(9).map((name) => createMove(name, 'needed')),
    ];
    const lines = await showState(stepState('infra', 'blocked', { view: { moves, traffic: null } }));
    const detail = lines
      .slice(16, 22)
      .join(' ')
      .replace(/[│ ▐]+/g, ' ')
      .trim();
    expect(detail).toMatch(/^Why: The registry has no StorageClass\. .*Then go on\. Do this: Repair/);
    expect(lines.join('\n')).not.toContain(catalogue().steps.actions.infra.sentence);
  },
);

test('infra: while moves run, the bar counts a done move at once, and the time of the one that runs', async () => {
  const moves = [createMove('label', 'needed'), createMove('router', 'needed')];
  const progress = [
    { usualMinutes: [5, 5], share: 0, startedAt: null, subject: 'label' },
    { usualMinutes: [5, 5], share: 0, startedAt: null, subject: 'router' },
  ] as const;
  const probe = { ...summarizeMoves(moves, exampleSite()), progress, view: { moves, traffic: null } };
  const begun = applyInputs(
    wizardState({}, { screen: 'infra' }),
    { type: 'step/probed', step: 'infra', probe, plan: null },
    { type: 'step/ask', action: 'apply' },
    { type: 'step/answer', isYes: true },
    { type: 'step/reported', step: 'infra', line: 'move label', part: { subject: 'label', state: 'begun' } },
  );
  const showPercent = async (state: WizardState) => /(\d+) %/.exec((await showState(state, [80, 24])).join('\n'))?.[1];
  expect(await showPercent(begun)).toBe('0');
  const done = applyInputs(
    begun,
    { type: 'step/reported', step: 'infra', line: 'label done', part: { subject: 'label', state: 'done' } },
    { type: 'step/reported', step: 'infra', line: 'move router', part: { subject: 'router', state: 'begun' } },
  );
  expect(await showPercent(done)).toBe('50');
  const now = done.now + 2.5 * MINUTE;
  expect(await showPercent(applyInputs(done, { type: 'clock/ticked', now }))).toBe('75');
});

test('hosts: what cannot be queried on a host is said whole at 80 columns', async () => {
  const hosts = hostsView.hosts.map((host) => ({ ...host, checks: [] }));
  const lines = await showState(stepState('hosts', 'done', { view: { ...hostsView, hosts }, findings: [] }), [80, 24]);
  const text = lines.map((line) => line.replace(/[│▐]/g, '').trim()).join(' ');
  expect(text).toContain(catalogue().screens.hosts.noQueries);
});

test('infra: a stopped move stays selected, so that no key acts on another one', async () => {
  const moves = [createMove('label', 'done'), createMove('monitoring', 'needed'), createMove('taint', 'needed')];
  const movingMoves = moves.map((move) => (move.name === 'monitoring' ? createMove(move.name, 'moving') : move));
  const createProbedEvent = (shownMoves: readonly ObservedMove[]) => {
    const probe = { ...summarizeMoves(shownMoves, exampleSite()), view: { moves: shownMoves, traffic: null } };
    return { type: 'step/probed', step: 'infra', probe, plan: null } as const;
  };
  const part = { subject: 'monitoring', state: 'begun' } as const;
  const stoppingState = applyInputs(
    wizardState({}, { screen: 'infra' }),
    createProbedEvent(moves),
    { type: 'step/ask', action: 'apply' },
    { type: 'step/answer', isYes: true },
    { type: 'step/reported', step: 'infra', line: 'move monitoring', part },
    { type: 'step/cancel' },
    { type: 'step/cancelled', step: 'infra' },
  );
  const resumedState = wizardState({}, { screen: 'infra' });
  for (const state of [stoppingState, resumedState]) {
    const lines = await showState(applyInputs(state, createProbedEvent(movingMoves)), [80, 24]);
    expect(findLine(lines, '▸ ')).toContain('▸ monitoring');
  }
  // Once it is done, the next move is selected.
  const doneMoves = moves.map((move) => (move.name === 'taint' ? move : createMove(move.name, 'done')));
  const lines = await showState(applyInputs(stoppingState, createProbedEvent(doneMoves)), [80, 24]);
  expect(findLine(lines, '▸ ')).toContain('▸ taint');
});

test('infra: the state of each move, u on moves that can be undone, and the changes of the selected move', async () => {
  const moves = infraView.moves.map((move) => (move.name === 'router' ? { ...move, hasWritten: true } : move));
  const lines = await showState(stepState('infra', 'needed', { view: { ...infraView, moves } }), [100, 40]);
  expect(findLine(lines, ' registry  ')).toContain('! blocked');
  expect(findLine(lines, ' taint  ')).toContain('✖ failed');
  expect(findLine(lines, ' lb-final ')).toContain('- not needed');
  // The move in progress is selected first.
  expect(findLine(lines, '▸ dns ')).toContain('in progress');
  expect(lines.at(-1)).toContain('  u undo  ');
  await app?.press('\u001b[B');
  // A move that is only partly done is still to do, and can be undone too.
  expect(app?.lines().at(-1)).toContain('  u undo  ');
  const screen = app?.screen() ?? '';
  expect(screen).toContain('ingresscontroller openshift-ingress-operator/default');
  expect(screen).toContain('-   replicas: 2');
  expect(screen).toContain('+       node-role.kubernetes.io/infra: ""'.replace('+       ', '+         '));
  await app?.press('\u001b[B\u001b[B\u001b[B\u001b[B');
  expect(app?.lines().at(-1)).not.toContain('undo');
  // A move that has written nothing has nothing to undo.
  await showState(stepState('infra', 'needed'), [100, 40]);
  await app?.press('\u001b[B');
  expect(app?.lines().at(-1)).not.toContain('undo');
});

test.each(['needed', 'waiting', 'blocked'] as const)(
  'infra %s: a long list has half of the page, whatever stands around it',
  async (phase) => {
    const moves = MOVE_NAMES.map((name): ObservedMove => ({ name, state: 'needed', why: '', changes: [] }));
    const findings: Finding[] = ['first', 'second', 'third'].map((title) => ({
      ...{ code: 'x', state: 'failed', subject: null, severity: 'warning', title: `The ${title} finding` },
      cause: 'A cause that needs a line of its own, since it is written at length, as causes are.',
      remedy: 'A remedy that needs another line, since it is written at length, as remedies are.',
    }));
    const traffic = 'Routers on worker nodes get traffic as well until the last move is done.';
    const state = stepState('infra', phase, { view: { ...infraView, moves, traffic }, findings });
    for (const [columns, rows] of [
      [80, 24],
      [100, 30],
    ] as const) {
      const lines = await showState(state, [columns, rows]);
      const shown = lines.filter((line) =>
        MOVE_NAMES.some((name) => new RegExp(`(?:^[│ ]|[│┤]) [▸ ] ${name} `).test(line)),
      );
      // One of the rows is that of the titles.
      expect(shown.length, lines.join('\n')).toBeGreaterThanOrEqual(Math.ceil((rows - 4) / 2) - 1);
      expect(lines.join('\n')).toContain('machine-sets: create infra machines');
    }
  },
);

test('infra: the row of a running move changes at once, and a finished move shows as done', async () => {
  const reportItem = (name: string, state: 'begun' | 'done', why?: string) => {
    const part = { subject: name, state, ...(why === undefined ? {} : { detail: why }) };
    return { type: 'step/reported', step: 'infra', line: name, part } as const;
  };
  const toChange = (object: string) => ({ object, what: '', before: null, after: null });
  const blockedFindings = runChecks(MOVE_STATUS_CHECKS, {
    name: 'registry',
    state: 'blocked',
    why: 'a MachineConfigPool is updating, paused or degraded',
  });
  const runningState = applyInputs(
    stepState('infra', 'needed', { plan: { ...safePlan, changes: [toChange('registry')] }, findings: blockedFindings }),
    { type: 'step/ask', action: 'apply' },
    reportItem('router', 'begun', 'it has to be healthy for 60 s'),
  );
  const runningLines = await showState(runningState, [100, 40]);
  expect(findLine(runningLines, ' router ')).toMatch(/▸ router +.*in progress +it has to be healthy for 60 s/);
  // Neither the moves of an earlier run nor those that the plan does not have are counted: dns, router and registry.
  expect(app?.screen()).toContain(catalogue().screens.infra.running('router', 2, 3));
  expect(app?.screen()).not.toContain('or degraded');
  // A probe while moves run sees the last one block the next: that one is not reported, as in plain mode.
  const whileMoving = { state: 'blocked', findings: blockedFindings } as const;
  await showState(
    applyInputs(runningState, reportItem('registry', 'begun'), {
      type: 'step/probed',
      step: 'infra',
      probe: buildProbe('blocked', infraView, whileMoving),
      plan: null,
    }),
    [100, 40],
  );
  expect(app?.screen()).not.toContain('or degraded');
  await showState(runningState, [100, 40]);
  // The running move delays later moves: they are still to do, and are not reported as blocked.
  expect(findLine(app?.lines() ?? [], ' registry  ')).toContain('◦ to do');
  const row = findLine(
    await showState(applyInputs(runningState, reportItem('router', 'done', 'router-default: 2 of 2')), [100, 40]),
    ' router ',
  );
  expect(row).toMatch(/✔ done +router-default: 2 of 2/);
  const undoState = applyInputs(
    stepState('infra', 'needed'),
    { type: 'step/ask', action: 'undo', subject: 'label' },
    { type: 'step/answer', isYes: true },
    reportItem('label', 'begun'),
  );
  expect(findLine(await showState(undoState, [100, 40]), ' label ')).toContain('undoing');
  const undoneState = applyInputs(undoState, reportItem('label', 'done'));
  expect(findLine(await showState(undoneState, [100, 40]), ' label ')).toContain('◦ undone');
});

test('infra: an undo of several moves shows which one runs and which follow, and afterwards when each was undone', async () => {
  const subject = formatTarget({ kind: 'move', name: 'registry', consent: null, dependents: ['taint'] });
  const moves = (['registry', 'taint'] as const).map((name): ObservedMove => ({ ...UNDOABLE, name }));
  const report = (name: string, state: 'begun' | 'done') =>
    ({ type: 'step/reported', step: 'infra', line: name, part: { subject: name, state } }) as const;
  const states = [
    applyInputs(
      stepState('infra', 'done', { view: { moves, traffic: null } }),
      { type: 'step/ask', action: 'undo', subject },
      { type: 'step/answer', isYes: true },
    ),
  ];
  const events = [
    ...[report('taint', 'begun'), report('taint', 'done')],
    ...[report('registry', 'begun'), report('registry', 'done')],
  ];
  for (const event of events) states.push(applyInputs(states.at(-1) ?? wizardState(), event));
  const seen = [];
  for (const state of states) {
    const lines = await showState(state);
    seen.push([lines[2], findLine(lines, ' taint  '), findLine(lines, ' registry  ')]);
  }
  const containing = (text: string) => expect.stringContaining(text);
  expect(seen).toEqual([
    [containing('undoing taint (1 of 2)'), containing('to undo'), containing('to undo')],
    [containing('undoing taint (1 of 2)'), containing('undoing'), containing('to undo')],
    [containing('undoing registry (2 of 2)'), containing('◦ undone'), containing('to undo')],
    [containing('undoing registry (2 of 2)'), containing('◦ undone'), containing('undoing')],
    // The job has not ended yet: its last message stands until then.
    [expect.stringMatching(/^ *\S registry$/), containing('◦ undone'), containing('◦ undone')],
  ]);
  // Until the probe after the job, the last one is older than the undo: no tick of before stands there again.
  const afterwards = await showState(
    applyInputs(states.at(-1) ?? wizardState(), { type: 'step/applied', step: 'infra' }),
  );
  for (const name of [' taint  ', ' registry  ']) expect(findLine(afterwards, name)).toContain('▸ checking');
  const undoneAt = new Date('2026-07-01T07:09:00').getTime();
  const view = { moves: [{ ...UNDOABLE, state: 'needed' as const, undoneAt }], traffic: null };
  expect(findLine(await showState(stepState('infra', 'needed', { view })), ' label ')).toMatch(/◦ undone \d\d:\d\d/);
});

test('infra: the selection is on the move that runs or comes next, also in a process that follows the job', async () => {
  const moves = (['label', 'router', 'registry', 'taint'] as const).map((name) => ({ ...UNDOABLE, name }));
  const follow = (action: 'apply' | 'undo', subject: string | null, shownMoves: readonly ObservedMove[]) => {
    const parts = shownMoves.map(({ name }) => name);
    const job = { action, subject, startedAt: 0, isAsking: false, parts } as const;
    const probe = buildProbe('needed', { moves: shownMoves, traffic: null }, { job });
    return applyInputs(wizardState({}, { screen: 'infra' }), { type: 'step/probed', step: 'infra', probe, plan: null });
  };
  const report = (name: string, state: 'begun' | 'done') =>
    ({ type: 'step/reported', step: 'infra', line: name, part: { subject: name, state } }) as const;
  const undoing = follow(
    'undo',
    formatTarget({ kind: 'move', name: 'registry', consent: null, dependents: ['taint'] }),
    moves,
  );
  expect((await showState(undoing)).join('\n')).toContain('▸ taint ');
  const laterUndo = applyInputs(undoing, report('taint', 'begun'), report('taint', 'done'));
  expect((await showState(laterUndo)).join('\n')).toContain('▸ registry ');
  const neededMoves = moves.map((move) => ({ ...move, state: move.name === 'label' ? 'done' : 'needed' }) as const);
  const applying = applyInputs(follow('apply', null, neededMoves), report('router', 'begun'), report('router', 'done'));
  expect((await showState(applying)).join('\n')).toContain('▸ registry ');
});

test('infra: after an undo the bar of the next run begins at 0, and an undo has no bar', async () => {
  const { probe } = stepState('infra', 'needed').runs.infra;
  if (probe === null) throw new Error('no probe');
  const createProbed = (state: 'done' | 'needed' | 'blocked', shares: readonly number[]) => {
    const progress = shares.map((share) => ({ usualMinutes: [1, 4], share, startedAt: null }) as const);
    return { type: 'step/probed', step: 'infra', plan: null, probe: { ...probe, state, progress } } as const;
  };
  const initial = stepState('infra', 'needed', { plan: { ...safePlan, changes: [] } });
  const applied = applyInputs(initial, createProbed('done', [1, 1]));
  const undoing = applyInputs(
    initial,
    createProbed('needed', [1, 0]),
    { type: 'step/ask', action: 'undo', subject: 'label' },
    { type: 'step/answer', isYes: true },
  );
  expect((await showState(undoing, [100, 40])).slice(1).join('\n')).not.toMatch(/% +.* left/);
  const again = applyInputs(applied, createProbed('needed', [0, 0]), { type: 'step/ask', action: 'apply' });
  expect((await showState(again, [100, 40])).join('\n')).toMatch(/ 0 % +about 5 min left/);
  expect(applyInputs(applied, createProbed('blocked', [0, 0])).runs.infra.share).toBe(0);
});

test('infra: a wait whose reason changes to and fro shows each line of the run once', async () => {
  const lines = ['alertmanager-main: 1 of 2', 'alertmanager-main: 2 of 2'];
  const reports = [...lines.map((line) => [line, line]), [null, lines[0]]] as const;
  const running = applyInputs(
    stepState('infra', 'needed', { plan: safePlan }),
    { type: 'step/ask', action: 'apply' },
    ...reports.map(
      ([line = null, detail = '']) =>
        ({
          type: 'step/reported',
          step: 'infra',
          line,
          part: { subject: 'monitoring', state: 'begun', detail },
        }) as const,
    ),
  );
  const screen = (await showState(running, [100, 40])).join('\n');
  expect([...screen.matchAll(/[│┤] (alertmanager-main: \d of 2)/g)].map(([, line]) => line)).toEqual(lines);
  // The row has the present reason.
  expect(screen).toMatch(/monitoring +\S+ in progress +alertmanager-main: 1 of 2/);
});

test('infra: the count of a running move is of the moves of its run', async () => {
  const toChange = (object: string) => ({ object, what: '', before: null, after: null });
  const report = (name: string, state: 'begun' | 'done') =>
    ({ type: 'step/reported', step: 'infra', line: name, part: { subject: name, state } }) as const;
  // A run that another process began: the first probe names its moves.
  const { probe } = stepState('infra', 'needed').runs.infra;
  if (probe === null) throw new Error('no probe');
  const job = { action: 'apply-one', subject: 'router', startedAt: 0, isAsking: false, parts: ['router'] } as const;
  const single = applyInputs(
    stepState('infra', 'needed'),
    { type: 'step/probed', step: 'infra', probe: { ...probe, job }, plan: null },
    report('router', 'begun'),
  );
  expect((await showState(single, [100, 40])).join('\n')).toContain('move router runs');
  const whole = applyInputs(
    stepState('infra', 'needed', { plan: { ...safePlan, changes: ['router', 'monitoring'].map(toChange) } }),
    { type: 'step/ask', action: 'apply' },
    report('dns', 'begun'),
    report('dns', 'done'),
    report('router', 'begun'),
  );
  const moves = infraView.moves.map((move) => (move.name === 'dns' ? { ...move, state: 'done' as const } : move));
  const later = applyInputs(whole, {
    ...{ type: 'step/probed', step: 'infra', plan: null },
    probe: { ...probe, view: { ...infraView, moves } },
  });
  // A move that this run has finished stays in the count; a blocked one that was not confirmed is not in it.
  const lines = await showState(later, [100, 40]);
  expect(lines.join('\n')).toContain('move 2 of 3 runs: router');
  expect(findLine(lines, ' registry  ')).toContain('! blocked');
});

test('infra: the reason why a move is not undone stays until the next key, also when a probe finds the step done', async () => {
  const userError = { code: 'move-stays', title: 'move pool stays', cause: 'Undo first: taint.', remedy: 'Do that.' };
  const { probe } = stepState('infra', 'done').runs.infra;
  if (probe === null) throw new Error('no probe');
  const probeIntent = { type: 'step/probed', step: 'infra', probe, plan: null } as const;
  const refusedUndo = applyInputs(
    stepState('infra', 'done'),
    { type: 'step/ask', action: 'undo', subject: 'pool' },
    { type: 'step/answer', isYes: true },
    { type: 'step/failed', step: 'infra', during: 'run', userError },
    probeIntent,
    probeIntent,
  );
  const lines = await showState(refusedUndo);
  expect(lines.join(' ').replace(/\s+/g, ' ')).toContain('move pool stays: Undo first: taint. Do that.');
  expect(lines.at(-1)).toContain('Enter next');
  await app?.press('\u001b[B');
  expect(app?.screen()).not.toContain('move pool stays');
});

test('hosts: the page says which services run on a host, or that it is not known, with the command', async () => {
  const lines = async (index: number, services: (typeof hostsView)['hosts'][number]['services']) => {
    const { hosts } = hostsView;
    const view = { ...hostsView, hosts: hosts.slice(index, index + 1).map((host) => ({ ...host, services })) };
    return (await showState(stepState('hosts', 'done', { view }), [120, 40])).join('\n');
  };
  const units = [
    { name: 'named', isActive: true },
    { name: 'chronyd', isActive: false },
  ];
  const looked = await lines(0, { at: 0, units });
  expect(looked).toMatch(/Checked at \d\d:\d\d: named runs\./);
  expect(looked).toContain('chronyd does not run on ns1.');
  const unknown = await lines(1, null);
  expect(unknown).toContain('Not known whether its services run.');
  expect(unknown).toContain('upi-wizard hosts verify --host lb1 --dir /home/user/upi-cluster');
  // A host that is not set up has no services to look at.
  expect(await lines(2, null)).not.toContain('Not known');
});

test('hosts: X with a reason overrides the wait for a silent service', async () => {
  const [finding] = evaluateServices([
    { kind: 'silent', server: '172.16.0.102', queryText: 'ns1', isOk: false, detail: '' },
  ]);
  if (finding === undefined) throw new Error('nothing is wrong');
  const run = stepState('hosts', 'waiting', { findings: [finding] });
  const { probe } = run.runs.hosts;
  if (probe === null) throw new Error('no probe');
  const overridableProbe = { ...probe, overridableChecks: [finding] };
  const lines = await showState(
    applyInputs(run, { type: 'step/probed', step: 'hosts', probe: overridableProbe, plan: null }),
  );
  expect(lines.at(-1)).toContain('X override');
  await app?.press('X');
  expect(app?.store.getState().runs.hosts).toMatchObject({ phase: 'asking', prompt: { action: 'override' } });
});

test('prepare: the check that blocks the step is selected, and not the work that Enter does', async () => {
  const findSelected = (lines: readonly string[]) => findLine(lines, '▸ ');
  const blocked = await showState(stepState('prepare', 'blocked'), [80, 24]);
  expect(findSelected(blocked)).toContain('m2');
  expect(blocked.join('\n')).toContain('Put the generated zone in place');
  expect(findSelected(await showState(stepState('prepare', 'needed'), [80, 24]))).toContain('boot images');
});

test('prepare: the detail of a line, y and the help have the command that repeats its check', async () => {
  const items = [{ id: 'images', state: 'pending', detail: 'not here', checks: ['images-missing'] }] as const;
  const lines = await showState(stepState('prepare', 'needed', { view: { items, phases: [], expiresAt: null } }));
  expect(lines.join('\n')).toContain('upi-wizard check --only images-missing');
  expect(lines.at(-1)).toContain('y copy commands');
  await app?.press('?');
  expect(app?.screen()).toContain('upi-wizard check --only images-missing');
});

test('prepare: y copies the command that is shown, or that of the selected check, and names it', async () => {
  const createFinding = (code: string, command: string): Finding => ({
    ...{
      code,
      state: 'failed',
      severity: 'fatal',
      subject: code,
      title: `${code} fails`,
      cause: 'seen',
      remedy: 'mend',
    },
    command,
  });
  const [dig, nc] = ['dig @172.16.0.102 api.ocp45.example.localdomain A', 'nc -vz 172.16.0.110 6443'];
  const failed = [createFinding('dns-server', dig), createFinding('lb-listens', nc)];
  const items = [{ id: 'installer', state: 'failed', detail: 'not here', checks: ['installer-missing'] }] as const;
  const phases = [{ phase: 'dns', okCount: 0, pendingCount: 0, unknownCount: 0, failedFindings: failed }] as const;
  const view = { items, phases, expiresAt: null };
  await showState(stepState('prepare', 'blocked', { view, findings: summarizeBlockingChecks(failed) }));
  const getCopied = () => app?.effects.flatMap((effect) => (effect.type === 'copy' ? effect.text : [])).at(-1);
  expect(app?.screen()).toContain(dig);
  await app?.press('y');
  expect(getCopied()).toBe(`${dig}\n`);
  await app?.press('\u001b[F');
  await app?.press('y');
  expect(getCopied()).toBe(`${nc}\n`);
  expect(app?.lines().map((each) => each.trim())).toContain(nc);
});

test('every row of a long line of a difference keeps its sign', async () => {
  await showState(stepState('infra', 'needed'));
  await app?.press(HOME);
  await app?.press('u');
  const long = `option domain-search "${'a-long-name.example.localdomain '.repeat(4).trim()}";`;
  const lines = [
    '  Files',
    '    /etc/dhcp/dhcpd.conf (changed)',
    `      - ${long}`,
    `      + ${long.replace('a-', 'b-')}`,
  ];
  const confirmation = { question: 'Undo label?', lines, alternatives: [] };
  app?.store.dispatch({ type: 'step/previewed', step: 'infra', action: 'undo', subject: 'label', confirmation });
  await app?.press('');
  const rows = (app?.lines() ?? []).flatMap((line) => (/long-name/.test(line) ? [line.replace(/^.*?\| ?/, '')] : []));
  expect(rows.length).toBeGreaterThan(4);
  for (const row of rows) expect(row).toMatch(/^ *[-+] /);
});

test('prepare: y copies the command that mends, and not the one that shows what is wrong', async () => {
  const failed: Finding[] = [
    {
      ...{ code: 'boot-readable', state: 'failed', severity: 'fatal', subject: 'worker.ign', title: 'it is closed' },
      ...{ cause: 'mode 0700', remedy: 'Run on bastion as root: `chmod o+rx /srv/ignition`', command: 'namei -l /srv' },
    },
  ];
  const view = {
    items: [],
    phases: [{ phase: 'ignition', okCount: 0, pendingCount: 0, unknownCount: 0, failedFindings: failed }],
    expiresAt: null,
  };
  await showState(stepState('prepare', 'blocked', { view, findings: summarizeBlockingChecks(failed) }));
  await app?.press('y');
  expect(app?.effects.flatMap((effect) => (effect.type === 'copy' ? effect.text : []))).toEqual([
    'chmod o+rx /srv/ignition\n',
  ]);
});

test('infra: the preview of an undo is loaded before the question appears, and y counts only then', async () => {
  await showState(stepState('infra', 'needed'));
  await app?.press(HOME);
  await app?.press('u');
  expect(app?.screen()).not.toContain('Undo label?');
  await app?.press('y');
  expect(app?.store.getState().runs.infra.phase).toBe('asking');
  const alternatives = [
    { key: 'overwrite', label: 'overwrite changes', target: { kind: 'move', name: 'label', consent: 'overwrite' } },
  ] as const;
  const lines = ['Node i1: changed', '  ! metadata.labels.x:', '      before not set,', '      now "y"'];
  const confirmation = { question: 'Undo label?', lines, alternatives };
  app?.store.dispatch({ type: 'step/previewed', step: 'infra', action: 'undo', subject: 'label', confirmation });
  await app?.press('');
  expect(app?.screen()).toContain('Undo label?');
  expect(app?.screen()).toContain('  ! metadata.labels.x:');
  expect(app?.lines().at(-1)).toContain('O overwrite changes');
  expect(app?.screen()).toContain('y yes   O overwrite changes   n no');
  await app?.press('O');
  expect(app?.store.getState().runs.infra).toMatchObject({
    phase: 'asking',
    prompt: { subject: 'label overwrite', confirmation: 'reading' },
  });
  // A move that upi-wizard did not write, and that depends on this one, cannot be undone.
  const foreign = { move: 'taint', kind: 'foreign', isFileMove: false } as const;
  const label = { move: 'label', kind: 'recorded', objects: [] } as const;
  const blocked = createUndoConfirmation({ kind: 'move', name: 'label', consent: 'overwrite' }, [foreign, label]);
  app?.store.dispatch({
    type: 'step/previewed',
    step: 'infra',
    action: 'undo',
    subject: 'label overwrite',
    confirmation: blocked,
  });
  await app?.press('y');
  expect(app?.store.getState().runs.infra.phase).toBe('asking');
  expect(app?.screen()).toContain('label cannot be undone: dependent moves stay (taint)');
});

test('infra: a single move can be applied alone, after a summary; keys that have no effect say why', async () => {
  const change = { object: 'Node i1', before: 'a: 1', after: 'a: 2' };
  const create = (name: MoveName, state: ObservedMove['state']): ObservedMove => ({
    name,
    state,
    why: '',
    changes: state === 'needed' ? [change] : [],
  });
  const moves = [
    create('label', 'needed'),
    create('router', 'needed'),
    create('dns', 'done'),
    create('logging', 'absent'),
  ];
  const summary = [{ label: 'Moves', text: 'label (1 object)' }];
  const plan = { changes: [change], isDangerous: true, instructions: [], summary };
  const view = { moves, traffic: null, singlePlans: { label: plan } };
  await showState(stepState('infra', 'needed', { view }), [100, 40]);
  await app?.press('u');
  expect(app?.screen()).toContain('label has not been applied: there is nothing to undo.');
  await app?.press('\u001b[B');
  await app?.press('1');
  expect(app?.screen()).toContain('router comes after label. Apply that first, or press Enter');
  await app?.press('\u001b[B');
  await app?.press('1');
  expect(app?.screen()).toContain('dns is done already');
  await app?.press('\u001b[B');
  await app?.press('u');
  expect(app?.screen()).toContain('logging is not needed here');
  for (let back = 0; back < 3; back += 1) await app?.press('\u001b[A');
  await app?.press('1');
  for (const text of ['Apply the move label now?', 'Moves  label (1 object)', '- a: 1', '+ a: 2'])
    expect(app?.screen()).toContain(text);
  await app?.press('y');
  expect(app?.effects.at(-1)).toEqual({ type: 'run', step: 'infra', action: 'apply-one', subject: 'label' });
});

test('infra: before the changes, the question has one line for each move; Right and PgDn move by the same page', async () => {
  const names = ['label', 'lb-add', 'router', 'network-diagnostics', 'lb-final'] as const;
  const parts = names.map((label) => ({
    label,
    text: `IngressController ${'default'.repeat(5)}`,
    end: 'restarts',
    changeCount: 1,
  }));
  const change = { object: 'a', what: 'b', before: 'c\n'.repeat(40), after: 'd\n'.repeat(40) };
  const summary = ['Moves', 'Restarts', 'Outage', 'How long', 'Undo'].map((label) => ({ label, text: 'text' }));
  const limits = Array.from({ length: 9 }, () => ({ label: '', text: 'not undone' }));
  const changes = names.map(() => change);
  const plan = { changes, isDangerous: true, instructions: [], summary: [...summary, ...limits], parts };
  const state = applyInputs(stepState('infra', 'needed', { plan }), { type: 'step/ask', action: 'apply' });
  const lines = await showState(state, [80, 24]);
  for (const name of names) expect(findLine(lines, ` ${name} `)).toMatch(/IngressController defa.*… {2}restarts/);
  expect(app?.store.getState().runs.infra.phase).toBe('asking');
  await app?.press('\u001b[C');
  const afterRight = app?.lines();
  expect(afterRight).not.toEqual(lines);
  await app?.press('\u001b[D');
  await app?.press('\u001b[6~');
  expect(app?.lines()).toEqual(afterRight);
});

test('infra: the changes of a move are hidden until Enter opens it; a plan that fits the window is shown whole', async () => {
  const names = ['label', 'dns', 'router'] as const;
  const createChange = (name: string, lines: number) => ({
    ...{ object: `object of ${name}`, what: 'does', before: null },
    after: Array.from({ length: lines }, (_, index) => `${name} ${index}\n`).join(''),
  });
  const parts = names.map((label) => ({ label, text: `of ${label}`, end: 'restarts', changeCount: 2 }));
  const changes = names.flatMap((name) => [
    { object: name, what: `why ${name}`, before: null, after: null },
    createChange(name, name === 'dns' ? 30 : 5),
  ]);
  const summary = [{ label: 'Moves', text: 'all' }];
  const limits = [{ label: '', text: 'label: stays' }];
  const plan = { changes, isDangerous: true, instructions: [], summary: [...summary, ...limits], parts };
  const state = applyInputs(stepState('infra', 'needed', { plan }), { type: 'step/ask', action: 'apply' });
  const folded = await showState(state, [80, 24]);
  expect(folded.join('\n')).not.toMatch(/why label|\+ /);
  expect(findLine(folded, 'of label')).toContain('▸ label');
  expect(folded.at(-1)).toContain('Enter show its changes');
  await app?.press('\r');
  expect(app?.screen()).toMatch(/▸ label .*restarts\n +label: why label\n +object of label: does\n +\+ label 0\n/);
  expect(app?.screen()).toMatch(/ \+ label 4\n +dns .*restarts\n/);
  expect(app?.lines().at(-1)).toContain('Enter hide its changes');
  await app?.press('\r');
  expect(app?.lines()).toEqual(folded);
  // A move that does not fit begins at the top of the window.
  await app?.press('\u001b[B');
  await app?.press('\r');
  expect(app?.screen()).toMatch(/▸ dns .*\n +dns: why dns\n/);
  expect(app?.screen()).not.toContain('of label');
  // Esc hides the changes first; only then is it a no.
  expect(app?.lines().at(-1)).toContain('Esc hide changes');
  await app?.escape();
  expect(app?.screen()).toMatch(/\n\n {2}Limits of undo:\n {4}label: stays\n/);
  for (const text of ['Moves  all', '▸ dns', 'of label', 'label: stays']) expect(app?.screen()).toContain(text);
  await app?.press('y');
  expect(app?.effects.at(-1)).toMatchObject({ type: 'run', step: 'infra', action: 'apply' });
  const whole = (await showState(state, [80, 80])).join('\n');
  expect(whole).not.toContain('▸');
  for (const name of names) expect(whole).toContain(`  ${name}: why ${name}`);
});

test('infra: from 110 columns the changes of the selected move stand beside the question, and scroll', async () => {
  const names = ['label', 'dns', 'router'] as const;
  const createChange = (name: string) => ({
    ...{ object: `object of ${name}`, what: 'does', before: null },
    after: Array.from({ length: 60 }, (_, index) => `${name} ${index}\n`).join(''),
  });
  const parts = names.map((label) => ({ label, text: `of ${label}`, end: 'restarts', changeCount: 1 }));
  const summary = [
    { label: 'Moves', text: 'all' },
    { label: '', text: 'label: stays' },
  ];
  const plan = { changes: names.map(createChange), isDangerous: true, instructions: [], summary, parts };
  const state = applyInputs(stepState('infra', 'needed', { plan }), { type: 'step/ask', action: 'apply' });
  const lines = await showState(state, [110, 30]);
  expect(findLine(lines, 'infra nodes: make these changes')).toBe('');
  expect(findLine(lines, '▸ label')).toMatch(/▸ label +of label +restarts +.*\+ label \d+/);
  expect(lines.join('\n')).toMatch(/│ object of label: does/);
  for (const text of ['label: stays', 'y yes   n no', catalogue().screens.step.partsBesideTitle])
    expect(lines.join('\n')).toContain(text);
  expect(lines.at(-1)).toContain(`Right ${catalogue().screens.keys.readOn}`);
  await app?.press('\u001b[C');
  expect(app?.screen()).not.toContain('object of label');
  expect(findLine(app?.lines() ?? [], '▸ label')).not.toBe('');
  // The next move begins with its first line.
  await app?.press('\u001b[B');
  expect(app?.screen()).toMatch(/│ object of dns: does/);
  expect(findLine(app?.lines() ?? [], '▸ dns')).not.toBe('');
  await app?.press('\r');
  expect(app?.screen()).toMatch(/│ object of dns: does/);
  // In a low window the limits of undo follow the changes.
  await showState(state, [110, 15]);
  await app?.press('\u001b[F');
  expect(app?.screen()).toMatch(/▸ label.*│(?:.*\n)+.*│ {3}label: stays/);
  // Below 110 columns Enter shows the changes.
  const narrow = await showState(state, [109, 30]);
  expect(narrow.join('\n')).not.toContain('object of label');
  expect(narrow.at(-1)).toContain('Enter show its changes');
});

test('infra: Esc hides all opened changes one by one, and then answers no', async () => {
  const change = { object: 'a', what: 'b', before: null, after: 'x\n'.repeat(30) };
  const parts = ['label', 'dns'].map((label) => ({ label, text: label, end: 'restarts', changeCount: 1 }));
  const summary = [{ label: 'Changes', text: 'all' }];
  const plan = { changes: [change, change], isDangerous: true, instructions: [], summary, parts };
  const state = applyInputs(stepState('infra', 'needed', { plan }), { type: 'step/ask', action: 'apply' });
  const folded = await showState(state, [80, 24]);
  for (const key of ['\r', '\u001b[B', '\r', '\u001b[A']) await app?.press(key);
  const getOpenParts = () => {
    const run = app?.store.getState().runs.infra;
    return run?.phase === 'asking' ? run.prompt.fold?.openParts : null;
  };
  expect(getOpenParts()).toEqual([0, 1]);
  await app?.escape();
  expect(getOpenParts()).toEqual([1]);
  await app?.escape();
  expect(app?.lines()).toEqual(folded);
  expect(app?.lines().at(-1)).not.toContain('Esc hide changes');
  await app?.escape();
  expect(getOpenParts()).toBeNull();
});

test.each([
  [80, 24],
  [60, 20],
])('infra: at %dx%d the detail of a needed move begins with what it causes', async (columns, rows) => {
  const moves = [{ name: 'router', state: 'needed', why: '', changes: [] }] as const;
  const effects = { router: 'restarts; usually 2–6 min' };
  const lines = await showState(stepState('infra', 'needed', { view: { moves, traffic: null, effects } }), [
    columns,
    rows,
  ]);
  expect(findLine(lines, 'router: ')).toContain('router: restarts; usually 2–6 min');
});

test('infra: while one move is applied alone, the remaining time is that of this move', async () => {
  const moves = (['label', 'router'] as const).map((name) => ({
    ...{ name, state: 'needed' as const, why: '', changes: [{ object: name, before: null, after: 'x' }] },
  }));
  const progress = (
    [
      ['label', 20],
      ['router', 4],
    ] as const
  ).map(([subject, minutes]) => ({
    ...{ usualMinutes: [minutes, minutes] as const, share: 0, startedAt: null, subject },
  }));
  const state = applyInputs(
    stepState('infra', 'needed', { view: { moves, traffic: null }, progress }),
    { type: 'step/ask', action: 'apply-one', subject: 'router' },
    { type: 'step/answer', isYes: true },
  );
  expect((await showState(state, [80, 24])).join('\n')).toContain('0 %  about 4 min left');
});

test('infra: a key that a question cannot take yet says why beside the question', async () => {
  await showState(stepState('infra', 'needed', { view: { moves: [UNDOABLE], traffic: null } }));
  await app?.press('u');
  await app?.press('y');
  expect(app?.screen()).toContain(catalogue().screens.step.stillLooking);
});

test('infra: undo of a middle move offers the moves that depend on it, shows them, and yes is about all of them', async () => {
  await showState(stepState('infra', 'needed'));
  await app?.press(HOME);
  await app?.press('u');
  const files = { kind: 'files', changes: [] } as const;
  const plans = [
    { move: 'lb-final', ...files },
    { move: 'taint', kind: 'defaults', changes: [{ object: 'Node i1', before: 'x: 1', after: null }] },
    { move: 'label', ...files },
  ] as const;
  const summary = [{ label: 'Restarts', text: 'with lb-final' }];
  const undoConfirmation = createUndoConfirmation({ kind: 'move', name: 'label', consent: null }, plans);
  const confirmation = { ...undoConfirmation, summary };
  app?.store.dispatch({ type: 'step/previewed', step: 'infra', action: 'undo', subject: 'label', confirmation });
  await app?.press('');
  for (const text of [
    'Undo lb-final, taint, then label?',
    'Restarts  with lb-final',
    'taint: ',
    'taint: it depends on label',
    '- x: 1',
  ])
    expect(app?.screen()).toContain(text);
  await app?.press('y');
  expect(app?.effects.at(-1)).toEqual({
    type: 'run',
    step: 'infra',
    action: 'undo',
    subject: 'lb-final,taint,label',
  });
  // Those whose turn comes later wait.
  expect(app?.screen()).toMatch(/label\s+◦ to undo/);
});

test('infra: the preview of an undo says why each dependent move is undone too', () => {
  const files = { kind: 'files', changes: [] } as const;
  const plans = [
    { move: 'lb-final', ...files },
    { move: 'taint', ...files },
    { move: 'router', ...files },
  ] as const;
  const { lines } = createUndoConfirmation({ kind: 'move', name: 'router', consent: null }, plans);
  expect(lines.slice(1, 3)).toEqual([
    '  lb-final: the routers return to the compute nodes, so the load balancer must forward to these first',
    '  taint: without router, pods no longer tolerate the taint: it may repel or evict them',
  ]);
});

test('infra: a reason that the table cuts is complete below it, with the command to type', async () => {
  const command = 'scp -r /srv/installations/ocp45/files/lb1 root@172.16.0.112:';
  const why = `lb1: HAProxy still runs with the members of another stage: \`${command}\``;
  const moves = [{ name: 'lb-add' as const, state: 'blocked' as const, why, changes: [] }];
  const lines = await showState(stepState('infra', 'blocked', { view: { moves, traffic: null } }));
  expect(lines.map((line) => line.trim())).toContain(command);
});

test('infra: a key offers the remedy for an unschedulable pod: change the answer, or copy or write the command', async () => {
  const createWaitingMove = (name: 'router' | 'registry', cause: 'ports' | 'claim') => ({
    ...{ name, state: 'moving' as const, why: 'it waits', changes: [] },
    pending: { namespace: 'openshift-x', name: `${name}-1`, cause, taint: null },
  });
  const remedyCommands = { registry: 'oc describe pvc -n openshift-x' };
  const view = {
    moves: [createWaitingMove('router', 'ports'), createWaitingMove('registry', 'claim')],
    traffic: null,
    remedyCommands,
  };
  const lines = await showState(stepState('infra', 'waiting', { view }), [120, 30]);
  expect(lines.at(-1)).toContain('e number of routers');
  expect(lines.at(-1)).not.toContain('y copy commands');
  await app?.press('\u001b[B');
  expect(app?.lines().at(-1)).toContain('y copy commands');
  expect(app?.lines().at(-1)).not.toContain('e number of routers');
  await app?.press('\u001b[A');
  await app?.press('e');
  expect(app?.store.getState().screen).toBe('services');
  expect(app?.screen()).toContain('▸ Router replicas');
});

test('infra: the design’s own blocking taint and a missing label each have a key', async () => {
  const createWaitingMove = (name: 'router' | 'registry', cause: 'own-taint' | 'unlabelled') => ({
    ...{ name, state: 'moving' as const, why: 'it waits', changes: [] },
    pending: { namespace: 'openshift-x', name: `${name}-1`, cause, taint: null },
  });
  const change = { object: 'Node i1', before: null, after: 'x' };
  const label = { name: 'label' as const, state: 'needed' as const, why: '', changes: [change] };
  const view = {
    moves: [createWaitingMove('router', 'own-taint'), createWaitingMove('registry', 'unlabelled'), label],
    traffic: null,
  };
  const { keys, questions } = catalogue().screens.infra;
  expect((await showState(stepState('infra', 'waiting', { view }), [120, 30])).at(-1)).toContain(`L ${keys.untaint}`);
  await app?.press('L');
  expect(app?.store.getState().runs.infra).toMatchObject({ prompt: { action: 'undo', subject: 'taint' } });
  await app?.press('n');
  await app?.press('\u001b[B');
  expect(app?.lines().at(-1)).toContain(`L ${keys.label}`);
  await app?.press('L');
  expect(app?.store.getState().runs.infra).toMatchObject({ prompt: { action: 'apply-one', subject: 'label' } });
  for (const text of [questions.apply('label'), 'Node i1']) expect(app?.screen()).toContain(text);
});

test('infra: the command in the reason of a failed move stands below the list, to be copied', async () => {
  const why =
    'The cloud could not create the machine. Delete it: `oc delete machine -n openshift-machine-api shop-x7k2p-infra-us-east-2a-45fcb`';
  const failedMove = { name: 'machine-sets' as const, state: 'failed' as const, why, changes: [] };
  const view = { moves: [failedMove, ...infraView.moves], traffic: null };
  const finding: Finding = {
    ...{ code: 'move-failed', state: 'failed', severity: 'warning', subject: 'machine-sets' },
    ...{ title: 'move machine-sets failed', cause: why, remedy: '' },
  };
  const lines = await showState(stepState('infra', 'blocked', { view, findings: [finding] }));
  expect(lines.join('\n')).toMatch(/oc delete machine -n openshift-machine-api \\\s+shop-x7k2p-infra-us-east-2a-45fcb/);
  await app?.press(HOME);
  await app?.press('y');
  expect(app?.effects.flatMap((effect) => (effect.type === 'copy' ? effect.text : []))).toEqual([
    'oc delete machine -n openshift-machine-api shop-x7k2p-infra-us-east-2a-45fcb\n',
  ]);
});

test('infra: a command far down in a long reason comes first, so that it is visible at 80x24', async () => {
  const machine = 'shop-x7k2p-infra-us-east-2a-45fcb';
  const cause = 'We currently do not have sufficient capacity in the Availability Zone you requested. '.repeat(4);
  const why = `The cloud could not create it: ${cause}Delete it: \`oc delete machine -n openshift-machine-api ${machine}\``;
  const view = { moves: [createMove('machine-sets', 'failed', why), ...infraView.moves], traffic: null };
  await showState(stepState('infra', 'blocked', { view }));
  await app?.press(HOME);
  const screen = app?.screen() ?? '';
  expect(screen).toMatch(/oc delete machine -n openshift-machine-api \\[\s│▐]+shop-x7k2p-infra-us-east-2a-45fcb/);
  expect(screen).toContain('Why: The cloud could not create it');
});

test('infra: moves that one cause blocks say so once, and Enter says what to do', async () => {
  const why = 'A pool is degraded. Find the config: `oc get machineconfig` Correct it.';
  const names = ['pool', 'dns', 'router'] as const;
  const moves = [createMove('label', 'done'), ...names.map((name) => createMove(name, 'blocked', why))];
  const probe = { ...summarizeMoves(moves, exampleSite()), view: { moves, traffic: null } };
  expect(probe.findings.map(({ subject }) => subject)).toEqual(['pool']);
  const state = applyInputs(stepState('infra', 'needed'), { type: 'step/probed', step: 'infra', probe, plan: null });
  const lines = (await showState(state)).map((line) => line.replace(/\s+/g, ' '));
  for (const name of ['dns', 'router'])
    expect(lines.join('\n')).toContain(`${name} ! blocked ${catalogue().screens.infra.sameReason('pool')}`);
  await app?.press('\r');
  const remedy = catalogue().steps.infra.blockedRemedy;
  expect(app?.store.getState().notice?.text).toBe(
    catalogue().screens.step.blockedEnter(remedy, '`oc get machineconfig`'),
  );
  expect(app?.lines().filter((line) => line.includes('oc get machineconfig')).length).toBeGreaterThan(0);
});

test('infra: of several commands in a long reason the first one comes first, and then the reason', async () => {
  const cause = 'The configuration cannot be rendered, because a part of it has an unknown version. '.repeat(4);
  const why = `The pool is degraded: ${cause}Find it: \`oc get machineconfig\` See what nodes report: \`oc get pods\``;
  const view = { moves: [createMove('pool', 'blocked', why), ...infraView.moves], traffic: null };
  await showState(stepState('infra', 'blocked', { view }));
  await app?.press(HOME);
  const lines = app?.lines().map((line) => line.replace(/[│▐]/g, '').trim()) ?? [];
  const start = lines.indexOf('oc get machineconfig');
  expect(start).toBeGreaterThan(0);
  expect(lines[start + 1]).toMatch(/^Why: The pool is degraded: The configuration cannot be rendered/);
});

test('infra: after a failure the detail has its reason, which the notes do not repeat', async () => {
  const why = 'The cloud has no capacity for the machine. Choose another size.';
  const moves = [createMove('machine-sets', 'failed', why), createMove('label', 'needed')];
  const probe = { ...summarizeMoves(moves, exampleSite()), view: { moves, traffic: null } };
  const state = applyInputs(
    stepState('infra', 'needed', { plan: { ...safePlan, changes: [] } }),
    { type: 'step/ask', action: 'apply' },
    { type: 'step/failed', step: 'infra', during: 'run', userError: createMoveError('machine-sets', why).userError },
    { type: 'step/probed', step: 'infra', probe, plan: null },
  );
  expect(state.runs.infra.phase).toBe('failed');
  const screen = (await showState(state)).join('\n');
  expect(screen).toContain('✖ move machine-sets failed');
  expect(screen).toMatch(/Why: The cloud has no capacity for the machine\. Choose another size\./);
  expect(screen.match(/machine-sets failed/g)).toHaveLength(1);
});

test('infra: while moves run, the latest events are complete under the table', async () => {
  await showState(stepState('infra', 'needed'));
  await app?.press('\r');
  await app?.press('y');
  const lines = [
    '12:04 openshift-x/a-1 left w1',
    ...['b', 'c', 'd', 'e', 'f', 'g'].map((x) => `12:05 openshift-x/${x}-1 is Ready on i1`),
  ];
  for (const line of lines) app?.store.dispatch({ type: 'step/reported', step: 'infra', line });
  await app?.press('');
  const screenLines = (app?.lines() ?? []).map((line) => line.trim());
  expect(screenLines).toContain('12:05 openshift-x/f-1 is Ready on i1');
  expect(screenLines).toContain(lines.at(-1));
  expect(screenLines).not.toContain(lines[0]);
});

test('infra: while moves run, most of the page is the list, and the requests are counted in the messages only', async () => {
  const moves = MOVE_NAMES.map((name): ObservedMove => ({ name, state: 'needed', why: '', changes: [] }));
  const traffic = 'router: 140 requests to the console, the canary and the API meanwhile, 0 failed';
  const state = stepState('infra', 'needed', { view: { ...infraView, moves, traffic }, findings: [] });
  const countRows = (lines: readonly string[]) =>
    lines.filter((line) => MOVE_NAMES.some((name) => new RegExp(`(?:^[│ ]|[│┤]) [▸ ] ${name} `).test(line))).length;
  expect((await showState(state)).join('\n')).toContain('140 requests');
  await app?.press('\r');
  await app?.press('y');
  const line = traffic.replace('140', '204');
  app?.store.dispatch({ type: 'step/reported', step: 'infra', line, part: { subject: 'router', state: 'begun' } });
  await expect.poll(() => app?.screen()).toContain('204 requests');
  expect(app?.screen()).not.toContain('140 requests');
  expect(app?.screen().split('204 requests')).toHaveLength(2);
  expect(countRows(app?.lines() ?? [])).toBeGreaterThanOrEqual(10);
});

test('operators: a list of healthy operators fills the page; a command leaves it more than half', async () => {
  const [first] = operatorsView.operators;
  if (first === undefined) throw new Error('the view has operators');
  const healthy = Array.from({ length: 30 }, (_, index) => ({
    ...{
      ...first,
      name: `operator-${String(index).padStart(2, '0')}`,
      state: 'fine' as const,
      stability: 'stable' as const,
    },
    ...{ available: true, degraded: false, wait: null, message: '', pods: [] },
  }));
  const clusterVersion = operatorsView.clusterVersion && {
    ...operatorsView.clusterVersion,
    ...{ available: true, progressing: false, message: 'Cluster version is 4.18.11' },
  };
  const countRows = (lines: readonly string[]) => lines.filter((line) => / operator-\d\d /.test(line)).length;
  const view = { ...operatorsView, clusterVersion, operators: healthy };
  expect(countRows(await showState(stepState('operators', 'done', { view, findings: [] })))).toBeGreaterThanOrEqual(12);
  const finding: Finding = {
    ...{ code: 'operator-degraded', state: 'failed', severity: 'warning', subject: 'operator-00' },
    ...{ title: 'A title that needs a line of its own, as it names all operators which wait for the same node' },
    ...{ cause: 'A cause of several lines. '.repeat(12), remedy: 'Look at it: `oc describe node m2`' },
  };
  const lines = await showState(stepState('operators', 'done', { view, findings: [finding] }));
  expect(countRows(lines)).toBeGreaterThanOrEqual(8);
  expect(lines.join('\n')).toContain('oc describe node m2');
});

test('infra: a move is blocked only when nothing before it is open', async () => {
  const moves = infraView.moves.filter(({ name }) => name === 'label' || name === 'registry');
  const lines = await showState(stepState('infra', 'blocked', { view: { moves } }));
  expect(findLine(lines, ' registry  ')).toContain('! blocked');
  await app?.press('\r');
  expect(app?.store.getState().runs.infra.phase).toBe('ready');
});

test('the palette counts its entries', async () => {
  await showState(stepState('hosts', 'waiting'));
  await app?.press(':');
  expect(app?.screen()).toMatch(/\n[│ ]+1–\d+ of \d+[ │]*\n/);
});

test('infra: the word that agrees to a loss is typed below the summary of the whole plan', async () => {
  const plan = {
    ...{ ...safePlan, isDangerous: true, changes: [{ object: 'label', what: '', before: null, after: null }] },
    summary: [{ label: 'Restarts', text: 'with registry-storage' }],
    parts: [
      { label: 'label', text: 'Node i1', end: 'no restart', changeCount: 1 },
      { label: 'registry-storage', text: 'Config cluster', end: 'restarts', changeCount: 0 },
    ],
    typedConfirmation: { word: 'emptyDir', reason: 'The images are lost.' },
  };
  const lines = await showState(
    applyInputs(
      stepState('infra', 'needed', { plan }),
      { type: 'step/ask', action: 'apply' },
      { type: 'step/answer', isYes: true },
    ),
    [80, 24],
  );
  const screen = lines.join('\n');
  const positions = [
    'The images are lost.',
    'Restarts  with registry-storage',
    'registry-storage  Config',
    'Type emptyDir',
  ];
  const found = positions.map((text) => screen.indexOf(text));
  expect(found).not.toContain(-1);
  expect(found).toEqual(found.toSorted((a, b) => a - b));
});
