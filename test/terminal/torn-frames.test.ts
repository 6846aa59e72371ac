import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import { compactOutput } from '../../src/terminal/output-stream.ts';

const [COLUMNS, ROWS] = [60, 12];

/** A terminal that knows no synchronized updates (mode 2026), as tmux 3.3a. */
function createTerminal() {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true, convertEol: true });
  // At once: the public function waits for a timer after each piece.
  const core = Reflect.get(terminal, '_core') as { writeSync(data: Uint8Array | string): void };
  const write = (data: Uint8Array | string) => core.writeSync(data);
  const rows = () =>
    Array.from(
      { length: ROWS },
      (_, y) => terminal.buffer.active.getLine(y)?.translateToString().padEnd(COLUMNS) ?? '',
    );
  return { write, rows };
}

/**
 * Frames as a live page draws them: counters, ages, states, a bar, a log that scrolls, wide characters, a selection.
 */
function createFrame(turn: number): string[] {
  const percent = (turn * 7) % 101;
  const cells = Math.floor(percent / 5);
  const age = turn % 6 === 0 ? `${turn} s` : `${Math.floor(turn / 6)} min`;
  const states = ['\u001b[32m✔ Ready\u001b[39m', '\u001b[31m✖ degraded\u001b[39m', '\u001b[33m◦ not yet\u001b[39m'];
  const mark = (row: number, text: string) => (turn % 3 === row ? `\u001b[7m▸ ${text}\u001b[27m` : `  ${text}`);
  return [
    ` upi-wizard   Boot   ${String(9 + (turn % 3)).padStart(2)} of 17`,
    `│ ${'━'.repeat(cells)}${'─'.repeat(20 - cells)}  ${String(percent).padStart(3)} %  about ${100 - percent} min left │`,
    ...[0, 1, 2].map((row) => `│ ${mark(row, `m${row}`)}  ${states[(turn + row) % 3]}  ${age}`),
    `│ ${10 + (turn % 14)}:${String((turn * 13) % 60).padStart(2, '0')} etcd has ${turn % 3} of 3 members`,
    turn % 4 === 0 ? '' : `│ 日本語 ${turn} 漢字`,
    ...[0, 1, 2].map((line) => `│ log line ${turn + line}: ${'x'.repeat((turn * (line + 3)) % 17)} end`),
    ' ? help   Esc back',
  ];
}

/** Records what is written for each frame. */
function recordFrames(count: number): string[] {
  let written = '';
  const stream = {
    columns: COLUMNS,
    rows: ROWS,
    write: (data: string) => {
      written += data;
      return true;
    },
  } as NodeJS.WriteStream;
  const { stream: compact } = compactOutput(stream);
  compact.write('\u001b[?1049h\u001b[?25l');
  return Array.from({ length: count }, (_, turn) => {
    written = turn === 0 ? written : '';
    compact.write('\u001b[?2026h');
    compact.write(`\u001b[H${createFrame(turn).join('\u001b[K\n')}\u001b[J`);
    compact.write('\u001b[?2026l');
    return written;
  });
}

/**
 * Whether a row cannot be read wrongly. Each of its cells is the old one or the new one. A value (no two blanks inside)
 * that changes is the old one, or a beginning of the new one with blanks.
 */
function isSafeRow(row: string, before: string, after: string): boolean {
  if (row === before || row === after) return true;
  const cells = [...row];
  const [old, next] = [[...before], [...after]];
  const values: [number, number][] = [];
  let gap = 2;
  for (let x = 0; x < Math.max(old.length, next.length); x += 1) {
    const isBlank = (old[x] ?? ' ') === ' ' && (next[x] ?? ' ') === ' ';
    gap = isBlank ? gap + 1 : gap;
    const last = values.at(-1);
    if (!isBlank && (gap >= 2 || last === undefined)) values.push([x, x + 1]);
    else if (!isBlank && last !== undefined) last[1] = x + 1;
    if (!isBlank) gap = 0;
  }
  return values.every(([from, to]) => {
    const [shown, was, will] = [cells, old, next].map((each) => each.slice(from, to));
    if (shown === undefined || was === undefined || will === undefined) return false;
    if (shown.join('') === was.join('') || shown.join('') === will.join('')) return true;
    // From the first to the last difference: a beginning of the new text, and blanks.
    const first = was.findIndex((cell, index) => cell !== will[index]);
    const last = will.findLastIndex((cell, index) => cell !== was[index]);
    const written = shown.slice(first, last + 1);
    const rest = written.findIndex((cell, index) => cell !== will[first + index]);
    const outside = shown.every((cell, index) => (index >= first && index <= last) || cell === will[index]);
    return outside && (rest < 0 || written.slice(rest).every((cell) => cell === ' '));
  });
}

test('a stream that is cut at any byte of a hundred frames shows no row that could be read wrongly', () => {
  const { write, rows } = createTerminal();
  const frames = recordFrames(101);
  const whole = createTerminal();
  for (const terminal of [{ write }, whole]) terminal.write(frames[0] ?? '');
  let pieces = 0;
  const wrong: string[] = [];
  for (const [index, frame] of frames.slice(1).entries()) {
    const turn = index + 1;
    const before = rows();
    const bytes = Buffer.from(frame);
    whole.write(bytes);
    const after = whole.rows();
    for (let cut = 0; cut < bytes.length; cut += 1) {
      write(bytes.subarray(cut, cut + 1));
      pieces += 1;
      const shown = rows();
      const changing = shown.filter((row, y) => row !== before[y] && row !== after[y]);
      if (changing.length > 1)
        wrong.push(`frame ${turn}, byte ${cut}: ${changing.length} rows are neither old nor new`);
      for (const [y, row] of shown.entries())
        if (!isSafeRow(row, before[y] ?? '', after[y] ?? '')) wrong.push(`frame ${turn}, byte ${cut}: ${row}`);
    }
    // The frame is right, as if it had been drawn on an empty screen.
    expect(rows()).toEqual(after);
    const drawn = createTerminal();
    drawn.write(`\u001b[H${createFrame(turn).join('\n')}`);
    expect(rows()).toEqual(drawn.rows());
  }
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(pieces).toBeGreaterThan(10_000);
});
