import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createScreenTextModel } from '../../screens/app/plain.ts';
import type { Finding } from '../../src/checks/check.ts';
import { getAt } from '../../src/design/paths.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import type { MoveName, ObservedMove } from '../../src/infra/moves.ts';
import { runDialog } from '../../src/plain/dialog.ts';
import { createLineInput, listMenuItems } from '../../src/plain/menu.ts';
import { nameTypedInput } from '../../src/plain/output.ts';
import type { InfraView } from '../../src/steps/infra.ts';
import type { ReportView } from '../../src/steps/report.ts';
import { readNodeDrafts } from '../../src/wizard/design/node-table.ts';
import type { Effect, Event } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { createWizardStore } from '../../src/wizard/store.ts';
import { findUnfinishedText } from '../../src/wizard/unfinished-text.ts';
import { reportView, STATES, stepState } from '../screens/views.ts';
import { applyInputs, buildProbe, dangerousPlan, safePlan, wizardState } from '../support/wizard-state.ts';

/** Starts a dialog in this state. It ends when the user leaves the wizard. */
function startDialog(state: WizardState) {
  const effects: Effect[] = [];
  const input = new PassThrough();
  let output = '';
  let readLength = 0;
  let leave: () => void = () => undefined;
  let comeBack: () => void = () => undefined;
  const exit = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const store = createWizardStore(state, (effect) => {
    effects.push(effect);
    if (effect.type === 'leave') leave();
  });
  const lines = createLineInput(input);
  const dialog = runDialog({
    store,
    model: createScreenTextModel(79),
    input: lines,
    write: (text) => {
      output += text;
    },
    columns: 80,
    exit,
    onReturn: (reprint) => {
      comeBack = reprint;
    },
  });
  const settle = async () => {
    // Lines and states are handled between turns of the event loop.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    store,
    effects,
    output: () => output,
    comeBack: () => comeBack(),
    /** Types the lines and returns the output since the last call. */
    async enter(...inputLines: readonly string[]) {
      for (const line of inputLines) {
        input.write(`${line}\n`);
        await settle();
      }
      await settle();
      const fresh = output.slice(readLength);
      readLength = output.length;
      return fresh;
    },
    async enterAll(text: string) {
      input.end(text);
      await dialog;
      lines.close();
      return output;
    },
    settle,
  };
}

