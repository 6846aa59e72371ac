import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { faceOf } from '../../screens/app/plain.tsx';
import type { Finding } from '../../src/diagnosis/finding.ts';
import type { MoveName } from '../../src/moves/table.ts';
import { converse } from '../../src/plain/dialog.ts';
import { lineInput } from '../../src/plain/line-input.ts';
import type { InfraView, SeenMove } from '../../src/steps/infra/index.ts';
import type { ReportView } from '../../src/steps/report/index.ts';
import { getAt } from '../../src/wizard/design/document.ts';
import type { Effect } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { createWizardStore } from '../../src/wizard/store.ts';
import { after, dangerousPlan, probeOf, safePlan, wizardState } from '../support/wizard-state.ts';

/** A conversation from this state on; ends when the wizard is left. */
function talk(state: WizardState) {
  const effects: Effect[] = [];
  const input = new PassThrough();
  let written = '';
  let heard = 0;
  let leave: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const store = createWizardStore(state, (effect) => {
    effects.push(effect);
    if (effect.type === 'leave') leave();
  });
  const lines = lineInput(input);
  const talking = converse({
    store,
    face: faceOf(79),
    input: lines,
    write: (text) => {
      written += text;
    },
    columns: 80,
    ended,
  });
  const settle = async () => {
    // Lines and states are handled between turns of the event loop.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    store,
    effects,
    written: () => written,
    /** What was said since the last time. */
    async says(...typed: readonly string[]) {
      for (const line of typed) {
        input.write(`${line}\n`);
        await settle();
      }
      await settle();
      const fresh = written.slice(heard);
      heard = written.length;
      return fresh;
    },
    async all(text: string) {
      input.end(text);
      await talking;
      lines.close();
      return written;
    },
    settle,
  };
}

const runs = (effects: readonly Effect[]) => effects.filter(({ type }) => type === 'run');

test('a form is asked question by question, with its reasons, choices and default, and leads to the next page', async () => {
  const run = talk(wizardState({}, { screen: 'cluster' }));
  expect(await run.says()).toMatch(/\[2\/17\] Cluster\n[\s\S]*OpenShift version \[4\.18\]: $/);
  expect(await run.says('4.19')).toMatch(/Architecture \[x86_64\]: $/);
  expect(await run.says('')).toMatch(/1\. standard\n {2}2\. compact\n[\s\S]*Topology \[standard\]: $/);
  expect(await run.says('1')).toMatch(/Cluster name \[ocp45\]: $/);
  const wrong = await run.says('Prod_1');
  expect(wrong).toMatch(/^ {2}That does not work: /);
  expect(wrong).toMatch(/Cluster name \[Prod_1\]: $/);
  expect(await run.says('prod')).toMatch(/Base domain \[example\.localdomain\]: $/);
  expect(await run.says('<')).toMatch(/Cluster name \[prod\]: $/);
  expect(await run.says('?')).toMatch(/keeps the rest of this page/);
  expect(await run.says('>')).toMatch(/\[3\/17\] Networks\n[\s\S]*Machine network \[172\.16\.0\.0\/24\]: $/);
  const { document } = run.store.getState();
  expect([getAt(document, 'openshift.version'), getAt(document, 'cluster.name')]).toEqual(['4.19', 'prod']);
  expect(run.effects).toContainEqual({ type: 'save' });
});

test('another machine network asks whether the addresses follow it, and goes on with the next question', async () => {
  const run = talk(wizardState({}, { screen: 'networks' }));
  const asked = await run.says('10.20.30.0/24');
  expect(asked).toMatch(/Move 16 addresses to 10\.20\.30\.0\/24\?\n[\s\S]*lb1\nChange them\? \[Y\/n\] $/);
  expect(await run.says('y')).toMatch(/Gateway \[10\.20\.30\.254\] .*: $/);
  expect(getAt(run.store.getState().document, 'services.loadBalancer.servers.0.ip')).toBe('10.20.30.112');
});

