import { afterEach, expect, test } from 'vitest';
import { formatGrid } from '../../screens/certificates.ts';
import { fitNotes, type NoteLine } from '../../screens/shared/step/step-lines.ts';
import type { Finding } from '../../src/checks/check.ts';
import { explainOperators } from '../../src/checks/operators.ts';
import { createCredentialProblem } from '../../src/design/credentials.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { csr } from '../../src/i18n/en/csr.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { getRowText } from '../../src/rows/page-rows.ts';
import { listPaletteEntries } from '../../src/wizard/overlays/palette.ts';
import { SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';
import { applyInputs, buildProbe, START, safePlan, typeText, wizardState } from '../support/wizard-state.ts';
import { app, closeWizard, showState } from './show-state.ts';
import {
  bootView,
  certificatesView,
  generateView,
  hostsView,
  operatorsView,
  STATES,
  stepState,
  unknownMac,
} from './views.ts';

afterEach(closeWizard);

test.each(['cluster', 'nodes', 'review', 'boot needed', 'infra asking'])(
  'Ctrl-C on %s asks before leaving, shows how to resume, and n stays',
  async (name) => {
    const before = await showState(STATES[name]?.() ?? wizardState());
    await app?.press('\u0003');
    const screen = app?.screen() ?? '';
    expect(screen).toContain('Save and quit?');
    expect(screen).toContain('upi-wizard --dir /home/user/upi-cluster');
    expect(app?.lines().at(-1)).toContain('y save and quit');
    await app?.press('\r');
    expect(app?.screen()).toContain('Save and quit?');
    await app?.press('n');
    expect(app?.lines().slice(0, -1)).toEqual(before.slice(0, -1));
    await app?.press('\u0003y');
    expect(app?.effects.at(-1)).toEqual({ type: 'leave', reason: 'interrupt' });
  },
);

test('below 60x15 it asks for a larger window, and shows everything again when it is larger', async () => {
  const before = await showState(STATES['networks wrong']?.() ?? wizardState());
  await app?.resize(59, 15);
  expect(app?.screen()).toContain('The window is too small.');
  // The terminal is asked how wide symbols are in its first cell, which is blanked then.
  expect(app?.lines()[0]).toMatch(/^ The window/);
  expect(app?.screen()).not.toContain('Gateway');
  await app?.resize(60, 14);
  expect(app?.screen()).toContain('The window is too small.');
  await app?.resize(80, 24);
  expect(app?.lines()).toEqual(before);
});

const findLine = (lines: readonly string[], text: string) => lines.find((candidate) => candidate.includes(text)) ?? '';
const findRow = (lines: readonly string[], text: string) => lines.findIndex((candidate) => candidate.includes(text));

test('a form shows what follows from an answer, and a wrong one once with its remedy', async () => {
  expect(findLine(await showState(wizardState({}, { screen: 'networks' })), 'Machine network')).toContain(
    '238 of 254 free',
  );
  const lines = await showState(STATES['networks wrong']?.() ?? wizardState());
  expect(findLine(lines, '▸ Gateway')).toContain('! ');
  const screen = lines.join('\n');
  expect(screen).toMatch(/Error +The gateway 172\.16\.1\.254 is not inside 172\.16\.0\.0\/24\./);
  expect(screen.match(/is not inside/g)).toHaveLength(1);
});

test('a wrong list has its error at the field, however it was typed, with an example of a right answer', async () => {
  const state = wizardState({}, { screen: 'networks' });
  await showState(applyInputs(state, { type: 'field/move', by: 9 }));
  await app?.press('10.0.0.1 10.0.0.2 10.0.0.3');
  await app?.press('\r');
  const text = app?.screen().replaceAll(/\s+/g, ' ') ?? '';
  expect(text).toContain(`Error This has to be one address, or one IPv4 and one IPv6 address, not a list.`);
  expect(text).toContain(catalogue().pages.fixAddresses);
  expect(text).not.toContain('✖');
});

test('a new node shows no errors before its fields are filled in', async () => {
  const lines = await showState(applyInputs(wizardState({}, { screen: 'nodes' }), { type: 'node/add' }));
  expect(lines.join('\n')).toContain('Add a node');
  expect(lines.join('\n')).not.toContain('!');
});

test('Enter on a node table with an error explains why it does not continue', async () => {
  await showState(STATES['nodes wrong']?.() ?? wizardState());
  await app?.press('\r');
  expect(app?.store.getState().screen).toBe('nodes');
  // The problem was an error before, and is not a note now.
  expect(app?.screen()).toMatch(/✖ Error {2}Fix one problem in the node table first\./);
  expect(app?.screen()).not.toContain('Note');
  expect(app?.screen()).toMatch(/"00:50:56:96:e5"\s+is\s+not\s+a\s+MAC\s+address\.\s+Write\s+six\s+pairs/);
});

test('a doubtful answer of a form is a warning there too, and not a note', async () => {
  const problem = {
    path: 'credentials.pullSecretFile',
    severity: 'warning',
    rule: 'pull-secret-missing',
    message: 'The file /nope with the pull secret does not exist',
    fix: 'Download it.',
    line: 0,
    column: 0,
  } as const;
  const state = wizardState({ 'credentials.pullSecretFile': '/nope' }, { screen: 'credentials' });
  const lines = await showState(applyInputs(state, { type: 'credentials/reviewed', problems: [problem] }));
  expect(findLine(lines, 'Warning')).toMatch(/Warning {2}The file \/nope with the pull secret does not exist\./);
  expect(lines.join('\n')).not.toContain('Note');
});

test('at 120 columns the problem of a credential file is whole, and so is the address to get it from', async () => {
  const message = 'The file /home/user/upi-cluster/pull-secret.txt does not exist';
  const address = 'console.redhat.com/openshift/install/pull-secret';
  const problem = createCredentialProblem(
    'credentials.pullSecretFile',
    'pull-secret-missing',
    message,
    `See ${address}.`,
  );
  const state = wizardState({}, { screen: 'credentials' });
  const lines = await showState(applyInputs(state, { type: 'credentials/reviewed', problems: [problem] }), [120, 40]);
  expect(findLine(lines, 'Warning')).toContain(message);
  expect(lines.join('\n')).toContain(address);
});

test('at the field of a missing SSH key, the footer names the key that creates one', async () => {
  const problem = createCredentialProblem(
    'credentials.sshKeyFile',
    'ssh-key-missing',
    'There is no key',
    'Create one.',
  );
  const problems = [problem];
  const field = 'credentials.sshKeyFile';
  const state = applyInputs(wizardState(), { type: 'screen/go', screen: 'credentials', field });
  const lines = await showState(applyInputs(state, { type: 'credentials/reviewed', problems }));
  expect(lines.at(-1)).toContain('Ctrl-X create SSH key');
});

test('the review groups problems by page, and Enter leads to exactly the answer of the selected one and back', async () => {
  const lines = await showState(STATES['review wrong']?.() ?? wizardState());
  expect(findLine(lines, '▸ Error')).toContain('API address: "x" is not an address');
  expect(findRow(lines, '  Networks')).toBe(findRow(lines, '▸ Error') - 1);
  expect(findLine(lines, '  Warning')).toContain('bs: vCPU: ');
  expect(lines.join('\n')).toContain('1 error, 1 warning. Enter opens the selected one.');
  await app?.press('\u001b[B\r');
  expect(app?.screen()).toMatch(/▸ vCPU/);
  expect(app?.lines().at(-1)).toContain('Enter back to review');
  await app?.press('\u00154\r');
  expect(app?.screen()).toContain('Enter opens the selected one.');
  await app?.press('o');
  expect(findLine(app?.lines() ?? [], 'API address')).toContain('▸');
  await app?.press('\u0015172.16.0.111\r');
  expect(app?.screen()).toContain('All names, IPs and MACs are the example’s.');
});

test('the review shows the networks, the addresses and every node', async () => {
  const screen = (await showState(wizardState({}, { screen: 'review' }), [100, 70])).join('\n');
  expect(screen).toContain('company 192.168.124.0/24');
  expect(screen).toContain('router 192.168.124.254, 172.16.0.254');
  expect(screen).toMatch(/├─ api-int +172\.16\.0\.110 +:6443 :22623 on lb1 \(keepalived\)/);
  expect(screen).toMatch(/├─ 3 control plane +172\.16\.0\.21 \.\. \.23 +m1 m2 m3/);
  expect(screen).toContain('10.128.0.0/14 /23: 512 nodes × 510 pods');
  for (const name of ['bs', 'm1', 'w3', 'i3']) expect(screen).toMatch(new RegExp(`  ${name} +\\S+ +172\\.16\\.0\\.`));
});

test('the review does not scroll past its end', async () => {
  await showState(wizardState({}, { screen: 'review' }));
  for (let page = 0; page < 30; page += 1) await app?.press('\u001b[6~');
  const bottom = app?.screen() ?? '';
  expect(bottom).toContain('Infra taint');
  for (let row = 0; row < 20; row += 1) await app?.press('\u001b[A');
  expect(app?.screen()).not.toBe(bottom);
});

test('boot: a machine that waits longer than usual is marked, and the page neither estimates nor calms', async () => {
  const nodes = bootView.nodes.map((node) => ({
    ...node,
    ...{ poweredOnAt: START - 6 * MINUTE, stage: 'lease' as const, likelyCause: null },
    timeline: {
      signs: [{ sign: 'lease', at: START - 4 * MINUTE }] as const,
      next: { sign: 'tftp', since: START - 4 * MINUTE, isSlow: node.name === 'm2', isLate: false } as const,
    },
  }));
  const view = { ...bootView, nodes, unavailableHostLines: [] };
  const lines = await showState(stepState('boot', 'waiting', { view, findings: [] }));
  expect(findLine(lines, ' m1 ')).toContain('▸ has address');
  expect(findLine(lines, ' m2 ')).toContain('! has address');
  expect(lines.join('\n')).not.toContain('nothing to do here');
});

test('operators: one that is degraded while that is normal waits; only one that needs the user is called degraded', async () => {
  const [ingress = expect.fail('no operator')] = operatorsView.operators;
  const wait = ingress.wait === null ? null : { ...ingress.wait, isNormal: true };
  const operators = [ingress, { ...ingress, name: 'console', wait }];
  const lines = await showState(stepState('operators', 'waiting', { view: { ...operatorsView, operators } }));
  expect(findLine(lines, ' ingress ')).toMatch(/✖ degraded +/);
  expect(findLine(lines, ' console ')).toMatch(/◦ waiting +/);
});

test('boot: a node that is Ready is seen now', async () => {
  const nodes = bootView.nodes.map((node) => ({
    ...node,
    ...{ stage: 'ready' as const, likelyCause: null, timeline: { signs: [], next: null } },
  }));
  const lines = await showState(stepState('boot', 'waiting', { view: { ...bootView, nodes }, findings: [] }));
  expect(findLine(lines, ' m1 ')).toMatch(/✔ Ready +now /);
});

test('the boot grid shows the stage, the time and the last request of each machine, and the findings', async () => {
  const lines = await showState(stepState('boot', 'waiting'), [140, 30]);
  expect(findLine(lines, ' bs ')).toMatch(
    /✔ ignition +3 min +bootstrap +172\.16\.0\.11 +200 \/ignition\/bootstrap\.ign/,
  );
  expect(findLine(lines, ' m1 ')).toContain('system image');
  expect(findLine(lines, ' m2 ')).toContain('404 /images/rhcos');
  expect(findLine(lines, '▸ m3 ')).toContain('◦ no sign yet');
  const screen = lines.join('\n');
  expect(screen).toContain(unknownMac.title);
  expect(screen).toContain('Do this: Compare with the machine.');
});

test('the stage of a machine is shown in words without colour and Unicode', async () => {
  const lines = await showState(stepState('boot', 'waiting'), [80, 24], { hasUnicode: false, hasColour: false });
  expect(findLine(lines, ' bs ')).toContain('[OK] ignition');
  expect(findLine(lines, '> m3 ')).toContain('[ ] no sign yet');
});

test('certificates: verdicts in words, the missing nodes, and the reason for a refusal', async () => {
  const lines = await showState(stepState('certificates', 'needed'), [112, 30]);
  expect(findLine(lines, 'Not finished')).toMatch(/Not finished: .*w1/);
  expect(findLine(lines, 'csr-7xk2p')).toContain('expected');
  expect(findLine(lines, 'csr-evil0')).toContain('refused: not in the design');
  expect(findLine(lines, 'csr-other')).toContain('not ours');
  expect(findLine(lines, 'csr-old01')).toContain('✔ approved');
  await app?.press('\u001b[B\u001b[B');
  expect(app?.screen()).toContain('csr-evil0  No node of the design has this name. Its key is too weak');
});

test('certificates: a decided request says whether it was approved or denied, or failed', async () => {
  const [request] = certificatesView.requests;
  if (request === undefined) throw new Error('the view has requests');
  const decide = (name: string, isApproved: boolean, ...reasons: readonly 'TERMINAL'[]) =>
    ({ ...request, name, verdict: 'decided', isApproved, reasons }) as const;
  const requests = [
    decide('csr-good', true),
    decide('csr-denied', false, 'TERMINAL'),
    decide('csr-failed', true, 'TERMINAL'),
  ];
  const state = stepState('certificates', 'waiting', { view: { ...certificatesView, requests } });
  const lines = await showState(state, [112, 30]);
  expect(findLine(lines, 'csr-good')).toContain('✔ approved');
  expect(findLine(lines, 'csr-denied')).toContain('! denied');
  expect(findLine(lines, 'csr-failed')).toContain('! failed');
});

test('certificates: a asks for confirmation of an expected request, and shows the reason for a refused one', async () => {
  await showState(stepState('certificates', 'needed'));
  await app?.press('\u001b[B\u001b[BA');
  expect(app?.store.getState().runs.certificates.phase).toBe('ready');
  expect(app?.screen()).toContain('No node of the design has this name.');
  await app?.press('\u001b[A\u001b[AA');
  expect(app?.screen()).toContain('Approve csr-7xk2p?');
  await app?.press('y');
  expect(app?.effects.at(-1)).toEqual({
    type: 'run',
    step: 'certificates',
    action: 'apply-one',
    subject: 'csr-7xk2p',
  });
});

test('certificates: what the design cannot decide is approved only by typing the name of its node', async () => {
  const [first, ...others] = certificatesView.requests;
  if (!first) throw new Error('no request');
  const duplicate = {
    ...first,
    verdict: 'refused' as const,
    reasons: ['DUPLICATE_KEYS' as const],
    isApprovableByName: true,
  };
  const { probe } = stepState('certificates', 'needed').runs.certificates;
  if (!probe) throw new Error('not looked at');
  await showState(stepState('certificates', 'needed'));
  const view = { ...certificatesView, requests: [duplicate, ...others] };
  app?.store.dispatch({ type: 'step/probed', step: 'certificates', probe: { ...probe, view }, plan: null });
  await app?.press('A');
  expect(app?.screen()).toContain('Type the name of the node: w1.');
  expect(app?.screen()).toContain('Fingerprint of its key');
  const countEffects = () => app?.effects.filter(({ type }) => type !== 'save-cursor-position').length;
  const before = countEffects();
  await app?.press('y\r');
  expect(countEffects()).toBe(before);
  await app?.press('\u007fw1\r');
  expect(app?.effects.at(-1)).toMatchObject({ type: 'run', action: 'apply-one', subject: `csr-7xk2p/${first.node}` });
});

test.each([
  ['again', 'refused: rejoining'],
  ['unrecorded', 'refused: impostor? not reinstalled'],
  ['running', 'refused: impostor? still Ready'],
] as const)(
  'certificates: the request of a node that has joined (%s) shows its likely reason',
  async (rejoinKind, verdict) => {
    const [first] = certificatesView.requests;
    const { probe } = stepState('certificates', 'needed').runs.certificates;
    if (!first || !probe) throw new Error('no request');
    await showState(stepState('certificates', 'needed'));
    const { again, ...others } = csr.rejoining;
    const why = rejoinKind === 'again' ? again('10:02') : others[rejoinKind];
    const base = { ...first, verdict: 'refused' as const, reasons: ['NODE_EXISTS' as const], isApprovableByName: true };
    const view = { ...certificatesView, requests: [{ ...base, rejoinKind, reasonTexts: [why] }] };
    app?.store.dispatch({ type: 'step/probed', step: 'certificates', probe: { ...probe, view }, plan: null });
    await app?.press('');
    expect(app?.screen()).toContain(verdict);
    // Complete, both below the list and in the question.
    const getFullText = () => app?.screen().replace(/\s+/g, ' ');
    expect(getFullText()).toContain(`csr-7xk2p ${why}`);
    await app?.press('A');
    expect(app?.screen()).toContain('Type the name of the node: w1.');
    expect(getFullText()).toContain(why);
  },
);

test('certificates: each node has its marks for both certificates and Ready, with their meaning', async () => {
  const lines = await showState(stepState('certificates', 'needed'), [110, 30]);
  expect(lines.join('\n')).toContain('join, serve, Ready: ✔ done, ? pending, ✖ refused, · not yet');
  expect(findLine(lines, 'm1 ✔')).toMatch(/m1 ✔✔✔ +m2 ✔✔✔ +m3 ✔✔✔ +w1 ···/);
  const ascii = await showState(stepState('certificates', 'needed'), [110, 30], {
    hasUnicode: false,
    hasColour: false,
  });
  expect(findLine(ascii, 'm1 +')).toMatch(/m1 \+\+\+ .*w1 ---/);
});

test('certificates: where not all nodes fit, those that have not joined are shown', () => {
  const nodes = Array.from({ length: 40 }, (_, index) => ({
    ...(certificatesView.nodes[index < 30 ? 0 : 3] as (typeof certificatesView.nodes)[number]),
    name: `n${index}`,
  }));
  const lines = formatGrid(nodes, { columns: 60, maxRows: 2, hasUnicode: false }).map(getRowText);
  expect(lines[1]).toMatch(/^n30 --- .*n34 --- {2}\+35 more$/);
  expect(lines).toHaveLength(2);
  expect(lines.every((text) => text.length <= 60)).toBe(true);
  expect(formatGrid(nodes, { columns: 60, maxRows: 1, hasUnicode: false })).toEqual([]);
  // Nodes that have joined give way to others, but are not dropped completely.
  const joined = nodes.map((node) => ({ ...node, hasJoined: true }));
  expect(formatGrid(joined, { columns: 60, maxRows: 2, hasUnicode: false }).map(getRowText).at(-1)).toMatch(
    /^n0 \+{3} {3}n1 .* \+35 more$/,
  );
});

test('certificates: E asks once for all that are expected now, and names them', async () => {
  await showState(stepState('certificates', 'needed'));
  expect(app?.lines().at(-1)).toContain('Enter follow');
  await app?.press('E');
  const screen = app?.screen() ?? '';
  expect(screen).toContain('Approve 2 requests that are expected now?');
  expect(screen).toContain('csr-7xk2p');
  expect(screen).not.toContain('csr-evil0');
  await app?.press('y');
  expect(app?.effects.at(-1)).toMatchObject({ type: 'run', action: 'apply-one', subject: '/expected' });
});

test('certificates: a silent node is in the list, and D leads to its details', async () => {
  await showState(stepState('certificates', 'needed'));
  const { probe } = stepState('certificates', 'needed').runs.certificates;
  if (!probe) throw new Error('not looked at');
  const [first] = certificatesView.requests;
  if (!first) throw new Error('no request');
  const view = {
    ...certificatesView,
    requests: [{ ...first, hasNoObservedBoot: true }],
    missingNodes: [{ name: 'i3', minutes: 47 }],
  };
  app?.store.dispatch({ type: 'step/probed', step: 'certificates', probe: { ...probe, view }, plan: null });
  await app?.press('\u001b[B');
  expect(findLine(app?.lines() ?? [], 'i3 ')).toBeTruthy();
  expect(app?.screen()).toContain('silent for 47 min');
  expect(app?.screen()).toContain('expected: no boot observed');
  await app?.press('A');
  expect(app?.screen()).toContain('There is no request from i3 yet.');
  await app?.press('D');
  expect(app?.effects.at(-1)).toEqual({ type: 'show', step: 'certificates', subject: '/node/i3' });
});

test('certificates: denied requests of one node are one row with their number', async () => {
  await showState(stepState('certificates', 'needed'));
  const { probe } = stepState('certificates', 'needed').runs.certificates;
  const [first] = certificatesView.requests;
  if (!probe || !first) throw new Error('no request');
  const denied = { ...first, verdict: 'decided' as const, isApproved: false, reasons: ['TERMINAL' as const] };
  const requests = [
    ...[1, 2, 3].map((count) => ({ ...denied, name: `csr-denied${count}`, requestedAt: count * MINUTE })),
    { ...denied, name: 'csr-other', kind: 'serving' as const },
  ];
  app?.store.dispatch({
    type: 'step/probed',
    step: 'certificates',
    probe: { ...probe, view: { ...certificatesView, requests } },
    plan: null,
  });
  await app?.waitUntilDrawn();
  const rows = (app?.lines() ?? []).filter((line) => /w1 +to \S+/.test(line));
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/w1 +to join .*denied, 3 times/);
  await app?.press('D');
  expect(app?.effects.at(-1)).toMatchObject({ type: 'show', subject: 'csr-denied3' });
});