test('a long menu prints the choices that matter now, and more prints the others; each keeps its number', async () => {
  const { enter } = startDialog(STATES['hosts needed']?.() ?? wizardState());
  const text = await enter('?nonsense');
  const printed = text.split('\n').filter((line) => /^ *\d+\. /.test(line));
  expect(printed.length).toBeLessThanOrEqual(7);
  expect(text).toMatch(/ 1\. put in place/);
  expect(text).toMatch(/ 17\. save and quit/);
  expect(text).toMatch(/^ {5}10 other choices: type more$/m);
  expect(text).not.toContain('show one row');
  // The name of the host is enough: its row is read elsewhere.
  expect(text).toMatch(/set up ns1(?: \(|$)/m);
  // A number that was not read may stand for anything.
  expect(await enter('14')).toMatch(/^ {2}14 is not listed: type more to see all choices\.\n/);
  const rest = await enter('more');
  expect(rest).toMatch(/ 7\. [\s\S]* 14\. [\s\S]*16\. back/);
  expect(rest).not.toMatch(/ 1\. put in place/);
  expect(await enter('14')).toMatch(/show one row\n +1\. 1\. ns1/);
});

const listRunEffects = (effects: readonly Effect[]) => effects.filter(({ type }) => type === 'run');

test('a form asks question by question, with reasons, choices and defaults, and leads to the next page', async () => {
  const run = startDialog(wizardState({}, { screen: 'cluster' }));
  expect(await run.enter()).toMatch(/\[2\/17\] Cluster\n[\s\S]*OpenShift version \[4\.18\]: $/);
  expect(await run.enter('4.19')).toMatch(/Architecture \[x86_64\]: $/);
  expect(await run.enter('')).toMatch(/1\. standard\n {2}2\. compact\n[\s\S]*Topology \[standard\]: $/);
  expect(await run.enter('1')).toMatch(/Cluster name \[ocp45\]: $/);
  const wrong = await run.enter('Prod_1');
  expect(wrong).toMatch(/^ {2}That does not work: /);
  // A refused value is no default: the one before is offered again, and only that one is saved.
  expect(wrong).toMatch(/Cluster name \[ocp45\]: $/);
  expect(getAt(run.store.getState().document, 'cluster.name')).toBe('ocp45');
  expect(findUnfinishedText(run.store.getState())).toBeNull();
  expect(await run.enter('prod')).toMatch(/Base domain \[example\.localdomain\]: $/);
  expect(await run.enter('<')).toMatch(/Cluster name \[prod\]: $/);
  expect(await run.enter('?')).toMatch(/keeps the rest of this page/);
  expect(await run.enter('>')).toMatch(/\[3\/17\] Networks\n[\s\S]*Machine network \[172\.16\.0\.0\/24\]: $/);
  const { document } = run.store.getState();
  expect([getAt(document, 'openshift.version'), getAt(document, 'cluster.name')]).toEqual(['4.19', 'prod']);
  expect(run.effects).toContainEqual({ type: 'save' });
});

test('after a refused answer the default from before is offered again, and an empty line takes it', async () => {
  const run = startDialog(applyInputs(wizardState({}, { screen: 'cluster' }), { type: 'field/move', by: 3 }));
  expect(await run.enter('Prod_1')).toMatch(/ {2}That does not work: "Prod_1" [\s\S]*\nCluster name \[ocp45\]: $/);
  expect(await run.enter('Prod_2')).toMatch(/ {2}That does not work: "Prod_2" [\s\S]*\nCluster name \[ocp45\]: $/);
  expect(await run.enter('')).toMatch(/Base domain \[example\.localdomain\]: $/);
  expect(getAt(run.store.getState().document, 'cluster.name')).toBe('ocp45');
  // An answer that was empty and optional stays so.
  const optional = startDialog(wizardState({}, { screen: 'networks' }));
  await optional.enter('go company router', '-', '<');
  expect(await optional.enter('nonsense')).toMatch(/Company router: $/);
  await optional.enter('');
  expect(getAt(optional.store.getState().document, 'networks.router')).toBeUndefined();
  // A wrong answer from a file has no better one before it, and stays until a correct one replaces it.
  const imported = startDialog(wizardState({ 'cluster.name': 'Prod_1' }, { screen: 'cluster' }));
  expect(await imported.enter('go cluster name')).toMatch(/Cluster name \(instead of Prod_1\): $/);
  expect(await imported.enter('Prod_2')).toMatch(/"Prod_2" [\s\S]*\nCluster name \(instead of Prod_1\): $/);
});

test('a wrong answer of an earlier session has the default of the example, where that is not of another site', async () => {
  const resumed = startDialog(wizardState({ 'openshift.version': '4.99' }, { screen: 'cluster' }));
  expect(await resumed.enter('go cluster OpenShift version')).toMatch(/OpenShift version \[4\.18\]: $/);
  expect(await resumed.enter('4.98')).toMatch(/OpenShift version \[4\.18\]: $/);
  await resumed.enter('');
  expect(getAt(resumed.store.getState().document, 'openshift.version')).toBe('4.18');
});

test('the review of an unchanged example asks whether it is the site to install; an empty line goes back', async () => {
  const run = startDialog(wizardState({}, { screen: 'review' }));
  expect(await run.enter()).toContain('Warning  All names, IPs and MACs are the example’s.');
  const question = await run.enter('1');
  expect(question).toMatch(/Is this the site that you want to install\?[\s\S]*\n {2}1\. back to the design \(n\)\n/);
  expect(question).not.toMatch(/back \(<\)|y it is/);
  await run.enter('');
  expect(run.store.getState()).toMatchObject({ screen: 'review', overlay: null });
  await run.enter('1', 'y');
  expect(run.store.getState().screen).toBe('generate');
});

test('back in the foreground, the question or what runs is printed again', async () => {
  const run = startDialog(wizardState({}, { screen: 'cluster' }));
  await run.enter();
  run.comeBack();
  expect(await run.enter()).toBe('\nOpenShift version [4.18]: ');
  const waiting = startDialog(stepState('operators', 'waiting'));
  expect(await waiting.enter()).toContain('You need not do anything until this step is done.');
  waiting.comeBack();
  expect(await waiting.enter()).toMatch(/^ {2}You need not do anything until this step is done\.[^\n]*\n[^\n]*\n$/);
});

test('while a step runs, quit, ? and ! are obeyed at once, and the prompt of an open list is printed once', async () => {
  const startWait = async () => {
    const run = startDialog(stepState('operators', 'waiting'));
    await run.enter();
    return run;
  };
  const explained = await startWait();
  expect(await explained.enter('?')).not.toContain('keep waiting');
  expect(explained.output()).toContain('What can go wrong: ');
  const diagnosed = await startWait();
  expect(await diagnosed.enter('!')).not.toContain('keep waiting');
  expect(diagnosed.store.getState().overlay?.kind).toBe('page');
  // The diagnosis takes up to a minute: the line of the screens is printed at once.
  const { progress } = catalogue().diagnose;
  const [firstWords = ''] = progress.split(';');
  expect(diagnosed.output()).toContain(firstWords);
  expect(diagnosed.output().split(firstWords)).toHaveLength(2);
  const left = await startWait();
  expect(await left.enter('quit')).not.toContain('keep waiting');
  expect(left.effects).toContainEqual(expect.objectContaining({ type: 'leave' }));
  const open = await startWait();
  expect(await open.enter('')).toMatch(/1\. keep waiting\n[\s\S]*Your choice \[1\]: $/);
  const { runs } = open.store.getState();
  const { probe } = runs.operators;
  if (probe === null) throw new Error('the step has a probe');
  for (const percent of [41, 42]) {
    const summary = `${percent} % done`;
    open.store.dispatch({ type: 'step/probed', step: 'operators', probe: { ...probe, summary }, plan: null });
    await open.settle();
  }
  const promptCount = open.output().split('Your choice [1]: ').length - 1;
  expect(promptCount).toBe(1);
});

test('another machine network asks whether the addresses follow it, and continues with the next question', async () => {
  const run = startDialog(wizardState({}, { screen: 'networks' }));
  const prompt = await run.enter('10.20.30.0/24');
  expect(prompt).toMatch(/Move 17 addresses to 10\.20\.30\.0\/24\?\n[\s\S]*lb1\nChange them\? \[y\/N\] $/);
  expect(await run.enter('y')).toMatch(/Gateway \[10\.20\.30\.254\] .*: $/);
  expect(getAt(run.store.getState().document, 'services.loadBalancer.servers.0.ip')).toBe('10.20.30.112');
});

test('all lines in one write have the effect of the lines one by one', async () => {
  const inputLines = ['>', '', '172.16.0.253', '>', '', '', '>', '>', 'quit'];
  const once = startDialog(wizardState({}, { screen: 'cluster' }));
  const slow = startDialog(wizardState({}, { screen: 'cluster' }));
  await once.enterAll(`${inputLines.join('\n')}\n`);
  await slow.enter(...inputLines);
  expect(once.store.getState()).toEqual(slow.store.getState());
  expect(once.store.getState().screen).toBe('review');
  expect(getAt(once.store.getState().document, 'networks.machine.0.gateway')).toBe('172.16.0.253');
});

test('an optional answer is taken away with a hyphen, and a choice that is none of them is asked again', async () => {
  const run = startDialog(applyInputs(wizardState({}, { screen: 'networks' }), { type: 'field/move', by: 1 }));
  await run.enter('-');
  expect(getAt(run.store.getState().document, 'networks.machine.0.gateway')).toBeUndefined();
  const choice = startDialog(applyInputs(wizardState({}, { screen: 'cluster' }), { type: 'field/move', by: 1 }));
  expect(await choice.enter('9')).toMatch(
    / {2}Type a number from 1 to \d, or the first words of a choice; \? explains it\.\nArchitecture \[x86_64\]: $/,
  );
});

test('a node is chosen by its number, edited and undone, as the screens do it', async () => {
  const run = startDialog(wizardState({}, { screen: 'nodes' }));
  expect(await run.enter()).toMatch(/2\. edit \(e\)/);
  expect(await run.enter('e')).toMatch(/2\. m1 {2}control-plane {2}172\.16\.0\.21\n/);
  expect(await run.enter('2')).toMatch(/Name \[m1\]: $/);
  expect(await run.enter('m9', '>')).toMatch(/Your choice \[1\]: $/);
  expect(getAt(run.store.getState().document, 'nodes.1.name')).toBe('m9');
  await run.enter('d', '2');
  expect(getAt(run.store.getState().document, 'nodes.1.name')).toBe('m2');
  expect(await run.enter('u')).toContain('Undone: Nodes > m9 is restored.');
  expect(getAt(run.store.getState().document, 'nodes.1.name')).toBe('m9');
});

test('the words undo and redo revert and repeat the last answer, and back goes back', async () => {
  const run = startDialog(wizardState({}, { screen: 'cluster' }));
  await run.enter('4.19');
  expect(await run.enter('undo')).toMatch(
    /Undone: Cluster > OpenShift version 4\.18 \(was 4\.19\)\.[\s\S]*OpenShift version \[4\.18\]: $/,
  );
  expect(await run.enter('redo')).toMatch(/OpenShift version \[4\.19\]: $/);
  expect(await run.enter('', 'back')).toMatch(/OpenShift version \[4\.19\]: $/);
  const menu = startDialog(wizardState({}, { screen: 'nodes' }));
  await menu.enter('d', '1');
  expect(await menu.enter('undo')).toContain('Undone: Nodes > bs is restored.');
  expect(await menu.enter('back')).toContain('Networks');
});

test('a file that does not exist is reported when its question is left, once, and holds nothing up', async () => {
  const missing = (file: string): Event => ({
    type: 'credentials/reviewed',
    problems: [
      {
        path: 'credentials.pullSecretFile',
        severity: 'warning',
        rule: 'pull-secret-missing',
        message: catalogue().design.credentials.missingPullSecretFile(file),
        fix: catalogue().design.credentials.fixPullSecret,
        line: 0,
        column: 0,
      },
    ],
  });
  const run = startDialog(wizardState({}, { screen: 'credentials' }));
  await run.enter();
  run.store.dispatch(missing('./pull-secret.txt'));
  expect(await run.enter()).toContain('Warning: Credentials > Pull secret file: The file ./pull-secret.txt');
  expect(await run.enter('/nope')).toMatch(/SSH public key file .*: $/);
  run.store.dispatch(missing('/nope'));
  const warning = await run.enter();
  expect(warning.replaceAll(/\s+/g, ' ')).toContain('The file /nope with the pull secret does not exist. Download it');
  expect(warning).toMatch(/SSH public key file .*: $/);
  run.store.dispatch(missing('/nope'));
  expect(await run.enter()).toBe('');
});

test('answers in use by a step are read-only until the word edit', async () => {
  const run = startDialog(applyInputs(wizardState({}, { screen: 'boot' }), { type: 'screen/go', screen: 'cluster' }));
  expect(await run.enter()).toContain('Read-only: an installation uses these answers.');
  expect(await run.enter('4.19')).toContain('Read-only');
  expect(getAt(run.store.getState().document, 'openshift.version')).toBe('4.18');
  await run.enter('edit', '4.19');
  expect(getAt(run.store.getState().document, 'openshift.version')).toBe('4.19');
});

test('the review names each problem as a choice that leads to its answer, and back', async () => {
  const run = startDialog(wizardState({ 'nodes.1.mac': 'nonsense' }, { screen: 'review' }));
  expect(await run.enter()).toMatch(/to this answer \(o\)/);
  expect(await run.enter('o', '1')).toMatch(/MAC address \(instead of nonsense\): $/);
  expect(await run.enter('00:50:56:96:37:c8')).toMatch(/\[7\/17\] Review/);
});

const FINDING: Finding = {
  code: 'not-finished',
  state: 'failed',
  severity: 'warning',
  subject: null,
  title: 'lb1 is slow',
  cause: 'it says so',
  remedy: 'wait',
};

const BLOCKED: Finding = { ...FINDING, severity: 'warning', subject: 'router', title: 'move router is blocked' };

test('a step prints its findings and plan, runs on a choice, and prints each line once', async () => {
  const run = startDialog(wizardState({}, { screen: 'prepare' }));
  expect(await run.enter()).toMatch(/\[10\/17\] Prepare\n[\s\S]* {2}checking\n$/);
  const view = { items: [], phases: [] };
  const plan = { ...safePlan, changes: [{ object: 'manifests/', what: 'made', before: null, after: null }] };
  run.store.dispatch({ type: 'step/probed', step: 'prepare', probe: buildProbe('needed', view), plan });
  expect(await run.enter()).toMatch(/ {2}it is needed\n {2}will change {2}manifests\/: made\n\n {2}1\. prepare\n/);
  await run.enter('');
  expect(listRunEffects(run.effects)).toEqual([{ type: 'run', step: 'prepare', action: 'apply', subject: null }]);
  run.store.dispatch({ type: 'step/reported', step: 'prepare', line: 'making manifests' });
  const waiting = buildProbe('waiting', view, { findings: [FINDING] });
  for (let probeIndex = 0; probeIndex < 3; probeIndex += 1)
    run.store.dispatch({ type: 'step/probed', step: 'prepare', probe: waiting, plan: null });
  await run.settle();
  const output = run.output();
  for (const line of [
    'making manifests',
    'it is waiting',
    'lb1 is slow',
    'because: it says so',
    'You need not do anything',
  ])
    expect(output.split(line), line).toHaveLength(2);
  run.store.dispatch({ type: 'step/applied', step: 'prepare' });
  run.store.dispatch({ type: 'step/probed', step: 'prepare', probe: buildProbe('done', view), plan: null });
  expect(await run.enter()).toMatch(/ {2}done: it is done\n\n {2}1\. next\n/);
});

test('a running action can be stopped: Enter shows the choices meanwhile', async () => {
  const run = startDialog(wizardState({}, { screen: 'prepare' }));
  run.store.dispatch({
    type: 'step/probed',
    step: 'prepare',
    probe: buildProbe('needed', { items: [], phases: [] }),
    plan: safePlan,
  });
  await run.enter('');
  expect(await run.enter('')).toMatch(/1\. keep waiting\n {2}2\. stop this step\n/);
  expect(await run.enter('2')).toContain('Stopping. Changes made so far stay.');
  expect(run.effects).toContainEqual({ type: 'cancel', step: 'prepare' });
});

const move = (name: MoveName, state: ObservedMove['state']): ObservedMove => ({ name, state, why: '', changes: [] });
const MOVES: InfraView = {
  traffic: null,
  moves: [move('label', 'done'), move('pool', 'done'), move('router', 'absent')],
};

test('a dangerous step needs a yes below its whole diff, and an empty line is no', async () => {
  const run = startDialog(wizardState({}, { screen: 'infra' }));
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: buildProbe('needed', MOVES), plan: dangerousPlan });
  expect(await run.enter('1')).toMatch(/haproxy\.cfg: a server leaves\n[\s\S]*- b\n[\s\S]*Continue\? \[y\/N\] $/);
  await run.enter('');
  expect(listRunEffects(run.effects)).toEqual([]);
  await run.enter('1', 'y');
  expect(listRunEffects(run.effects)).toEqual([{ type: 'run', step: 'infra', action: 'apply', subject: null }]);
});

