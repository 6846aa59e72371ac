import { expect, test } from 'vitest';
import { compactOutput } from '../../src/terminal/output-stream.ts';

test('runs of next-line moves become one, everything else passes as it is', () => {
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
  const compact = compactOutput(stream as unknown as NodeJS.WriteStream);
  compact.write('\u001b[E\u001b[E\u001b[Eab\u001b[E\u001b[Kc\u001b[E\u001b[E', done);
  compact.write('\u001b[3A');
  expect(written).toEqual([['\u001b[3Eab\u001b[E\u001b[Kc\u001b[2E', done], ['\u001b[3A']]);
  expect(compact.columns).toBe(80);
});
