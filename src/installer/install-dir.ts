import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import { catalogue } from '../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../i18n/user-error.ts';
import { findIgnitionExpiry, type IgnitionExpiry } from './ignition.ts';

const words = () => catalogue().installer;

/** Files that openshift-install left in its directory, and when their certificates expire. */
export interface InstallDirStatus {
  readonly state: InstallDirState;
  /** When the certificates in the bootstrap ignition file expire; null: there is no such file. */
  readonly expiry: IgnitionExpiry | null;
  /** Milliseconds since the epoch; the same as expiry.earliest. */
  readonly expiresAt: number | null;
  /** Absolute path; null if it does not exist. */
  readonly kubeconfig: string | null;
}

const STATE_FILE = '.openshift_install_state.json';
const SINGLE_NODE_IGNITION = 'bootstrap-in-place-for-live-iso.ign';
const MULTI_NODE_IGNITION = ['bootstrap.ign', 'master.ign', 'worker.ign'];

/** Inspects an install directory; a missing one counts as empty. Files that are not the installer's are ignored. */
export async function inspectInstallDir(dir: string): Promise<InstallDirStatus> {
  const names = new Set(await readdir(dir).catch(() => []));
  const kubeconfig = join(dir, 'auth', 'kubeconfig');
  const ignitionFile = names.has('bootstrap.ign') ? 'bootstrap.ign' : SINGLE_NODE_IGNITION;
  const expiry = names.has(ignitionFile) ? findIgnitionExpiry(await readFile(join(dir, ignitionFile), 'utf8')) : null;
  return {
    state: deriveState(names),
    expiry,
    expiresAt: expiry?.earliest ?? null,
    kubeconfig: (await isFile(kubeconfig)) ? kubeconfig : null,
  };
}

function deriveState(names: ReadonlySet<string>): InstallDirState {
  const hasConfig = names.has('install-config.yaml');
  const hasManifests = names.has('manifests') || names.has('openshift');
  const multiNodeCount = MULTI_NODE_IGNITION.filter((name) => names.has(name)).length;
  const hasIgnition = multiNodeCount > 0 || names.has(SINGLE_NODE_IGNITION);
  const hasState = names.has(STATE_FILE);
  if ([hasConfig, hasManifests, hasIgnition].filter(Boolean).length > 1) return 'mixed';
  if (hasConfig) return hasState ? 'mixed' : 'config';
  if (hasManifests) return 'manifests';
  if (hasIgnition)
    return names.has(SINGLE_NODE_IGNITION) || multiNodeCount === MULTI_NODE_IGNITION.length ? 'ignition' : 'mixed';
  return hasState ? 'mixed' : 'empty';
}

/**
 * Copies install-config.yaml to where the installer reads (and removes) it, and to a permanent copy; both with mode
 * 0600, because they hold the pull secret.
 * @throws UserErrorException `install-dir-used` if the installer has already worked there, `install-config-missing`
 */
export async function copyInstallConfig(source: string, dir: string, copyPath: string): Promise<void> {
  const { state } = await inspectInstallDir(dir);
  if (state !== 'empty' && state !== 'config') {
    const { title, cause, remedy } = words().directory.used;
    const text = cause(dir, words().directory.states[state]);
    throw new UserErrorException({ code: 'install-dir-used', title, cause: text, remedy });
  }
  for (const target of [copyPath, join(dir, 'install-config.yaml')]) await copyAsPrivateFile(source, target);
}

/** Creates the error for a missing install-config.yaml. */
export function createMissingConfigError(file: string): UserError {
  const { title, cause, remedy } = words().directory.noInstallConfig;
  return { code: 'install-config-missing', title, cause: cause(dirname(file)), remedy };
}

async function copyAsPrivateFile(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const temporaryPath = `${target}.new`;
  try {
    // Private before the first byte of its content is written.
    await writeFile(temporaryPath, '', { mode: 0o600 });
    await chmod(temporaryPath, 0o600);
    await writeFile(temporaryPath, await readFile(source));
  } catch (error) {
    throw new UserErrorException(createMissingConfigError(source), { cause: error });
  }
  await rename(temporaryPath, target);
}

/**
 * Sets `mastersSchedulable` in the Scheduler manifest: whether applications may run on the control plane. The installer
 * sets it to true if the number of compute replicas is 0, as it always is here (openshift/installer
 * pkg/asset/manifests/scheduler.go).
 * @throws UserErrorException `scheduler-manifest-missing`
 */
export async function setMastersSchedulable(dir: string, isSchedulable: boolean): Promise<void> {
  const file = join(dir, 'manifests', 'cluster-scheduler-02-config.yml');
  const text = await readFile(file, 'utf8').catch(() => null);
  const document = text === null ? null : parseDocument(text);
  if (!document || document.errors.length > 0 || !isMap(document.contents) || document.get('kind') !== 'Scheduler') {
    const { title, cause, remedy } = words().directory.noScheduler;
    throw new UserErrorException({ code: 'scheduler-manifest-missing', title, cause: cause(file), remedy });
  }
  if (document.getIn(['spec', 'mastersSchedulable']) === isSchedulable) return;
  document.setIn(['spec', 'mastersSchedulable'], isSchedulable);
  await writeFile(file, document.toString());
}

/** A manifest that is added to those of the installer. */
interface ExtraManifest {
  /** A base name ending in .yaml, .yml or .json. */
  readonly name: string;
  readonly content: string;
}

/** Writes our manifests into openshift/, where `create ignition-configs` reads them. */
export async function addManifests(dir: string, manifests: readonly ExtraManifest[]): Promise<void> {
  for (const { name, content } of manifests) {
    if (!/^[A-Za-z0-9][\w.-]*\.(?:ya?ml|json)$/.test(name)) throw new TypeError(`not a manifest's name: ${name}`);
    await writeFile(join(dir, 'openshift', name), content, { mode: 0o640 });
  }
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

/**
 * The progress of the installer in a directory. `mixed`: parts of more than one run (manifests beside ignition files,
 * an install-config over an old state, some ignition files without the others).
 */
export type InstallDirState = 'empty' | 'config' | 'manifests' | 'ignition' | 'mixed';

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