test('a question prints all that one yes starts, however long, and names no key of the screens', async () => {
  const before = Array.from({ length: 400 }, (_, index) => `line ${index}\n`).join('');
  const after = before.replaceAll('line', 'changed');
  const plan = { ...dangerousPlan, changes: [{ object: 'router.yaml', what: 'changed', before, after }] };
  const run = startDialog(wizardState({}, { screen: 'infra' }));
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: buildProbe('needed', MOVES), plan });
  const text = await run.enter('1');
  for (const line of ['- line 0\n', '+ changed 0\n', '- line 399\n', '+ changed 399\n']) expect(text).toContain(line);
  expect(text).not.toContain('(Right)');
  expect(text).not.toContain('1–');
  // The question and its summary are repeated below the changes, which have scrolled them off.
  const summary = [
    { label: 'Restarts', text: 'nothing' },
    { label: 'Outage', text: 'none expected' },
  ];
  const summarized = startDialog(stepState('infra', 'needed', { plan: { ...plan, summary } }));
  expect(await summarized.enter('1')).toMatch(
    /\n( *\+ changed 399)\n\n(\S[^\n]*\?)\n\nRestarts +nothing\nOutage +none expected\nContinue\? \[y\/N\] $/,
  );
});

test('the summary of a finished step is read once, and the time of a rehearsal is chosen last', async () => {
  const rehearsal = { speed: 60, isPaused: false };
  const state = wizardState({}, { screen: 'generate' });
  const run = startDialog({ ...state, welcome: { ...state.welcome, rehearsal } });
  const probe = (state: 'needed' | 'done', summary: string) => buildProbe(state, null, { summary });
  const dispatch = (result: ReturnType<typeof probe>) =>
    run.store.dispatch({
      type: 'step/probed',
      step: 'generate',
      probe: result,
      plan: { ...safePlan, changes: [{ object: 'f', what: 'new', before: null, after: 'x' }] },
    });
  dispatch(probe('needed', '3 files to write'));
  const menu = await run.enter();
  expect(menu).toMatch(/ {2}1\. write\n/);
  expect(menu).not.toContain('faster');
  expect(menu).toContain('show all changes');
  await run.enter('1');
  dispatch(probe('done', '3 files on disk'));
  run.store.dispatch({ type: 'step/applied', step: 'generate' });
  dispatch(probe('done', '3 files on disk'));
  expect((await run.enter()).match(/3 files on disk/g)).toHaveLength(1);
});

