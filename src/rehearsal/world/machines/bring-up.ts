import { X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import { isVersionAtLeast } from '../../../design/versions.ts';
import { SECOND } from '../../../platform/clock.ts';
import { kindsByKey } from '../../api/kinds.ts';
import { encodeBase64, getField, getList, getString, isRecord, type NewObject } from '../../api/objects.ts';
import { NO_LEASE_OPTIONS } from '../../hosts/dhcp.ts';
import { formatReverseName } from '../../hosts/dns.ts';
import type { CertificateAuthority } from '../../pki.ts';
import type { ReleaseMetadata } from '../../site/release-metadata.ts';
import { buildPointerIgnition } from '../../stand-in/ignition.ts';
import { FOREIGN_MAC, getDuplicateAddress, type MachineContext, pickForeignLease } from '../network/network.ts';
import { createClusterState, listPoolNames, seedCluster } from '../operators/cluster-objects.ts';
import { type MachineStage, type MachineState, POOL_NAMES, type PoolName } from '../saved-world.ts';
import type { World } from '../world.ts';

const TLS_DIR = '/opt/openshift/tls';
const MANIFESTS_DIR = '/opt/openshift/manifests';

/** Runs bootkube: starts the cluster's API from the keys and manifests in the bootstrap ignition. */
export async function runBootkube({ world, state, print }: MachineContext): Promise<MachineStage> {
  const ignition = parseIgnition(state.disk?.ignition ?? state.live ?? '');
  if (ignition.kind !== 'bootstrap') return 'stopped';
  const { files } = ignition;
  const expiredPaths = listExpiredCertificates(files, world.clock.now());
  if (expiredPaths.length > 0) {
    print(`bootkube.sh: x509: certificate has expired or is not yet valid: ${expiredPaths.join(', ')}`);
    return 'stopped';
  }
  const getAuthority = (name: string): CertificateAuthority => ({
    certPem: files.get(`${TLS_DIR}/${name}.crt`) ?? '',
    keyPem: files.get(`${TLS_DIR}/${name}.key`) ?? '',
  });
  const getManifest = (name: string): unknown => parse(files.get(`${MANIFESTS_DIR}/${name}`) ?? '');
  const installConfig: unknown = parse(getString(getManifest('cluster-config.yaml'), 'data', 'install-config'));
  const clusterDomain = `${getString(installConfig, 'metadata', 'name')}.${getString(installConfig, 'baseDomain')}`;
  deleteOtherCluster(world, getAuthority('kube-apiserver-lb-signer').certPem);
  world.saved.cluster ??= await createClusterState(getAuthority, {
    apiSince: world.clock.now(),
    clusterDomain,
    version:
      /release:([\d.]+(?:-okd-[\w.]+)?)/.exec(files.get('/usr/local/bin/release-image.sh') ?? '')?.[1] ??
      world.release.version,
    mastersSchedulable: getField(getManifest('cluster-scheduler-02-config.yml'), 'spec', 'mastersSchedulable') === true,
    controlPlaneReplicas: Number(getField(installConfig, 'controlPlane', 'replicas') ?? 3),
    arbiterReplicas: Number(getField(installConfig, 'arbiter', 'replicas') ?? 0),
    isInPlace: ignition.isInPlace,
    bootstrapCompleteAt: null,
    kubeconfig: files.get('/opt/openshift/auth/kubeconfig') ?? '',
  });
  const documents = [...files].flatMap(([path, text]) => (/\.ya?ml$/.test(path) ? parseManifest(text) : []));
  seedCluster(world, world.saved.cluster, documents);
  for (const role of listPoolNames(world.saved.cluster))
    for (const secret of buildUserDataSecrets(role, clusterDomain, getAuthority('root-ca').certPem, world.release))
      world.store.ensure('secrets', secret);
  print('bootkube.sh: Starting cluster-bootstrap...');
  return ignition.isInPlace ? 'in-place' : 'serving';
}

/** Deletes the previous cluster if the bootstrap node has the ignition file of another cluster. */
function deleteOtherCluster(world: World, apiAuthority: string): void {
  const { saved, store } = world;
  if (saved.cluster === null || saved.cluster.apiAuthority === apiAuthority) return;
  for (const [resource] of kindsByKey) {
    for (const { metadata } of store.list(resource)) store.delete(resource, metadata.namespace, metadata.name);
  }
  saved.cluster = null;
  saved.timers = {};
}

/** Lists every .crt file that has expired at `now`, as the installer's own check does. */
function listExpiredCertificates(files: ReadonlyMap<string, string>, now: number): string[] {
  return [...files].flatMap(([path, text]) =>
    path.endsWith('.crt') && text !== '' && new X509Certificate(text).validToDate.getTime() < now ? [path] : [],
  );
}

function parseManifest(text: string): Record<string, unknown>[] {
  try {
    const document: unknown = parse(text);
    return isRecord(document) ? [document] : [];
  } catch {
    return [];
  }
}

const DHCP_RETRY_INTERVAL = 10 * SECOND;

/** Returns the value of a kernel argument, or null. */
export function getKernelArgument(kernelArguments: readonly string[], name: string): string | null {
  return kernelArguments.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/** Boots the installed system: gets an address and a host name, then acts as its ignition says. */
export async function bootDisk(machine: MachineContext): Promise<MachineStage> {
  const { state, print } = machine;
  await joinNetwork(machine, state.disk?.kernelArguments ?? []);
  if (state.joinedAt !== null) return state.isExpired === true ? 'kubelet' : 'joined';
  const ignition = parseIgnition(state.disk?.ignition ?? '');
  switch (ignition.kind) {
    case 'bootstrap':
      return 'release-image';
    case 'pointer':
      return 'machine-config';
    case 'node':
      state.kind = 'master';
      return 'pivoting';
    case 'unusable':
      print(`ignition: ${ignition.reason}`);
      return 'stopped';
  }
}

/** Joins the network by static kernel arguments, else by DHCP. A missing host name is looked up (PTR). */
export async function joinNetwork(machine: MachineContext, kernelArguments: readonly string[]): Promise<void> {
  const { world, state, getNetwork, print, sleep } = machine;
  const staticLease = parseStaticLease(kernelArguments);
  for (;;) {
    const lease = staticLease ?? acquireLease(machine);
    if (lease !== null && lease.address !== getDuplicateAddress(world)) {
      state.lease = lease;
      break;
    }
    if (lease === null) print('NetworkManager: no DHCP lease');
    else declineAddress(machine, lease.address, staticLease === null);
    await sleep(DHCP_RETRY_INTERVAL);
  }
  state.hostname = state.lease.hostname ?? null;
  if (state.hostname === null) {
    const [name] = await getNetwork().lookUp(formatReverseName(state.lease.address), 'PTR');
    state.hostname = name?.replace(/\.$/, '') ?? null;
  }
}

/** Acquires a lease as an operating system does: from the first offer, whatever the server. */
function acquireLease({ world, hardware }: MachineContext): MachineState['lease'] {
  const client = { mac: hardware.mac, architecture: null, userClass: null };
  const foreignLease = pickForeignLease(world, hardware.name, hardware.mac);
  if (foreignLease === null) return world.hosts.dhcp.requestLease(client);
  world.hosts.dhcp.logForeignOffer(client, foreignLease.address, foreignLease.routers[0] ?? '');
  return foreignLease;
}

/** Declines an address that another host has. A machine probes its address before use (RFC 5227). */
function declineAddress({ world, hardware, print }: MachineContext, address: string, isFromDhcp: boolean): void {
  print(
    `NetworkManager: IPv4 address ${address} is used on network connected to interface 2 (enp1s0) from host ${FOREIGN_MAC.toUpperCase()}`,
  );
  if (isFromDhcp) world.hosts.dhcp.logLine(`DHCPDECLINE of ${address} from ${hardware.mac} via eth0: not found`);
}

/** Parses `ip=172.16.0.21::172.16.0.254:255.255.255.0:m1.ocp45.example:enp1s0:none` and `nameserver=`. */
function parseStaticLease(kernelArguments: readonly string[]): MachineState['lease'] {
  const fields = (getKernelArgument(kernelArguments, 'ip') ?? '').split(':');
  const [address = '', , gateway = '', , hostname = ''] = fields;
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(address)) return null;
  return {
    ...NO_LEASE_OPTIONS,
    address,
    hostname: hostname === '' ? null : hostname,
    nameServers: kernelArguments.filter((word) => word.startsWith('nameserver=')).map((word) => word.slice(11)),
    routers: gateway === '' ? [] : [gateway],
  };
}

/** Fetches the machine configuration at Ignition's first boot. Retries until the Machine Config Server answers. */
export async function fetchMachineConfig(machine: MachineContext): Promise<MachineStage> {
  const { state, getNetwork, print, sleep } = machine;
  const ignition = parseIgnition(state.disk?.ignition ?? '');
  if (ignition.kind !== 'pointer') return 'stopped';
  for (let attempt = 1; ; attempt += 1) {
    const { problem } = await getNetwork().fetch(ignition.url, ignition.authority);
    if (problem === null) break;
    print(`ignition: GET ${ignition.url}: attempt #${attempt}: GET error: ${problem}`);
    // Ignition waits at most five seconds between attempts.
    await sleep(5 * SECOND);
  }
  state.kind = POOL_NAMES.find((kind) => ignition.url.endsWith(`/config/${kind}`)) ?? 'worker';
  print(`ignition: GET ${ignition.url}: GET result: OK`);
  return 'pivoting';
}

/** The content of an ignition file, by the role that the file gives a machine. */
type ParsedIgnition =
  /** `isInPlace`: the bootstrap runs in the live system of a single node, which writes the disk at the end. */
  | { readonly kind: 'bootstrap'; readonly files: ReadonlyMap<string, string>; readonly isInPlace: boolean }
  /** The complete configuration of a node, without a pointer. */
  | { readonly kind: 'node' }
  | { readonly kind: 'pointer'; readonly url: string; readonly authority: string }
  | { readonly kind: 'unusable'; readonly reason: string };

/** The script that writes the disk (openshift/installer, data/data/bootstrap/bootstrap-in-place). */
const IN_PLACE_FILE = '/usr/local/bin/install-to-disk.sh';
const NODE_CONFIG_FILE = '/etc/mcs-machine-config-content.json';

/**
 * Builds the configuration that bootstrap in place writes to the disk of its node. Other nodes fetch their
 * configuration from port 22623.
 */
export function buildNodeIgnition(): string {
  const source = `data:,${encodeURIComponent(JSON.stringify({ pool: 'master' }))}`;
  const files = [{ path: NODE_CONFIG_FILE, mode: 0o644, contents: { source } }];
  return JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files } });
}

