import { expect, test } from 'vitest';
import { createWindowTitle, formatClipboardSequence, formatNotification } from '../../src/terminal/control-strings.ts';

test('a title is written once, without control sequences, and restored', () => {
  const written: string[] = [];
  const title = createWindowTitle('xterm-256color', (sequence) => written.push(sequence));
  title.set('Boot\u001b]0;evil\u0007…');
  title.set('Boot\u001b]0;evil\u0007…');
  title.set('Report');
  expect(written).toHaveLength(2);
  expect(written[0]).toMatch(/^\u001b\[22;2t\u001b\]2;[^\p{Cc}]+\u0007$/u);
  expect(written[1]).toBe('\u001b]2;Report\u0007');
  expect(title.createRestoreSequence()).toBe('\u001b]2;\u0007\u001b[23;2t');
  expect(title.createRestoreSequence()).toBe('');
});

test.each(['linux', 'vt220', 'dumb', ''])('a terminal "%s" would print the title as text and gets none', (term) => {
  const written: string[] = [];
  const title = createWindowTitle(term, (sequence) => written.push(sequence));
  title.set('Boot');
  expect([...written, title.createRestoreSequence()]).toEqual(['']);
});

const PLAIN = '\u001b]52;c;b2MgZ2V0IG5vZGVz\u0007';

test('the sequence copies the text, and no part of the text can end it', () => {
  expect(formatClipboardSequence('oc get nodes', {})).toBe(PLAIN);
  expect(formatClipboardSequence('a\u0007\u001b]0;x', {})).toMatch(/^\u001b\]52;c;[A-Za-z0-9+/=]+\u0007$/);
});

test('inside tmux the sequence comes twice: plain, and wrapped for the outer terminal', () => {
  const wrapped = `\u001bPtmux;\u001b${PLAIN}\u001b\\`;
  expect(formatClipboardSequence('oc get nodes', { TMUX: '/tmp/tmux-0/default,1,0' })).toBe(PLAIN + wrapped);
});

test('inside screen it comes in pieces that screen passes on', () => {
  const pieces = formatClipboardSequence('x'.repeat(2000), { STY: '1.pts' })
    .split('\u001b\\')
    .filter((piece) => piece !== '');
  expect(pieces.length).toBeGreaterThan(3);
  expect(pieces.every((piece) => piece.startsWith('\u001bP') && piece.length <= 702)).toBe(true);
  const joined = pieces.map((piece) => piece.slice(2)).join('');
  expect(Buffer.from(joined.slice(7, -1), 'base64').toString()).toBe('x'.repeat(2000));
});

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
