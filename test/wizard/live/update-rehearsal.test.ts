import { expect, test } from 'vitest';
import { formatRehearsalMark } from '../../../screens/app/startup-frame.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import type { Effect, Event, Intent } from '../../../src/wizard/intents.ts';
import { describeRepair, getNextSpeed, isClockHeld } from '../../../src/wizard/live/update-rehearsal.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { unknownMac } from '../../screens/views.ts';
import { applyInputs, buildProbe, dangerousPlan, getEffects, wizardState } from '../../support/wizard-state.ts';

const real = wizardState();
const rehearsalState = (speed = 60): WizardState => ({
  ...real,
  welcome: { ...real.welcome, rehearsal: { speed, isPaused: false } },
});

test('the speeds step up and down, also from a custom speed, and stop at both ends', () => {
  expect([60, 42, 240, 600].map((speed) => getNextSpeed(speed, 1))).toEqual([120, 60, 240, 600]);
  expect([60, 42, 1, 600].map((speed) => getNextSpeed(speed, -1))).toEqual([30, 30, 1, 240]);
});

test('each key of a burst changes the pace, and the site gets the last one', () => {
  const faster = { type: 'rehearsal/speed', by: 1 } as const;
  const paused = applyInputs(rehearsalState(), faster, faster, { type: 'rehearsal/pause' });
  expect(paused.welcome.rehearsal).toEqual({ speed: 240, isPaused: true });
  expect(getEffects(paused, { type: 'rehearsal/speed', by: -1 })).toEqual([
    { type: 'set-pace', previousPace: { speed: 240, isPaused: true }, newPace: { speed: 120, isPaused: false } },
  ]);
});

test('a site that refuses keeps its pace, and gives the reason; a real installation has no pace', () => {
  const { rehearsal } = rehearsalState().welcome;
  if (rehearsal === null) throw new Error('no rehearsal');
  const changed = applyInputs(rehearsalState(), { type: 'rehearsal/speed', by: 1 });
  const refused = applyInputs(changed, { type: 'rehearsal/refused', previousPace: rehearsal, message: 'no' });
  expect([refused.welcome.rehearsal, refused.notice]).toEqual([rehearsal, { kind: 'error', text: 'no' }]);
  expect(applyInputs(real, { type: 'rehearsal/speed', by: 1 })).toBe(real);
});

test('a rehearsed cluster is installed beside the rehearsal, or in a given directory', () => {
  const opened = applyInputs(rehearsalState(), { type: 'install/open' });
  expect(getEffects(opened, { type: 'install/enter' })).toEqual([
    { type: 'start-installation', dir: '/home/user/upi-cluster' },
  ]);
  const typing = applyInputs(
    opened,
    { type: 'install/edit', event: { kind: 'key', name: 'ctrl-u' } },
    ...[...'real'].map((text) => ({ type: 'install/edit', event: { kind: 'char', text } }) as const),
  );
  expect(getEffects(typing, { type: 'install/enter' })).toEqual([{ type: 'start-installation', dir: 'real' }]);
  const refused = applyInputs(typing, { type: 'install/refused', message: 'taken' });
  expect(refused.overlay).toMatchObject({ kind: 'install', editor: { text: 'real' }, refusal: 'taken' });
  expect(applyInputs(refused, { type: 'install/started' }).leaveReason).toBe('install');
  expect(applyInputs(real, { type: 'install/open' })).toBe(real);
});

