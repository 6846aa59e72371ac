import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { diffLines } from '../../platform/diff.ts';
import { listFiles, readText } from './host-files.ts';

/** Facts that an `install.sh` declares. */
export interface ScriptFacts {
  readonly packages: readonly string[];
  readonly units: readonly string[];
  /** Path on the host -> mode. */
  readonly modes: ReadonlyMap<string, string>;
}

const SCRIPT = /(?:^|\/)install\.sh$/;

/** Reads the lists at the head of a host's `install.sh`; they are empty if there is no script. */
export function readScriptFacts(filesDir: string): ScriptFacts {
  const script = listFiles(filesDir).find((file) => SCRIPT.test(file));
  const text = script === undefined ? '' : (readText(script) ?? '');
  const readList = (name: string) =>
    (new RegExp(`^${name}=\\(([^)]*)\\)$`, 'm').exec(text)?.[1] ?? '').split(/\s+/).filter(Boolean);
  const modes = [...text.matchAll(/^ {4}"(0\d{3}) (\/\S+)"$/gm)].map(
    ([, mode = '', path = '']) => [path, mode] as const,
  );
  return { packages: readList('packages'), units: readList('units'), modes: new Map(modes) };
}

/** A file of the host that the installation of the generated files would change. */
export interface ChangedFile {
  /** Path on the host. */
  readonly path: string;
  readonly isNew: boolean;
}

/** Lists the files below `filesDir` that differ from those below the root of the host. */
export function listChangedFiles(filesDir: string, root: string): ChangedFile[] {
  return listFiles(filesDir)
    .map((file) => ({ given: readText(file), path: `/${relative(filesDir, file)}` }))
    .map(({ given, path }) => ({ given, path, there: readText(join(root, path)) }))
    .filter(({ given, there }) => given !== there)
    .map(({ path, there }) => ({ path, isNew: there === null }));
}

/** Formats the difference of a file as `install.sh --plan` records it. */
export function formatDiffRecords(before: string | null, after: string | null): string[] {
  const sign = { same: ' ', added: '+', removed: '-' } as const;
  return diffLines(before, after, 2).map(({ kind, text }) => `diff\t${sign[kind]}${text}`);
}

/** Backs up files of a host; a file that does not exist gets no backup. */
export function backUpFiles(paths: readonly string[], root: string, backupDir: string): void {
  for (const path of paths) if (existsSync(join(root, path))) copyFile(join(root, path), join(backupDir, path));
}

/** Restores files from their backups, and removes those without one. */
export function restoreFiles(paths: readonly string[], root: string, backupDir: string): void {
  for (const path of paths) {
    rmSync(join(root, path), { force: true });
    if (existsSync(join(backupDir, path))) copyFile(join(backupDir, path), join(root, path));
  }
}

function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  cpSync(from, to);
}
