// Node.js keeps compiled code in a directory and runs it from there: no other user may be able to write it.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const HONEST = 'There is no command';
const PLANTED = 'It ran planted code';

/** The attacking user: the overflow UID of every Linux. */
const OTHER = 65534;

let tempDir: string;
let home: string;

/** Compiled code of another program, which Node.js accepts as ours: VERSION/FILE. */
let planted: string;

beforeAll(() => {
  tempDir = mkdtempSync(join(tmpdir(), 'upi-cache-'));
  chmodSync(tempDir, 0o755);
  runProgram(root, {});
  planted = plant();
});
afterAll(() => rmSync(tempDir, { recursive: true, force: true }));
beforeEach(() => {
  home = mkdtempSync(join(tempDir, 'home-'));
});

/** Runs the program with an unknown command and returns its output. */
function runProgram(program: string, env: Record<string, string>): string {
  const { stdout, stderr } = spawnSync(process.execPath, [join(program, 'bin/upi-wizard.js'), 'nonsense'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: home ?? tempDir, ...env },
  });
  return stdout + stderr;
}

function listFiles(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => lstatSync(join(dir, name)).isFile());
}

/**
 * Compiles another program of the same length and gives it the name and hash of ours: V8 compares only the length of a
 * source, and Node.js a hash that anyone can compute.
 */
function plant(): string {
  const evil = join(tempDir, 'evil');
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(evil, part), { recursive: true });
  const file = join(evil, 'dist/cli.js');
  // V8 compiles a function in brackets at once, so the cache contains it.
  const code = `export const run = (() => { process.stdout.write('${PLANTED}'); return 0; });`;
  writeFileSync(file, code.padEnd(readFileSync(file).length));
  const ours = join(tempDir, 'ours');
  const theirs = join(tempDir, 'theirs');
  expect(runProgram(root, { NODE_COMPILE_CACHE: ours })).toContain(HONEST);
  expect(runProgram(evil, { NODE_COMPILE_CACHE: theirs })).toContain(PLANTED);
  const readCompiled = (dir: string) => listFiles(dir).map((name) => ({ name, bytes: readFileSync(join(dir, name)) }));
  const plantedDir = join(tempDir, 'planted');
  for (const { name, bytes } of readCompiled(ours)) {
    // After a magic number: length of the source, length of the code, hash of the source, hash of the code.
    const [length, hash] = [bytes.readUInt32LE(4), bytes.readUInt32LE(12)];
    const other = readCompiled(theirs).find((one) => one.bytes.readUInt32LE(4) === length)?.bytes;
    if (other === undefined || other.readUInt32LE(12) === hash) continue;
    other.writeUInt32LE(hash, 12);
    mkdirSync(dirname(join(plantedDir, name)), { recursive: true });
    writeFileSync(join(plantedDir, name), other);
  }
  expect(listFiles(plantedDir)).toHaveLength(1);
  return plantedDir;
}

test('planted code runs from the directory that Node uses, so that the other tests are meaningful', () => {
  expect(runProgram(root, { NODE_COMPILE_CACHE: planted })).toContain(PLANTED);
});

test('the directory for temporary files, which every user can write, is neither read nor written', () => {
  const shared = join(home, 'tmp');
  mkdirSync(shared, { mode: 0o1777 });
  cpSync(planted, join(shared, 'node-compile-cache'), { recursive: true });
  const before = listFiles(shared);
  expect(runProgram(root, { TMPDIR: shared })).toContain(HONEST);
  expect(listFiles(shared)).toEqual(before);
});

const cacheDir = (homeDir: string) => join(homeDir, '.cache/upi-wizard/compiled');