test('certificates: D opens the page of the selected request', async () => {
  await showState(stepState('certificates', 'needed'));
  await app?.press('D');
  expect(app?.effects.at(-1)).toEqual({ type: 'show', step: 'certificates', subject: 'csr-7xk2p' });
});

test('certificates: on the page of a request k asks the machine itself', async () => {
  await showState(stepState('certificates', 'needed'));
  await app?.press('D');
  const page = {
    title: 'Request',
    lines: ['facts'],
    alternativePage: { label: 'check the key', subject: 'csr-7xk2p/key' },
  };
  app?.store.dispatch({ type: 'step/shown', step: 'certificates', subject: 'csr-7xk2p', page });
  await app?.press('k');
  expect(app?.effects.at(-1)).toEqual({ type: 'show', step: 'certificates', subject: 'csr-7xk2p/key' });
});

test('a wait shows what was observed of it and the usual rest; nothing where nothing is known, or when it is done', async () => {
  const progress = [{ usualMinutes: [30, 60], share: 0.62, startedAt: null }] as const;
  const waiting = await showState(stepState('operators', 'waiting', { progress }), [80, 24]);
  expect(findLine(waiting, '━')).toMatch(/━{20,}╸?─{10,} {2}62 % {2}about 17 min left/);
  for (const state of [
    stepState('operators', 'waiting'),
    stepState('operators', 'needed', { progress }),
    stepState('operators', 'done', { progress }),
  ])
    expect((await showState(state, [80, 24])).join('\n')).not.toMatch(/━|min left/);
});

