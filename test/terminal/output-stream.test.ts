import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { compactOutput } from '../../src/terminal/output-stream.ts';

test('consecutive next-line moves are merged, everything else passes unchanged', () => {
  const written: unknown[] = [];
  const done = () => undefined;
  const stream = {
    columns: 80,
    write(...args: unknown[]) {
      expect(this).toBe(stream);
      written.push(args);
      return true;
    },
  };
  const compact = compactOutput(stream as NodeJS.WriteStream);
  compact.write('\u001b[E\u001b[E\u001b[Eab\u001b[E\u001b[Kc\u001b[E\u001b[E', done);
  compact.write('\u001b[3A');
  expect(written).toEqual([['\u001b[3Eab\u001b[E\u001b[Kc\u001b[2E', done], ['\u001b[3A']]);
  expect(compact.columns).toBe(80);
});

test('without Unicode, typographic signs become ASCII of the same width', () => {
  const written: unknown[] = [];
  const stream = { write: (data: string) => written.push(data) > 0 } as NodeJS.WriteStream;
  const text = '512 nodes × 510 pods… node’s “a” – b — c 日本';
  compactOutput(stream, { hasUnicode: () => false }).write(text);
  compactOutput(stream, { hasUnicode: () => true }).write(text);
  expect(written).toEqual([`512 nodes x 510 pods~ node's "a" - b - c 日本`, text]);
});

test('frames for a blocked terminal are dropped, and a callback runs when it accepts output again', async () => {
  const written: unknown[] = [];
  const stream = Object.assign(new EventEmitter(), {
    writableLength: 65_537,
    write: (data: string) => written.push(data) > 0,
  });
  const onDrain = vi.fn();
  const compact = compactOutput(stream as EventEmitter as NodeJS.WriteStream, { onDrain });
  await new Promise<void>((resolve) => compact.write('a frame', () => resolve()));
  expect(compact.write('another')).toBe(false);
  expect(written).toEqual([]);
  stream.writableLength = 0;
  stream.emit('drain');
  expect(onDrain).toHaveBeenCalledTimes(1);
  compact.write('all of it');
  expect(written).toEqual(['all of it']);
});