/** Parses an ignition file, spec 3 (merge) or 2 (append), as far as the rehearsal's machines act on it. */
export function parseIgnition(text: string): ParsedIgnition {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return { kind: 'unusable', reason: 'failed to parse config: config is not valid' };
  }
  if (!isRecord(document) || getString(document, 'ignition', 'version') === '') {
    return { kind: 'unusable', reason: "failed to parse config: invalid config version (couldn't parse)" };
  }
  const [pointer] = [
    ...getList(document, 'ignition', 'config', 'merge'),
    ...getList(document, 'ignition', 'config', 'append'),
  ];
  const url = getString(pointer, 'source');
  if (url !== '') {
    const authorities = getList(document, 'ignition', 'security', 'tls', 'certificateAuthorities');
    return {
      kind: 'pointer',
      url,
      authority: authorities.map((entry) => decodeDataUrl(getString(entry, 'source'))).join(''),
    };
  }
  const files = new Map(
    getList(document, 'storage', 'files').map((file) => [
      getString(file, 'path'),
      decodeDataUrl(getString(file, 'contents', 'source')),
    ]),
  );
  if (files.has(NODE_CONFIG_FILE)) return { kind: 'node' };
  if (!files.has('/opt/openshift/auth/kubeconfig')) {
    return { kind: 'unusable', reason: 'the config is neither a bootstrap config nor a pointer' };
  }
  return { kind: 'bootstrap', files, isInPlace: files.has(IN_PLACE_FILE) };
}