test('the bar of a stage whose progress is hidden grows with time, which is no change of the site', async () => {
  const { probe } = stepState('bootstrap', 'waiting').runs.bootstrap;
  if (probe === null) throw new Error('no probe');
  const part = { usualMinutes: [8, 12], share: 0, hasHiddenProgress: true } as const;
  const progress = [
    { ...part, startedAt: START },
    { ...part, startedAt: null },
  ];
  const observe = (state: WizardState, minutes: number) =>
    applyInputs(
      state,
      { type: 'clock/ticked', now: START + minutes * MINUTE },
      { type: 'step/probed', step: 'bootstrap', probe: { ...probe, progress, findings: [] }, plan: null },
    );
  const first = observe(stepState('bootstrap', 'waiting', { progress, findings: [] }), 1);
  const later = observe(first, 5);
  expect(findLine(await showState(first, [80, 24]), 'min left')).toMatch(/ {2}5 % {2}/);
  expect(findLine(await showState(later, [80, 24]), 'min left')).toMatch(/━{5,}╸?─+ {2}25 % {2}/);
  expect(later.runs.bootstrap.unchangedSince).toBe(first.runs.bootstrap.unchangedSince);
});

test('one bar at a time: that of the page, or else that of the whole installation', async () => {
  const progress = [{ usualMinutes: [30, 60], share: 0.62, startedAt: null }] as const;
  const countBars = async (state: WizardState) => {
    const lines = await showState({ ...state, firstPowerOnAt: START - 35 * MINUTE }, [110, 30]);
    expect(lines[1]).toMatch(/35 min since power-on/);
    expect(lines.join('\n').match(/\b[Uu]sually \d|min left/g), 'one estimate at a time, too').toHaveLength(1);
    return lines.filter((line) => line.includes('━')).length;
  };
  expect(await countBars(stepState('operators', 'waiting', { progress }))).toBe(1);
  expect(await countBars(stepState('operators', 'waiting'))).toBe(1);
  expect(await countBars(stepState('operators', 'needed', { progress }))).toBe(1);
});

