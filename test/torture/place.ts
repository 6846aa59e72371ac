import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { exampleDesign } from '../../src/design/example.ts';
import { exampleCredentials } from '../support/example-credentials.ts';
import { listFilesBelow, sharedCache, wizardExecutable } from '../support/rehearsal-run.ts';

/** The program as a shell starts it. */
export const PROGRAM: readonly string[] = [process.execPath, wizardExecutable];

/** A network of its own, in which nothing answers. */
export const OFFLINE: readonly string[] = process.getuid?.() === 0 ? ['unshare', '-n', '--'] : ['unshare', '-rn', '--'];

/** A home for one run, and the environment of a new user's shell. */
export function environmentIn(dir: string): Readonly<Record<string, string>> {
  const home = join(dir, 'home');
  const temporary = join(dir, 'tmp');
  for (const each of [home, temporary]) mkdirSync(each, { recursive: true, mode: 0o700 });
  const base = { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: temporary, LANG: 'C.UTF-8', TERM: 'dumb' };
  return { ...base, ...sharedCache };
}

const { NODE_COMPILE_CACHE } = process.env;
/** What a worker started from its sources needs beside its environment: where Node keeps what it made of them, as for us. */
export const OF_SOURCES: Readonly<Record<string, string>> = NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {};

/** A design that `generate` can work with, with its credentials beside it, and some texts replaced. */
export function writeDesign(dir: string, replaced: Readonly<Record<string, string>> = {}): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  let text = exampleDesign({})
    .replace(/pullSecretFile: .*/, 'pullSecretFile: ./pull-secret.txt')
    .replace(/sshKeyFile: .*/, 'sshKeyFile: ./id.pub');
  for (const [from, to] of Object.entries(replaced)) {
    if (!text.includes(from)) throw new Error(`the example has no ${from}`);
    text = text.replaceAll(from, to);
  }
  writeFileSync(join(dir, 'design.yaml'), text);
  writeFileSync(join(dir, 'pull-secret.txt'), exampleCredentials.pullSecret, { mode: 0o600 });
  writeFileSync(join(dir, 'id.pub'), exampleCredentials.sshKey);
  return join(dir, 'design.yaml');
}

/** Path below a directory -> text, of every file there. */
export function contentsOf(dir: string): Map<string, string> {
  const files = statSync(dir, { throwIfNoEntry: false })?.isDirectory() ? listFilesBelow(dir) : [];
  return new Map(files.sort().map((file) => [relative(dir, file), readFileSync(file, 'latin1')]));
}

/** What differs between two sets of files, one line each; nothing when they are the same. */
export function differences(found: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): string[] {
  const names = new Set([...found.keys(), ...wanted.keys()]);
  return [...names].flatMap((name) => {
    if (!found.has(name)) return [`${name} is missing`];
    if (!wanted.has(name)) return [`${name} should not be there`];
    return found.get(name) === wanted.get(name) ? [] : [`${name} differs`];
  });
}

/** A copy of a directory tree, modes included. */
export function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  chmodSync(to, statSync(from).mode & 0o777);
}

/** What lies below a directory by kind of name, for a look at what was left over. */
export function leftOvers(dir: string, pattern: RegExp): string[] {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name));
}

/** Where two JSON values differ, one line each. */
export function unlike(found: unknown, wanted: unknown, path = ''): string[] {
  if (isObject(found) && isObject(wanted)) {
    const names = new Set([...Object.keys(found), ...Object.keys(wanted)]);
    return [...names].flatMap((name) => unlike(found[name], wanted[name], path === '' ? name : `${path}.${name}`));
  }
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  return one === other ? [] : [`${path} is ${one}, not ${other}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