test('all lines in one write have the effect of the lines one by one', async () => {
  const typed = ['>', '', '172.16.0.253', '>', '', '', '>', '>', 'quit'];
  const once = talk(wizardState({}, { screen: 'cluster' }));
  const slow = talk(wizardState({}, { screen: 'cluster' }));
  await once.all(`${typed.join('\n')}\n`);
  await slow.says(...typed);
  expect(once.store.getState()).toEqual(slow.store.getState());
  expect(once.store.getState().screen).toBe('review');
  expect(getAt(once.store.getState().document, 'networks.machine.0.gateway')).toBe('172.16.0.253');
});

test('an optional answer is taken away with a hyphen, and a choice that is none of them is asked again', async () => {
  const run = talk(after(wizardState({}, { screen: 'networks' }), { type: 'field/move', by: 1 }));
  await run.says('-');
  expect(getAt(run.store.getState().document, 'networks.machine.0.gateway')).toBeUndefined();
  const choice = talk(after(wizardState({}, { screen: 'cluster' }), { type: 'field/move', by: 1 }));
  expect(await choice.says('9')).toMatch(/ {2}Type a number from 1 to \d\.\nArchitecture \[x86_64\]: $/);
});

test('a node is chosen by its number, edited and taken back, as the screens do it', async () => {
  const run = talk(wizardState({}, { screen: 'nodes' }));
  expect(await run.says()).toMatch(/2\. edit \(e\)/);
  expect(await run.says('e')).toMatch(/2\. m1 {2}control-plane {2}172\.16\.0\.21\n/);
  expect(await run.says('2')).toMatch(/Name \[m1\]: $/);
  expect(await run.says('m9', '>')).toMatch(/Your choice \[1\]: $/);
  expect(getAt(run.store.getState().document, 'nodes.1.name')).toBe('m9');
  await run.says('d', '2');
  expect(getAt(run.store.getState().document, 'nodes.1.name')).toBe('m2');
  expect(await run.says('u')).toContain('Took back: Nodes > m9 is there again.');
  expect(getAt(run.store.getState().document, 'nodes.1.name')).toBe('m9');
});

test('undo and back are words: the last answer is taken back where it was given, and given again', async () => {
  const run = talk(wizardState({}, { screen: 'cluster' }));
  await run.says('4.19');
  expect(await run.says('undo')).toMatch(
    /Took back: Cluster > OpenShift version 4\.18 \(was 4\.19\)\.[\s\S]*OpenShift version \[4\.18\]: $/,
  );
  expect(await run.says('redo')).toMatch(/OpenShift version \[4\.19\]: $/);
  expect(await run.says('', 'back')).toMatch(/OpenShift version \[4\.19\]: $/);
  const menu = talk(wizardState({}, { screen: 'nodes' }));
  await menu.says('d', '1');
  expect(await menu.says('undo')).toContain('Took back: Nodes > bs is there again.');
  expect(await menu.says('back')).toContain('Networks');
});

test('what a step works with is read-only until the word edit', async () => {
  const run = talk(after(wizardState({}, { screen: 'boot' }), { type: 'screen/go', screen: 'cluster' }));
  expect(await run.says()).toContain('Read-only: an installation uses these answers.');
  expect(await run.says('4.19')).toContain('Read-only');
  expect(getAt(run.store.getState().document, 'openshift.version')).toBe('4.18');
  await run.says('edit', '4.19');
  expect(getAt(run.store.getState().document, 'openshift.version')).toBe('4.19');
});

test('the review names each problem as a choice that leads to its answer, and back', async () => {
  const run = talk(wizardState({ 'nodes.1.mac': 'nonsense' }, { screen: 'review' }));
  expect(await run.says()).toMatch(/to this answer \(o\)/);
  expect(await run.says('o', '1')).toMatch(/MAC address \[nonsense\]: $/);
  expect(await run.says('00:50:56:96:37:c8')).toMatch(/\[7\/17\] Review/);
});