test('the simulated clock stands still while help, a page or a question is open, and runs while a page is prepared', () => {
  const hold = { type: 'hold-clock', isHeld: true };
  const release = { type: 'hold-clock', isHeld: false };
  const help = { type: 'overlay/open', overlay: 'help' } as const;
  expect(getEffects(rehearsalState(), help)).toContainEqual(hold);
  const reading = applyInputs(rehearsalState(), help);
  expect(getEffects(reading, { type: 'help/scroll', by: 1, count: 9 })).toEqual([]);
  expect(getEffects(reading, { type: 'overlay/close' })).toContainEqual(release);
  expect(getEffects(real, help)).toEqual([]);
  // The diagnosis waits on the simulated clock.
  const diagnosing = applyInputs(rehearsalState(), { type: 'diagnosis/open' });
  expect(getEffects(rehearsalState(), { type: 'diagnosis/open' })).not.toContainEqual(hold);
  const finding = { code: 'x', state: 'failed', severity: 'fatal', subject: null, title: 'x' } as const;
  const failing = applyInputs(
    rehearsalState(),
    { type: 'screen/go', screen: 'boot' },
    {
      ...{ type: 'step/probed', step: 'boot', plan: null },
      probe: { ...buildProbe('waiting', {}), findings: [{ ...finding, cause: '', remedy: '' }] },
    },
  );
  // Its page shows the findings of the step until it is ready.
  expect(applyInputs(failing, { type: 'diagnosis/open' }).overlay).toMatchObject({ isPending: true });
  expect(getEffects(failing, { type: 'diagnosis/open' })).not.toContainEqual(hold);
  const page = { title: 'What is wrong', lines: [] };
  expect(getEffects(diagnosing, { type: 'diagnosis/ready', page })).toContainEqual(hold);
  const ready = applyInputs(
    rehearsalState(),
    { type: 'screen/go', screen: 'bootstrap-removal' },
    { type: 'step/probed', step: 'bootstrap-removal', probe: buildProbe('needed', {}), plan: dangerousPlan },
  );
  expect(getEffects(ready, { type: 'step/ask', action: 'apply' })).toContainEqual(hold);
  expect(
    getEffects(applyInputs(ready, { type: 'step/ask', action: 'apply' }), { type: 'step/answer', isYes: false }),
  ).toContainEqual(release);
});

test('the simulated clock stands still while a done step only waits for Enter, and runs while it is probed again', () => {
  const isHeld = (effects: readonly Effect[]) => effects.findLast(({ type }) => type === 'hold-clock');
  const boot = applyInputs(rehearsalState(), { type: 'screen/go', screen: 'boot' });
  const createProbe = (state: 'waiting' | 'done') =>
    ({ type: 'step/probed', step: 'boot', probe: buildProbe(state, {}), plan: null }) as const;
  expect(isHeld(getEffects(boot, createProbe('waiting')))).toBeUndefined();
  expect(isHeld(getEffects(boot, createProbe('done')))).toEqual({ type: 'hold-clock', isHeld: true });
  const done = applyInputs(boot, createProbe('done'));
  expect(isHeld(getEffects(done, { type: 'step/probe' }))).toEqual({ type: 'hold-clock', isHeld: false });
  expect(isHeld(getEffects(done, { type: 'screen/next' }))).toEqual({ type: 'hold-clock', isHeld: false });
  // Another step goes on meanwhile.
  const other = { ...createProbe('waiting'), step: 'certificates' } as const;
  expect(isHeld(getEffects(done, other))).toEqual({ type: 'hold-clock', isHeld: false });
});

test('the simulated clock stands still while infra moves wait for their start, and runs while one is in progress', () => {
  const isHeld = (effects: readonly Effect[]) => effects.findLast(({ type }) => type === 'hold-clock');
  const infra = applyInputs(rehearsalState(), { type: 'screen/go', screen: 'infra' });
  const createProbe = (state: 'needed' | 'moving') => {
    const moves = [{ name: 'label', state, why: '', changes: [] }];
    const probe = buildProbe('needed', { moves, traffic: null });
    return { type: 'step/probed', step: 'infra', probe, plan: dangerousPlan } as const;
  };
  expect(isHeld(getEffects(infra, createProbe('moving')))).toBeUndefined();
  expect(isHeld(getEffects(infra, createProbe('needed')))).toEqual({ type: 'hold-clock', isHeld: true });
  const ask = { type: 'step/ask', action: 'apply' } as const;
  const asking = applyInputs(infra, createProbe('needed'), ask);
  expect(isHeld(getEffects(asking, { type: 'step/answer', isYes: true }))).toEqual({
    type: 'hold-clock',
    isHeld: false,
  });
});

