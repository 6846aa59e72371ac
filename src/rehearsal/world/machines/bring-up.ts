import { X509Certificate } from 'node:crypto';
import { parse } from 'yaml';
import { SECOND } from '../../../platform/clock.ts';
import { registry } from '../../api/kinds.ts';
import { getField, getString, isRecord } from '../../api/objects.ts';
import type { CertificateAuthority } from '../../pki.ts';
import { FOREIGN_MAC, getDuplicateAddress, pickForeignLease } from '../network/foreign-hosts.ts';
import { formatReverseName } from '../network/reverse-name.ts';
import { createClusterState, ensureObject, seedCluster } from '../operators/cluster-objects.ts';
import type { MachineStage, MachineState } from '../saved.ts';
import type { World } from '../world.ts';
import { buildUserDataSecrets, parseIgnition } from './ignition.ts';
import type { MachineContext } from './machine-context.ts';

const TLS = '/opt/openshift/tls';
const MANIFESTS = '/opt/openshift/manifests';

/** Runs bootkube: starts the cluster's API from the keys and manifests in the bootstrap ignition. */
export async function bringUpCluster({ world, state, print }: MachineContext): Promise<MachineStage> {
  const role = parseIgnition(state.disk?.ignition ?? state.live ?? '');
  if (role.kind !== 'bootstrap') return 'stopped';
  const { files } = role;
  const expired = listExpiredCertificates(files, world.clock.now());
  if (expired.length > 0) {
    print(`bootkube.sh: x509: certificate has expired or is not yet valid: ${expired.join(', ')}`);
    return 'stopped';
  }
  const readAuthority = (name: string): CertificateAuthority => ({
    certPem: files.get(`${TLS}/${name}.crt`) ?? '',
    keyPem: files.get(`${TLS}/${name}.key`) ?? '',
  });
  const readManifest = (name: string): unknown => parse(files.get(`${MANIFESTS}/${name}`) ?? '');
  const installConfig: unknown = parse(getString(readManifest('cluster-config.yaml'), 'data', 'install-config'));
  const clusterDomain = `${getString(installConfig, 'metadata', 'name')}.${getString(installConfig, 'baseDomain')}`;
  deleteOtherCluster(world, readAuthority('kube-apiserver-lb-signer').certPem);
  world.saved.cluster ??= await createClusterState(readAuthority, {
    apiSince: world.clock.now(),
    clusterDomain,
    version:
      /ocp-release:([\d.]+)/.exec(files.get('/usr/local/bin/release-image.sh') ?? '')?.[1] ?? world.release.version,
    mastersSchedulable:
      getField(readManifest('cluster-scheduler-02-config.yml'), 'spec', 'mastersSchedulable') === true,
    controlPlaneReplicas: Number(getField(installConfig, 'controlPlane', 'replicas') ?? 3),
    isInPlace: role.isInPlace,
    bootstrapCompleteAt: null,
    kubeconfig: files.get('/opt/openshift/auth/kubeconfig') ?? '',
  });
  const documents = [...files].flatMap(([path, text]) => (/\.ya?ml$/.test(path) ? parseManifest(text) : []));
  seedCluster(world, world.saved.cluster, documents);
  for (const secret of buildUserDataSecrets(clusterDomain, readAuthority('root-ca').certPem, world.release))
    ensureObject(world.store, 'secrets', secret);
  print('bootkube.sh: Starting cluster-bootstrap...');
  return role.isInPlace ? 'in-place' : 'serving';
}

/** A bootstrap node with other ignition files starts another cluster, so nothing of the previous one is kept. */
function deleteOtherCluster(world: World, apiAuthority: string): void {
  const { saved, store } = world;
  if (saved.cluster === null || saved.cluster.apiAuthority === apiAuthority) return;
  for (const [resource] of registry) {
    for (const { metadata } of store.list(resource)) store.delete(resource, metadata.namespace ?? null, metadata.name);
  }
  saved.cluster = null;
  saved.timers = {};
}

/** Lists the installer's own check: lists every .crt file whose end of validity is before `now`. */
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

const FETCH_RETRY = 10 * SECOND;

