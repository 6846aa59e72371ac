import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { diffLines } from '../../text/diff.ts';
import { filesBelow, textOf } from './host-files.ts';

/** What an `install.sh` says of itself. */
export interface ScriptFacts {
  readonly packages: readonly string[];
  readonly units: readonly string[];
  /** Path on the host -> mode. */
  readonly modes: ReadonlyMap<string, string>;
}

const SCRIPT = /(?:^|\/)install\.sh$/;

/** Reads the lists at the head of the script among a host's files; empty ones where there is none. */
export function scriptFacts(filesDir: string): ScriptFacts {
  const script = filesBelow(filesDir).find((file) => SCRIPT.test(file));
  const text = script === undefined ? '' : (textOf(script) ?? '');
  const words = (name: string) =>
    (new RegExp(`^${name}=\\(([^)]*)\\)$`, 'm').exec(text)?.[1] ?? '').split(/\s+/).filter(Boolean);
  const modes = [...text.matchAll(/^ {4}"(0\d{3}) (\/\S+)"$/gm)].map(
    ([, mode = '', path = '']) => [path, mode] as const,
  );
  return { packages: words('packages'), units: words('units'), modes: new Map(modes) };
}

/** A file that putting the generated ones in place would change. */
export interface OtherFile {
  /** On the host. */
  readonly path: string;
  readonly isNew: boolean;
}

/** The files below `filesDir` that are not the same below the root of the host. */
export function otherFiles(filesDir: string, root: string): OtherFile[] {
  return filesBelow(filesDir)
    .map((file) => ({ given: textOf(file), path: `/${relative(filesDir, file)}` }))
    .map(({ given, path }) => ({ given, path, there: textOf(join(root, path)) }))
    .filter(({ given, there }) => given !== there)
    .map(({ path, there }) => ({ path, isNew: there === null }));
}

/** The difference of a file as `install.sh --plan` records it. */
export function differenceRecords(before: string | null, after: string | null): string[] {
  const sign = { same: ' ', added: '+', removed: '-' } as const;
  return diffLines(before, after, 2).map(({ kind, text }) => `diff\t${sign[kind]}${text}`);
}

/** Keeps the files of a host as they are, or that they are not there. */
export function keepFiles(paths: readonly string[], root: string, keep: string): void {
  for (const path of paths) if (existsSync(join(root, path))) copy(join(root, path), join(keep, path));
}

/** Puts files back as they were kept; those that were not there are removed. */
export function putBack(paths: readonly string[], root: string, keep: string): void {
  for (const path of paths) {
    rmSync(join(root, path), { force: true });
    if (existsSync(join(keep, path))) copy(join(keep, path), join(root, path));
  }
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  cpSync(from, to);
}
