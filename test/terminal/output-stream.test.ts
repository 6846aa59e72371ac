import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { compactOutput } from '../../src/terminal/output-stream.ts';

const ALTERNATE = '\u001b[?1049h';

function createStream(hasUnicode = true) {
  const written: string[] = [];
  const stream = { columns: 40, rows: 10, write: (data: string) => written.push(data) > 0 } as NodeJS.WriteStream;
  const { stream: compact, reset } = compactOutput(stream, { hasUnicode: () => hasUnicode });
  compact.write(`${ALTERNATE}\u001b[?25l`);
  compact.write('');
  written.length = 0;
  return { written, compact, reset };
}

test('of a frame, only the cells that changed are written, between the marks of an update', () => {
  const { written, compact } = createStream();
  const draw = (text: string) => {
    for (const data of ['\u001b[?2026h', `\u001b[H${text}`, '\u001b[?2026l']) compact.write(data);
    return written.splice(0).join('');
  };
  draw('one\n12 % \u001b[32mdone\u001b[39m');
  expect(draw('one\n12 % \u001b[32mdone\u001b[39m')).toBe('');
  expect(draw('one\n13 % \u001b[32mdone\u001b[39m')).toBe('\u001b[?2026h\u001b[2;2H3\u001b[?2026l');
  expect(draw('one\n13 % \u001b[31mdone\u001b[39m')).toBe(
    '\u001b[?2026h\u001b[2;6H\u001b[31mdone\u001b[m\u001b[?2026l',
  );
});

test('after the terminal was cleared, everything is written again', () => {
  const { written, compact, reset } = createStream();
  compact.write('\u001b[Hone');
  reset();
  compact.write('one');
  expect(written.at(-1)).toBe('\u001b[1;1H\u001b[3Xone');
});

test('an application that enters the screen of a first frame draws only what is different there', () => {
  const { written, compact } = createStream();
  compact.write('\u001b[1;1Hfirst frame\u001b[2;1Hstarting');
  written.length = 0;
  compact.write(ALTERNATE);
  compact.write('first frame\nstarting');
  expect(written.join('')).toBe('');
  compact.write('\u001b[2;1H\u001b[Kready');
  expect(written.join('')).toBe('\u001b[2;1H\u001b[8Xready');
  // It is cleared before it is left: tmux shows the rows that a resize added on the main screen. Left, as for an
  // editor, its content is not known any more.
  compact.write('\u001b[?1049l');
  expect(written.at(-1)).toBe('\u001b[2J\u001b[?1049l');
  written.length = 0;
  compact.write(`${ALTERNATE}first frame`);
  expect(written.join('')).toContain('first frame');
});

test('outside of the alternate screen everything passes unchanged', () => {
  const { written, compact } = createStream();
  compact.write('\u001b[?1049l');
  compact.write('saved\n\u001b[1mbold');
  expect(written).toEqual(['\u001b[2J\u001b[?1049l', 'saved\n\u001b[1mbold']);
});

test('without Unicode, typographic characters become ASCII of the same width', () => {
  const text = '512 nodes × 510… “a” – b — c 日本';
  const [ascii, unicode] = [createStream(false), createStream(true)];
  for (const { compact } of [ascii, unicode]) compact.write(`\u001b[H${text}`);
  expect(ascii.written.join('')).toContain(`512 nodes x 510. "a" - b - c 日本`);
  expect(unicode.written.join('')).toContain(text);
});

test('frames for a blocked terminal are dropped, and a callback runs when it accepts output again', async () => {
  const written: unknown[] = [];
  const stream = Object.assign(new EventEmitter(), {
    writableLength: 65_537,
    write: (data: string) => written.push(data) > 0,
  });
  const onDrain = vi.fn();
  const { stream: compact } = compactOutput(stream as EventEmitter as NodeJS.WriteStream, { onDrain });
  await new Promise<void>((resolve) => compact.write('a frame', () => resolve()));
  expect(compact.write('another')).toBe(false);
  expect(written).toEqual([]);
  stream.writableLength = 0;
  stream.emit('drain');
  expect(onDrain).toHaveBeenCalledTimes(1);
  compact.write('all of it');
  expect(written).toEqual(['all of it']);
});
