import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { compare } from '../../src/artifacts/output.ts';
import { sha256 } from '../../src/artifacts/shared/draft.ts';
import { readInside, readPreviousOutput, writeOutput } from '../../src/bastion/output-dir.ts';

type Files = Readonly<Record<string, string>>;

/** The calls that change what lies on disk. */
const WRITING = ['openSync', 'writeFileSync', 'fchmodSync', 'renameSync', 'rmSync', 'mkdirSync'] as const;
const real = Object.fromEntries(WRITING.map((name) => [name, fs[name]]));

const bringBack = () => {
  Object.assign(fs, real);
  syncBuiltinESMExports();
};
afterEach(bringBack);

/** From this call on the process is as good as dead: nothing it does reaches the disk. Returns how many calls there were. */
function dieAt(last: number): () => number {
  let calls = 0;
  for (const name of WRITING) {
    const call = real[name] as (...args: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        calls += 1;
        if (calls >= last) throw new Error('killed');
        return call(...args);
      },
    });
  }
  syncBuiltinESMExports();
  return () => calls;
}

function workplace() {
  const dir = mkdtempSync(join(tmpdir(), 'killed-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const write = (texts: Files) => {
    const files = Object.entries(texts).map(([file, content]) => ({ file, content, mode: '0644' }));
    const manifest = {
      files: files.map(({ file, content }) => ({ file, sha256: sha256(content), serial: content.length })),
    };
    const previous = readPreviousOutput(dir);
    const changes = compare(files, previous?.manifest ?? null, (file) => readInside(dir, file));
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

/** What lies on disk after the run of before and the whole run of after. */
function wanted(first: Files | null): Files {
  const { write, contents } = workplace();
  if (first) write(first);
  write(AFTER);
  return contents();
}

function callsOf(first: Files | null): number {
  const { write } = workplace();
  if (first) write(first);
  const calls = dieAt(Number.POSITIVE_INFINITY);
  write(AFTER);
  bringBack();
  return calls();
}

test.each([
  ['over the files of an earlier run', BEFORE],
  ['into an empty directory', null],
])('a run %s that is killed at any call is finished by the next one, and nobody is blamed for it', (_, first) => {
  const expected = wanted(first);
  const calls = callsOf(first);
  expect(calls).toBeGreaterThan(20);
  for (let last = 1; last <= calls; last += 1) {
    const { write, contents } = workplace();
    if (first) write(first);
    dieAt(last);
    expect(() => write(AFTER), `call ${last}`).toThrow('killed');
    bringBack();
    expect(write(AFTER), `call ${last}`).toMatchObject({ refused: [], saved: [], kept: [] });
    expect(contents(), `call ${last}`).toEqual(expected);
  }
});

test('a killed run is taken back by a run of the design of before', () => {
  const expected = (() => {
    const { write, contents } = workplace();
    write(BEFORE);
    return contents();
  })();
  const calls = callsOf(BEFORE);
  for (let last = 1; last <= calls; last += 1) {
    const { write, contents } = workplace();
    write(BEFORE);
    dieAt(last);
    expect(() => write(AFTER)).toThrow('killed');
    bringBack();
    expect(write(BEFORE), `call ${last}`).toMatchObject({ refused: [], kept: [] });
    expect(contents(), `call ${last}`).toEqual(expected);
  }
});

test('a run that is killed after another killed one, and wants something else, is taken back and finished as well', () => {
  const third: Files = { 'ns1/zone': 'serial no 3', 'lb1/haproxy.cfg': 'newer', 'bastion/same': 'same' };
  const calls = callsOf(BEFORE);
  for (let first = 12; first <= calls; first += 6) {
    for (let second = 14; second <= 26; second += 3) {
      const { write, contents } = workplace();
      write(BEFORE);
      dieAt(first);
      expect(() => write(AFTER)).toThrow('killed');
      bringBack();
      dieAt(second);
      expect(() => write(third)).toThrow('killed');
      bringBack();
      expect(write(third), `calls ${first} and ${second}`).toMatchObject({ refused: [], saved: [], kept: [] });
      expect(contents(), `calls ${first} and ${second}`).toMatchObject(third);
    }
  }
});

test('the serial of a zone that a killed run had written is known to the next one', () => {
  const { dir, write } = workplace();
  write(BEFORE);
  dieAt(callsOf(BEFORE) - 2);
  expect(() => write(AFTER)).toThrow('killed');
  bringBack();
  const zone = readPreviousOutput(dir)?.manifest.files.find(({ file }) => file === 'ns1/zone');
  expect(zone).toMatchObject({ sha256: sha256('serial two'), serial: 10 });
});

test('what a person changed after a killed run is theirs', () => {
  const { dir, write } = workplace();
  write(BEFORE);
  dieAt(callsOf(BEFORE) - 2);
  expect(() => write(AFTER)).toThrow('killed');
  bringBack();
  writeFileSync(join(dir, 'lb1/haproxy.cfg'), 'mine');
  expect(write(AFTER)).toMatchObject({ refused: ['lb1/haproxy.cfg'], written: [] });
});