test('a change of the simulated time prints the speed that it has now', async () => {
  const state = wizardState({}, { screen: 'nodes' });
  const run = startDialog({ ...state, welcome: { ...state.welcome, rehearsal: { speed: 60, isPaused: false } } });
  await run.enter();
  expect(await run.enter('faster')).toMatch(/^ {2}The simulated time runs 120 times as fast now\.\n/);
  expect(await run.enter('faster')).toMatch(/^ {2}The simulated time runs 240 times as fast now\.\n/);
  expect(await run.enter('faster')).toMatch(/^ {2}The simulated time runs 240 times as fast now\.\n/);
  run.store.dispatch({ type: 'rehearsal/pause' });
  expect(await run.enter()).toContain('  The simulated time is paused.\n');
});

test('a no prints that nothing was done, and how to be asked again', async () => {
  const run = startDialog(wizardState({}, { screen: 'infra' }));
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: buildProbe('needed', MOVES), plan: dangerousPlan });
  await run.enter('1');
  expect(await run.enter('n')).toMatch(/^ {2}Not done\. The same choice asks again\.\n/);
});

test('machines that miss the same file share one notice, which lists them', async () => {
  const { title, cause, remedies } = catalogue().diagnosis.boot['boot-stuck'];
  const findings = ['m1', 'm2', 'm3'].map((name, index): Finding => {
    const texts = { cause: cause('/images/rootfs.img', index < 2 ? 404 : 403), remedy: remedies.missing };
    return { ...FINDING, code: 'boot-stuck', subject: name, title: title(name, '/images/rootfs.img'), ...texts };
  });
  const run = startDialog(stepState('boot', 'waiting', { findings: [] }));
  await run.enter();
  const { view } = stepState('boot', 'waiting').runs.boot.probe ?? {};
  run.store.dispatch({
    type: 'step/probed',
    step: 'boot',
    probe: buildProbe('waiting', view, { findings }),
    plan: null,
  });
  const text = await run.enter();
  expect(text.replace(/\s+/g, ' ')).toContain('m1, m2: the boot server refuses /images/rootfs.img');
  expect(text.match(/with status 404/g)).toHaveLength(1);
  expect(text).toContain('m3: the boot server refuses /images/rootfs.img');
});

