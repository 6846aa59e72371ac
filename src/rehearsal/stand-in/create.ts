import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { type Clock, HOUR } from '../../ports/clock.ts';
import type { FaultId } from '../site/faults.ts';
import { isAtLeast, type ReleaseFacts } from '../site/versions.ts';
import { type Console, ExitError } from './console.ts';
import { bootstrapIgnition, kubeconfigOf, pointerIgnition } from './ignition.ts';
import { type InstallConfig, readInstallConfig } from './install-config.ts';
import { manifestsOf } from './manifests.ts';
import { createTlsAssets, type TlsAssets } from './pki.ts';

/** How old the assets of a directory are that was used the day before. */
const STALE = 26 * HOUR;
const STATE_FILE = '.openshift_install_state.json';

/** What the installer remembers in its directory between its steps. */
interface State {
  readonly installConfig: string;
  readonly password: string;
  readonly assets: TlsAssets | null;
  /** The files of the last create ignition-configs: running it again gives the same. */
  readonly ignition: Readonly<Record<string, string>> | null;
}

export interface CreateOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly release: ReleaseFacts;
  readonly architecture: string;
  readonly out: Console;
  /** What goes wrong in this run, once in the life of a site. */
  readonly mistakes: ReadonlySet<FaultId>;
}

/** `create manifests`: consumes install-config.yaml, leaves manifests/ and openshift/. */
export function createManifests({ dir, release, out, mistakes }: CreateOptions): void {
  const before = readState(dir);
  const path = join(dir, 'install-config.yaml');
  if (!existsSync(path) && before === null) {
    throw new ExitError(
      'failed to fetch Master Machines: failed to load asset "Install Config": failed to fetch "Install Config": install-config.yaml: no such file or directory',
      1,
    );
  }
  const text = existsSync(path) ? readFileSync(path, 'utf8') : (before?.installConfig ?? '');
  const config = readInstallConfig(text, rejectedCode(release));
  if (existsSync(path)) out.say('info', 'Consuming Install Config from target directory');
  if (config.computeReplicas === 0) {
    out.say(
      'warning',
      'Making control-plane schedulable by setting MastersSchedulable to true for Scheduler cluster settings',
    );
  }
  for (const [name, content] of Object.entries(manifestsOf(config, release, mistakes.has('proxy-without-no-proxy'))))
    write(join(dir, name), content);
  for (const name of ['master.ign', 'worker.ign', 'install-config.yaml']) rmSync(join(dir, name), { force: true });
  writeState(dir, { installConfig: text, password: before?.password ?? newPassword(), assets: null, ignition: null });
  if (isAtLeast(release, 4, 6)) {
    out.say('info', `Manifests created in: ${join(dir, 'manifests')} and ${join(dir, 'openshift')}`);
  }
}

/** `create ignition-configs`: consumes the manifests, leaves the ignition files, auth/ and metadata.json. */
export function createIgnitionConfigs(options: CreateOptions): Promise<void> {
  return createIgnition(options, false);
}

/** `create single-node-ignition-config`: the same for a single node, which is its own bootstrap. */
export function createSingleNodeIgnition(options: CreateOptions): Promise<void> {
  return createIgnition(options, true);
}

async function createIgnition(options: CreateOptions, isSingle: boolean): Promise<void> {
  const { dir, clock, release, out, mistakes } = options;
  if (!existsSync(join(dir, 'manifests'))) {
    const kept = existsSync(join(dir, 'install-config.yaml')) ? undefined : readState(dir)?.ignition;
    if (kept) return writeAll(dir, kept);
    createManifests(options);
  }
  const state = readState(dir);
  if (state === null) throw new ExitError('failed to fetch Bootstrap Ignition Config: no state file', 1);
  const config = readInstallConfig(state.installConfig, rejectedCode(release));
  if (isSingle && (config.inPlaceDisk === '' || config.controlPlaneReplicas !== 1)) {
    throw new ExitError(
      'failed to fetch Single Node Bootstrap In Place Ignition Config: bootstrapInPlace needs an installationDisk and one control plane replica',
      1,
    );
  }
  const manifests = manifestsIn(dir);
  for (const name of CONSUMED) out.say('info', `Consuming ${name} from target directory`);
  // Assets of an earlier day lay in a directory that was used again.
  const madeAt = clock.now() - (mistakes.has('ignition-stale') ? STALE : 0);
  const assets = await createTlsAssets(domainOf(config), madeAt);
  const broken = brokenManifest(manifests);
  if (broken !== null) {
    // The real program has written these two by then.
    for (const role of ['master', 'worker'] as const) {
      write(join(dir, `${role}.ign`), pointerIgnition(role, domainOf(config), assets, release));
    }
    throw new ExitError(
      `failed to fetch Bootstrap Ignition Config: failed to load asset "Common Manifests": ${broken}`,
      1,
    );
  }
  const files = await ignitionFiles(options, { config, manifests, assets, isSingle });
  const ignition = { ...files, 'auth/kubeadmin-password': state.password };
  writeAll(dir, ignition);
  for (const name of ['manifests', 'openshift']) rmSync(join(dir, name), { recursive: true, force: true });
  writeState(dir, { ...state, assets, ignition });
  const what = isSingle ? 'Single-Node-Ignition-Config' : 'Ignition-Configs';
  out.say('info', `${what} created in: ${dir} and ${join(dir, 'auth')}`);
}

