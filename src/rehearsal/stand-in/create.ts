import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { isVersionAtLeast } from '../../design/versions.ts';
import { type Clock, HOUR } from '../../platform/clock.ts';
import type { FaultId } from '../site/faults.ts';
import type { ReleaseMetadata } from '../site/release-metadata.ts';
import type { PoolName } from '../world/saved-world.ts';
import {
  buildBootstrapIgnition,
  buildKubeconfig,
  buildManifests,
  buildPointerIgnition,
  createTlsAssets,
  type TlsAssets,
} from './ignition.ts';
import { type InstallConfig, parseInstallConfig } from './install-config.ts';
import { ExitError, type InstallerLog } from './installer-log.ts';

/** Age of the assets in a directory that was already used the day before. */
const STALE_ASSET_AGE = 26 * HOUR;
const STATE_FILE = '.openshift_install_state.json';

/** State that the installer keeps in its directory between its commands. */
interface InstallerState {
  readonly installConfig: string;
  readonly password: string;
  readonly assets: TlsAssets | null;
  /** Files of the last `create ignition-configs`. Running the command again returns the same files. */
  readonly ignition: Readonly<Record<string, string>> | null;
}

export interface CreateOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly release: ReleaseMetadata;
  readonly out: InstallerLog;
  /** Faults to inject; none once this site has created ignition files. */
  readonly faults: ReadonlySet<FaultId>;
}

/** Runs `create manifests`: consumes install-config.yaml, writes manifests/ and openshift/. */
export function createManifests({ dir, release, out, faults }: CreateOptions): void {
  const previousState = readState(dir);
  const path = join(dir, 'install-config.yaml');
  if (!existsSync(path) && previousState === null) {
    throw new ExitError(
      'failed to fetch Master Machines: failed to load asset "Install Config": failed to fetch "Install Config": install-config.yaml: no such file or directory',
    );
  }
  const text = existsSync(path) ? readFileSync(path, 'utf8') : (previousState?.installConfig ?? '');
  const config = parseInstallConfig(text, release.version);
  if (existsSync(path)) out.log('info', 'Consuming Install Config from target directory');
  if (config.computeReplicas === 0) {
    out.log(
      'warning',
      'Making control-plane schedulable by setting MastersSchedulable to true for Scheduler cluster settings',
    );
  }
  for (const [name, content] of Object.entries(buildManifests(config, release, faults.has('proxy-without-no-proxy'))))
    writeText(join(dir, name), content);
  for (const name of ['master.ign', 'arbiter.ign', 'worker.ign', 'install-config.yaml'])
    rmSync(join(dir, name), { force: true });
  writeState(dir, {
    installConfig: text,
    password: previousState?.password ?? generatePassword(),
    assets: null,
    ignition: null,
  });
  if (isVersionAtLeast(release.version, '4.6')) {
    out.log('info', `Manifests created in: ${join(dir, 'manifests')} and ${join(dir, 'openshift')}`);
  }
}

/**
 * Runs `create ignition-configs`: consumes the manifests, writes the ignition files, auth/ and metadata.json.
 * @param isSingleNode whether to run `create single-node-ignition-config`: the single node is its own bootstrap
 */
export async function createIgnitionConfigs(options: CreateOptions, isSingleNode = false): Promise<void> {
  const { dir, clock, release, out, faults } = options;
  if (!existsSync(join(dir, 'manifests'))) {
    const previousFiles = existsSync(join(dir, 'install-config.yaml')) ? undefined : readState(dir)?.ignition;
    if (previousFiles) return writeFiles(dir, previousFiles);
    createManifests(options);
  }
  const state = readState(dir);
  if (state === null) throw new ExitError('failed to fetch Bootstrap Ignition Config: no state file');
  const config = parseInstallConfig(state.installConfig, release.version);
  if (isSingleNode && (config.inPlaceDisk === '' || config.controlPlaneReplicas !== 1)) {
    throw new ExitError(
      'failed to fetch Single Node Bootstrap In Place Ignition Config: bootstrapInPlace needs an installationDisk and one control plane replica',
    );
  }
  const manifests = readManifests(dir);
  for (const name of CONSUMED_ASSETS) out.log('info', `Consuming ${name} from target directory`);
  // The fault simulates an install directory whose assets are from an earlier day.
  const createdAt = clock.now() - (faults.has('ignition-stale') ? STALE_ASSET_AGE : 0);
  const assets = await createTlsAssets(getClusterDomain(config), createdAt);
  const yamlError = findYamlError(manifests);
  if (yamlError !== null) {
    // The real openshift-install has already written master.ign and worker.ign at this point.
    for (const role of ['master', 'worker'] as const)
      writeText(join(dir, `${role}.ign`), buildPointer(role, config, assets, release));
    throw new ExitError(
      `failed to fetch Bootstrap Ignition Config: failed to load asset "Common Manifests": ${yamlError}`,
    );
  }
  const files = await buildIgnitionFiles(options, { config, manifests, assets, isSingleNode });
  const ignition = { ...files, 'auth/kubeadmin-password': state.password };
  writeFiles(dir, ignition);
  for (const name of ['manifests', 'openshift']) rmSync(join(dir, name), { recursive: true, force: true });
  writeState(dir, { ...state, assets, ignition });
  const configKind = isSingleNode ? 'Single-Node-Ignition-Config' : 'Ignition-Configs';
  out.log('info', `${configKind} created in: ${dir} and ${join(dir, 'auth')}`);
}