test('lines of files are printed whole: in a question, in the planned changes and on a page', async () => {
  const line = (weight: number) => `    server m1 ${'option  `x` '.repeat(30)}weight ${weight}`;
  const change = { object: 'router.yaml', what: 'changed', before: `${line(1)}\n`, after: `${line(2)}\n` };
  const [pool, ...moves] = MOVES.moves;
  const view = { ...MOVES, moves: [{ ...pool, changes: [change] }, ...moves] };
  const run = startDialog(wizardState({}, { screen: 'infra' }));
  const plan = { ...dangerousPlan, changes: [change] };
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: buildProbe('needed', view), plan });
  const page = await run.enter('show everything on this page');
  const changes = await run.enter('show all changes');
  const question = await run.enter('1');
  for (const text of [page, changes, question]) {
    expect(text).toContain(`- ${line(1)}\n`);
    expect(text).toContain(`+ ${line(2)}\n`);
    expect(text).not.toContain('\u21b3');
  }
});

test('a check that is overridden is printed without continuation signs', async () => {
  const run = startDialog(wizardState({}, { screen: 'prepare' }));
  const failed = { ...FINDING, cause: 'a long cause '.repeat(20).trim() };
  const probe = buildProbe('blocked', { items: [], phases: [] }, { findings: [failed], overridableChecks: [failed] });
  run.store.dispatch({ type: 'step/probed', step: 'prepare', probe, plan: null });
  run.store.dispatch({ type: 'step/ask', action: 'override', words: [] });
  const text = await run.enter();
  expect(text).toContain(`- ${failed.title}: ${failed.cause}\n`);
  expect(text).not.toContain('\u21b3');
});

test('a move that waits for its turn is not reported as blocked, and is when the run has ended', async () => {
  const run = startDialog(wizardState({}, { screen: 'infra' }));
  const changes = ['pool', 'router'].map((object) => ({ object, what: 'moves', before: null, after: null }));
  const plan = { ...dangerousPlan, changes };
  const probe = (state: 'needed' | 'waiting') =>
    buildProbe(state, MOVES, { findings: state === 'waiting' ? [BLOCKED] : [] });
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: probe('needed'), plan });
  await run.enter('1', 'y');
  const part = { subject: 'pool', state: 'begun' } as const;
  run.store.dispatch({ type: 'step/reported', step: 'infra', line: 'pool: the nodes update', part });
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: probe('waiting'), plan: null });
  const text = await run.enter();
  expect(text).toContain('pool: the nodes update');
  expect(text).not.toContain('blocked');
  const stale = { ...BLOCKED, code: 'move-blocked', subject: 'pool', title: 'move pool is blocked' };
  const blocked = buildProbe('blocked', MOVES, { findings: [stale], summary: 'a pool is updating' });
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: blocked, plan: null });
  expect(await run.enter()).not.toMatch(/blocked|a pool is updating/);
  run.store.dispatch({ type: 'step/applied', step: 'infra' });
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: probe('waiting'), plan: null });
  expect(await run.enter()).toContain('warning: move router is blocked');
});

test('an answer that is neither yes nor no is asked again, and ? explains the question', async () => {
  const run = startDialog(wizardState({}, { screen: 'infra' }));
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: buildProbe('needed', MOVES), plan: dangerousPlan });
  await run.enter('1');
  for (const answer of ['1', 'maybe']) expect(await run.enter(answer)).toBe('  Answer y or n.\nContinue? [y/N] ');
  expect(await run.enter('?')).toMatch(/^ {2}y starts everything [\s\S]*\nContinue\? \[y\/N\] $/);
  expect(run.store.getState().runs.infra.phase).toBe('asking');
  await run.enter('No');
  expect(run.store.getState().runs.infra.phase).toBe('ready');
  await run.enter('1', '<');
  expect(run.store.getState().runs.infra.phase).toBe('ready');
  await run.enter('1', 'what', 'yes');
  expect(listRunEffects(run.effects)).toHaveLength(1);
});

test('a word that does not confirm is asked again, and ? explains what to type', async () => {
  const plan = { ...dangerousPlan, typedConfirmation: { word: 'ocp45', reason: 'The cluster would be lost.' } };
  const run = startDialog(wizardState({}, { screen: 'infra' }));
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: buildProbe('needed', MOVES), plan });
  expect(await run.enter('1', 'y')).toMatch(/Type ocp45 to confirm, or press Enter for no: $/);
  expect(await run.enter('y')).toBe('  That is not ocp45.\nType ocp45 to confirm, or press Enter for no: ');
  expect(await run.enter('?')).toMatch(/^ {2}ocp45 starts everything /);
  await run.enter('');
  expect(run.store.getState().runs.infra.phase).toBe('ready');
  expect(listRunEffects(run.effects)).toEqual([]);
});

test('a menu offers each row that an action of the screens can be applied to', async () => {
  const run = startDialog(wizardState({}, { screen: 'infra' }));
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: buildProbe('needed', MOVES), plan: dangerousPlan });
  const output = await run.enter('u');
  expect(output).toMatch(/1\. label \[OK\] done - [\s\S]*2\. pool \[OK\] done - /);
  expect(output).not.toContain('3. router');
  // The question waits for the preview, and prints that it does.
  const reading = await run.enter('2');
  expect(reading).not.toContain('Continue?');
  expect(reading).toMatch(/^ {2}checking$/m);
  const alternatives = [
    { key: 'overwrite', label: 'overwrite changes', target: { kind: 'move', name: 'pool', consent: 'overwrite' } },
  ] as const;
  const confirmation = { question: 'Undo pool?', lines: ['MachineConfigPool infra: changed'], alternatives };
  run.store.dispatch({ type: 'step/previewed', step: 'infra', action: 'undo', subject: 'pool', confirmation });
  expect(await run.enter()).toMatch(
    /Undo pool\?\n\nMachineConfigPool infra: changed\n\nO {2}overwrite changes\nContinue\? \[y\/N\] $/,
  );
  await run.enter('o');
  run.store.dispatch({ type: 'step/previewed', step: 'infra', action: 'undo', subject: 'pool', confirmation });
  expect(run.store.getState().runs.infra).toMatchObject({
    prompt: { confirmation: 'reading', subject: 'pool overwrite' },
  });
  run.store.dispatch({ type: 'step/ask', action: 'undo', subject: 'pool' });
  run.store.dispatch({ type: 'step/previewed', step: 'infra', action: 'undo', subject: 'pool', confirmation });
  await run.enter();
  await run.enter('y');
  expect(listRunEffects(run.effects)).toEqual([{ type: 'run', step: 'infra', action: 'undo', subject: 'pool' }]);
});

