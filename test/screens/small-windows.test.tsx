// Text that is too long for the smallest window is still complete: it wraps, or can be scrolled. A large window uses
// its free rows.
import { afterAll, expect, test } from 'vitest';
import type { Finding } from '../../src/checks/check.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { infraStep } from '../../src/steps/infra.ts';
import type { Notice, WizardState } from '../../src/wizard/state.ts';
import { applyInputs, wizardState } from '../support/wizard-state.ts';
import {
  closeApp,
  getBody,
  getLines,
  pressKeys,
  readFrames,
  renderState,
  SIZES,
  type Size,
  stripSpaces,
} from './uncut.ts';
import { generateView, infraView, operatorsView, STATES, stepState } from './views.ts';

afterAll(closeApp);

const [SMALL, , LARGE] = SIZES;
const SMALLEST = [60, 15] as const;
const renderBody = async (state: WizardState, size: Size) => getBody(state, await renderState(state, size), size);

test('the stages of the bootstrap are whole at 60 columns, with how long the running one usually takes', async () => {
  const { stages, inPlace } = catalogue().steps.bootstrap;
  // The widest sign is that of a terminal without Unicode, and the longest time is the text for a stage that was not
  // watched.
  const maxTitleLength = SMALL[0] - 2 - 2 - '[OK] '.length - 2 - catalogue().screens.bootstrap.notWatched.length;
  for (const title of [...Object.values(stages), ...Object.values(inPlace.stages)])
    expect(title.length, title).toBeLessThanOrEqual(maxTitleLength);
  const body = await renderBody(stepState('bootstrap', 'waiting'), SMALL);
  expect(body.join('\n')).toContain(stages['control-plane']);
  expect(stripSpaces(body.join(''))).toContain(stripSpaces('Usually 8–15 min.'));
  const wide = await renderBody(stepState('bootstrap', 'waiting'), SIZES[1]);
  expect(wide.filter((line) => line.includes('8–15 min')).length).toBeGreaterThan(1);
  expect(wide.join('\n')).not.toContain('Usually 8–15 min.');
});

test('below a form in the smallest window, the reason of a question has whole sentences only', async () => {
  const fieldNotice: Notice = { kind: 'info', text: 'The nodes, addresses and services are now those of the example.' };
  const whys: string[] = [];
  for (const topology of ['standard', 'arbiter'])
    for (const notice of [null, fieldNotice])
      for (let field = 0; field < 6; field += 1) {
        const form = wizardState({ 'cluster.topology': topology }, { screen: 'cluster' });
        const state = { ...applyInputs(form, { type: 'field/move', by: field }), notice };
        const body = await renderBody(state, SMALLEST);
        const below = body
          .slice(body.findIndex((line) => line.trim() === '' || / \d+–\d+ of \d+/.test(line)) + 1)
          .join('\n');
        expect(below, body.join('\n')).not.toContain('…');
        whys.push(/^Why +(.*)$/m.exec(below)?.[1] ?? '');
      }
  // Beside an error, the first sentence is shown if it fits.
  expect(whys).toContain('standard: 3 control plane nodes and compute nodes.');
});

test('in the smallest window, the table of nodes shows six of them, and the form of the networks seven fields', async () => {
  const nodes = await renderBody(wizardState({}, { screen: 'nodes' }), SMALLEST);
  expect(nodes.filter((line) => /\d+\.\d+ +00:50:56/.test(line)).length, nodes.join('\n')).toBe(6);
  expect(nodes.join('\n')).toContain('one wrong digit');
  const networks = await renderBody(wizardState({}, { screen: 'networks' }), SMALLEST);
  expect(networks.join('\n')).toContain('1–7 of 10');
  expect(networks.join('\n')).toContain('Why    The network that the nodes');
  // An error has its lines: the fields give way to it.
  const wrong = await renderBody(
    wizardState({ 'networks.machine.0.cidr': '172.16.0.0/33' }, { screen: 'networks' }),
    SMALLEST,
  );
  expect(wrong.join(' ')).toMatch(/▸ Machine network[\s\S]*Error +The prefix length of 172\.16\.0\.0\/33/);
  expect(wrong.join('\n')).not.toContain(catalogue().ui.restInHelp);
});