test.each(['boot', 'bootstrap', 'certificates', 'operators', 'infra'] as const)(
  'while %s waits, only its page estimates the time: the edge has the elapsed time',
  async (id) => {
    const progress = [{ usualMinutes: [30, 60], share: 0.62, startedAt: null }] as const;
    const state = { ...stepState(id, 'waiting', { progress, findings: [] }), firstPowerOnAt: START - 35 * MINUTE };
    const lines = await showState(state, [80, 24]);
    expect(lines[1]).toMatch(/─ 35 min since power-on ─┐$/);
    expect(lines.join('\n').match(/\bUsually \d|min left/g)).toHaveLength(1);
  },
);

test('a wait that needs a repair estimates no time, and one that gave up has failed', async () => {
  const progress = [{ usualMinutes: [30, 60], share: 0.62, startedAt: null }] as const;
  const finding = unknownMac;
  const stuck = await showState(stepState('operators', 'waiting', { progress, findings: [finding] }), [80, 24]);
  expect(findLine(stuck, '━')).toMatch(/━{20,}╸?─{10,} {2}62 % {2}waiting for a repair/);
  const ended = { ...finding, code: 'wait-gave-up', severity: 'warning' } as const;
  const lines = await showState(stepState('operators', 'needed', { findings: [ended] }), [80, 24]);
  expect(lines.join('\n')).toMatch(/✖ 73 %/);
});

test('operators: unhealthy operators first, with their messages, under what the release says of itself', async () => {
  const lines = await showState(stepState('operators', 'waiting'), [120, 30]);
  expect(lines.join('\n')).toContain('640 of 869 done');
  expect(findLine(lines, ' ingress  ')).toMatch(/✖ degraded +5 min +a node that can run its pods/);
  expect(findRow(lines, ' ingress ')).toBeLessThan(findRow(lines, ' authentication '));
  expect(findRow(lines, ' authentication ')).toBeLessThan(findRow(lines, 'operator-with-a-long-name-0'));
  expect(lines.join('\n')).toContain(` of ${operatorsView.operators.length}`);
});

test('operators: at 80 columns no reason that comes or goes moves the columns', async () => {
  const showTitles = async (operators: typeof operatorsView.operators) =>
    findLine(
      await showState(stepState('operators', 'waiting', { view: { ...operatorsView, operators } }), [80, 24]),
      'Since',
    );
  const healthy = operatorsView.operators.filter(({ wait }) => wait === null);
  const short = healthy.map((operator, index) => ({ ...operator, name: `dns-${index}` }));
  const [waiting, ...others] = [
    await showTitles(operatorsView.operators),
    await showTitles(healthy),
    await showTitles(short),
  ];
  for (const titles of others)
    expect(titles.replace(/\d+–\d+ of \d+/, '').trim()).toBe(waiting?.replace(/\d+–\d+ of \d+/, '').trim());
});

test('operators: one that was degraded and has healed is healthy since then, not since it was first available', async () => {
  const condition = (type: string, status: string, minutes: number) => ({
    type,
    status,
    reason: 'AsExpected',
    message: '',
    since: START - minutes * MINUTE,
  });
  const [, , , sample] = operatorsView.operators;
  if (sample === undefined) throw new Error('there is no healthy operator');
  const conditions = [condition('Degraded', 'False', 7), condition('Available', 'True', 100)];
  const healed = { ...sample, name: 'insights', since: START - 100 * MINUTE, conditions };
  const broken = [condition('Degraded', 'True', 3), condition('Available', 'True', 100)];
  const degraded = { ...healed, name: 'dns', state: 'degraded' as const, degraded: true, since: START - 3 * MINUTE };
  const view = { ...operatorsView, operators: [{ ...degraded, conditions: broken }, healed] };
  const lines = await showState(stepState('operators', 'waiting', { view }));
  expect(findLine(lines, 'insights')).toMatch(/healthy +7 min/);
  expect(findLine(lines, 'dns')).toMatch(/degraded +3 min/);
});

test('operators: what the finding below explains is not repeated in the details, which show the conditions', async () => {
  const [ingress, authentication] = operatorsView.operators;
  if (ingress?.wait == null || authentication === undefined) throw new Error('the view has operators');
  const { waitsFor, remedy } = ingress.wait;
  // Another operator waits for the same condition: one finding is about both.
  const dns = { ...ingress, name: 'dns', pods: [], conditions: ingress.conditions.toReversed() };
  const operators = [ingress, dns, authentication];
  const findings = explainOperators([ingress, dns], false);
  const state = stepState('operators', 'waiting', { view: { ...operatorsView, operators }, findings });
  const count = (text: string) =>
    app
      ?.screen()
      .replaceAll(/[\s│▐]+/g, ' ')
      .split(text).length ?? 0;
  for (const size of [
    [80, 24],
    [120, 40],
  ] as const) {
    const lines = await showState(state, size);
    expect(lines.join('\n')).toContain(`ingress, dns: waiting for ${waitsFor}`);
    expect(count(remedy.slice(0, 20))).toBe(2);
    expect(app?.screen()).toContain('Pods that are not running:');
    await app?.press('\u001b[B');
    expect(count(remedy.slice(0, 20))).toBe(2);
    // The condition to be looked at comes first.
    expect(app?.screen()).toMatch(/ not available for 5 min, IngressUnavailable/);
    await app?.press('\u001b[B');
    expect(app?.screen()).toContain('authentication waits for');
  }
});

