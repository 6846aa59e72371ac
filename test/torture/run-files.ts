import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { renderExampleDesign } from '../../src/design/example.ts';
import { exampleCredentials } from '../support/example-credentials.ts';
import { listFilesBelow, sharedCache, wizardExecutable } from '../support/rehearsal-run.ts';

/** The program as a shell starts it. */
export const PROGRAM: readonly string[] = [process.execPath, wizardExecutable];

/** A separate network namespace, in which nothing answers. */
export const OFFLINE: readonly string[] = process.getuid?.() === 0 ? ['unshare', '-n', '--'] : ['unshare', '-rn', '--'];

/** Creates a home directory for one run, and the environment of a new user's shell. */
export function createEnvironment(dir: string): Readonly<Record<string, string>> {
  const home = join(dir, 'home');
  const temporary = join(dir, 'tmp');
  for (const each of [home, temporary]) mkdirSync(each, { recursive: true, mode: 0o700 });
  const base = { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: temporary, LANG: 'C.UTF-8', TERM: 'dumb' };
  return { ...base, ...sharedCache };
}

const { NODE_COMPILE_CACHE } = process.env;
/** Extra environment of a worker that runs from its sources: Node.js's compile cache, as in this process. */
export const SOURCE_ENV: Readonly<Record<string, string>> = NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {};

/** Writes a valid design for `generate` with its credentials, and replaces some of its texts. */
export function writeDesign(dir: string, replacements: Readonly<Record<string, string>> = {}): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  let text = renderExampleDesign({})
    .replace(/pullSecretFile: .*/, 'pullSecretFile: ./pull-secret.txt')
    .replace(/sshKeyFile: .*/, 'sshKeyFile: ./id.pub');
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`the example has no ${from}`);
    text = text.replaceAll(from, to);
  }
  writeFileSync(join(dir, 'design.yaml'), text);
  writeFileSync(join(dir, 'pull-secret.txt'), exampleCredentials.pullSecret, { mode: 0o600 });
  writeFileSync(join(dir, 'id.pub'), exampleCredentials.sshKey);
  return join(dir, 'design.yaml');
}

/** Reads every file below a directory: path -> text. */
export function readFilesBelow(dir: string): Map<string, string> {
  const files = statSync(dir, { throwIfNoEntry: false })?.isDirectory() ? listFilesBelow(dir) : [];
  return new Map(files.sort().map((file) => [relative(dir, file), readFileSync(file, 'latin1')]));
}

/** Lists the differences between two sets of files, one line each. */
export function diffFiles(found: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): string[] {
  const names = new Set([...found.keys(), ...expected.keys()]);
  return [...names].flatMap((name) => {
    if (!found.has(name)) return [`${name} is missing`];
    if (!expected.has(name)) return [`${name} should not be there`];
    return found.get(name) === expected.get(name) ? [] : [`${name} differs`];
  });
}

/** Copies a directory tree with its modes. */
export function copyTree(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  chmodSync(to, statSync(from).mode & 0o777);
}

/** Lists the paths below a directory that match a pattern, to find leftover files. */
export function findLeftovers(dir: string, pattern: RegExp): string[] {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name));
}

/** Lists the differences between two JSON values, one line each. */
export function diffJson(found: unknown, expected: unknown, path = ''): string[] {
  if (isObject(found) && isObject(expected)) {
    const names = new Set([...Object.keys(found), ...Object.keys(expected)]);
    return [...names].flatMap((name) => diffJson(found[name], expected[name], path === '' ? name : `${path}.${name}`));
  }
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  return one === other ? [] : [`${path} is ${one}, not ${other}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