test('beside the table of nodes, the note and the help do not repeat each other', async () => {
  const body = await renderBody(wizardState({}, { screen: 'nodes' }), [120, 40]);
  expect(body.join('\n').match(/one wrong/g)).toHaveLength(1);
  expect(body.join('\n')).toContain(catalogue().pages.nodes.pasteHelp.slice(0, 30));
});

test('in the smallest window, an import shows both choices, and the hint of the selected one in full', async () => {
  const nodes = wizardState({}, { screen: 'nodes' });
  const pasted = applyInputs(nodes, { type: 'import/paste', text: 'w9,compute,172.16.0.39,00:50:56:96:6b:d9\n' });
  const { modes, modeHints } = catalogue().imports.screen;
  for (const by of [-1, 1]) {
    const body = (await renderBody(applyInputs(pasted, { type: 'import/move', by }), SMALLEST)).join('\n');
    for (const mode of ['replace-nodes', 'merge-nodes'] as const) expect(body).toContain(modes[mode]);
    expect(body).toContain(modeHints('u')[by < 0 ? 'replace-nodes' : 'merge-nodes']);
  }
});

test('operators: the smallest window shows the selected one beside a finding with a command', async () => {
  const [ingress] = operatorsView.operators;
  const finding: Finding = {
    ...{ code: 'operator-degraded', state: 'failed', severity: 'fatal', subject: ingress?.name ?? '' },
    ...{ title: 'ingress: waiting for space on a disk, which is full', cause: 'A cause. '.repeat(20) },
    remedy:
      'Free space on its node. To see which node it is, and what is full there: `oc get pods -A -o wide | grep ingress`',
  };
  const body = await renderBody(stepState('operators', 'needed', { findings: [finding] }), SMALLEST);
  expect(body.join('\n')).toMatch(/▸ ingress +✖ degraded/);
  expect(body.join('\n')).toMatch(/Free space on its node\. To see which node it\n *is, and what is full there:\n/);
  expect(body.join('\n')).toContain('oc get pods -A -o wide | grep ingress');
});

test('the changes of a move can be read to their end in a small window, and a large one has the help below', async () => {
  const long = Array.from({ length: 9 }, (_, line) => `  field-${line}: ${'value '.repeat(14)}end-${line}\n`).join('');
  const moves = infraView.moves.map((move) =>
    move.name === 'router'
      ? { ...move, changes: [{ object: 'lb1/etc/haproxy/haproxy.cfg', isFile: true, before: null, after: long }] }
      : move,
  );
  const row = moves.findIndex(({ name }) => name === 'router');
  const state = applyInputs(stepState(infraStep.id, 'needed', { view: { ...infraView, moves } }), {
    type: 'row/move',
    by: row,
    count: 99,
  });
  const frames = await readFrames(state, SMALL, 'right');
  const text = stripSpaces(frames.flat().join(''));
  expect(frames[0]?.join('\n')).toMatch(/1–\d+ of \d+ \(Right\)\n/);
  expect(frames.flat().some((line) => line.trim() === 'lb1: /etc/haproxy/haproxy.cfg')).toBe(true);
  for (let line = 0; line < 9; line += 1) expect(text).toContain(`end-${line}`);
  for (const body of frames) expect(body.join('\n')).toContain('router');
  const removal = stripSpaces((await renderBody(stepState('bootstrap-removal', 'needed'), LARGE)).join(''));
  expect(removal).toContain(stripSpaces(catalogue().stepHelp.steps['bootstrap-removal'].reason));
  // A list, its detail, or a log still leaves the help a few rows.
  for (const step of ['infra', 'prepare', 'boot', 'hosts', 'bootstrap', 'certificates'] as const) {
    const body = stripSpaces((await renderBody(stepState(step, 'waiting'), LARGE)).join(''));
    expect(body, step).toContain(stripSpaces(catalogue().stepHelp.steps[step].action));
  }
});

