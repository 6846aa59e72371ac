// What is too long for the smallest window is whole all the same: it goes on below, or is read on; and what a large window leaves
// free is used.
import { afterAll, expect, test } from 'vitest';
import { infraStep } from '../../src/steps/infra/index.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { after, wizardState } from '../support/wizard-state.ts';
import { bodyOf, closeApp, framesOf, lines, press, SIZES, shown, squeezed } from './uncut.ts';
import { generateView, infraView, operatorsView, STATES, stepState } from './views.ts';

afterAll(closeApp);

const [SMALL, , LARGE] = SIZES;
const bodyAt = async (state: WizardState, size: (typeof SIZES)[number]) =>
  bodyOf(state, await shown(state, size), size);

test('the stages of the bootstrap are whole at 60 columns, with how long the running one usually takes', async () => {
  const { stages, inPlace } = catalogue().steps.bootstrap;
  // The widest sign is the one of a terminal without Unicode, and the longest time is none.
  const room = SMALL[0] - 2 - 2 - '[OK] '.length - 2 - catalogue().screens.bootstrap.notWatched.length;
  for (const title of [...Object.values(stages), ...Object.values(inPlace.stages)])
    expect(title.length, title).toBeLessThanOrEqual(room);
  const body = await bodyAt(stepState('bootstrap', 'waiting'), SMALL);
  expect(body.join('\n')).toContain(stages['control-plane']);
  expect(squeezed(body.join(''))).toContain(squeezed('Usually 8-15 min.'));
  const wide = await bodyAt(stepState('bootstrap', 'waiting'), SIZES[1]);
  expect(wide.filter((line) => line.includes('8-15 min')).length).toBeGreaterThan(1);
  expect(wide.join('\n')).not.toContain('Usually 8-15 min.');
});

test('what a move changes is read to its end in a small window, and a large one has the help below it', async () => {
  const long = Array.from({ length: 9 }, (_, line) => `  field-${line}: ${'value '.repeat(14)}end-${line}\n`).join('');
  const moves = infraView.moves.map((move) =>
    move.name === 'router'
      ? { ...move, changes: [{ object: 'lb1/etc/haproxy/haproxy.cfg', isFile: true, before: null, after: long }] }
      : move,
  );
  const row = moves.findIndex(({ name }) => name === 'router');
  const at = after(stepState(infraStep.id, 'needed', { view: { ...infraView, moves } }), {
    type: 'row/move',
    by: row,
    count: 99,
  });
  const frames = await framesOf(at, SMALL, 'right');
  const seen = squeezed(frames.flat().join(''));
  expect(frames[0]?.join('\n')).toMatch(/lines 1-\d+ of \d+\n/);
  expect(frames.flat().some((line) => line.trim() === 'lb1: /etc/haproxy/haproxy.cfg')).toBe(true);
  for (let line = 0; line < 9; line += 1) expect(seen).toContain(`end-${line}`);
  for (const body of frames) expect(body.join('\n')).toContain('router');
  const { why, next } = catalogue().stepHelp.steps.infra;
  const large = squeezed((await bodyAt(stepState('infra', 'needed'), LARGE)).join(''));
  expect([large.includes(squeezed(why)), large.includes(squeezed(next))]).toEqual([true, true]);
  for (const step of ['prepare', 'boot', 'bootstrap-removal'] as const) {
    const body = squeezed((await bodyAt(stepState(step, 'needed'), LARGE)).join(''));
    expect(body, step).toContain(squeezed(catalogue().stepHelp.steps[step].why));
  }
  // A list that scrolls, and a log, leave it a few rows all the same.
  for (const step of ['hosts', 'bootstrap', 'certificates', 'operators'] as const) {
    const body = squeezed((await bodyAt(stepState(step, 'waiting'), LARGE)).join(''));
    expect(body, step).toContain(squeezed(catalogue().stepHelp.steps[step].now));
  }
});

test('lines of a generated file go on below, and Right reads to the last of them', async () => {
  const content = `${Array.from({ length: 12 }, (_, line) => `  entry ${line} ${'word '.repeat(16)}end-${line}`).join('\n')}\n`;
  const hosts = generateView.hosts.map((host) => ({
    ...host,
    files: host.files.map((file, index) => (index === 0 && host.name === 'ns1' ? { ...file, content } : file)),
  }));
  const at = after(stepState('generate', 'needed', { view: { hosts } }), { type: 'row/move', by: 1, count: 99 });
  const seen = squeezed((await framesOf(at, SMALL, 'right')).flat().join(''));
  for (let line = 0; line < 12; line += 1) expect(seen).toContain(`end-${line}`);
  // Without a name server of ours nothing waits for one.
  const first = async (of: typeof hosts) =>
    (await bodyAt(stepState('generate', 'needed', { view: { hosts: of } }), LARGE)).join(' ');
  expect(
    [await first(hosts), await first(hosts.slice(1))].map((body) => body.includes('asks the name server')),
  ).toEqual([true, false]);
});

test('the address of the console is whole in the state of the step, and operators take the rows that are free', async () => {
  const address = 'https://console-openshift-console.apps.ocp45.example.localdomain';
  const fine = Array.from({ length: 34 }, (_, index) => ({
    ...(operatorsView.operators.at(-1) ?? operatorsView.operators[0]),
    name: `operator-${index}`,
  }));
  const view = { ...operatorsView, consoleUrl: address, operators: fine as typeof operatorsView.operators };
  const summed = after(wizardState({}, { screen: 'operators' }), {
    type: 'step/looked',
    step: 'operators',
    probe: { state: 'done', summary: catalogue().steps.operators.done(address, 0), view, findings: [] },
    plan: { changes: [], isDangerous: false, instructions: [] },
  });
  expect(squeezed((await bodyAt(summed, SMALL)).join(''))).toContain(squeezed(address));
  const large = await bodyAt(summed, LARGE);
  // The last operator's details need few rows: the list has the others, but for what the help has.
  expect(large.filter((line) => /operator-\d+ /.test(line)).length).toBeGreaterThan(15);
});

test('at the end of a page PgUp turns back at once', async () => {
  const help = after(wizardState({}, { screen: 'networks' }), { type: 'overlay/open', overlay: 'help' });
  await shown(help, SMALL);
  await press('\u001b[F');
  const end = await press('\u001b[5~').then(() => lines());
  await press('\u001b[F');
  expect(end).not.toEqual(lines());
});

test('what went wrong just now is read before a list, with its remedy to the end', async () => {
  const fix = `Does this host reach mirror.example.com? ${'If it may not, copy it there by hand. '.repeat(4)}That is the end.`;
  const trouble = {
    code: 'fetch',
    title: 'nothing could be fetched',
    cause: 'no such host: mirror.example.com',
    whatToDo: fix,
  };
  const failed = after(stepState('prepare', 'needed'), {
    type: 'step/failed',
    step: 'prepare',
    during: 'run',
    trouble,
  });
  const body = squeezed((await bodyAt(failed, SIZES[1])).join(''));
  expect(body).toContain(squeezed(trouble.cause));
  expect(body).toContain('Thatistheend.');
});

test('the verdict of the review and the picture of the network are whole at 60 columns', async () => {
  const review = STATES.review?.() ?? wizardState({}, { screen: 'review' });
  const body = await bodyAt(review, SMALL);
  expect(squeezed(body.join(''))).toContain(squeezed(catalogue().pages.review.fine));
  for (const part of ['boot files :8080', 'm1 m2 m3']) expect(body.join('\n')).toContain(part);
});