const FINDING: Finding = {
  code: 'not-finished',
  state: 'failed',
  severity: 'warning',
  subject: null,
  title: 'lb1 is slow',
  cause: 'it says so',
  whatToDo: 'wait',
};

test('a step says what it found and would change, does it on a choice, and says each thing once', async () => {
  const run = talk(wizardState({}, { screen: 'prepare' }));
  expect(await run.says()).toMatch(/\[10\/17\] Prepare\n[\s\S]* {2}looking\n$/);
  const view = { items: [], phases: [] };
  const plan = { ...safePlan, changes: [{ object: 'manifests/', what: 'made', before: null, after: null }] };
  run.store.dispatch({ type: 'step/looked', step: 'prepare', probe: probeOf('needed', view), plan });
  expect(await run.says()).toMatch(/ {2}it is needed\n {2}will change {2}manifests\/: made\n\n {2}1\. prepare\n/);
  await run.says('');
  expect(runs(run.effects)).toEqual([{ type: 'run', step: 'prepare', action: 'apply', subject: null }]);
  run.store.dispatch({ type: 'step/reported', step: 'prepare', line: 'making manifests' });
  const waiting = probeOf('waiting', view, { findings: [FINDING] });
  for (let look = 0; look < 3; look += 1)
    run.store.dispatch({ type: 'step/looked', step: 'prepare', probe: waiting, plan: null });
  await run.settle();
  const said = run.written();
  for (const once of ['making manifests', 'it is waiting', 'lb1 is slow', 'because: it says so', 'Nothing to do here'])
    expect(said.split(once), once).toHaveLength(2);
  run.store.dispatch({ type: 'step/applied', step: 'prepare' });
  run.store.dispatch({ type: 'step/looked', step: 'prepare', probe: probeOf('done', view), plan: null });
  expect(await run.says()).toMatch(/ {2}done: it is done\n\n {2}1\. next\n/);
});

test('what runs can be stopped: Enter shows what can be done meanwhile', async () => {
  const run = talk(wizardState({}, { screen: 'prepare' }));
  run.store.dispatch({
    type: 'step/looked',
    step: 'prepare',
    probe: probeOf('needed', { items: [], phases: [] }),
    plan: safePlan,
  });
  await run.says('');
  expect(await run.says('')).toMatch(/1\. keep waiting\n {2}2\. stop it\n/);
  expect(await run.says('2')).toContain('Stopping. What was done so far stays done.');
  expect(run.effects).toContainEqual({ type: 'cancel', step: 'prepare' });
});

const move = (name: MoveName, state: SeenMove['state']): SeenMove => ({ name, state, why: '', changes: [] });
const MOVES: InfraView = {
  traffic: null,
  moves: [move('label', 'done'), move('pool', 'done'), move('router', 'absent')],
};

test('a dangerous step is asked with its whole difference, and an empty line is no', async () => {
  const run = talk(wizardState({}, { screen: 'infra' }));
  run.store.dispatch({ type: 'step/looked', step: 'infra', probe: probeOf('needed', MOVES), plan: dangerousPlan });
  expect(await run.says('1')).toMatch(/haproxy\.cfg: a server leaves\n[\s\S]*- b\n[\s\S]*Go on\? \[y\/N\] $/);
  await run.says('');
  expect(runs(run.effects)).toEqual([]);
  await run.says('1', 'y');
  expect(runs(run.effects)).toEqual([{ type: 'run', step: 'infra', action: 'apply', subject: null }]);
});

