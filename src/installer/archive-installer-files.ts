import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

// All files that any version writes into an install directory (openshift/installer pkg/asset, every asset that is
// written).
const INSTALLER_FILES =
  /^(?:.*\.ign|auth|manifests|openshift|cluster-api|tls|metadata\.json|install-config\.yaml|\.openshift_install.*)$/;

/**
 * Moves all installer files of an install directory into a new directory below `to`, so that the next run starts clean:
 * it would reuse files of an earlier run, old certificates included. Nothing is deleted.
 * @returns the new directory and the moved names; null if there were none
 */
export async function archiveInstallerFiles(
  dir: string,
  to: string,
): Promise<{ path: string; names: readonly string[] } | null> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => INSTALLER_FILES.test(name)).sort();
  if (names.length === 0) return null;
  const path = await createNumberedDirectory(to);
  // The state file moves first: without it the installer ignores the other files if this is interrupted.
  const order = [...names].sort((a, b) => Number(b.startsWith('.')) - Number(a.startsWith('.')));
  for (const name of order) await rename(join(dir, name), join(path, name));
  return { path, names };
}

/** Private (0700): the files hold private keys. */
async function createNumberedDirectory(to: string): Promise<string> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const existing = await readdir(to);
  const next = 1 + Math.max(0, ...existing.map((name) => Number(/^\d+$/.exec(name)?.[0] ?? 0)));
  const path = join(to, String(next));
  await mkdir(path, { mode: 0o700 });
  return path;
}
