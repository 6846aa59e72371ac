import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

// All that any version leaves of itself in an install directory (openshift/installer pkg/asset, every asset that is written).
const LEFT =
  /^(?:.*\.ign|auth|manifests|openshift|cluster-api|tls|metadata\.json|install-config\.yaml|\.openshift_install.*)$/;

/**
 * Moves everything that the installer left in an install directory into a new directory below `to`, so that the next run
 * begins with nothing: what it finds of an earlier run it would take up, old certificates included. Nothing is deleted.
 * @returns where it is now, and what was moved; null when there was nothing
 */
export async function setAside(dir: string, to: string): Promise<{ path: string; names: readonly string[] } | null> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => LEFT.test(name)).sort();
  if (names.length === 0) return null;
  const path = await freshDirectory(to);
  // The state file goes first: without it the others are not taken up, should this be cut short.
  const order = [...names].sort((a, b) => Number(b.startsWith('.')) - Number(a.startsWith('.')));
  for (const name of order) await rename(join(dir, name), join(path, name));
  return { path, names };
}

/** It holds private keys. */
async function freshDirectory(to: string): Promise<string> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const used = await readdir(to);
  const next = 1 + Math.max(0, ...used.map((name) => Number(/^\d+$/.exec(name)?.[0] ?? 0)));
  const path = join(to, String(next));
  await mkdir(path, { mode: 0o700 });
  return path;
}
