import { afterEach, expect, test } from 'vitest';
import { changeLines, differenceLines } from '../../screens/shared/step/changes.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { MINUTE } from '../../src/ports/clock.ts';
import { csr } from '../../src/text/en/csr.ts';
import { timeOfDay } from '../../src/text/time-of-day.ts';
import { reviewProblems } from '../../src/wizard/design/review.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { mountWizard, type WizardApp } from '../support/wizard-app.tsx';
import { after, START, wizardState } from '../support/wizard-state.ts';
import { bootstrapView, certificatesView, hostsView, stepState } from './views.ts';

let app: WizardApp | undefined;
afterEach(async () => {
  await app?.unmount();
  app = undefined;
});

async function show(state: WizardState, cols = 80, rows = 24): Promise<string> {
  await app?.unmount();
  app = await mountWizard(state, { cols, rows, look: { hasColour: false } });
  return app.screen();
}

const rehearsed = (state: WizardState, speed: number): WizardState => ({
  ...state,
  welcome: { ...state.welcome, rehearsal: { speed, isPaused: false } },
});

test('while a step waits, its Enter is told apart without colour; when it is done, it leads on', async () => {
  expect(await show(stepState('operators', 'waiting'))).toContain(' Enter next (not now)  ');
  expect(await show(stepState('operators', 'done'))).toContain(' Enter next  ');
});

test('when nobody looks any more, it is told at what time a machine was seen: an age would go on', async () => {
  const seenAt = timeOfDay(START - 3 * MINUTE);
  expect(await show(stepState('boot', 'waiting', { findings: [] }))).toMatch(/Last seen .*\n.* bs .* 3 min|180 s/);
  const done = await show(after(stepState('boot', 'done'), { type: 'clock/ticked', now: START + 600 * MINUTE }));
  expect(done).toContain('Last seen at');
  expect(done).toMatch(new RegExp(` bs .* ${seenAt} `));
});

test('> leaves machines that are still waited for, and nowhere before they are powered on', async () => {
  await show(stepState('boot', 'needed'));
  await app?.press('n');
  expect(app?.store.getState().screen).toBe('boot');
  expect(await show(stepState('boot', 'waiting'))).toContain('> continue anyway');
  await app?.press('>');
  expect(app?.store.getState().screen).toBe('bootstrap');
});

test('X asks for the reason to go past failed checks, and takes nothing shorter', async () => {
  const found: Finding = {
    ...{ code: 'dns-api', state: 'failed', severity: 'fatal', subject: 'api', title: 'api leads elsewhere' },
    ...{ cause: '172.16.0.1', whatToDo: 'mend the zone' },
  };
  const blocked = (count: number) => {
    const run = stepState('prepare', 'blocked', { findings: [found] });
    const { probe } = run.runs.prepare;
    if (probe === null) throw new Error('nobody looked');
    const overridable = Array.from({ length: count }, () => found);
    return after(run, { type: 'step/looked', step: 'prepare', probe: { ...probe, overridable }, plan: null });
  };
  expect(await show(blocked(0))).not.toContain('override');
  expect(await show(blocked(6))).toContain('X override');
  expect(app?.screen()).toContain('X goes on although it failed, with a reason that you type');
  expect(await show(blocked(6), 60, 20)).toContain('X override');
  await app?.press('X');
  await app?.press('n');
  await app?.press('\r');
  expect(app?.store.getState().runs.prepare.phase).toBe('asking');
  expect(app?.screen()).toMatch(
    /one sentence why[\s\S]*- api leads elsewhere: 172.16.0.1[\s\S]*and 2 more checks[\s\S]*Reason: n\s/,
  );
});

test('a stage that was done before anybody looked was not watched; one that runs has lasted', async () => {
  const [first, second, ...others] = bootstrapView.stages;
  if (!first || !second) throw new Error('the view has no stages');
  const stages = [
    { ...first, startedAt: null, doneAt: START },
    { ...second, startedAt: START - MINUTE, doneAt: START - MINUTE },
    ...others,
  ];
  const screen = await show(stepState('bootstrap', 'waiting', { view: { ...bootstrapView, stages } }), 80, 40);
  expect(screen.match(/not watched/g)).toHaveLength(2);
});

test('the times of a rehearsal that runs faster than life are said to be those of the site', async () => {
  const waiting = stepState('bootstrap', 'waiting', { findings: [] });
  const text = async (state: WizardState) => (await show(state)).replace(/\s+/g, ' ');
  expect(await text(waiting)).toMatch(/Usually [^.]*\. ---/);
  expect(await text(rehearsed(waiting, 1))).toMatch(/Usually [^.]*\. ---/);
  expect(await text(rehearsed(waiting, 60))).toContain(
    "All times are the site's, which run 60 times as fast here (+ and - change that).",
  );
  expect(await text(rehearsed(wizardState(), 1))).toContain('the site is simulated, in real time.');
  expect(await text(rehearsed(wizardState(), 60))).toContain('and time runs 60 times as fast.');
});

