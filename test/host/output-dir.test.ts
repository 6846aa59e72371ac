import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compareWithDisk } from '../../src/artifacts/generate.ts';
import { readOutputFile, readPreviousOutput, writeOutput } from '../../src/host/output-dir.ts';
import { computeSha256 } from '../../src/platform/text.ts';

type Files = Record<string, string>;

function createOutputDir() {
  const root = mkdtempSync(join(tmpdir(), 'output-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const dir = join(root, 'out');
  const write = (texts: Files, { force = false, mode = '0644' } = {}) => {
    const files = Object.entries(texts).map(([file, content]) => ({ file, content, mode }));
    const manifest = { files: files.map(({ file, content }) => ({ file, sha256: computeSha256(content) })) };
    const previous = readPreviousOutput(dir);
    const changes = compareWithDisk(files, previous?.manifest ?? null, (file) => readOutputFile(dir, file));
    return writeOutput(dir, { manifest, files, changes }, { force });
  };
  return { root, dir, write, path: (file: string) => join(dir, file) };
}

test('writes files with their modes, whatever the umask, and leaves nothing else', () => {
  const { dir, write, path } = createOutputDir();
  const umask = process.umask(0o077);
  try {
    write({ 'a/b.conf': 'b\n' });
  } finally {
    process.umask(umask);
  }
  expect(statSync(path('a/b.conf')).mode & 0o777).toBe(0o644);
  expect(readdirSync(dir, { recursive: true }).sort()).toEqual(['a', 'a/b.conf', 'files.json']);
  chmodSync(path('a/b.conf'), 0o644);
  expect(write({ 'a/b.conf': 'b\n' }, { mode: '0600' }).written).toEqual(['a/b.conf']);
  expect(statSync(path('a/b.conf')).mode & 0o777).toBe(0o600);
  expect(write({ 'a/b.conf': 'b\n' }, { mode: '0600' }).written).toEqual([]);
});

test('a file that the user edited stops everything, or is saved beside with a number', () => {
  const { write, path } = createOutputDir();
  write({ a: '1', b: '1' });
  for (const [number, text] of [
    [1, 'mine'],
    [2, 'mine again'],
  ] as const) {
    writeFileSync(path('a'), text);
    expect(write({ a: '2', b: '2' })).toMatchObject({ written: [], refused: ['a'] });
    expect(write({ a: '2', b: '2' }, { force: true }).saved).toEqual([{ file: 'a', as: `a.${number}.orig` }]);
    expect(readFileSync(path(`a.${number}.orig`), 'utf8')).toBe(text);
    expect(readFileSync(path('a'), 'utf8')).toBe('2');
  }
});

test('does not overwrite what it never wrote', () => {
  const { dir, write } = createOutputDir();
  mkdirSync(dir);
  writeFileSync(join(dir, 'a'), 'somebody else');
  expect(write({ a: '1' }).refused).toEqual(['a']);
});

test('writes and reads nothing through a symbolic link', () => {
  const { root, dir, write, path } = createOutputDir();
  mkdirSync(join(root, 'elsewhere'));
  writeFileSync(join(root, 'elsewhere', 'file'), 'theirs');
  mkdirSync(dir);
  symlinkSync(join(root, 'elsewhere'), path('linked'));
  symlinkSync(join(root, 'elsewhere', 'file'), path('file'));
  expect(() => write({ 'linked/new': 'x' })).toThrow('outside the output directory');
  expect(() => write({ file: 'x' }, { force: true })).toThrow('outside the output directory');
  expect(readFileSync(join(root, 'elsewhere', 'file'), 'utf8')).toBe('theirs');
  expect(existsSync(join(root, 'elsewhere', 'new'))).toBe(false);
});

test.each([
  'not JSON',
  '{}',
  '{"files":[{"file":"../../etc/passwd","sha256":"x"}]}',
  `{"files":[{"file":"/etc/passwd","sha256":"${'0'.repeat(64)}"}]}`,
  `{"files":[{"file":"a/../../b","sha256":"${'0'.repeat(64)}"}]}`,
])('refuses a list that it did not write: %s', (text) => {
  const { dir } = createOutputDir();
  mkdirSync(dir);
  writeFileSync(join(dir, 'files.json'), text);
  expect(() => readPreviousOutput(dir)).toThrow('generated files cannot be read');
});

test('there is nothing before the first run', () => {
  expect(readPreviousOutput(createOutputDir().dir)).toBeNull();
});
