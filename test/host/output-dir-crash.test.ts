import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { compareWithDisk } from '../../src/artifacts/generate.ts';
import { readOutputFile, readPreviousOutput, writeOutput } from '../../src/host/output-dir.ts';
import { computeSha256 } from '../../src/platform/text.ts';

type Files = Readonly<Record<string, string>>;

/** The calls that change the disk. */
const WRITE_CALLS = ['openSync', 'writeFileSync', 'fchmodSync', 'renameSync', 'rmSync', 'mkdirSync'] as const;
const realCalls = Object.fromEntries(WRITE_CALLS.map((name) => [name, fs[name]]));

const restoreCalls = () => {
  Object.assign(fs, realCalls);
  syncBuiltinESMExports();
};
afterEach(restoreCalls);

/**
 * From call number `firstFailing` on, every write fails, as if the process were killed.
 * @returns a function that returns the number of calls
 */
function killAt(firstFailing: number): () => number {
  let calls = 0;
  for (const name of WRITE_CALLS) {
    const call = realCalls[name] as (...args: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        calls += 1;
        if (calls >= firstFailing) throw new Error('killed');
        return call(...args);
      },
    });
  }
  syncBuiltinESMExports();
  return () => calls;
}

function createOutputDir() {
  const dir = mkdtempSync(join(tmpdir(), 'killed-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const write = (texts: Files) => {
    const files = Object.entries(texts).map(([file, content]) => ({ file, content, mode: '0644' }));
    const manifest = {
      files: files.map(({ file, content }) => ({ file, sha256: computeSha256(content), serial: content.length })),
    };
    const previous = readPreviousOutput(dir);
    const changes = compareWithDisk(files, previous?.manifest ?? null, (file) => readOutputFile(dir, file));
    return writeOutput(dir, { manifest, files, changes }, { force: false });
  };
  const contents = () =>
    Object.fromEntries(
      readdirSync(dir, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => [
          join(parentPath, name).slice(dir.length + 1),
          readFileSync(join(parentPath, name), 'utf8'),
        ]),
    );
  return { dir, write, contents };
}

const BEFORE: Files = { 'ns1/zone': 'serial 1', 'lb1/haproxy.cfg': 'old', 'lb1/gone': 'gone', 'bastion/same': 'same' };
const AFTER: Files = {
  'ns1/zone': 'serial two',
  'lb1/haproxy.cfg': 'new',
  'bastion/same': 'same',
  'bastion/fresh': 'fresh',
};

/** Files on disk after a run with the files `first` and a complete run with `AFTER`. */
function getExpectedFiles(first: Files | null): Files {
  const { write, contents } = createOutputDir();
  if (first) write(first);
  write(AFTER);
  return contents();
}

function countCalls(first: Files | null): number {
  const { write } = createOutputDir();
  if (first) write(first);
  const calls = killAt(Number.POSITIVE_INFINITY);
  write(AFTER);
  restoreCalls();
  return calls();
}

test.each([
  ['over the files of an earlier run', BEFORE],
  ['into an empty directory', null],
])('a run %s that is killed at any call is completed by the next one, and no file counts as edited', (_, first) => {
  const expected = getExpectedFiles(first);
  const calls = countCalls(first);
  expect(calls).toBeGreaterThan(20);
  for (let last = 1; last <= calls; last += 1) {
    const { write, contents } = createOutputDir();
    if (first) write(first);
    killAt(last);
    expect(() => write(AFTER), `call ${last}`).toThrow('killed');
    restoreCalls();
    expect(write(AFTER), `call ${last}`).toMatchObject({ refused: [], saved: [], kept: [] });
    expect(contents(), `call ${last}`).toEqual(expected);
  }
});

test('a killed run is undone by a run of the previous design', () => {
  const expected = (() => {
    const { write, contents } = createOutputDir();
    write(BEFORE);
    return contents();
  })();
  const calls = countCalls(BEFORE);
  for (let last = 1; last <= calls; last += 1) {
    const { write, contents } = createOutputDir();
    write(BEFORE);
    killAt(last);
    expect(() => write(AFTER)).toThrow('killed');
    restoreCalls();
    expect(write(BEFORE), `call ${last}`).toMatchObject({ refused: [], kept: [] });
    expect(contents(), `call ${last}`).toEqual(expected);
  }
});

test('a second killed run with other files is completed by the next one as well', () => {
  const third: Files = { 'ns1/zone': 'serial no 3', 'lb1/haproxy.cfg': 'newer', 'bastion/same': 'same' };
  const calls = countCalls(BEFORE);
  for (let first = 12; first <= calls; first += 6) {
    for (let second = 14; second <= 26; second += 3) {
      const { write, contents } = createOutputDir();
      write(BEFORE);
      killAt(first);
      expect(() => write(AFTER)).toThrow('killed');
      restoreCalls();
      killAt(second);
      expect(() => write(third)).toThrow('killed');
      restoreCalls();
      expect(write(third), `calls ${first} and ${second}`).toMatchObject({ refused: [], saved: [], kept: [] });
      expect(contents(), `calls ${first} and ${second}`).toMatchObject(third);
    }
  }
});

test('the serial of a zone that a killed run had written is known to the next one', () => {
  const { dir, write } = createOutputDir();
  write(BEFORE);
  killAt(countCalls(BEFORE) - 2);
  expect(() => write(AFTER)).toThrow('killed');
  restoreCalls();
  const zone = readPreviousOutput(dir)?.manifest.files.find(({ file }) => file === 'ns1/zone');
  expect(zone).toMatchObject({ sha256: computeSha256('serial two'), serial: 10 });
});

test('a file that the user edits after a killed run is not overwritten', () => {
  const { dir, write } = createOutputDir();
  write(BEFORE);
  killAt(countCalls(BEFORE) - 2);
  expect(() => write(AFTER)).toThrow('killed');
  restoreCalls();
  writeFileSync(join(dir, 'lb1/haproxy.cfg'), 'mine');
  expect(write(AFTER)).toMatchObject({ refused: ['lb1/haproxy.cfg'], written: [] });
});