test('a machine that is stopped is shown with the reason, beside its report', async () => {
  const problem = 'CPU level x86-64-v1, needs x86-64-v2';
  const report = ['Its iPXE reports: CPU level x86-64-v1', `Not as planned: ${problem}`];
  const nodes = bootView.nodes.map((node) => (node.name === 'bs' ? { ...node, report, problems: [problem] } : node));
  const stopped = nodes.map((node) => (node.name === 'bs' ? { ...node, stage: 'script' as const } : node));
  const probe = { state: 'waiting' as const, summary: 'one', view: { ...bootView, nodes: stopped }, findings: [] };
  const state = applyInputs(wizardState({}, { screen: 'boot' }), {
    type: 'step/probed',
    step: 'boot',
    probe,
    plan: null,
  });
  const lines = await showState(state, [160, 40]);
  expect(findLine(lines, 'bs ')).toMatch(/✖ stopped .*stopped: CPU/);
  expect(lines.join('\n')).toContain(problem);
  for (const line of report) expect(lines.join('\n')).toContain(line);
});

test('the reason why a step waits is complete at 80 columns', async () => {
  const summary = 'the load balancer does not say who is in its pools: switch bs off, then the ports tell';
  const probe = { state: 'waiting' as const, summary, view: bootView, findings: [], remark: 'files last 23 h 59 min' };
  const state = applyInputs(wizardState({}, { screen: 'boot' }), {
    type: 'step/probed',
    step: 'boot',
    probe,
    plan: null,
  });
  const text = (await showState(state)).map((line) => line.trim()).join(' ');
  expect(text).toContain(`${summary} (files last 23 h 59 min)`);
});

test.each([
  [80, 24],
  [60, 20],
] as const)('operators at %i columns: the message of the selected one is complete', async (cols, rows) => {
  const allLines = await showState(stepState('operators', 'waiting'), [cols, rows]);
  expect(allLines.join('\n')).toContain('ingress waits for a node that can run its pods.');
  for (let count = 0; count < 20; count += 1) {
    await app?.press('\u001b[C');
    allLines.push(...(app?.lines() ?? []));
  }
  const text = allLines.map((line) => line.trim()).join(' ');
  for (const part of [
    'router-default-5d4f7b8c9-abcde',
    'Unschedulable',
    'degraded for 5 min',
    'not available for 5 min',
  ])
    expect(text).toContain(part);
  for (const part of ['does not report whether it progresses', 'EvaluationConditionsDetected: False', 'not stable yet'])
    expect(text).toContain(part);
  await app?.press('\u001b[B');
  expect(app?.lines().join('\n')).toMatch(/waits for the routers \(ingress\)\. That is\s+normal now\./);
});

test('a command to type takes the space of the sentences before it, and the help page has them', () => {
  const createSentence = (text: string): NoteLine => ({ text, tone: 'text', isCommand: false, mustBeVisible: true });
  const createCommand = (text: string): NoteLine => ({ text, tone: 'accent', isCommand: true, mustBeVisible: true });
  const notes = [
    ...['a', 'b', 'c', 'd'].map(createSentence),
    createCommand('  oc delete \\'),
    createCommand('    machine'),
    createSentence('e'),
  ];
  const more = catalogue().screens.step.moreNotes;
  const fitTexts = (most: number) => fitNotes(notes, most).map(({ text }) => text);
  expect(fitTexts(7)).toEqual(notes.map(({ text }) => text));
  // The sentence before the command stays with it.
  expect(fitTexts(5)).toEqual(['a', 'd', '  oc delete \\', '    machine', more]);
  expect(fitTexts(3)).toEqual(['a', 'b', more]);
});

test('a dangerous step shows what changes before it asks, and n changes nothing', async () => {
  const lines = await showState(STATES['bootstrap-removal asking']?.() ?? wizardState());
  expect(lines.join('\n')).toContain('Removal: make these changes?');
  expect(lines.join('\n')).toContain('- b');
  await app?.press('\r');
  expect(app?.store.getState().runs['bootstrap-removal'].phase).toBe('asking');
  await app?.press('n');
  expect(app?.store.getState().runs['bootstrap-removal'].phase).toBe('ready');
  expect(app?.effects.filter(({ type }) => type === 'run')).toEqual([]);
});

test('generated files: a secret is not shown, a change is shown as a difference', async () => {
  const down = '\u001b[B';
  const lines = await showState(stepState('generate', 'needed'));
  expect(lines.join('\n')).toMatch(/1\. ns1: DNS, DHCP/);
  await app?.press(down.repeat(5));
  expect(app?.screen()).toContain('refused: haproxy');
  expect(app?.screen()).toContain('[ALERT] unknown keyword');
  expect(app?.screen()).toContain('-   bind 172.16.0.110:6443');
  await app?.press(down.repeat(3));
  expect(app?.screen()).toContain('(holds a secret: not shown)');
  expect(app?.screen()).not.toContain('bind');
});

test('the commands of an install.sh are counted where they are cut, and no blank line takes the place of one', async () => {
  const [host] = generateView.hosts;
  const [file] = host?.files ?? [];
  if (host === undefined || file === undefined) throw new Error('the view has no file');
  const commands = Array.from({ length: 5 }, (_, index) => `systemctl enable unit-${index}`);
  const files = Array.from({ length: 14 }, (_, index) => ({ ...file, file: `ns1/etc/file-${index}`, commands }));
  const view = { hosts: [{ ...host, instructions: [], files }] };
  const lines = await showState(stepState('generate', 'needed', { view }));
  const first = lines.findIndex((line) => line.includes('First: '));
  expect(lines[first - 1]).toMatch(/On ns1 .*1–\d of 7 \(Right\)/);
  expect(lines[first + 1]).toContain('puts the files in place and runs 5 commands there:');
  expect(lines[first + 2]).toContain('systemctl enable unit-0');
});

test('after a change, the first file that differs is selected; while files are new, the first host is', async () => {
  const withStates = (first: 'new' | 'unchanged') => ({
    ...generateView,
    hosts: generateView.hosts.map((host) => ({
      ...host,
      files: host.files.map((file) => ({
        ...file,
        state: file.file.endsWith('haproxy.cfg') ? ('changed' as const) : first,
      })),
    })),
  });
  await showState(stepState('generate', 'needed', { view: withStates('unchanged') }));
  expect(app?.screen()).toMatch(/▸ changed +\/etc\/haproxy\/haproxy\.cfg/);
  await showState(stepState('generate', 'needed', { view: withStates('new') }));
  expect(app?.screen()).toMatch(/▸ +1\. ns1/);
});

test('paging through the preview of a generated file skips no line', async () => {
  const content = Array.from({ length: 40 }, (_, index) => `line-${index + 1}.`).join('\n');
  const [host] = generateView.hosts;
  const [file] = host?.files ?? [];
  if (host === undefined || file === undefined) throw new Error('the view has no file');
  // As many files as a typical site has: the tree takes half of the screen.
  const files = Array.from({ length: 14 }, (_, index) => `ns1/etc/file-${index}`).map(
    (name) => ({ ...file, file: name, state: 'unchanged', content, before: content }) as const,
  );
  const view = { hosts: [{ ...host, files }] };
  const probed = { type: 'step/probed', step: 'generate', probe: buildProbe('needed', view), plan: safePlan } as const;
  await showState(applyInputs(applyInputs(wizardState(), { type: 'screen/go', screen: 'generate' }), probed));
  await app?.press('\u001b[B');
  let text = app?.screen() ?? '';
  for (let page = 0; page < 12; page += 1) {
    await app?.press('\u001b[C');
    text += app?.screen() ?? '';
  }
  const missing = content.split('\n').filter((line) => !text.includes(line));
  expect(missing).toEqual([]);
});