test('a list of moves to undo has no default, a list of texts to read has one, and quit leaves both', async () => {
  const startInfra = () => {
    const run = startDialog(wizardState({}, { screen: 'infra' }));
    run.store.dispatch({ type: 'step/probed', step: 'infra', probe: buildProbe('needed', MOVES), plan: dangerousPlan });
    return run;
  };
  const undo = startInfra();
  expect(await undo.enter('u')).toMatch(/\nYour choice: $/);
  expect(await undo.enter('')).toMatch(/^ {2}Type a number from 1 to 3, [^\n]*\nYour choice: $/);
  expect(undo.store.getState().runs.infra.phase).toBe('ready');
  expect(await undo.enter('quit')).not.toContain('Type a number');
  const text = startInfra();
  expect(await text.enter(catalogue().plain.menu.oneRow)).toMatch(/\nYour choice \[1\]: $/);
  expect(await text.enter('quit')).not.toContain('Type a number');
  for (const { effects } of [undo, text]) expect(effects.map(({ type }) => type)).toContain('leave');
});

test('an action that the selected row offers is listed once', async () => {
  const run = startDialog(wizardState({}, { screen: 'infra' }));
  const view: InfraView = { traffic: null, moves: [move('label', 'needed'), move('taint', 'needed')] };
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: buildProbe('needed', view), plan: dangerousPlan });
  const items = listMenuItems(run.store.getState(), createScreenTextModel(79));
  const labels = items.map(({ label }) => label.replace(/: .*/, ''));
  expect(labels.filter((label) => label === 'only this move')).toHaveLength(1);
});

test('a table pasted at the menu of the nodes begins an import', async () => {
  const run = startDialog(wizardState({}, { screen: 'nodes' }));
  const text = await run.enter('w8 compute 172.16.0.98 52:54:00:00:00:98', 'w9 compute 172.16.0.99 52:54:00:00:00:99');
  expect(text).not.toContain('Type a number');
  expect(text).toContain('A line with a single dot ends the paste.');
  expect(await run.enter('.')).toContain('2 nodes: 2 new');
});

test('an answer to a list that has changed meanwhile is not applied, and the reason is printed', async () => {
  const run = startDialog(wizardState({}, { screen: 'infra' }));
  run.store.dispatch({ type: 'step/probed', step: 'infra', probe: buildProbe('needed', MOVES), plan: dangerousPlan });
  await run.enter('u');
  run.store.dispatch({ type: 'step/ask', action: 'apply' });
  run.store.dispatch({ type: 'step/answer', isYes: true });
  expect(await run.enter()).toContain('The page has changed: that list is closed.');
});

test('a requested page is printed whole, and closed again', async () => {
  const run = startDialog(wizardState({}, { screen: 'prepare' }));
  run.store.dispatch({
    type: 'step/probed',
    step: 'prepare',
    probe: buildProbe('done', { items: [], phases: [] }),
    plan: null,
  });
  run.store.dispatch({ type: 'step/show', subject: 'x' });
  run.store.dispatch({
    type: 'step/shown',
    step: 'prepare',
    subject: 'x',
    page: { title: 'Events', lines: ['a', 'b'] },
  });
  expect(await run.enter()).toMatch(/\nEvents\n\na\nb\n/);
  await run.enter('<');
  expect(run.store.getState().overlay).toBeNull();
});

test('a page over the first screen is printed, and Enter continues', async () => {
  const page = { title: 'Welcome back. Enter continues at Cluster.', lines: ['You left at 12:00.'] };
  const dialog = startDialog(applyInputs(wizardState({}, { screen: 'cluster' }), { type: 'overlay/show', page }));
  expect(await dialog.enter()).toContain(page.lines[0]);
  // As the legend says, ? explains every question.
  const [firstLine = ''] = createScreenTextModel(79).help(dialog.store.getState());
  expect(firstLine).not.toBe('');
  expect((await dialog.enter('?')).replaceAll(/\s+/g, ' ')).toContain(firstLine);
  await dialog.enter('');
  expect(dialog.store.getState()).toMatchObject({ screen: 'cluster', overlay: null });
  await dialog.enterAll('');
});

test('resuming at Report reads what happened first, then how to log in and what is open, and offers the whole text', async () => {
  const open = { id: 'open', heading: '## Open points', lines: ['- w3 is not Ready'] } as const;
  const view = { ...reportView, sections: [...reportView.sections, open] };
  const page = { title: 'Welcome back. Enter continues at Report.', lines: ['You left at 12:00.'] };
  const report = stepState('report', 'done', { view });
  const dialog = startDialog(applyInputs(report, { type: 'overlay/show', page }));
  const card = await dialog.enter();
  expect(card).toMatch(
    /You left at 12:00\.[\s\S]* 1\. go on \(<\)\n +2\. save and quit \(quit\)\nYour choice \[1\]: $/,
  );
  expect(card).not.toContain('done');
  const text = await dialog.enter('');
  expect(text).toMatch(
    /done: .*\nConsole: https:.*\nUser: kubeadmin .*\nkubeconfig: .*\nThis report: .*report\.md\nOpen points\n- w3 is not Ready\n/,
  );
  // An Enter that was meant for the page before must not leave.
  expect(text).toMatch(/ 1\. show everything on this page\n +2\. explain this page/);
  dialog.store.dispatch({ type: 'end/waited' });
  expect(await dialog.enter()).toMatch(/ 1\. finish\n +2\. show everything on this page\n +3\. explain this page/);
  expect(await dialog.enter('2')).toContain('OpenShift: 4.18.11');
});

