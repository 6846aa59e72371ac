import { expect, test } from 'vitest';
import {
  applyColourChoice,
  detectOutputTheme,
  formatStyledLine,
  takeColourOption,
  truncateStyledLine,
} from '../../../src/cli/shared/colours.ts';
import { findPager, isLongerThanScreen } from '../../../src/cli/shared/pager.ts';
import { getShortProgramName } from '../../../src/cli/shared/program-name.ts';
import { getTheme } from '../../../src/platform/theme.ts';

const TERMINAL = { isTTY: true, columns: 80, rows: 24 };
const theme = getTheme('dark', '256');

test('--color is taken out wherever it stands; the last one counts, and none after --', () => {
  expect(takeColourOption(['a', '--color', 'always', 'b', '--color=never'])).toEqual({
    argv: ['a', 'b'],
    choice: 'never',
    unknownChoice: null,
  });
  expect(takeColourOption(['--', '--color', 'always'])).toMatchObject({
    argv: ['--', '--color', 'always'],
    choice: 'auto',
  });
  expect(takeColourOption(['--color'])).toMatchObject({ choice: 'auto', unknownChoice: '' });
});

test.each([
  [{ TERM: 'xterm' }, TERMINAL, true],
  [{ TERM: 'xterm' }, {}, false],
  [{ TERM: 'dumb' }, TERMINAL, false],
  [{ TERM: 'xterm', NO_COLOR: '1' }, TERMINAL, false],
  [{ TERM: 'xterm', FORCE_COLOR: '0' }, TERMINAL, false],
  [{ TERM: 'xterm', FORCE_COLOR: '1' }, {}, true],
])('%j on %j has colours: %j', (env, stdout, hasColours) => {
  expect(detectOutputTheme({ HOME: '/nonexistent', ...env }, stdout) !== null).toBe(hasColours);
});

test('the choice of the user wins over the environment', () => {
  const always: Record<string, string | undefined> = { TERM: 'dumb', NO_COLOR: '1' };
  applyColourChoice('always', always);
  expect(detectOutputTheme(always, {})).not.toBeNull();
  const never: Record<string, string | undefined> = { TERM: 'xterm', FORCE_COLOR: '1' };
  applyColourChoice('never', never);
  expect(detectOutputTheme(never, TERMINAL)).toBeNull();
});

test('text from outside brings no sequences of its own into a line', () => {
  const line = [{ text: 'ok\u001b[31mred', token: 'ok' as const }, { text: ' plain' }];
  expect(formatStyledLine(line, null)).not.toContain('\u001b');
  expect(formatStyledLine(line, theme).match(/\u001b/g)).toHaveLength(2);
  expect(formatStyledLine(line, theme)).toContain('\u001b[38;5;114m');
});

test('a line is truncated by what it shows', () => {
  const line = [{ text: 'abc', token: 'ok' as const }, { text: 'defghi' }];
  expect(formatStyledLine(truncateStyledLine(line, 5), null)).toBe('abcd…');
  expect(formatStyledLine(truncateStyledLine(line, 9), null)).toBe('abcdefghi');
});

test('the pager is PAGER or less, on a terminal only', () => {
  expect(findPager({ TERM: 'xterm' }, TERMINAL)).toBe('less');
  expect(findPager({ TERM: 'xterm', PAGER: 'more -d' }, TERMINAL)).toBe('more -d');
  expect(findPager({ TERM: 'xterm' }, {})).toBeNull();
});

test('wrapped lines count', () => {
  expect(isLongerThanScreen('x\n'.repeat(23), TERMINAL)).toBe(false);
  expect(isLongerThanScreen('x\n'.repeat(24), TERMINAL)).toBe(true);
  expect(isLongerThanScreen(`${'x'.repeat(81)}\n`.repeat(12), TERMINAL)).toBe(true);
});

test('in its checkout the program needs no path', () => {
  const argv = ['/usr/bin/node', '/opt/w/bin/upi-wizard.js'];
  const env = { npm_package_name: 'upi-wizard', npm_lifecycle_event: 'start' };
  expect(getShortProgramName(argv, { ...env, INIT_CWD: '/opt/w' }, '/')).toBe('npm start --silent --');
  expect(getShortProgramName(argv, { ...env, INIT_CWD: '/root' }, '/opt/w')).toBe(
    'npm --prefix /opt/w start --silent --',
  );
});