test('the selected host shows what to type there, and what it answers, wrong answers first', async () => {
  const lines = await showState(stepState('hosts', 'needed'));
  expect(lines.join('\n')).toContain('scp -r /home/user/upi-cluster/files/ns1 root@172.16.0.102:');
  expect(findRow(lines, '✖ m1.ocp45')).toBeLessThan(findRow(lines, '✔ api.ocp45'));
  await app?.press('\u001b[B');
  expect(app?.screen()).toContain('ssh -t 172.16.0.112 sudo bash upi-wizard/lb1/root/upi-wizard/install.sh');
  expect(app?.screen()).toContain('✖ 172.16.0.111:443');
  await app?.press('s');
  expect(app?.screen()).toContain('Copy the files of lb1 to 172.16.0.112?');
  await app?.press('n\u001b[B');
  expect(app?.screen()).toContain('sudo bash /home/user/upi-cluster/files/bastion/root/upi-wizard/install.sh');
  await app?.press('s');
  expect(app?.screen()).not.toContain('Copy the files');
});

test('a failed step shows the error, its cause and its remedy, and Enter tries again', async () => {
  const screen = (await showState(STATES['bootstrap failed']?.() ?? wizardState())).join('\n');
  expect(screen).toContain('✖ openshift-install was not found');
  expect(screen).toContain('Go back to Prepare: it fetches openshift-install');
  expect(screen).toContain('Enter try again');
});

test('Esc stops the running action and reports that; a second Esc goes back', async () => {
  const run = stepState('prepare', 'needed');
  const screen = (
    await showState(applyInputs(run, { type: 'step/ask', action: 'apply' }, { type: 'step/answer', isYes: true }))
  ).join('\n');
  expect(screen).toContain('Esc stop');
  await app?.escape();
  expect(app?.screen()).toContain('Stopping. Changes made so far stay.');
  expect(app?.screen()).toContain('Esc back');
  await app?.escape();
  expect(app?.screen()).toContain('Hosts  9/17');
});

test('a window too small to show anything takes no key but those that leave', async () => {
  await showState(wizardState({}, { screen: 'cluster' }));
  await app?.resize(50, 12);
  expect(app?.screen()).toContain('Ctrl-S saves and quits.');
  const before = app?.store.getState();
  await app?.press('x\t\r');
  expect(app?.store.getState()).toBe(before);
  await app?.press('\u0013');
  expect(app?.store.getState().leaveReason).toBe('quit');
});

test('the steps of a single node do not mention a bootstrap machine', async () => {
  const single = parseDesign(renderExampleDesign({ topology: 'single-node' })).design;
  const screen = (await showState({ ...stepState('bootstrap-removal', 'done'), design: single })).join('\n');
  expect(screen).toContain('There is no bootstrap machine');
});

test('certificates: the remedy for a silent machine is complete at 80 columns, and refused requests leave space for the grid', async () => {
  const refused = { ...unknownMac, code: 'request-refused', severity: 'warning' as const };
  const text = async (findings: readonly Finding[]) =>
    (await showState(stepState('certificates', 'waiting', { findings }))).join(' ').replace(/\s+/g, ' ');
  const silent = await text([unknownMac, refused]);
  expect(silent).toContain(`Why: ${unknownMac.cause}`);
  expect(silent).toContain(`Do this: ${unknownMac.remedy}`);
  expect(silent).toContain('There is more: Ctrl-G shows all of it.');
  expect(await text([refused])).toContain('join, serve, Ready:');
});

test.each(['boot', 'bootstrap', 'certificates', 'operators', 'infra'] as const)(
  '%s: a page that is done shows no usual times',
  async (step) => {
    for (const size of [
      [80, 24],
      [120, 40],
      [200, 60],
    ] as const) {
      const screen = (await showState(stepState(step, 'done'), size)).join('\n');
      expect(screen).toContain('Done. Enter opens the next step.');
      expect(screen).not.toMatch(/usual|How long:/i);
    }
  },
);

test('certificates: a superseded request is shown as such, and needs no decision', async () => {
  const [first] = certificatesView.requests;
  if (!first) throw new Error('no request');
  const superseded = {
    ...first,
    verdict: 'superseded' as const,
    reasons: ['NODE_EXISTS' as const],
    reasonTexts: [csr.reasons.NODE_EXISTS],
  };
  const view = { ...certificatesView, requests: [superseded] };
  const screen = (await showState(stepState('certificates', 'done', { view }))).join(' ').replace(/\s+/g, ' ');
  expect(screen).toContain('csr-7xk2p The same node has sent a newer');
  expect(screen).not.toContain('Approve only');
});

test('certificates: when requests arrive, the selected one stays selected, and its details stay in their place', async () => {
  const [first] = certificatesView.requests;
  if (!first) throw new Error('no request');
  const draw = async (names: readonly string[], state?: WizardState) => {
    const requests = names.map((name) => ({ ...first, name, verdict: 'expected' as const }));
    const view = { ...certificatesView, requests };
    const { probe, plan } = stepState('certificates', 'needed', { findings: [], view }).runs.certificates;
    if (!probe) throw new Error('no probe');
    const arrived = { type: 'step/probed', step: 'certificates', probe, plan } as const;
    return await showState(
      state ? applyInputs(state, arrived) : stepState('certificates', 'needed', { findings: [], view }),
    );
  };
  await draw(['csr-a', 'csr-b']);
  await app?.press('\u001b[B');
  const lines = app?.lines() ?? [];
  const place = lines.findLastIndex((line) => line.includes('csr-b'));
  for (const names of [
    ['csr-new', 'csr-a', 'csr-b'],
    ['csr-b'],
    Array.from('abcdefghijkl', (letter) => `csr-${letter}`),
  ]) {
    const later = await draw(names, app?.store.getState());
    expect(later.findLastIndex((line) => line.includes('csr-b'))).toBe(place);
    expect(later.filter((line) => line.includes('▸ w1'))).toHaveLength(1);
  }
  // A request that has gone leaves the selection at its place in the list.
  await draw(['csr-new'], app?.store.getState());
  expect(app?.screen()).toContain('csr-new');
});

