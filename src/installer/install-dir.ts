import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import type { InstallDirState } from '../diagnosis/prepare/evidence.ts';
import { catalogue } from '../text/catalogue.ts';
import { type Trouble, TroubleError } from '../text/trouble.ts';
import { type IgnitionExpiry, ignitionExpiry } from './ignition.ts';

const words = () => catalogue().installer;

/** What the installer has left in its directory. */
export interface InstallDir {
  readonly state: InstallDirState;
  /** When bootstrap.ign expires; null: there is no bootstrap.ign. */
  readonly expiry: IgnitionExpiry | null;
  /** Milliseconds since the epoch; the same as expiry.earliest. */
  readonly expiresAt: number | null;
  /** Absolute path, where it exists. */
  readonly kubeconfig: string | null;
}

const STATE_FILE = '.openshift_install_state.json';
const SINGLE_NODE = 'bootstrap-in-place-for-live-iso.ign';
const MULTI_NODE = ['bootstrap.ign', 'master.ign', 'worker.ign'];

/** Looks at an install directory; one that does not exist is empty. Files that are not the installer's do not count. */
export async function inspectInstallDir(dir: string): Promise<InstallDir> {
  const names = new Set(await readdir(dir).catch(() => []));
  const kubeconfig = join(dir, 'auth', 'kubeconfig');
  const ignitionFile = names.has('bootstrap.ign') ? 'bootstrap.ign' : SINGLE_NODE;
  const expiry = names.has(ignitionFile) ? ignitionExpiry(await readFile(join(dir, ignitionFile), 'utf8')) : null;
  return {
    state: stateOf(names),
    expiry,
    expiresAt: expiry?.earliest ?? null,
    kubeconfig: (await isFile(kubeconfig)) ? kubeconfig : null,
  };
}

function stateOf(names: ReadonlySet<string>): InstallDirState {
  const hasConfig = names.has('install-config.yaml');
  const hasManifests = names.has('manifests') || names.has('openshift');
  const multi = MULTI_NODE.filter((name) => names.has(name)).length;
  const hasIgnition = multi > 0 || names.has(SINGLE_NODE);
  const hasState = names.has(STATE_FILE);
  if ([hasConfig, hasManifests, hasIgnition].filter(Boolean).length > 1) return 'mixed';
  if (hasConfig) return hasState ? 'mixed' : 'config';
  if (hasManifests) return 'manifests';
  if (hasIgnition) return names.has(SINGLE_NODE) || multi === MULTI_NODE.length ? 'ignition' : 'mixed';
  return hasState ? 'mixed' : 'empty';
}

/**
 * Puts install-config.yaml where the installer takes it (and takes it away), and a copy where it stays; both 0600, for they
 * hold the pull secret.
 * @throws TroubleError `install-dir-used` when the installer has been at work there, `install-config-missing`
 */
export async function placeInstallConfig(source: string, dir: string, copy: string): Promise<void> {
  const { state } = await inspectInstallDir(dir);
  if (state !== 'empty' && state !== 'config') {
    const { title, cause, whatToDo } = words().directory.used;
    const text = cause(dir, words().directory.states[state]);
    throw new TroubleError({ code: 'install-dir-used', title, cause: text, whatToDo });
  }
  for (const target of [copy, join(dir, 'install-config.yaml')]) await copyPrivately(source, target);
}

/** There is no install-config.yaml to begin with. */
export function installConfigMissing(file: string): Trouble {
  const { title, cause, whatToDo } = words().directory.noInstallConfig;
  return { code: 'install-config-missing', title, cause: cause(dirname(file)), whatToDo };
}

async function copyPrivately(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const fresh = `${target}.new`;
  try {
    // Made private before a byte of it is there.
    await writeFile(fresh, '', { mode: 0o600 });
    await chmod(fresh, 0o600);
    await writeFile(fresh, await readFile(source));
  } catch (error) {
    throw new TroubleError(installConfigMissing(source), { cause: error });
  }
  await rename(fresh, target);
}

/**
 * Says in the scheduler's manifest whether applications may run on the control plane: the installer decides by the number of
 * compute replicas, which is always 0 here, and so would always say yes (openshift/installer pkg/asset/manifests/scheduler.go).
 * @throws TroubleError `scheduler-manifest-missing`
 */
export async function setMastersSchedulable(dir: string, isSchedulable: boolean): Promise<void> {
  const file = join(dir, 'manifests', 'cluster-scheduler-02-config.yml');
  const text = await readFile(file, 'utf8').catch(() => null);
  const document = text === null ? null : parseDocument(text);
  if (!document || document.errors.length > 0 || !isMap(document.contents) || document.get('kind') !== 'Scheduler') {
    const { title, cause, whatToDo } = words().directory.noScheduler;
    throw new TroubleError({ code: 'scheduler-manifest-missing', title, cause: cause(file), whatToDo });
  }
  if (document.getIn(['spec', 'mastersSchedulable']) === isSchedulable) return;
  document.setIn(['spec', 'mastersSchedulable'], isSchedulable);
  await writeFile(file, document.toString());
}

/** A manifest that the installer takes up from us. */
export interface ExtraManifest {
  /** A base name ending in .yaml, .yml or .json. */
  readonly name: string;
  readonly content: string;
}

/** Puts our manifests into openshift/, where `create ignition-configs` takes them up. */
export async function addManifests(dir: string, manifests: readonly ExtraManifest[]): Promise<void> {
  for (const { name, content } of manifests) {
    if (!/^[A-Za-z0-9][\w.-]*\.(?:ya?ml|json)$/.test(name)) throw new TypeError(`not a manifest's name: ${name}`);
    await writeFile(join(dir, 'openshift', name), content, { mode: 0o640 });
  }
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
