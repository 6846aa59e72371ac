import { expect, test } from 'vitest';
import { formatNotification } from '../../src/terminal/notification.ts';

const OSC_9 = '\u001b]9;upi-wizard: Boot: done\u0007';
const OSC_777 = '\u001b]777;notify;upi-wizard;Boot: done\u0007';
const format = (env: Record<string, string>, text = 'Boot: done') => formatNotification('upi-wizard', text, env);

test('a terminal gets the sequence that it shows, once, and the bell', () => {
  expect(format({ TERM: 'xterm-kitty' })).toBe(`${OSC_9}\u0007`);
  expect(format({ TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' })).toBe(`${OSC_9}\u0007`);
  expect(format({ TERM: 'foot' })).toBe(`${OSC_777}\u0007`);
  expect(format({ TERM: 'xterm-256color' })).toBe(`${OSC_9}${OSC_777}\u0007`);
});

test('a terminal without control strings gets the bell alone', () => {
  for (const TERM of ['linux', 'vt220', 'dumb', '']) expect(format({ TERM })).toBe('\u0007');
});

test('inside tmux and screen the sequence is wrapped for the terminal around them, and the bell is not', () => {
  expect(format({ TERM: 'tmux-256color', TERM_PROGRAM: 'WezTerm', TMUX: '/tmp/t' })).toBe(
    `\u001bPtmux;\u001b${OSC_9}\u001b\\\u0007`,
  );
  expect(format({ TERM: 'screen', STY: '1.pts', TERM_PROGRAM: 'WezTerm' })).toBe(`\u001bP${OSC_9}\u001b\\\u0007`);
});

test('a text from outside neither ends the sequence nor the title', () => {
  const shown = format({ TERM: 'foot' }, 'a;b\u0007\u001b]0;x\u001b\\ \u009c– c');
  expect(shown.split('\u0007')).toHaveLength(3);
  expect(shown.slice(2)).not.toContain('\u001b');
  expect(shown.split(';')).toHaveLength(4);
});
