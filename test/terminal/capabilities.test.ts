import { expect, test } from 'vitest';
import { detectCapabilities } from '../../src/terminal/capabilities.ts';

const tty = { isTTY: true, columns: 100, rows: 30 };
const detect = (env: Record<string, string>, stdin: object = tty, stdout: object = tty) =>
  detectCapabilities({ TERM: 'xterm-256color', LANG: 'en_US.UTF-8', ...env }, stdin, stdout);

test('an ordinary terminal has every capability', () => {
  expect(detect({})).toEqual({
    isInteractive: true,
    isDumb: false,
    hasUnicode: true,
    hasColour: true,
    depth: '256',
    hasLinks: true,
    canAnimate: true,
    columns: 100,
    rows: 30,
  });
});

test.each([
  [{ LANG: 'C' }, false],
  [{ LANG: 'C', LC_CTYPE: 'ja_JP.utf8' }, true],
  [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, false],
  [{ LC_ALL: '', LC_CTYPE: '', LANG: 'ja_JP.UTF-8' }, true],
  [{ TERM: 'linux' }, false],
  [{ TERM: 'dumb' }, false],
] as const)('unicode in %j: %s', (env, expected) => {
  expect(detect(env).hasUnicode).toBe(expected);
});

test('colour is off for NO_COLOR, FORCE_COLOR=0 and a dumb terminal, and on for an empty NO_COLOR', () => {
  expect(detect({ NO_COLOR: '1' }).hasColour).toBe(false);
  expect(detect({ FORCE_COLOR: '0' }).hasColour).toBe(false);
  expect(detect({ TERM: 'dumb' }).hasColour).toBe(false);
  expect(detect({ NO_COLOR: '' }).hasColour).toBe(true);
});

test.each([
  [{ COLORTERM: 'truecolor' }, 'truecolor'],
  [{ TERM: 'xterm-kitty' }, 'truecolor'],
  [{ TERM: 'tmux-256color' }, '256'],
  [{ TERM: 'xterm' }, '16'],
] as const)('%j has the colours %s', (env, expected) => {
  expect(detect(env).depth).toBe(expected);
});

test('input and output both have to be terminals', () => {
  expect(detect({}, {}, tty).isInteractive).toBe(false);
  expect(detect({}, tty, {}).isInteractive).toBe(false);
  expect(detect({ CI: '1' }).isInteractive).toBe(true);
});

test('a terminal that does not know its size has 80×24, and a serial one does not animate', () => {
  const serial = detect({ TERM: 'vt220' }, tty, { isTTY: true, columns: 0, rows: 0 });
  expect(serial).toMatchObject({ columns: 80, rows: 24, canAnimate: false });
});

test.each([
  [{}, true],
  [{ NO_COLOR: '1' }, false],
  [{ FORCE_COLOR: '0' }, false],
  [{ TERM: 'dumb' }, false],
  [{ TERM: 'linux' }, false],
  [{ TERM: 'vt220' }, false],
  [{ TERM: 'screen-256color', STY: '1.pts' }, false],
  [{ TERM: 'tmux-256color' }, false],
  [{ TERM: 'screen-256color', TMUX: '/tmp/t', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.3a' }, false],
  [{ TERM: 'tmux-256color', TMUX: '/tmp/t', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '3.4' }, true],
  [{ TERM: 'tmux-256color', TMUX: '/tmp/t', TERM_PROGRAM: 'tmux', TERM_PROGRAM_VERSION: '4.0' }, true],
] as const)('links in %j: %s', (env, expected) => {
  expect(detect(env).hasLinks).toBe(expected);
});

test('there are no links without a terminal', () => {
  expect(detect({}, tty, {}).hasLinks).toBe(false);
});