test('the cache is in the home of the user, private to the user, or under XDG_CACHE_HOME', () => {
  expect(runProgram(root, {})).toContain(HONEST);
  expect(listFiles(cacheDir(home))).not.toEqual([]);
  expect(lstatSync(cacheDir(home)).mode & 0o777).toBe(0o700);
  expect(runProgram(root, { XDG_CACHE_HOME: join(home, 'caches') })).toContain(HONEST);
  expect(listFiles(join(home, 'caches/upi-wizard/compiled'))).not.toEqual([]);
  // A relative path is ignored (XDG Base Directory Specification).
  expect(runProgram(root, { XDG_CACHE_HOME: 'here' })).toContain(HONEST);
  expect(existsSync(join(root, 'here'))).toBe(false);
});

test('a link to a directory of the same user is accepted', () => {
  mkdirSync(join(home, 'elsewhere'));
  symlinkSync(join(home, 'elsewhere'), join(home, '.cache'));
  expect(runProgram(root, {})).toContain(HONEST);
  expect(listFiles(join(home, 'elsewhere'))).not.toEqual([]);
});

/** Only root can give a file to another user. */
const testAsRoot = (name: string, body: () => void) => test.skipIf(process.getuid?.() !== 0)(name, body);

/** Each case lets another user write where the program finds its cache. */
const EXPOSURES: readonly (readonly [string, typeof testAsRoot, () => void])[] = [
  ['a cache open to everybody', test, () => chmodSync(cacheDir(home), 0o777)],
  ['a cache open to a group', test, () => chmodSync(cacheDir(home), 0o770)],
  ['a directory above it open to everybody', test, () => chmodSync(join(home, '.cache'), 0o777)],
  [
    'a link through a directory open to everybody',
    test,
    () => moveBehindLink(() => chmodSync(join(home, 'open'), 0o777)),
  ],
  ['a cache of another user', testAsRoot, () => chownSync(cacheDir(home), OTHER, OTHER)],
  ['a cache in the home of another user', testAsRoot, () => chownSync(home, OTHER, OTHER)],
  [
    'a link into a directory of another user',
    testAsRoot,
    () => moveBehindLink(() => chownSync(join(home, 'open'), OTHER, OTHER)),
  ],
];

/** Puts the directory for caches behind a link, below `open`. */
function moveBehindLink(expose: () => void) {
  mkdirSync(join(home, 'open'));
  renameSync(join(home, '.cache'), join(home, 'open/caches'));
  symlinkSync(join(home, 'open/caches'), join(home, '.cache'));
  expose();
}

for (const [title, run, expose] of EXPOSURES) {
  run(`${title} is not used`, () => {
    mkdirSync(cacheDir(home), { recursive: true, mode: 0o700 });
    cpSync(planted, cacheDir(home), { recursive: true });
    expect(runProgram(root, {})).toContain(PLANTED);
    expose();
    expect(runProgram(root, {})).toContain(HONEST);
  });
}

testAsRoot('root leaves nothing behind in the home of another user', () => {
  chownSync(home, OTHER, OTHER);
  expect(runProgram(root, {})).toContain(HONEST);
  expect(readdirSync(home)).toEqual([]);
});

test('a cache directory from the environment is used if only the user can write it; otherwise the program does not start', () => {
  expect(runProgram(root, { NODE_COMPILE_CACHE: join(home, 'own') })).toContain(HONEST);
  expect(existsSync(cacheDir(home))).toBe(false);
  chmodSync(join(home, 'own'), 0o777);
  expect(runProgram(root, { NODE_COMPILE_CACHE: join(home, 'own') })).toMatch(/unset it and start again/);
  expect(runProgram(root, { NODE_COMPILE_CACHE: join(home, 'own'), NODE_DISABLE_COMPILE_CACHE: '1' })).toContain(
    HONEST,
  );
});

test('a home that cannot be written disables the cache, nothing else', () => {
  const file = join(home, 'file');
  writeFileSync(file, '');
  expect(runProgram(root, { HOME: file })).toContain(HONEST);
  expect(runProgram(root, { HOME: '/proc/none' })).toContain(HONEST);
});