test('what the screens do with the selected row, a menu does with each that it is possible for', async () => {
  const run = talk(wizardState({}, { screen: 'infra' }));
  run.store.dispatch({ type: 'step/looked', step: 'infra', probe: probeOf('needed', MOVES), plan: dangerousPlan });
  const said = await run.says('u');
  expect(said).toMatch(/1\. label \[OK\] done [\s\S]*2\. pool \[OK\] done /);
  expect(said).not.toContain('3. router');
  // The question waits for what a person has to read first.
  expect(await run.says('2')).not.toContain('Go on?');
  const instead = [{ key: 'overwrite', label: 'overwrite theirs too', subject: 'pool overwrite' }] as const;
  const brief = { question: 'Undo pool?', lines: ['MachineConfigPool infra: changed'], instead };
  run.store.dispatch({ type: 'step/briefed', step: 'infra', action: 'undo', subject: 'pool', brief });
  expect(await run.says()).toMatch(
    /Undo pool\?\n\nMachineConfigPool infra: changed\n\nO {2}overwrite theirs too\nGo on\? \[y\/N\] $/,
  );
  await run.says('o');
  run.store.dispatch({ type: 'step/briefed', step: 'infra', action: 'undo', subject: 'pool', brief });
  expect(run.store.getState().runs.infra).toMatchObject({ question: { brief: 'reading', subject: 'pool overwrite' } });
  run.store.dispatch({ type: 'step/ask', action: 'undo', subject: 'pool' });
  run.store.dispatch({ type: 'step/briefed', step: 'infra', action: 'undo', subject: 'pool', brief });
  await run.says();
  await run.says('y');
  expect(runs(run.effects)).toEqual([{ type: 'run', step: 'infra', action: 'undo', subject: 'pool' }]);
});

test('a page that a person asked for is said whole, and closed again', async () => {
  const run = talk(wizardState({}, { screen: 'prepare' }));
  run.store.dispatch({
    type: 'step/looked',
    step: 'prepare',
    probe: probeOf('done', { items: [], phases: [] }),
    plan: null,
  });
  run.store.dispatch({ type: 'step/show', subject: 'x' });
  run.store.dispatch({
    type: 'step/shown',
    step: 'prepare',
    subject: 'x',
    page: { title: 'Events', lines: ['a', 'b'] },
  });
  expect(await run.says()).toMatch(/\nEvents\n\na\nb\n/);
  await run.says('<');
  expect(run.store.getState().overlay).toBeNull();
});

test('a page over the first screen is said, and Enter leads on', async () => {
  const page = { title: 'Welcome back. Enter continues at Cluster.', lines: ['You left at 12:00.'] };
  const talking = talk(after(wizardState({}, { screen: 'cluster' }), { type: 'overlay/show', page }));
  expect(await talking.says()).toContain(page.lines[0]);
  await talking.says('');
  expect(talking.store.getState()).toMatchObject({ screen: 'cluster', overlay: null });
  await talking.all('');
});

test('go PAGE goes there, or says why it does not', async () => {
  const run = talk(wizardState({}, { screen: 'review' }));
  await run.says();
  await run.says('go gateway');
  expect(run.store.getState().screen).toBe('networks');
  expect(await run.says('go report')).toContain('Report: not yet: Review comes first.');
  expect(await run.says('go nowhere at all')).toContain('Nothing here has "nowhere at all" in its name.');
  expect(run.store.getState().screen).toBe('networks');
});

const REPORT: ReportView = {
  path: '/site/report.md',
  isWritten: true,
  console: null,
  kubeconfig: '/site/kubeconfig',
  sections: [],
  isFollowing: false,
};

test('the report of a rehearsal begins the real installation in the directory that is typed', async () => {
  const state = wizardState({}, { screen: 'report' });
  const rehearsal = { speed: 60, isPaused: false };
  const done: WizardState = after(
    { ...state, welcome: { ...state.welcome, rehearsal } },
    {
      type: 'step/looked',
      step: 'report',
      probe: probeOf('done', REPORT),
      plan: null,
    },
  );
  const run = talk(done);
  expect(await run.says()).toContain('install for real');
  expect(await run.says('install for real')).toMatch(/\[\/home\/user\/upi-cluster\]: $/);
  await run.says('/site/real');
  expect(run.effects.at(-1)).toEqual({ type: 'begin-installation', dir: '/site/real' });
});