test('certificates: a node that is Ready and not joined is shown to lack its serving certificate', async () => {
  const nodes = certificatesView.nodes.map((node) => (node.hasJoined ? node : { ...node, stage: 'ready' as const }));
  const screen = (await showState(stepState('certificates', 'waiting', { view: { ...certificatesView, nodes } }))).join(
    '\n',
  );
  expect(screen).toMatch(/Not finished: [^(]+\(Ready, no serving certificate yet\)/);
});

test('e opens the MAC address of the node that has to be corrected, with the finding; Esc leads back', async () => {
  await showState(stepState('certificates', 'needed', { findings: [{ ...unknownMac, subject: 'w3' }] }));
  expect(app?.lines().at(-1)).toContain('e correct w3');
  await app?.press('e');
  expect(app?.store.getState().screen).toBe('nodes');
  expect(app?.screen()).toContain('Edit w3');
  expect(findLine(app?.lines() ?? [], '▸')).toMatch(/▸ MAC address /);
  expect(app?.screen().replace(/\s+/g, ' ')).toContain(unknownMac.title);
  await app?.escape();
  expect(app?.store.getState().screen).toBe('certificates');
});

test('e offers the address that was seen in the field: Enter takes it, Esc keeps the one of the design', async () => {
  const seen = { ...unknownMac, subject: 'w3', detectedMac: '52:54:00:12:34:56' };
  await showState(stepState('certificates', 'needed', { findings: [seen] }));
  await app?.press('e');
  expect(findLine(app?.lines() ?? [], '▸')).toMatch(/▸ MAC address +52:54:00:12:34:56/);
  expect(app?.screen().replace(/\s+/g, ' ')).toContain('The observed address is filled in');
  await app?.press('\r');
  expect(JSON.stringify(app?.store.getState().document)).toContain('52:54:00:12:34:56');
  expect(app?.store.getState().screen).toBe('review');
  await showState(stepState('certificates', 'needed', { findings: [seen] }));
  await app?.press('e');
  await app?.escape();
  expect(JSON.stringify(app?.store.getState().document)).not.toContain('52:54:00:12:34:56');
});

test('> leads past operators that stay degraded, and nowhere while nothing is wrong', async () => {
  await showState(stepState('operators', 'waiting', { findings: [] }));
  await app?.press('>');
  expect(app?.store.getState().screen).toBe('operators');
  await showState(stepState('operators', 'waiting', { findings: [{ ...unknownMac, subject: 'insights' }] }));
  expect(app?.lines().at(-1)).toContain('> skip');
  await app?.press('>');
  expect(app?.screen()).toContain('Not finished yet. Press > again to continue anyway');
  expect(app?.store.getState().screen).toBe('operators');
  // Another key in between is a no.
  await app?.press('\u001b[B');
  expect(app?.screen()).not.toContain('Not finished yet');
  await app?.press('>');
  expect(app?.store.getState().screen).toBe('operators');
  await app?.press('>');
  expect(app?.store.getState().screen).toBe('infra');
});

test('a key that does nothing now shows the reason', async () => {
  await showState(stepState('operators', 'waiting'));
  await app?.press('\r');
  expect(app?.screen()).toContain('Not finished yet. The wizard continues on its own when it is.');
  expect(app?.store.getState().screen).toBe('operators');
});

test('a later probe with fewer rows does not break the list', async () => {
  const long = applyInputs(stepState('boot', 'waiting'), { type: 'row/move', by: 3, count: 4 });
  const nodes = bootView.nodes.slice(0, 1);
  const probe = { state: 'waiting' as const, summary: 'one', view: { ...bootView, nodes }, findings: [] };
  const lines = await showState(applyInputs(long, { type: 'step/probed', step: 'boot', probe, plan: null }));
  expect(findLine(lines, 'bs ')).toContain('ignition');
  const none = { ...probe, view: { ...certificatesView, requests: [] } };
  const state = applyInputs(applyInputs(stepState('certificates', 'needed'), { type: 'row/move', by: 4, count: 5 }), {
    type: 'step/probed',
    step: 'certificates',
    probe: none,
    plan: null,
  });
  expect((await showState(state)).join('\n')).toContain(
    'No requests. They appear when nodes have installed themselves.',
  );
});

test('the welcome screen offers to continue first, and no rehearsal inside a rehearsal', async () => {
  const lines = await showState(STATES['welcome resumed']?.() ?? wizardState());
  expect(findLine(lines, '▸')).toContain('Resume at: Boot');
  expect((await showState(STATES['welcome rehearsal']?.() ?? wizardState())).join('\n')).not.toContain(
    'Rehearse first',
  );
});

test('typing wide characters keeps the cursor where the text ends', async () => {
  await showState(
    applyInputs(wizardState(), { type: 'screen/go', screen: 'credentials', field: 'credentials.pullSecretFile' }),
  );
  const column = (app?.cursor()?.x ?? 0) - './pull-secret.txt'.length;
  await app?.press('\u0015秘密.json');
  expect(app?.cursor()?.x).toBe(column + '秘密.json'.length + 2);
  expect(typeText('秘').length).toBe(1);
});

test('the welcome screen resumes existing answers: never at itself, and never as a new installation', async () => {
  const fresh = wizardState();
  expect((await showState(fresh)).join('\n')).toContain('New installation');
  const resumed: WizardState = { ...fresh, welcome: { ...fresh.welcome, isResumed: true } };
  expect((await showState(resumed)).join('\n')).toContain('Resume at: Cluster');
  await app?.press('\r');
  expect(app?.store.getState().screen).toBe('cluster');
  const returned = applyInputs(
    fresh,
    { type: 'screen/go', screen: 'networks' },
    { type: 'screen/go', screen: 'welcome' },
  );
  const text = (await showState(returned)).join('\n');
  expect(text).toContain('▸ Resume at: Networks');
  expect(text).toMatch(/New installation +in a directory of its own/);
});

test('a table without nodes shows what to do and offers nothing that needs one', async () => {
  const lines = await showState(wizardState({ nodes: [] }, { screen: 'nodes' }));
  expect(lines.at(-1)).toMatch(/Enter next \(not yet\) {2}a add {2}i import {2}Esc back {2}\? help/);
  await app?.press('\r');
  expect(app?.screen()).toContain('No nodes yet: press a to add one, or paste a table.');
  await app?.press('\u001b[200~w1,compute,172.16.0.31,00:50:56:00:00:31\n\u001b[201~');
  expect(app?.screen()).toContain('1 node: 1 new, 0 that replace a node of the same name.');
  await app?.press('\r');
  expect(app?.screen()).toMatch(/▸ w1 .*compute +172\.16\.0\.31/);
  expect(app?.lines().at(-1)).toContain('u undo');
});

test('a key without an effect on the review, and a host prefix that is no number, say what is right', async () => {
  await showState(wizardState({}, { screen: 'review' }));
  await app?.press('\u000e');
  expect(app?.screen()).toContain('This is the last page of the design. Enter continues.');
  await showState(STATES['review wrong']?.() ?? wizardState());
  await app?.press('\u000e');
  expect(app?.screen().replaceAll(/\s+/g, ' ')).toContain(
    'This is the last page of the design. Enter opens the selected problem.',
  );
  for (const [cidr, fix] of [
    ['10.128.0.0/14', 'Write a number from 14 to 25, such as 23.'],
    ['fd01::/48', 'Write 64.'],
  ]) {
    const cluster = [{ cidr, hostPrefix: 'many' }];
    await showState(
      applyInputs(wizardState({ 'networks.cluster': cluster }), {
        type: 'screen/go',
        screen: 'networks',
        field: 'networks.cluster.0.hostPrefix',
      }),
    );
    expect(app?.screen().replaceAll(/\s+/g, ' ')).toContain(`This has to be a number, not text. ${fix}`);
  }
});

test('an import names each answer that is missing or wrong after it', async () => {
  await showState(wizardState({}, { screen: 'nodes' }));
  await app?.press('\u001b[200~w1,compute,172.16.9.31,00:50:56:00:00:31\n\u001b[201~');
  const text = app?.screen().replaceAll(/[│\s]+/g, ' ');
  expect(text).toMatch(/1 answer is missing or wrong after the import: - Nodes > w1: Address: 172\.16\.9\.31 is not/);
});

test('a row with something wrong is marked without colour, and so is its page', async () => {
  const wrong = applyInputs(wizardState({ 'nodes.4.mac': 'no' }), { type: 'screen/go', screen: 'review' });
  const sidebar = (await showState(wrong, [100, 24], { hasColour: false })).join('\n');
  expect(sidebar).toMatch(/^ {2}! Nodes/m);
  expect(sidebar).toMatch(/^ {2}✔ Networks/m);
  const nodes = await showState(applyInputs(wrong, { type: 'screen/go', screen: 'nodes' }), [80, 24], {
    hasColour: false,
  });
  expect(nodes.join('\n')).toMatch(/ w1 ! +compute/);
});

test('questions that do not fit are counted', async () => {
  expect((await showState(wizardState({}, { screen: 'services' }))).join('\n')).toMatch(/1–1\d of 17/);
});

test('the footer reports answers that could not be saved, and leaving asks', async () => {
  const userError = { code: 'session-unwritable', title: 'No', cause: 'the disk is full', remedy: '' };
  const failed = applyInputs(wizardState({}, { screen: 'cluster' }), { type: 'session/save-failed', userError });
  const lines = await showState(failed);
  expect(lines.at(-1)).toMatch(/NOT SAVED$/);
  expect(lines.join('\n')).toContain('Not saved: the disk is full.');
  const promptLines = await showState({ ...failed, overlay: { kind: 'unsaved' } });
  expect(promptLines.join('\n')).toContain('Quit without saving?');
  expect(promptLines.at(-1)).toContain('Ctrl-S save and quit  y quit unsaved  n stay');
});

test('y copies the complete commands to the clipboard and reports that; nothing is copied automatically', async () => {
  await showState(stepState('hosts', 'needed'));
  const listCopies = () => app?.effects.filter(({ type }) => type === 'copy');
  expect(listCopies()).toEqual([]);
  await app?.press('y');
  const commands = [
    'scp -r /home/user/upi-cluster/files/ns1 root@172.16.0.102:',
    'ssh root@172.16.0.102 bash ns1/root/upi-wizard/install.sh',
  ];
  expect(listCopies()).toEqual([{ type: 'copy', text: `${commands.join('\n')}\n` }]);
  expect(app?.screen()).toContain('2 commands sent to the clipboard');
});

test('a notice is shown beside the status of the step, and does not replace it', async () => {
  const notice = { kind: 'warning', text: 'The last session ended abruptly.' } as const;
  const lines = await showState(applyInputs(stepState('certificates', 'needed'), { type: 'notice/show', notice }));
  expect(lines.join('\n')).toContain('ended abruptly');
  expect(lines.join(' ').replace(/\s+/g, ' ')).toContain('Enter, after you confirm, boots the nodes');
});

test('the report is a page: how to log in first, then what is left to do, all wrapped and without Markdown', async () => {
  const state = stepState('report', 'done');
  const lines = await showState(state, [70, 40]);
  const text = lines.join('\n');
  expect(text).toContain('https://console.apps.ocp45.example.localdomain');
  expect(text).toMatch(/User +kubeadmin \(p shows the password\)/);
  expect(text).toMatch(/kubeconfig +\/home\/user\/upi-cluster\/auth\/kubeconfig/);
  expect(lines.findIndex((one) => one.includes('What to do next'))).toBeLessThan(
    lines.findIndex((one) => one.includes('OpenShift: 4.18.11')),
  );
  expect(text).toContain('    rm pull-secret.json');
  expect(text).not.toMatch(/^ (?:#|.*(?:`|\|))|\u2026$/m);
  await app?.press('p');
  expect(app?.effects.at(-1)).toMatchObject({ subject: 'password' });
});

test('the report is searched like a log: no letter of the search is an action, and the keys repeat it', async () => {
  await showState(stepState('report', 'done'), [80, 24]);
  const effects = app?.effects.length ?? 0;
  for (const key of '/upi') await app?.press(key);
  expect(app?.screen()).toContain('Search: upi');
  expect(app?.effects).toHaveLength(effects);
  expect(app?.store.getState().overlay).toBeNull();
  await app?.press('\r');

  const count = Number(/"upi" in line \d+, 1 of (\d+)/.exec(app?.screen() ?? '')?.[1]);
  expect(count).toBeGreaterThan(1);
  expect(app?.lines().at(-1)).toMatch(/Esc end search {2}n next match/);
  await app?.press('n');
  expect(app?.screen()).toContain(`, 2 of ${count}`);
  await app?.press('N');
  expect(app?.screen()).toContain(`, 1 of ${count}`);
  await app?.escape();
  expect(app?.screen()).not.toContain('in line');
  expect(app?.store.getState().screen).toBe('report');
});

test('the headline labels its time as that of the whole step, beside a row with its own time', async () => {
  const waiting = stepState('bootstrap', 'waiting');
  const { bootstrap } = waiting.runs;
  if (bootstrap.phase !== 'watching') throw new Error('it does not wait');
  const run = { ...bootstrap, appliedAt: START - 11 * MINUTE };
  const lines = await showState({ ...waiting, runs: { ...waiting.runs, bootstrap: run } });
  expect(findLine(lines, 'now:')).toContain('Ready, 11 min since Bootstrap began');
});

test('where nothing runs that could be diagnosed, the key says so', async () => {
  await showState(stepState('generate', 'needed'));
  await app?.press('!');
  expect(app?.screen().replaceAll(/\s+/g, ' ')).toContain(catalogue().screens.step.nothingFailed);
  expect(app?.store.getState().overlay).toBeNull();
});

test('where nothing runs that could be diagnosed, the key lists what the checks of the page found', async () => {
  const createFinding = (title: string, severity: 'warning' | 'fatal'): Finding => ({
    ...unknownMac,
    title,
    severity,
  });
  const warning = createFinding('A mirror is slow', 'warning');
  const state = stepState('prepare', 'blocked', { findings: [warning, createFinding('No installer', 'fatal')] });
  expect((await showState(state)).at(-1)).toContain('! why?');
  await app?.press('!');
  const text = app?.screen() ?? '';
  expect(text).toContain('What is wrong: 2 findings, the most important first');
  expect(text).toMatch(/- No installer[\s\S]*- A mirror is slow/);
  expect(app?.lines().at(-1)).toContain('Enter close');
});

test('the key lists the error of a failed action, whole, and how to look at what it names', async () => {
  const { title, remedy } = catalogue().diagnosis.files['file-refused'];
  const output = Array.from({ length: 40 }, (_, index) => `[ALERT] parsing line ${index}`).join('\n');
  const userError = { title: title('lb1: /etc/x.cfg', 'haproxy'), cause: output, remedy: remedy('/d/lb1/x.cfg') };
  const state = applyInputs(
    stepState('generate', 'needed'),
    { type: 'step/ask', action: 'apply' },
    { type: 'step/failed', step: 'generate', during: 'run', userError: { code: 'file-refused', ...userError } },
  );
  expect((await showState(state)).at(-1)).toContain('! why?');
  await app?.press('!');
  const { overlay } = app?.store.getState() ?? {};
  const lines = overlay?.kind === 'page' ? (overlay.page?.lines ?? []) : [];
  for (const text of [userError.title, '[ALERT] parsing line 39', '`less -N /d/lb1/x.cfg`'])
    expect(lines.join('\n')).toContain(text);
});

test('a page has one name: its title, the help, the sidebar and the palette agree', async () => {
  for (const id of SCREEN_IDS) {
    const name = catalogue().screens.sidebar[id];
    const state = wizardState({}, { screen: id });
    const [title = ''] = await showState(state);
    expect(title).toMatch(new RegExp(`  (?:Design > )?${name} +\\d+/17$`));
    expect((await showState(applyInputs(state, { type: 'overlay/open', overlay: 'help' }))).join('\n')).toContain(
      `Help: ${name}`,
    );
    expect(listPaletteEntries(state).find((entry) => entry.id === id)?.label).toBe(name);
  }
});

test('a page gives its own text the rows and the width before the general help', async () => {
  const [ns1, ...others] = hostsView.hosts;
  if (ns1 === undefined) throw new Error('the view has this host');
  const checks = Array.from({ length: 22 }, (_, index) => ({
    ...{ kind: 'dns' as const, server: '172.16.0.102', isOk: true },
    ...{ what: `name-${index}.ocp45`, detail: `name-${index}.ocp45 has the address 172.16.0.${index}` },
  }));
  const hosts = await showState(
    stepState('hosts', 'done', { view: { ...hostsView, hosts: [{ ...ns1, checks }, ...others] }, findings: [] }),
    [120, 40],
  );
  expect(hosts.filter((line) => / name-\d+\.ocp45 /.test(line)).length, hosts.join('\n')).toBeGreaterThanOrEqual(22);
  const log = (await showState(stepState('bootstrap', 'waiting'), [200, 60])).join('\n');
  expect(log).not.toContain('…');
  const generated = (await showState(stepState('generate', 'needed'), [120, 40])).join(' ').replace(/[│▐\s]+/g, ' ');
  const commands = new Set(generateView.hosts[0]?.files.flatMap((file) => file.commands));
  const { scriptRuns, scriptCopies } = catalogue().screens.generate;
  expect(generated).toContain((commands.size > 0 ? scriptRuns(commands.size) : scriptCopies).slice(-20));
});