test('a plan with a summary is printed as that, with a line for each part; its question prints every change', async () => {
  const change = { object: 'Node i1', what: 'label it', before: null, after: 'role: infra' };
  const plan = {
    ...{ changes: [change, { ...change, object: 'Node i2' }], isDangerous: true, instructions: [] },
    summary: [
      { label: 'Moves', text: '2 objects of 2 moves' },
      { label: '', text: 'label: stays' },
    ],
    parts: ['label', 'taint'].map((label) => ({ label, text: `of ${label}`, end: 'no restart', changeCount: 1 })),
  };
  const dialog = startDialog(stepState('infra', 'needed', { plan }));
  const text = await dialog.enter();
  expect(text).toMatch(
    / Moves: 2 objects of 2 moves\n +will change {2}label: of label, no restart\n +will change {2}taint: /,
  );
  expect(text).not.toContain('Node i1');
  const question = await dialog.enter('1');
  for (const line of ['label: stays', 'Node i1: label it', '+ role: infra', 'Node i2: label it'])
    expect(question).toContain(line);
  expect(question).toMatch(/Continue\? \[y\/N\] $/);
});

test('go PAGE opens the page, or explains why it cannot', async () => {
  const run = startDialog(wizardState({}, { screen: 'review' }));
  await run.enter();
  await run.enter('go gateway');
  expect(run.store.getState().screen).toBe('networks');
  expect(await run.enter('go report')).toContain('Report: not yet: Review comes first.');
  expect(await run.enter('go nowhere at all')).toContain('Nothing here has "nowhere at all" in its name.');
  expect(run.store.getState().screen).toBe('networks');
});

test('go review accepts the answers up to it, and stops at a wrong one', async () => {
  const cluster = startDialog(wizardState({}, { screen: 'cluster' }));
  await cluster.enter('go review');
  expect(cluster.store.getState().screen).toBe('review');
  const wrong = startDialog(wizardState({ networks: { machine: [{ cidr: 'x' }] } }, { screen: 'cluster' }));
  await wrong.enter('go review');
  expect(wrong.store.getState()).toMatchObject({ screen: 'networks', notice: { kind: 'error' } });
});

test('the sign for the rest of a page leads on from a menu, too', async () => {
  const nodes = startDialog(wizardState({}, { screen: 'nodes' }));
  expect(await nodes.enter('>')).not.toContain('Type a number');
  expect(nodes.store.getState().screen).toBe('services');
});

test('nothing is asked any more while the wizard leaves', async () => {
  const dialog = startDialog(wizardState({}, { screen: 'welcome' }));
  await dialog.enter();
  dialog.store.dispatch({ type: 'session/quit' });
  expect(dialog.store.getState().leaveReason).toBe('quit');
  expect(await dialog.enter()).toBe('');
});

test('problems of the credential files that are found after Review was printed are printed, too', async () => {
  const review = startDialog(wizardState({}, { screen: 'review' }));
  await review.enter();
  const problem = { rule: 'pull-secret', path: 'credentials.pullSecretFile', line: 0, column: 0 } as const;
  const problems = [
    { ...problem, severity: 'warning' as const, message: 'There is no such file.', fix: 'Download it.' },
  ];
  review.store.dispatch({ type: 'credentials/reviewed', problems });
  const output = await review.enter();
  expect(output).toContain('There is no such file.');
  expect(output).toContain('1 warning');
  expect(output).not.toContain('machine network');
});

const REPORT: ReportView = {
  path: '/site/report.md',
  isCurrent: true,
  consoleUrl: null,
  kubeconfig: '/site/kubeconfig',
  sections: [],
  timeline: [],
  isApprovingCsrs: false,
};

test('the report of a rehearsal begins the real installation in the directory that is typed', async () => {
  const state = wizardState({}, { screen: 'report' });
  const rehearsal = { speed: 60, isPaused: false };
  const done: WizardState = applyInputs(
    { ...state, welcome: { ...state.welcome, rehearsal } },
    {
      type: 'step/probed',
      step: 'report',
      probe: buildProbe('done', REPORT),
      plan: null,
    },
  );
  const run = startDialog(done);
  expect(await run.enter()).toContain('install for real');
  expect(await run.enter('install for real')).toMatch(/\[\/home\/user\/upi-cluster\]: $/);
  await run.enter('/site/real');
  expect(run.effects.at(-1)).toEqual({ type: 'start-installation', dir: '/site/real' });
});

test('an action on one of several rows offers each under its own row, and by its name where the row cuts it', () => {
  const boot = stepState('boot', 'waiting');
  const listParts = (state: WizardState, label: string) => {
    const action = listMenuItems(state, createScreenTextModel(79)).find((item) => item.label === label)?.action;
    return action?.kind === 'pick' ? action.items().map((item) => item.label) : [];
  };
  expect(listParts(boot, catalogue().screens.keys.denyIgnition)).toEqual([
    expect.stringMatching(/^bs \[OK\] ignition /),
    expect.stringMatching(/^m1 \[!\] system image /),
    expect.stringMatching(/^m2 \[!\] boot script /),
    expect.stringMatching(/^m3 \[ \] no sign yet /),
  ]);
  const operators = stepState('operators', 'waiting');
  const labels = listParts(operators, catalogue().screens.keys.events);
  expect(labels[0]).toMatch(/^ingress \[X\] degraded /);
  expect(new Set(labels).size).toBe(labels.length);
});

test('the welcome tells what it has found on this machine as soon as it is known, each line once', async () => {
  const run = startDialog(wizardState());
  // A menu that was read keeps its numbers: it waits for the other installations.
  const before = await run.enter();
  expect(before).toContain('Welcome');
  expect(before).not.toContain('1. ');
  const overview = { findings: [], installer: null, otherInstallations: [] };
  run.store.dispatch({ type: 'welcome/probed', overview });
  const known = await run.enter();
  expect(known).toContain(
    `  ${catalogue().screens.welcome.requirements.machine.need}: ${catalogue().screens.welcome.requirements.machine.ok}`,
  );
  expect(known).not.toContain(catalogue().screens.welcome.headline);
  expect(known.match(/1\. /g)).toHaveLength(1);
  run.store.dispatch({ type: 'welcome/probed', overview: { ...overview } });
  expect(await run.enter()).not.toContain(catalogue().screens.welcome.requirements.machine.ok);
});

test('no line breaks inside a word, and a command is printed whole', async () => {
  const command = `oc adm must-gather --dest-dir=/srv/${'long/'.repeat(20)}`;
  const cause = 'The machine does not answer, because nothing on its network forwards what it sends to us. '.repeat(3);
  const finding = {
    code: 'x',
    severity: 'warning',
    title: cause.trim(),
    cause,
    remedy: `Look: \`${command}\` Then wait.`,
  };
  const run = startDialog(stepState('boot', 'waiting', { findings: [finding as Finding] }));
  const lines = (await run.enter()).split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([expect.stringContaining(command)]);
  expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(cause.trim());
});

