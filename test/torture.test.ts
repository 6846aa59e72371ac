import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDisk, DATA_LOSSES, parseOperations } from './torture/disk.ts';
import { type RowResult, writeResults } from './torture/results.ts';
import { createRandom, sampleEvenly } from './torture/row.ts';
import { readCalls } from './torture/strace.ts';

function createRowResult(name: string, failures: readonly string[], cases = 10): RowResult {
  const row = {
    description: 'a | b',
    target: '10',
    minCases: 10,
    needs: [],
    run: () => Promise.reject(new Error('not here')),
  };
  return {
    name,
    row,
    outcome: { cases, failures, figure: `${cases} cases` },
    seed: 7,
    seconds: 1.4,
    day: '2026-01-02',
  };
}

test('a run replaces its own row and failures, and leaves those of the others', () => {
  const dir = mkdtempSync(join(tmpdir(), 'torture-results-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'RESULTS.md');
  const names = ['one', 'two'];
  const text = () => readFileSync(file, 'utf8');
  writeResults(file, [createRowResult('two', ['case 3: \u001b[2Jlost']), createRowResult('one', [])], names);
  expect(text().indexOf('| one |')).toBeLessThan(text().indexOf('| two |'));
  expect(text()).toContain(
    '| two | a \\| b | 10 | 10 cases; 1 s, 2026-01-02 | **1** | `npm run torture -- two --seed 7` |',
  );
  expect(text()).toContain('- two: case 3:  [2Jlost');
  writeResults(file, [createRowResult('one', [], 9)], names);
  expect(text()).toContain('| 0, but fewer than 10 cases |');
  expect(text()).toContain('| **1** |');
  writeResults(file, [createRowResult('two', [])], names);
  expect(text()).not.toContain('## Failures');
});

test('random numbers are the same for the same seed, and a spread is even', () => {
  const numbers = (seed: number) => Array.from({ length: 5 }, createRandom(seed));
  expect(numbers(3)).toEqual(numbers(3));
  expect(numbers(3)).not.toEqual(numbers(4));
  expect(sampleEvenly([1, 2, 3, 4, 5, 6], 3)).toEqual([2, 4, 6]);
  expect(sampleEvenly([1, 2, 3, 4, 5], 1)).toEqual([3]);
  expect(sampleEvenly([1, 2], 3)).toEqual([1, 2]);
});

/**
 * Replaces a file as programs should, or without one of its syncs, and lists its possible contents after a loss of
 * power.
 */
function listContentsAfterLoss(without: 'sync of the file' | 'sync of the directory' | null) {
  const disk = createDisk(
    new Map<string, Buffer | 'directory'>([
      ['/d', 'directory'],
      ['/d/f', Buffer.from('old')],
    ]),
  );
  disk.apply({ type: 'create', path: '/d/t', mode: 0o600 });
  disk.apply({ type: 'write', path: '/d/t', data: Buffer.from('fresh'), at: 'end' });
  if (without !== 'sync of the file') disk.apply({ type: 'sync', path: '/d/t' });
  disk.apply({ type: 'rename', from: '/d/t', to: '/d/f' });
  if (without !== 'sync of the directory') disk.apply({ type: 'sync', path: '/d' });
  const contents = new Set<string>();
  for (let writtenCount = 0; writtenCount <= disk.pending(); writtenCount += 1) {
    for (const fate of DATA_LOSSES)
      contents.add(String(disk.simulateLoss(writtenCount, fate, createRandom(writtenCount)).get('/d/f')));
  }
  return [...contents];
}

test('a loss of power shows which sync was left out', () => {
  expect(listContentsAfterLoss(null)).toEqual(['fresh']);
  expect(listContentsAfterLoss('sync of the directory').sort()).toEqual(['fresh', 'old']);
  expect(listContentsAfterLoss('sync of the file')).toEqual(expect.arrayContaining(['', 'fresh', '\0\0\0\0\0']));
});

test('a loss of power keeps the contents of a file that was synced before it was appended to', () => {
  const disk = createDisk(new Map([['/d/log', Buffer.from('kept\n')]]));
  disk.apply({ type: 'write', path: '/d/log', data: Buffer.from('more\n'), at: 'end' });
  for (const fate of DATA_LOSSES) {
    expect(String(disk.simulateLoss(0, fate, createRandom(1)).get('/d/log'))).toMatch(/^kept\n/);
  }
});

test('calls in an strace log become the operations of a disk', () => {
  const dir = mkdtempSync(join(tmpdir(), 'torture-trace-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const hex = (text: string) =>
    [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  const [tmp, file] = [hex('/d/t'), hex('/d/f')];
  const lines = [
    `7  openat(AT_FDCWD<${hex('/')}>, "${tmp}", O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0600) = 21<${tmp}>`,
    `7  pwrite64(21<${tmp}>, "${hex('ab, c')}", 5, 0) = 5`,
    `8  write(5<${hex('anon_inode:[eventfd]')}>, "${hex('1')}", 8) = 8`,
    `7  fsync(21<${tmp}> <unfinished ...>`,
    `8  write(1<${hex('pipe:[1]')}>, "${hex('saved')}", 5) = 5`,
    `7  <... fsync resumed>) = 0`,
    `7  rename("${tmp}", "${file}") = 0`,
    `7  unlink("${file}") = -1 ENOENT (No such file or directory)`,
    `7  unlink("${file}" <unfinished ...>`,
    `7  <... unlink resumed>) = ?`,
    `8  write(19<anon_inode:[eventfd]>, ""..., 8) = -1 ENOSPC (No space left on device) (INJECTED)`,
  ];
  writeFileSync(join(dir, 'log'), lines.join('\n'));
  const calls = readCalls(join(dir, 'log'));
  expect(calls.at(-2)).toMatchObject({ pid: 7, name: 'unlink', nth: 2, result: null });
  expect(calls.at(-1)?.result).toBe('-1 ENOSPC (No space left on device) (INJECTED)');
  expect(parseOperations(calls, '/d')).toEqual([
    { type: 'create', path: '/d/t', mode: 0o600 },
    { type: 'truncate', path: '/d/t', size: 0 },
    { type: 'write', path: '/d/t', data: Buffer.from('ab, c'), at: 0 },
    { type: 'sync', path: '/d/t' },
    { type: 'output', text: 'saved' },
    { type: 'rename', from: '/d/t', to: '/d/f' },
  ]);
});
