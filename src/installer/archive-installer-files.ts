import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

// All files that any version writes into an install directory (openshift/installer pkg/asset, every asset that is
// written).
const INSTALLER_FILES =
  /^(?:.*\.ign|auth|manifests|openshift|cluster-api|tls|metadata\.json|install-config\.yaml|\.openshift_install.*)$/;

/**
 * Moves all installer files of an install directory into a new directory below `archiveDir`: the next run starts clean,
 * instead of reusing files of an earlier run, old certificates included. Nothing is deleted.
 * @returns the new directory and the moved names; null if there were none
 */
export async function archiveInstallerFiles(
  dir: string,
  archiveDir: string,
): Promise<{ path: string; names: readonly string[] } | null> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => INSTALLER_FILES.test(name)).sort();
  if (names.length === 0) return null;
  const path = await createNumberedDirectory(archiveDir);
  // The state file moves first: without it, the installer ignores the other files if the move is interrupted.
  const orderedNames = [...names].sort((a, b) => Number(b.startsWith('.')) - Number(a.startsWith('.')));
  for (const name of orderedNames) await rename(join(dir, name), join(path, name));
  return { path, names };
}

/** Creates the directory with the next number, with mode 0700: the files hold private keys. */
async function createNumberedDirectory(archiveDir: string): Promise<string> {
  await mkdir(archiveDir, { recursive: true, mode: 0o700 });
  const existingNames = await readdir(archiveDir);
  const nextNumber = 1 + Math.max(0, ...existingNames.map((name) => Number(/^\d+$/.exec(name)?.[0] ?? 0)));
  const path = join(archiveDir, String(nextNumber));
  await mkdir(path, { mode: 0o700 });
  return path;
}