test('reasons of a refused request are said whole, and the others are counted', async () => {
  const [request] = certificatesView.requests;
  if (!request) throw new Error('the view has no requests');
  const reasons = ['USAGES', 'SUBJECT_O', 'CLIENT_SAN', 'NODE_EXISTS'] as const;
  const why = reasons.map((code) => csr.reasons[code]);
  const refused = { ...request, verdict: 'refused' as const, reasons: [...reasons], why };
  const view = { ...certificatesView, requests: [refused] };
  const screen = await show(stepState('certificates', 'waiting', { view, findings: [] }), 80, 15);
  expect(screen).toMatch(/csr-7xk2p {2}Its usages are not those of a node\. 3 more: d\.\n/);
  expect(await show(stepState('certificates', 'waiting', { view, findings: [] }))).toMatch(/[12] more: d\./);
});

test('a line of a difference that is too long goes on below, and of very long ones the part that differs is in sight', () => {
  const line = (end: string) =>
    `    server bs 172.16.0.11:6443 check check-ssl verify none inter 10s fall 3 rise ${end}`;
  const shown = differenceLines(`head\n${line('2 up')}\ntail\n`, `head\n${line('5 up')}\ntail\n`, 60);
  expect(shown.map(({ text }) => text)).toEqual([
    '  head',
    '-     server bs 172.16.0.11:6443 check check-ssl verify',
    '-     … none inter 10s fall 3 rise 2 up',
    '+     server bs 172.16.0.11:6443 check check-ssl verify',
    '+     … none inter 10s fall 3 rise 5 up',
    '  tail',
  ]);
  const far = differenceLines(`${'abc '.repeat(90)}one\n`, `${'abc '.repeat(90)}two\n`, 60).map(({ text }) => text);
  expect(far).toEqual(['- abc abc abc abc abc …abc abc abc abc one', '+ abc abc abc abc abc …abc abc abc abc two']);
  const deep = differenceLines(null, `${' '.repeat(80)}x${'y'.repeat(40)}\n`, 40).map(({ text }) => text);
  expect(Math.max(...deep.map((text) => text.length))).toBeLessThanOrEqual(40);
  expect(deep.map((text) => text.replace(/^\+ +(?:… )?/, '')).join('')).toBe(`x${'y'.repeat(40)}`);
  const short = differenceLines(line('2 up'), line('5 up'), 100);
  expect(short.map(({ text }) => text)).toEqual([`- ${line('2 up')}`, `+ ${line('5 up')}`]);
  const early = differenceLines(`a ${line('')}`, `b ${line('')}`, 60);
  expect(early.map(({ text }) => text.slice(0, 4))).toEqual(['- a ', '- … ', '+ b ', '+ … ']);
  const copy = { object: 'MachineSet ns/of-zone-a', text: 'name: of-zone-a\nreplicas: 3\nami: x\n' };
  const copied = changeLines([
    { object: 'MachineSet ns/new', before: null, after: 'name: new\nreplicas: 3\nami: x\n', copyOf: copy },
  ]);
  // Not what both have.
  expect(copied.map(({ text }) => text)).toEqual([
    'MachineSet ns/new; a copy of MachineSet ns/of-zone-a, which differs in',
    ...['- name: of-zone-a', '+ name: new', '  replicas: 3'],
  ]);
  const unpaired = changeLines([{ object: 'x', before: `${line('1')}\n${line('2')}\n`, after: `${line('3')}\n` }], 60);
  expect(unpaired.map(({ text }) => text.slice(0, 12))).toEqual([
    'x',
    ...['-     server', '-     … none', '-     server', '-     … none'],
    ...['+     server', '+     … none'],
  ]);
  const file = { object: 'lb1/etc/haproxy/haproxy.cfg', isFile: true, before: null, after: null };
  expect(changeLines([file])).toMatchObject([{ text: 'lb1: /etc/haproxy/haproxy.cfg' }]);
});

