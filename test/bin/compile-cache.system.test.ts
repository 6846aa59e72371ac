// Node keeps compiled code in a directory and runs what it finds there: nobody else may have put it there.
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
/** The user that plants: nobody, on every Linux. */
const OTHER = 65534;

let place: string;
let home: string;
/** The compiled code of a program that says something else, as Node takes it for ours: VERSION/FILE. */
let planted: string;

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'upi-cache-'));
  chmodSync(place, 0o755);
  start(root, {});
  planted = plant();
});
afterAll(() => rmSync(place, { recursive: true, force: true }));
beforeEach(() => {
  home = mkdtempSync(join(place, 'home-'));
});

/** What the program says of a command that it does not have. */
function start(program: string, env: Record<string, string>): string {
  const { stdout, stderr } = spawnSync(process.execPath, [join(program, 'bin/upi-wizard.js'), 'nonsense'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: home ?? place, ...env },
  });
  return stdout + stderr;
}

function filesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => lstatSync(join(dir, name)).isFile());
}

/**
 * Compiles another program of the same length and gives it our name and hash: V8 compares a source by its length alone, and
 * Node by a hash that anybody can compute.
 */
function plant(): string {
  const evil = join(place, 'evil');
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(evil, part), { recursive: true });
  const file = join(evil, 'dist/cli.js');
  // A function in brackets is compiled at once, and so lies in the cache.
  const code = `export const run = (() => { process.stdout.write('${PLANTED}'); return 0; });`;
  writeFileSync(file, code.padEnd(readFileSync(file).length));
  const ours = join(place, 'ours');
  const theirs = join(place, 'theirs');
  expect(start(root, { NODE_COMPILE_CACHE: ours })).toContain(HONEST);
  expect(start(evil, { NODE_COMPILE_CACHE: theirs })).toContain(PLANTED);
  const compiled = (dir: string) => filesBelow(dir).map((name) => ({ name, bytes: readFileSync(join(dir, name)) }));
  const made = join(place, 'planted');
  for (const { name, bytes } of compiled(ours)) {
    // After a magic number: length of the source, length of the code, hash of the source, hash of the code.
    const [length, hash] = [bytes.readUInt32LE(4), bytes.readUInt32LE(12)];
    const other = compiled(theirs).find((one) => one.bytes.readUInt32LE(4) === length)?.bytes;
    if (other === undefined || other.readUInt32LE(12) === hash) continue;
    other.writeUInt32LE(hash, 12);
    mkdirSync(dirname(join(made, name)), { recursive: true });
    writeFileSync(join(made, name), other);
  }
  expect(filesBelow(made)).toHaveLength(1);
  return made;
}

test('what is planted runs where Node looks for it, so that the other tests mean something', () => {
  expect(start(root, { NODE_COMPILE_CACHE: planted })).toContain(PLANTED);
});

test('the directory for temporary files, where everybody may plant, is neither read nor written', () => {
  const shared = join(home, 'tmp');
  mkdirSync(shared, { mode: 0o1777 });
  cpSync(planted, join(shared, 'node-compile-cache'), { recursive: true });
  const before = filesBelow(shared);
  expect(start(root, { TMPDIR: shared })).toContain(HONEST);
  expect(filesBelow(shared)).toEqual(before);
});

/** Where ours lies. */
const cacheOf = (of: string) => join(of, '.cache/upi-wizard/compiled');

test('the cache lies in the home of the user, for the user alone, or where XDG_CACHE_HOME says', () => {
  expect(start(root, {})).toContain(HONEST);
  expect(filesBelow(cacheOf(home))).not.toEqual([]);
  expect(lstatSync(cacheOf(home)).mode & 0o777).toBe(0o700);
  expect(start(root, { XDG_CACHE_HOME: join(home, 'caches') })).toContain(HONEST);
  expect(filesBelow(join(home, 'caches/upi-wizard/compiled'))).not.toEqual([]);
  // A relative one counts as none (XDG Base Directory Specification).
  expect(start(root, { XDG_CACHE_HOME: 'here' })).toContain(HONEST);
  expect(existsSync(join(root, 'here'))).toBe(false);
});

test('a link to a directory of ours is as good', () => {
  mkdirSync(join(home, 'elsewhere'));
  symlinkSync(join(home, 'elsewhere'), join(home, '.cache'));
  expect(start(root, {})).toContain(HONEST);
  expect(filesBelow(join(home, 'elsewhere'))).not.toEqual([]);
});

/** Only root can give a file to another user. */
const asRoot = (name: string, body: () => void) => test.skipIf(process.getuid?.() !== 0)(name, body);

/** Each lays what is planted where the program would find it. */
const PLANTS: readonly (readonly [string, typeof asRoot, () => void])[] = [
  ['a cache open to everybody', test, () => chmodSync(cacheOf(home), 0o777)],
  ['a cache open to a group', test, () => chmodSync(cacheOf(home), 0o770)],
  ['a directory above it open to everybody', test, () => chmodSync(join(home, '.cache'), 0o777)],
  ['a link through a directory open to everybody', test, () => throughLink(() => chmodSync(join(home, 'open'), 0o777))],
  ['a cache of another user', asRoot, () => chownSync(cacheOf(home), OTHER, OTHER)],
  ['a cache in the home of another user', asRoot, () => chownSync(home, OTHER, OTHER)],
  [
    'a link into a directory of another user',
    asRoot,
    () => throughLink(() => chownSync(join(home, 'open'), OTHER, OTHER)),
  ],
];

/** Puts the directory for caches behind a link, below `open`. */
function throughLink(open: () => void) {
  mkdirSync(join(home, 'open'));
  renameSync(join(home, '.cache'), join(home, 'open/caches'));
  symlinkSync(join(home, 'open/caches'), join(home, '.cache'));
  open();
}

for (const [what, run, lay] of PLANTS) {
  run(`${what} is not used`, () => {
    mkdirSync(cacheOf(home), { recursive: true, mode: 0o700 });
    cpSync(planted, cacheOf(home), { recursive: true });
    expect(start(root, {})).toContain(PLANTED);
    lay();
    expect(start(root, {})).toContain(HONEST);
  });
}

asRoot('root leaves nothing behind in the home of another user', () => {
  chownSync(home, OTHER, OTHER);
  expect(start(root, {})).toContain(HONEST);
  expect(readdirSync(home)).toEqual([]);
});

test('a cache that the environment has started elsewhere is used where only the user can write, else it ends the start', () => {
  expect(start(root, { NODE_COMPILE_CACHE: join(home, 'own') })).toContain(HONEST);
  expect(existsSync(cacheOf(home))).toBe(false);
  chmodSync(join(home, 'own'), 0o777);
  expect(start(root, { NODE_COMPILE_CACHE: join(home, 'own') })).toMatch(/unset it and start again/);
  expect(start(root, { NODE_COMPILE_CACHE: join(home, 'own'), NODE_DISABLE_COMPILE_CACHE: '1' })).toContain(HONEST);
});

test('a home that nothing can be made in costs the cache, nothing else', () => {
  const file = join(home, 'file');
  writeFileSync(file, '');
  expect(start(root, { HOME: file })).toContain(HONEST);
  expect(start(root, { HOME: '/proc/none' })).toContain(HONEST);
});
