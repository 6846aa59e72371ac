import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

/** Files that the services and firewall.sh use; mistakes in them have consequences. */
const CONFIG_FILE = /\.(?:zone|conf|cfg)$|\/firewall\.sh$/;

/**
 * Copies files below the root of a host, with the mistakes of the injected faults.
 * @param applyFaults returns the text that is really written; `before` is the text of the file on the host, null if
 * there is none
 */
export function copyFiles(
  from: string,
  root: string,
  applyFaults: (file: string, text: string, before: string | null) => string,
): void {
  const before = new Map(
    listFiles(from)
      .map((file) => relative(from, file))
      .filter((file) => CONFIG_FILE.test(file))
      .map((file) => [file, readText(join(root, file))]),
  );
  cpSync(from, root, { recursive: true });
  for (const [file, previous] of before) {
    const original = readFileSync(join(from, file), 'utf8');
    const written = applyFaults(file, original, previous);
    if (written !== original) writeFileSync(join(root, file), written);
  }
}

/** Reads a text file; null if it cannot be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Lists all files below a directory; none if it does not exist. */
export function listFiles(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Finds a zone file: at its path on the host or, because paths differ between distributions, as the only file of that
 * name.
 */
export function findZoneFile(root: string, path: string): string | null {
  const exact = join(root, path);
  if (existsSync(exact)) return exact;
  const candidates = listFiles(root).filter((file) => basename(file) === basename(path));
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
}