/** Decodes the text in a data URL (RFC 2397). Empty: not a data URL. */
export function decodeDataUrl(url: string): string {
  const [, isBase64, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  return isBase64 ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data);
}

const MACHINE_API_NAMESPACE = 'openshift-machine-api';

/**
 * Builds the user-data secrets that new machines of a pool get. They hold the installer's pointer ignition, and
 * since 4.7 also a managed one in a newer spec, which the machine-config-operator keeps up to date. Clusters of
 * platform none have both.
 * @param authority PEM of the CA of the Machine Config Server
 */
function buildUserDataSecrets(
  role: PoolName,
  clusterDomain: string,
  authority: string,
  release: ReleaseMetadata,
): NewObject[] {
  const managedIgnition = buildPointerIgnition(role, clusterDomain, authority, release, '3.4.0');
  return [
    buildUserDataSecret(`${role}-user-data`, buildPointerIgnition(role, clusterDomain, authority, release)),
    ...(isVersionAtLeast(release.version, '4.7')
      ? [buildUserDataSecret(`${role}-user-data-managed`, managedIgnition)]
      : []),
  ];
}

function buildUserDataSecret(name: string, userData: string): NewObject {
  return {
    metadata: { name, namespace: MACHINE_API_NAMESPACE },
    type: 'Opaque',
    data: { disableTemplating: encodeBase64('true'), userData: encodeBase64(userData) },
  };
}