const CONSUMED = [
  'Master Machines',
  'Worker Machines',
  'Openshift Manifests',
  'Common Manifests',
  'OpenShift Install (Manifests)',
];

/** The files of the ignition configs, by their names in the install directory. */
async function ignitionFiles(
  { clock, release, architecture, mistakes }: CreateOptions,
  made: {
    readonly config: InstallConfig;
    readonly manifests: ReturnType<typeof manifestsIn>;
    readonly assets: Awaited<ReturnType<typeof createTlsAssets>>;
    readonly isSingle: boolean;
  },
): Promise<Record<string, string>> {
  const { config, manifests, assets, isSingle } = made;
  const { sshKey, pullSecret } = config;
  const domain = domainOf(config);
  // The file of an earlier attempt could not be overwritten.
  const ofMaster = mistakes.has('ignition-of-another-cluster') ? await createTlsAssets(domain, clock.now()) : assets;
  const kubeconfig = kubeconfigOf(config.clusterName, domain, assets);
  const about = { assets, manifests, kubeconfig, release, architecture, sshKey, pullSecret, isInPlace: isSingle };
  const bootstrap = bootstrapIgnition(about);
  return {
    ...(isSingle
      ? { 'bootstrap-in-place-for-live-iso.ign': bootstrap }
      : { 'bootstrap.ign': bootstrap, 'master.ign': pointerIgnition('master', domain, ofMaster, release) }),
    'worker.ign': pointerIgnition('worker', domain, assets, release),
    'auth/kubeconfig': kubeconfig,
    'metadata.json': metadata(config),
  };
}

function writeAll(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) write(join(dir, name), content, modeOf(name));
}

const domainOf = ({ clusterName, baseDomain }: InstallConfig) => `${clusterName}.${baseDomain}`;

function metadata(config: InstallConfig): string {
  return JSON.stringify({
    clusterName: config.clusterName,
    clusterID: '',
    infraID: `${config.clusterName}-${domainOf(config).length.toString(36)}`,
  });
}

/** The manifests as they lie there now: what a person changed goes into the ignition, what they broke stops it. */
function manifestsIn(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const folder of ['manifests', 'openshift']) {
    if (!existsSync(join(dir, folder))) continue;
    for (const name of readdirSync(join(dir, folder)).sort()) {
      found[`${folder}/${name}`] = readFileSync(join(dir, folder, name), 'utf8');
    }
  }
  return found;
}

/** What is wrong with the first manifest that is no YAML, or null. */
function brokenManifest(manifests: Readonly<Record<string, string>>): string | null {
  for (const [path, text] of Object.entries(manifests)) {
    try {
      parse(text);
    } catch (error) {
      const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
      return `failed to unmarshal ${path}: yaml: ${line}`;
    }
  }
  return null;
}

function modeOf(name: string): number {
  return name.startsWith('auth/') || name.endsWith('.ign') ? 0o640 : 0o644;
}

function rejectedCode(release: ReleaseFacts): number {
  return isAtLeast(release, 4, 6) ? 3 : 1;
}

/** Five letters or digits, four times, as kubeadmin's passwords look. */
export function newPassword(): string {
  const letters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789';
  const group = () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}

function write(path: string, text: string, mode = 0o640): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
  writeFileSync(path, text, { mode });
}

function readState(dir: string): State | null {
  try {
    return JSON.parse(readFileSync(join(dir, STATE_FILE), 'utf8')) as State;
  } catch {
    return null;
  }
}

function writeState(dir: string, state: State): void {
  write(join(dir, STATE_FILE), JSON.stringify(state, null, 1));
}
