import { expect, test } from 'vitest';
import { createWindowTitle } from '../../src/terminal/output-stream.ts';

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