test('long lines of a generated file wrap, and Right scrolls to the last of them', async () => {
  const content = `${Array.from({ length: 12 }, (_, line) => `  entry ${line} ${'word '.repeat(16)}end-${line}`).join('\n')}\n`;
  const hosts = generateView.hosts.map((host) => ({
    ...host,
    files: host.files.map((file, index) => (index === 0 && host.name === 'ns1' ? { ...file, content } : file)),
  }));
  const state = applyInputs(stepState('generate', 'needed', { view: { hosts } }), {
    type: 'row/move',
    by: 1,
    count: 99,
  });
  const text = stripSpaces((await readFrames(state, SMALL, 'right')).flat().join(''));
  for (let line = 0; line < 12; line += 1) expect(text).toContain(`end-${line}`);
  // Without a managed name server, the text about it is absent.
  const renderGenerate = async (of: typeof hosts) =>
    (await renderBody(stepState('generate', 'needed', { view: { hosts: of } }), SIZES[1])).join(' ');
  expect(
    [await renderGenerate(hosts), await renderGenerate(hosts.slice(1))].map((body) =>
      body.includes('uses the name server'),
    ),
  ).toEqual([true, false]);
});

test('the address of the console is complete in the state of the step, and operators use the free rows', async () => {
  const address = 'https://console-openshift-console.apps.ocp45.example.localdomain';
  const healthyOperators = Array.from({ length: 34 }, (_, index) => ({
    ...(operatorsView.operators.at(-1) ?? operatorsView.operators[0]),
    name: `operator-${index}`,
  }));
  const view = { ...operatorsView, consoleUrl: address, operators: healthyOperators as typeof operatorsView.operators };
  const doneState = applyInputs(wizardState({}, { screen: 'operators' }), {
    type: 'step/probed',
    step: 'operators',
    probe: { state: 'done', summary: catalogue().steps.operators.done(address, 0), view, findings: [] },
    plan: { changes: [], isDangerous: false, instructions: [] },
  });
  expect(stripSpaces((await renderBody(doneState, SMALL)).join(''))).toContain(stripSpaces(address));
  const large = await renderBody(doneState, LARGE);
  // The list has half of the rows; the other half belongs to the selected operator.
  expect(large.filter((line) => /operator-\d+ /.test(line)).length).toBeGreaterThan(10);
});

test('at the end of a page PgUp turns back at once', async () => {
  const help = applyInputs(wizardState({}, { screen: 'networks' }), { type: 'overlay/open', overlay: 'help' });
  await renderState(help, SMALL);
  await pressKeys('\u001b[F');
  const end = await pressKeys('\u001b[5~').then(() => getLines());
  await pressKeys('\u001b[F');
  expect(end).not.toEqual(getLines());
});

test('a new error is shown before a list, with its complete remedy', async () => {
  const fix = `Does this host reach mirror.example.com? ${'If it may not, copy it there by hand. '.repeat(4)}That is the end.`;
  const userError = {
    code: 'fetch',
    title: 'nothing could be fetched',
    cause: 'no such host: mirror.example.com',
    remedy: fix,
  };
  const failed = applyInputs(stepState('prepare', 'needed'), {
    type: 'step/failed',
    step: 'prepare',
    during: 'run',
    userError,
  });
  const body = stripSpaces((await renderBody(failed, SIZES[1])).join(''));
  expect(body).toContain(stripSpaces(userError.cause));
  expect(body).toContain('Thatistheend.');
});

test('the verdict of the review and the picture of the network are whole at 60 columns', async () => {
  const review = STATES.review?.() ?? wizardState({}, { screen: 'review' });
  const body = await renderBody(review, SMALL);
  expect(stripSpaces(body.join(''))).toContain(stripSpaces(catalogue().pages.review.exampleVerdict));
  for (const part of ['boot files :8080', 'm1 m2 m3']) expect(body.join('\n')).toContain(part);
});
