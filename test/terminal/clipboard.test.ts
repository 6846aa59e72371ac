import { expect, test } from 'vitest';
import { formatClipboardSequence } from '../../src/terminal/output-stream.ts';

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
