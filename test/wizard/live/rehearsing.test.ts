import { expect, test } from 'vitest';
import { speedBeside } from '../../../src/wizard/live/rehearsing.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { after, effectsOf, wizardState } from '../../support/wizard-state.ts';

const real = wizardState();
const rehearsing = (speed = 60): WizardState => ({
  ...real,
  welcome: { ...real.welcome, rehearsal: { speed, isPaused: false } },
});

test('the speeds go up and down, also from one that was named, and end at both ends', () => {
  expect([60, 42, 240, 600].map((speed) => speedBeside(speed, 1))).toEqual([120, 60, 240, 600]);
  expect([60, 42, 1, 600].map((speed) => speedBeside(speed, -1))).toEqual([30, 30, 1, 240]);
});

test('keys of one burst each change the pace, and the site is told of the last', () => {
  const faster = { type: 'rehearsal/speed', by: 1 } as const;
  const paused = after(rehearsing(), faster, faster, { type: 'rehearsal/pause' });
  expect(paused.welcome.rehearsal).toEqual({ speed: 240, isPaused: true });
  expect(effectsOf(paused, { type: 'rehearsal/speed', by: -1 })).toEqual([
    { type: 'set-pace', before: { speed: 240, isPaused: true }, after: { speed: 120, isPaused: false } },
  ]);
});

test('a site that refuses keeps its pace, and says why; life has no pace', () => {
  const { rehearsal } = rehearsing().welcome;
  if (rehearsal === null) throw new Error('no rehearsal');
  const changed = after(rehearsing(), { type: 'rehearsal/speed', by: 1 });
  const refused = after(changed, { type: 'rehearsal/refused', before: rehearsal, said: 'no' });
  expect([refused.welcome.rehearsal, refused.notice]).toEqual([rehearsal, { kind: 'error', text: 'no' }]);
  expect(after(real, { type: 'rehearsal/speed', by: 1 })).toBe(real);
});

test('what was rehearsed is installed beside the rehearsal, or where a person says', () => {
  const opened = after(rehearsing(), { type: 'install/open' });
  expect(effectsOf(opened, { type: 'install/enter' })).toEqual([
    { type: 'begin-installation', dir: '/home/user/upi-cluster' },
  ]);
  const typing = after(
    opened,
    { type: 'install/edit', event: { kind: 'key', name: 'ctrl-u' } },
    ...[...'real'].map((text) => ({ type: 'install/edit', event: { kind: 'char', text } }) as const),
  );
  expect(effectsOf(typing, { type: 'install/enter' })).toEqual([{ type: 'begin-installation', dir: 'real' }]);
  const refused = after(typing, { type: 'install/refused', said: 'taken' });
  expect(refused.overlay).toMatchObject({ kind: 'install', editor: { text: 'real' }, refusal: 'taken' });
  expect(after(refused, { type: 'install/begun' }).isLeaving).toBe('install');
  expect(after(real, { type: 'install/open' })).toBe(real);
});
