import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type InputHandlers, joinEscapeSequences } from '../../src/terminal/input-stream.ts';
import { asReadStream } from '../support/streams.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createInput(listening: InputHandlers = {}) {
  const pending: string[] = [];
  const rawModes: boolean[] = [];
  const stdin = Object.assign(new EventEmitter(), {
    isTTY: true,
    read: () => pending.shift() ?? null,
    setRawMode: (mode: boolean) => rawModes.push(mode),
  });
  const wrapped = joinEscapeSequences(asReadStream(stdin), listening);
  const chunks: string[] = [];
  const readChunks = () => {
    for (let chunk = wrapped.read(); chunk !== null; chunk = wrapped.read()) chunks.push(String(chunk));
  };
  wrapped.on('readable', readChunks);
  const receive = (...reads: readonly string[]) => {
    for (const read of reads) {
      pending.push(read);
      stdin.emit('readable');
    }
  };
  return { wrapped, stdin, chunks, receive, readChunks, rawModes };
}

test('plain text and complete sequences pass at once', () => {
  const { chunks, receive } = createInput();
  receive('abc\r', '\u001b[A\u001bOB', 'x');
  expect(chunks).toEqual(['abc\r', '\u001b[A\u001bOB', 'x']);
});

test.each([
  ['\u001b', '[', 'A'],
  ['\u001b[', '1;', '5', 'C'],
  ['\u001bO', 'A'],
  ['\u001b', '\u001b', '[B'],
  ['\u001b[2', '00~'],
])('%j... is delivered when it is complete', (...reads: string[]) => {
  const { chunks, receive } = createInput();
  for (const read of reads) {
    receive(read);
    vi.advanceTimersByTime(45);
  }
  expect(chunks).toEqual([reads.join('')]);
});

test('text before an unfinished sequence does not wait', () => {
  const { chunks, receive } = createInput();
  receive('ab\u001b[');
  expect(chunks).toEqual(['ab']);
  receive('Cd');
  expect(chunks).toEqual(['ab', '\u001b[Cd']);
});

test('a lone Esc is delivered in less than a tenth of a second, a begun sequence later', () => {
  const { chunks, receive } = createInput();
  receive('\u001b');
  vi.advanceTimersByTime(79);
  expect(chunks).toEqual(['\u001b']);
  receive('\u001b[1');
  vi.advanceTimersByTime(300);
  expect(chunks).toEqual(['\u001b']);
  vi.advanceTimersByTime(200);
  expect(chunks).toEqual(['\u001b', '\u001b[1']);
});

test('the stream is read only while it has a listener, and it sets raw mode', () => {
  const { wrapped, stdin, chunks, receive, readChunks, rawModes } = createInput();
  wrapped.setRawMode(true);
  expect(rawModes).toEqual([true]);
  receive('\u001b');
  wrapped.off('readable', readChunks);
  expect(stdin.listenerCount('readable')).toBe(0);
  wrapped.on('readable', readChunks);
  receive('a');
  vi.advanceTimersByTime(1000);
  expect(chunks).toEqual(['a']);
});

test('a cursor position report is no key, whole or in pieces, early or late', () => {
  const columns: number[] = [];
  const onBegin = vi.fn();
  const { chunks, receive } = createInput({ onBegin, onColumn: (column) => columns.push(column) });
  expect(onBegin).toHaveBeenCalledTimes(1);
  receive('a\u001b[1;2Rb', '\u001b[1', ';3', 'Rc', '\u001b[24;80R');
  expect(chunks.join('')).toBe('abc');
  expect(columns).toEqual([2, 3, 80]);
});

test('a report of the background is no key, whole or in pieces; Esc ] of the user stays a key', () => {
  const colours: string[] = [];
  const { chunks, receive } = createInput({ onBackground: (colour) => colours.push(colour) });
  receive(
    'a\u001b]11;rgb:ffff/ffff/ffff\u001b\\b',
    '\u001b',
    ']1',
    '1;rgb:0/0',
    '/0\u001b',
    '\\c\u001b]11;rgb:1/1/1\u0007',
  );
  expect(chunks.join('')).toBe('abc');
  expect(colours).toEqual(['rgb:ffff/ffff/ffff', 'rgb:0/0/0', 'rgb:1/1/1']);
  receive('\u001b]');
  vi.advanceTimersByTime(500);
  expect(chunks.join('')).toBe('abc\u001b]');
});

test('wheel steps keep their order among keys; mouse buttons and legacy mouse reports are no keys', () => {
  const order: string[] = [];
  const { wrapped, receive } = createInput({ onWheel: (step) => order.push(`<${step}>`) });
  wrapped.removeAllListeners('readable');
  wrapped.on('readable', () => order.push(String(wrapped.read())));
  receive(
    'a\u001b[<64;10;5Mb',
    '\u001b[<0;10;5M\u001b[<0;10;5m',
    '\u001b[<6',
    '9;1;1Mc',
    '\u001b[M`yy\u001b[M',
    ' yyd',
  );
  expect(order).toEqual(['a', '<up>', 'b', '<down>', 'c', '<up>', 'd']);
});