test('what will change stands under its heading, and lines that do not fit are counted', async () => {
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}\n`).join('');
  const change = { object: 'haproxy.cfg', what: 'a server leaves', before: lines(30), after: 'line 0\n' };
  const plan = { changes: [change], isDangerous: true, instructions: [] };
  const asked = after(stepState('bootstrap-removal', 'needed', { plan }), { type: 'step/ask', action: 'apply' });
  const screen = await show(asked);
  expect(screen).toMatch(
    /do this now\?\n\n What will change:\n {3}haproxy\.cfg: a server leaves\n {5}line 0\n {3}- line 1\n/,
  );
  expect(screen).toMatch(/\n and 1\d more lines: Right reads on\n\n y yes {3}n no\n/);
});

test('after the design was changed from a step, Enter leads to the review and from there back to the step', async () => {
  await show(stepState('report', 'done'));
  expect(app?.screen()).toContain('a nodes');
  await app?.press('a');
  expect(app?.screen()).toContain('Enter back to review');
  await app?.press('\r');
  expect(app?.screen()).toContain('No problems. Enter leads back to Report.');
  expect(app?.screen()).toContain('Enter on to Report');
  await app?.press('\r');
  expect(app?.store.getState().screen).toBe('report');
  await show(stepState('operators', 'waiting', { findings: [] }));
  await app?.press('v');
  expect(app?.store.getState().screen).toBe('review');
});

test('a question whose changes do not fit is read before it is answered', async () => {
  const before = Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join('');
  const plan = { changes: [{ object: 'f', what: 'goes', before, after: '' }], isDangerous: true, instructions: [] };
  await show(after(stepState('bootstrap-removal', 'needed', { plan }), { type: 'step/ask', action: 'apply' }));
  expect(app?.screen()).not.toContain('line 39');
  for (let press = 0; press < 9; press += 1) await app?.press('\u001b[C');
  expect(app?.screen()).toContain('do this now?');
  expect(app?.screen()).toContain('- line 39');
  expect(app?.screen()).not.toContain('more line');
  for (let press = 0; press < 9; press += 1) await app?.press('\u001b[D');
  expect(app?.screen()).toContain('What will change:');
  await app?.press('n');
  expect(app?.store.getState().runs['bootstrap-removal'].phase).toBe('ready');
});

test('a window that is too small says so in whole words', async () => {
  await show(stepState('operators', 'waiting'));
  await app?.resize(40, 10);
  const lines = app?.lines().map((line) => line.trim()) ?? [];
  expect(lines.join(' ')).toContain('Make it 60 by 15 or larger: everything is kept.');
  await app?.resize(80, 24);
  expect(app?.screen()).toContain('Operators  15/17');
});

test('what is wrong in the design is said to its end, and so is what Enter does', async () => {
  const design = wizardState({
    'networks.machine': [
      { cidr: '172.16.0.0/24', gateway: '172.16.0.254' },
      { cidr: 'fd00:172:16::/64', gateway: 'fd00:172:16::fe' },
    ],
  });
  const screen = await show(after(design, { type: 'screen/go', screen: 'review' }));
  const [first] = reviewProblems(app?.store.getState() ?? design);
  const text = screen.replace(/^.*?\| ?/gm, '').replace(/\s+/g, ' ');
  expect(text).toContain(first?.fix);
  expect(text).toMatch(/\d errors?(, \d warnings?)?\. Enter opens it\./);
});

test('when all have joined, it is told at what time they asked, as long as that is of this day', async () => {
  expect(await show(stepState('certificates', 'waiting', { findings: [] }))).toMatch(/Age .*\n.* 4 min /);
  const done = await show(stepState('certificates', 'done'));
  expect(done).toMatch(/Asked +Verdict/);
  expect(done).toMatch(new RegExp(` w1 +to join +${timeOfDay(START - 4 * MINUTE)} `));
  const late = await show(
    after(stepState('certificates', 'done'), { type: 'clock/ticked', now: START + 3000 * MINUTE }),
  );
  expect(late).toMatch(/ w1 +to join +2 d /);
});

test('a request of a node of the design has its short name, any other the whole one', async () => {
  const screen = await show(stepState('certificates', 'waiting', { findings: [] }), 100, 40);
  expect(screen).toMatch(/ w2 +to serve /);
  expect(screen).toMatch(/ w9\.ocp45\.example/);
});

test('while a host is set up its row says that, however old the last look is; what ended before waits for a new look', async () => {
  const wanted = (subject: string): WizardState =>
    after(
      stepState('hosts', 'needed', { findings: [] }),
      { type: 'step/ask', action: 'set-up', subject },
      { type: 'step/answer', isYes: true },
    );
  const one = await show(wanted('ns1'));
  expect(one).toMatch(/1\. ns1 .*a run is under way/);
  expect(one).toMatch(/2\. lb1 .*copied, to be run/);
  expect(await show(wanted('ns1,lb1 side-by-side'))).toMatch(/1\. ns1 .*in this run.*\n.*2\. lb1 .*in this run/);

  const [ns1, ...others] = hostsView.hosts;
  if (ns1 === undefined) throw new Error('no host');
  const ran = {
    state: 'ended',
    isMissing: false,
    isFollowed: false,
    said: 'Confirmed: it stays.',
    revertsAt: null,
  } as const;
  const view = { ...hostsView, hosts: [{ ...ns1, run: ran }, ...others] };
  const seen = stepState('hosts', 'needed', { view, findings: [] });
  expect(await show(seen)).toContain('Last run from here: Confirmed');
  const undone = after(
    seen,
    { type: 'step/ask', action: 'undo', subject: 'ns1' },
    { type: 'step/answer', isYes: true },
    { type: 'step/applied', step: 'hosts' },
  );
  expect(await show(undone)).not.toContain('Confirmed');
});

test('at 60 columns the state of a step is whole', async () => {
  const state = stepState('prepare', 'needed');
  const { probe } = state.runs.prepare;
  if (probe === null) throw new Error('nobody looked');
  const summary = 'ignition files are ready and served; their certificates last 23 h 59 min';
  const looked = after(state, { type: 'step/looked', step: 'prepare', probe: { ...probe, summary }, plan: null });
  expect((await show(looked, 60, 20)).replace(/\s+/g, ' ')).toContain(summary);
});