/** Returns the value of a kernel argument, or null. */
export function getKernelArgument(kernelArguments: readonly string[], name: string): string | null {
  return kernelArguments.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/** Boots the installed system: gets an address and a host name, then acts as its ignition says. */
export async function bootDisk(machine: MachineContext): Promise<MachineStage> {
  const { state, print } = machine;
  await joinNetwork(machine, state.disk?.kernelArguments ?? []);
  if (state.joinedAt !== null) return state.isExpired === true ? 'kubelet' : 'joined';
  const role = parseIgnition(state.disk?.ignition ?? '');
  switch (role.kind) {
    case 'bootstrap':
      return 'release-image';
    case 'pointer':
      return 'machine-config';
    case 'node':
      state.kind = 'master';
      return 'pivoting';
    case 'unusable':
      print(`ignition: ${role.reason}`);
      return 'stopped';
  }
}

/**
 * Joins the network by static kernel arguments, if there are any, else by DHCP. Without a host name it queries the
 * reverse zone.
 */
export async function joinNetwork(machine: MachineContext, kernelArguments: readonly string[]): Promise<void> {
  const { world, state, network, print, sleep } = machine;
  const fixed = parseStaticLease(kernelArguments);
  for (;;) {
    const lease = fixed ?? acquireLease(machine);
    if (lease !== null && lease.address !== getDuplicateAddress(world)) {
      state.lease = lease;
      break;
    }
    if (lease === null) print('NetworkManager: no DHCP lease');
    else declineAddress(machine, lease.address, fixed === null);
    await sleep(FETCH_RETRY);
  }
  state.hostname = state.lease.hostname ?? null;
  if (state.hostname === null) {
    const [name] = await network().lookUp(formatReverseName(state.lease.address), 'PTR');
    state.hostname = name?.replace(/\.$/, '') ?? null;
  }
}

/** An operating system takes the first offer, regardless of the server. */
function acquireLease({ world, hardware }: MachineContext): MachineState['lease'] {
  const client = { mac: hardware.mac, architecture: null, userClass: null };
  const foreign = pickForeignLease(world, hardware.name, hardware.mac);
  if (foreign === null) return world.hosts.requestLease(client);
  world.hosts.observeForeignOffer(client, foreign.address, foreign.routers[0] ?? '');
  return foreign;
}

/** Before a machine uses an address, it checks whether another host has it (RFC 5227), and declines it in that case. */
function declineAddress({ world, hardware, print }: MachineContext, address: string, isLease: boolean): void {
  print(
    `NetworkManager: IPv4 address ${address} is used on network connected to interface 2 (enp1s0) from host ${FOREIGN_MAC.toUpperCase()}`,
  );
  if (isLease) world.hosts.logDhcpLine(`DHCPDECLINE of ${address} from ${hardware.mac} via eth0: not found`);
}

/** Parses `ip=172.16.0.21::172.16.0.254:255.255.255.0:m1.ocp45.example:enp1s0:none` and `nameserver=`. */
function parseStaticLease(kernelArguments: readonly string[]): MachineState['lease'] {
  const fields = (getKernelArgument(kernelArguments, 'ip') ?? '').split(':');
  const [address = '', , gateway = '', , hostname = ''] = fields;
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(address)) return null;
  return {
    address,
    prefix: null,
    hostname: hostname === '' ? null : hostname,
    domain: null,
    nameServers: kernelArguments.filter((word) => word.startsWith('nameserver=')).map((word) => word.slice(11)),
    routers: gateway === '' ? [] : [gateway],
    filename: null,
    nextServer: null,
  };
}

/** Fetches the machine configuration at Ignition's first boot. Retries until the machine config server answers. */
export async function fetchMachineConfig(machine: MachineContext): Promise<MachineStage> {
  const { state, network, print, sleep } = machine;
  const role = parseIgnition(state.disk?.ignition ?? '');
  if (role.kind !== 'pointer') return 'stopped';
  for (let attempt = 1; ; attempt += 1) {
    const found = await network()
      .fetch(role.url, role.authority)
      .catch((error: Error) => error);
    if (!(found instanceof Error) && found.status === 200) break;
    const detail = found instanceof Error ? found.message : `HTTP status ${found.status}`;
    print(`ignition: GET ${role.url}: attempt #${attempt}: GET error: ${detail}`);
    // Ignition waits at most five seconds between attempts.
    await sleep(5 * SECOND);
  }
  state.kind = role.url.endsWith('/master') ? 'master' : 'worker';
  print(`ignition: GET ${role.url}: GET result: OK`);
  return 'pivoting';
}
