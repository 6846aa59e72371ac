import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

/** The files that services and firewall.sh read: a mistake in them has consequences. */
const CONFIGURATION = /\.(?:zone|conf|cfg)$|\/firewall\.sh$/;

/**
 * Copies files below the root of a host as those do who put them in place there.
 * @param slip what is written of a configuration; `before` is what lay there, null where nothing did
 */
export function copyFiles(
  from: string,
  root: string,
  slip: (file: string, text: string, before: string | null) => string,
): void {
  const before = new Map(
    filesBelow(from)
      .map((file) => relative(from, file))
      .filter((file) => CONFIGURATION.test(file))
      .map((file) => [file, textOf(join(root, file))]),
  );
  cpSync(from, root, { recursive: true });
  for (const [file, old] of before) {
    const given = readFileSync(join(from, file), 'utf8');
    const written = slip(file, given, old);
    if (written !== given) writeFileSync(join(root, file), written);
  }
}

/** The text of a file; null where it cannot be read. */
export function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

export function filesBelow(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The file of a zone: at its path on the host, or (paths differ between distributions) the only one of that name. */
export function fileOf(root: string, path: string): string | null {
  const exact = join(root, path);
  if (existsSync(exact)) return exact;
  const alike = filesBelow(root).filter((file) => basename(file) === basename(path));
  return alike.length === 1 ? (alike[0] ?? null) : null;
}