test('the header says that the clock waits for the user, or that the user paused it, and a key shows the speed', () => {
  const getTitle = (...inputs: readonly (Event | Intent)[]) => {
    const state = applyInputs(rehearsalState(), ...inputs);
    return formatRehearsalMark(state.welcome.rehearsal, isClockHeld(state));
  };
  const help = { type: 'overlay/open', overlay: 'help' } as const;
  const faster = { type: 'rehearsal/speed', by: 1 } as const;
  expect(getTitle()).toBe('REHEARSAL 60x');
  expect(getTitle(help)).toBe('REHEARSAL waits');
  expect(getTitle(help, faster)).toBe('REHEARSAL waits');
  expect(applyInputs(rehearsalState(), help, faster).notice?.text).toContain('it then runs 120 times as fast');
  expect(applyInputs(rehearsalState(), faster).notice).toBeNull();
  expect(getTitle(help, { type: 'rehearsal/pause' })).toBe('REHEARSAL paused');
});

test('the key of a diagnosis page repairs the fault of a rehearsal, and closes the page; a real site has no such key', () => {
  const input = { type: 'rehearsal/repair', fault: 'clock-skew' } as const;
  const page = { title: 'What is wrong', lines: [], simulatedRepair: 'clock-skew' };
  const shown = applyInputs(rehearsalState(), { type: 'diagnosis/open' }, { type: 'diagnosis/ready', page });
  expect(getEffects(shown, input)).toContainEqual({ type: 'simulate-repair', fault: 'clock-skew' });
  expect(getEffects(shown, { ...input, leavesFirstFinding: true })).toContainEqual({
    type: 'simulate-repair',
    fault: 'clock-skew',
    leavesFirstFinding: true,
  });
  expect(applyInputs(shown, input).overlay).toBeNull();
  expect(getEffects(wizardState(), input)).toEqual([]);
});

test('the message after a simulated repair says what happened, what goes on, and how to go on', () => {
  const boot = applyInputs(rehearsalState(), { type: 'screen/go', screen: 'boot' });
  const describe = (state: 'waiting' | 'needed', ...inputs: readonly { readonly type: 'rehearsal/pause' }[]) => {
    const probe = { type: 'step/probed', step: 'boot', probe: buildProbe(state, {}), plan: dangerousPlan } as const;
    return describeRepair(applyInputs(boot, probe, ...inputs), 'clock-skew');
  };
  const done = 'The simulated fault clock-skew is repaired.';
  expect(describe('waiting')).toBe(
    `${done} This page goes on by itself within a few minutes of simulated time. ${SHORTCUTS.diagnose} shows what is still wrong.`,
  );
  expect(describeRepair(boot, 'reboot')).toBe(
    'The machines that have not joined boot from the network again, with the files as they are now. This page checks again: Enter continues when it shows no fault.',
  );
  expect(describeRepair(boot, 'reboot', true)).toBe(
    'The machines that have not joined boot from the network again, with the files as they are now. The first finding remains: it needs another repair.',
  );
  expect(describe('needed')).toContain(`${done} This page checks again: Enter continues when it shows no fault.`);
  const gaveUp = { ...unknownMac, code: 'wait-gave-up' };
  const ended = applyInputs(boot, {
    type: 'step/probed',
    step: 'boot',
    probe: buildProbe('needed', {}, { findings: [gaveUp] }),
    plan: dangerousPlan,
  });
  expect(describeRepair(ended, 'clock-skew')).toContain(
    `${done} openshift-install gave up before: Enter makes it watch again.`,
  );
  expect(describe('waiting', { type: 'rehearsal/pause' })).toContain(
    `${done} The rehearsal is paused: ${SHORTCUTS.pause} lets its time run, and what waited goes on.`,
  );
});
