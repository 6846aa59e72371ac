import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { diffLines } from '../../platform/diff.ts';
import { createAppender, formatSyslogLine, readText } from '../site/files.ts';

/** Configuration files of the services, and firewall.sh: the copied files that faults can change. */
const CONFIG_FILE_PATTERN = /\.(?:zone|conf|cfg)$|\/firewall\.sh$/;

/**
 * Copies files below the root of a host, with the mistakes of the injected faults.
 * @param applyFaults returns the text that is really written; `previousText` is the text of the file on the host, null
 * if there is none
 */
export function copyFiles(
  sourceDir: string,
  root: string,
  applyFaults: (file: string, text: string, previousText: string | null) => string,
): void {
  const previousTexts = new Map(
    listFiles(sourceDir)
      .map((file) => relative(sourceDir, file))
      .filter((file) => CONFIG_FILE_PATTERN.test(file))
      .map((file) => [file, readText(join(root, file))]),
  );
  cpSync(sourceDir, root, { recursive: true });
  for (const [file, previousText] of previousTexts) {
    const sourceText = readFileSync(join(sourceDir, file), 'utf8');
    const writtenText = applyFaults(file, sourceText, previousText);
    if (writtenText !== sourceText) writeFileSync(join(root, file), writtenText);
  }
}

/** Lists all files below a directory; none if it does not exist. */
export function listFiles(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Finds a zone file: at its path or, as distributions differ, as the only file of its name. Null: none or several. */
export function findZoneFile(root: string, path: string): string | null {
  const exactPath = join(root, path);
  if (existsSync(exactPath)) return exactPath;
  const candidates = listFiles(root).filter((file) => basename(file) === basename(path));
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
}

const START_LINES: Readonly<Record<string, string>> = {
  named: 'all zones loaded',
  dhcpd: 'Server starting service.',
  'kea-dhcp4': 'INFO DHCP4_STARTED Kea DHCPv4 server started',
  haproxy: '[NOTICE] Loading success.',
};

/** Returns the log line of a program that loads its file after it refused an earlier one. */
export const getStartLine = (program: string) => START_LINES[program] ?? 'started';

/** Formats the log lines of a program that refuses its file. */
export function formatRefusalLines(program: string, detail: string): string[] {
  // The file is valid: another load balancer holds the address for now.
  if (detail.includes('cannot bind socket')) return [`[ALERT] ${detail}`];
  if (program === 'haproxy')
    return [`[ALERT] config : ${detail}`, '[ALERT] config : Fatal errors found in configuration.'];
  if (program === 'dhcpd') return [detail, 'Configuration file errors encountered -- exiting'];
  if (program === 'kea-dhcp4')
    return [`ERROR DHCP4_CONFIG_LOAD_FAIL configuration error using file, reason: ${detail}`];
  return [detail, 'loading configuration: failure'];
}

/**
 * Opens the /var/log/messages of a host.
 * @returns a function that appends a line of a program
 */
export function openHostLog(options: {
  readonly name: string;
  readonly root: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}) {
  const { name, root, clock, signal } = options;
  const append = createAppender(join(root, 'var/log/messages'), signal);
  return (program: string, line: string): void => {
    append(formatSyslogLine(clock.now(), name, program, line));
  };
}

/** Facts that an `install.sh` declares. */
interface ScriptDeclarations {
  readonly packages: readonly string[];
  readonly units: readonly string[];
  /** Path on the host -> mode. */
  readonly modes: ReadonlyMap<string, string>;
}

const SCRIPT_PATTERN = /(?:^|\/)install\.sh$/;

/** Reads the lists at the head of a host's `install.sh`; they are empty if there is no script. */
export function readScriptDeclarations(filesDir: string): ScriptDeclarations {
  const script = listFiles(filesDir).find((file) => SCRIPT_PATTERN.test(file));
  const text = script === undefined ? '' : (readText(script) ?? '');
  const readList = (name: string) =>
    (new RegExp(`^${name}=\\(([^)]*)\\)$`, 'm').exec(text)?.[1] ?? '').split(/\s+/).filter(Boolean);
  const modes = [...text.matchAll(/^ {4}"(0\d{3}) (\/\S+)"$/gm)].map(
    ([, mode = '', path = '']) => [path, mode] as const,
  );
  return { packages: readList('packages'), units: readList('units'), modes: new Map(modes) };
}

/** A file of the host that the installation of the generated files would change. */
interface ChangedFile {
  readonly path: string;
  readonly isNew: boolean;
}

/** Lists the files below `filesDir` that differ from those below the root of the host. */
export function listChangedFiles(filesDir: string, root: string): ChangedFile[] {
  return listFiles(filesDir)
    .map((file) => ({ newText: readText(file), path: `/${relative(filesDir, file)}` }))
    .map(({ newText, path }) => ({ newText, path, currentText: readText(join(root, path)) }))
    .filter(({ newText, currentText }) => newText !== currentText)
    .map(({ path, currentText }) => ({ path, isNew: currentText === null }));
}

/** Formats the diff of a file as `install.sh --plan` records it. */
export function formatDiffRecords(previousText: string | null, newText: string | null): string[] {
  const signByKind = { same: ' ', added: '+', removed: '-' } as const;
  return diffLines(previousText, newText, 2).map(({ kind, text }) => `diff\t${signByKind[kind]}${text}`);
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

function copyFile(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  cpSync(source, target);
}