test('the network diagram is read without the lines of its tree', async () => {
  const review = await startDialog(wizardState({}, { screen: 'review' })).enter();
  expect(review).toContain('machine network 172.16.0.0/24\n');
  expect(review).toMatch(/^ +bastion +172\.16\.0\.101 +boot files :8080$/m);
  expect(review).not.toMatch(/\|--|'--|==|^ *\|$/m);
});

test('a URL that is longer than a line is printed whole, in a page and in a sentence', async () => {
  const url = `https://docs.redhat.com/${'chapter/'.repeat(12)}page`;
  const page = { title: 'Links', lines: [`Log in as described on ${url}.`] };
  const run = startDialog(applyInputs(stepState('boot', 'waiting'), { type: 'overlay/show', page }));
  expect(await run.enter()).toMatch(new RegExp(`^ *${url}\\.$`, 'm'));
  const finding = { ...FINDING, cause: `Read ${url} first.` };
  const other = startDialog(stepState('boot', 'waiting', { findings: [finding] }));
  expect(await other.enter()).toContain(`${url}`);
});

test('a list of nodes to delete has no default: Enter deletes none', async () => {
  const { enter, store } = startDialog(STATES['nodes table']?.() ?? wizardState({}, { screen: 'nodes' }));
  const names = () => readNodeDrafts(store.getState().document).map(({ name }) => name);
  const before = names();
  await enter();
  const list = await enter(catalogue().screens.keys.remove);
  expect(list).toMatch(/Your choice: $/);
  expect(await enter('')).toContain('Type a number from 1 to');
  expect(names()).toEqual(before);
  await enter('1');
  expect(names()).toEqual(before.slice(1));
});

test('an entry of the welcome menu has the letter that the page names for it', () => {
  const state = STATES['welcome around']?.() ?? wizardState();
  const letters = listMenuItems(state, createScreenTextModel(79)).map(({ letter }) => letter);
  expect(letters).toContain(SHORTCUTS.checkMachine);
});

test('a refused paste is dropped, so the next one starts empty; < and quit leave the paste', async () => {
  const openLines = (state = STATES['nodes table']?.() ?? wizardState({}, { screen: 'nodes' })) => {
    const dialog = startDialog(state);
    dialog.store.dispatch({ type: 'import/open', from: 'lines' });
    return dialog;
  };
  const { enter, store } = openLines();
  const prompt = await enter();
  expect(prompt).toContain('A line with a single dot ends the paste.');
  expect(prompt).not.toContain('Ctrl-D');
  const refused = await enter('nothing of a table', '.');
  expect(refused.replaceAll('\n', ' ')).toContain(catalogue().imports.unknown);
  expect(refused).toContain('These lines were dropped');
  expect(store.getState().overlay).toMatchObject({ importState: { phase: 'lines', lines: '' } });
  await enter('w9 compute 172.16.0.99 52:54:00:00:00:99', '.');
  expect(store.getState().overlay).toMatchObject({ importState: { phase: 'offered' } });
  for (const word of ['<', 'back']) {
    const closed = openLines();
    await closed.enter('w9 compute 172.16.0.99', word);
    expect(closed.store.getState().overlay).toBeNull();
    expect(closed.effects).not.toContainEqual(expect.objectContaining({ type: 'leave' }));
  }
  const left = openLines();
  await left.enter('quit');
  expect(left.effects).toContainEqual(expect.objectContaining({ type: 'leave' }));
});

test('Enter takes the import that the screens select, and each choice is printed once', async () => {
  const dialog = startDialog(wizardState({}, { screen: 'nodes' }));
  const nodeCount = (getAt(dialog.store.getState().document, 'nodes') as unknown[]).length;
  dialog.store.dispatch({ type: 'import/paste', text: 'w9 compute 172.16.0.99 52:54:00:00:00:99\n' });
  const offer = await dialog.enter();
  const { modes, modeHints } = catalogue().imports.screen;
  for (const label of [modes['merge-nodes'], modes['replace-nodes']]) expect(offer.split(label)).toHaveLength(2);
  expect(offer).toContain(`1. ${modes['merge-nodes']}`);
  expect(offer).toContain(modeHints('undo')['replace-nodes']);
  const imported = await dialog.enter('');
  expect(getAt(dialog.store.getState().document, 'nodes')).toHaveLength(nodeCount + 1);
  expect(imported).toContain('Undo reverts it.');
});

test('a return prints what happened meanwhile, and only the last lines of a job that is followed again', async () => {
  const dialog = startDialog(wizardState({}, { screen: 'prepare' }));
  await dialog.enter();
  const view = { items: [], phases: [] };
  dialog.store.dispatch({ type: 'step/probed', step: 'prepare', probe: buildProbe('needed', view), plan: safePlan });
  await dialog.enter();
  dialog.store.dispatch({ type: 'session/absence', text: 'Since you left (5 min): no change.' });
  await dialog.settle();
  expect(await dialog.enter('')).toContain('Since you left (5 min): no change.');
  for (let line = 1; line <= 12; line += 1)
    dialog.store.dispatch({ type: 'step/reported', step: 'prepare', line: `line ${line}.` });
  await dialog.settle();
  const output = dialog.output();
  expect(output).not.toContain('line 7.');
  expect(output).toMatch(/\.\.\. 7 earlier lines\n {2}line 8\./);
  expect(output).toContain('line 12.');
});

test('plain lines name what is typed, not keys: the word undo, a letter of the menu', async () => {
  const run = startDialog(wizardState({}, { screen: 'networks' }));
  await run.enter();
  run.store.dispatch({ type: 'notice/shown', notice: { kind: 'info', text: catalogue().followUp.accepted(17) } });
  expect(await run.enter()).toContain('17 answers changed too. undo reverts that.');
  expect(nameTypedInput(catalogue().pages.editLock.unlocked)).toBe('You can edit now. undo undoes a change.');
  expect(nameTypedInput('3 problems: press m. Press R, or press a key')).toBe(
    '3 problems: type m. Type R, or press a key',
  );
});