const CONSUMED_ASSETS = [
  ...['Master Machines', 'Worker Machines', 'Openshift Manifests', 'Common Manifests'],
  'OpenShift Install (Manifests)',
];

/**
 * Builds the ignition files.
 * @returns contents by name in the install directory
 */
async function buildIgnitionFiles(
  { clock, release, faults }: CreateOptions,
  inputs: {
    readonly config: InstallConfig;
    readonly manifests: Readonly<Record<string, string>>;
    readonly assets: TlsAssets;
    readonly isSingleNode: boolean;
  },
): Promise<Record<string, string>> {
  const { config, manifests, assets, isSingleNode } = inputs;
  const { sshKey, pullSecret } = config;
  const domain = getClusterDomain(config);
  // The fault simulates a master.ign of an earlier attempt that could not be overwritten.
  const masterAssets = faults.has('ignition-of-another-cluster') ? await createTlsAssets(domain, clock.now()) : assets;
  const kubeconfig = buildKubeconfig(config.clusterName, domain, assets);
  const contents = { assets, manifests, kubeconfig, release, sshKey, pullSecret, isInPlace: isSingleNode };
  const bootstrap = buildBootstrapIgnition(contents);
  return {
    ...(isSingleNode
      ? { 'bootstrap-in-place-for-live-iso.ign': bootstrap }
      : {
          'bootstrap.ign': bootstrap,
          'master.ign': buildPointer('master', config, masterAssets, release),
        }),
    // Only for a cluster with an arbiter (pkg/asset/ignition/machine/arbiter.go).
    ...(config.arbiterReplicas > 0 ? { 'arbiter.ign': buildPointer('arbiter', config, assets, release) } : {}),
    'worker.ign': buildPointer('worker', config, assets, release),
    'auth/kubeconfig': kubeconfig,
    'metadata.json': buildMetadata(config),
  };
}

function writeFiles(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) writeText(join(dir, name), content, getFileMode(name));
}

const getClusterDomain = ({ clusterName, baseDomain }: InstallConfig) => `${clusterName}.${baseDomain}`;

const buildPointer = (role: PoolName, config: InstallConfig, assets: TlsAssets, release: ReleaseMetadata) =>
  buildPointerIgnition(role, getClusterDomain(config), assets['root-ca']?.certPem ?? '', release);

function buildMetadata(config: InstallConfig): string {
  return JSON.stringify({
    clusterName: config.clusterName,
    clusterID: '',
    infraID: `${config.clusterName}-${getClusterDomain(config).length.toString(36)}`,
  });
}

/** Reads the manifests from disk: changes by the user get into the ignition files. */
function readManifests(dir: string): Record<string, string> {
  const manifests: Record<string, string> = {};
  for (const folder of ['manifests', 'openshift']) {
    if (!existsSync(join(dir, folder))) continue;
    for (const name of readdirSync(join(dir, folder)).sort()) {
      manifests[`${folder}/${name}`] = readFileSync(join(dir, folder, name), 'utf8');
    }
  }
  return manifests;
}

/** Returns the YAML error of the first manifest that does not parse, or null. */
function findYamlError(manifests: Readonly<Record<string, string>>): string | null {
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

function getFileMode(name: string): number {
  return name.startsWith('auth/') || name.endsWith('.ign') ? 0o640 : 0o644;
}

/** Generates a password in kubeadmin's format: four groups of five letters or digits. */
export function generatePassword(): string {
  const letters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789';
  const groups = Array.from({ length: 4 }, () => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]));
  return groups.map((group) => group.join('')).join('-');
}

function writeText(path: string, text: string, mode = 0o640): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o750 });
  writeFileSync(path, text, { mode });
}

function readState(dir: string): InstallerState | null {
  try {
    return JSON.parse(readFileSync(join(dir, STATE_FILE), 'utf8')) as InstallerState;
  } catch {
    return null;
  }
}

function writeState(dir: string, state: InstallerState): void {
  writeText(join(dir, STATE_FILE), JSON.stringify(state, null, 1));
}

const BLOCK_SIZE = 512;

/**
 * Creates a ustar archive.
 * @param files contents by path (ASCII, at most 100 characters)
 * @param modifiedAt ms
 */
export function createTarball(files: ReadonlyMap<string, string>, modifiedAt: number): Buffer {
  const parts = [...files].flatMap(([path, text]) => {
    const content = Buffer.from(text);
    const padding = Buffer.alloc((BLOCK_SIZE - (content.length % BLOCK_SIZE)) % BLOCK_SIZE);
    return [createHeader(path, content.length, modifiedAt), content, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_SIZE)]);
}

/** Writes the fields in octal, then a checksum that counts its own field as blanks (POSIX.1-1988). */
function createHeader(path: string, size: number, modifiedAt: number): Buffer {
  const formatOctal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;
  const block = Buffer.alloc(BLOCK_SIZE);
  const fields: readonly (readonly [number, string])[] = [
    [0, path],
    [100, formatOctal(0o600, 8)],
    [108, formatOctal(0, 8)],
    [116, formatOctal(0, 8)],
    [124, formatOctal(size, 12)],
    [136, formatOctal(Math.floor(modifiedAt / 1000), 12)],
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\x0000'],
  ];
  for (const [offset, text] of fields) block.write(text, offset, 'latin1');
  const checksum = block.reduce((total, byte) => total + byte, 0);
  block.write(formatOctal(checksum, 7).concat(' '), 148, 'latin1');
  return block;
}
