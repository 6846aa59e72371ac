import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { canonicalMac } from '../address.ts';
import { documentNodes, type Imported, type ImportedFile, withoutNothing } from './imported.ts';
import { type NodeRow, readAddresses, splitHostName } from './node-row.ts';
import { block, filled, flag, list, text, whole } from './reading.ts';

const words = () => catalogue().imports;

const TAKEN = [
  'apiVersion',
  'kind',
  'baseDomain',
  'metadata',
  'networking',
  'controlPlane',
  'compute',
  'platform',
  'pullSecret',
  'sshKey',
  'proxy',
  'additionalTrustBundle',
  'additionalTrustBundlePolicy',
  'imageContentSources',
  'imageDigestSources',
  'fips',
  'bootstrapInPlace',
];

/** True for what openshift-install reads: `apiVersion: v1` (or an older beta) with a base domain or a platform. */
export function isInstallConfig(document: unknown): boolean {
  return (
    /^v1(?:beta\d+)?$/.test(text(document, 'apiVersion') ?? '') &&
    (text(document, 'baseDomain') ?? text(block(document, 'metadata'), 'name')) !== undefined
  );
}

/**
 * The design that an install-config.yaml tells. Keys as in openshift/installer pkg/types/installconfig.go, with the spellings
 * that older versions had (machineCIDR, clusterNetworks, hostSubnetLength, serviceCIDR, imageContentSources).
 */
export function fromInstallConfig(config: Readonly<Record<string, unknown>>): Imported {
  const notes: string[] = [];
  const networking = block(config, 'networking');
  const { rows, note } = nodesOf(config);
  if (note) notes.push(note);
  if (topologyOf(config) === 'standard' && !rows.some(({ role }) => role === 'compute')) notes.push(words().noCompute);
  const { platform, endpoints } = platformOf(config);
  if (platform && platform !== 'none') notes.push(words().platform(sanitizeLine(platform, 40)));
  const { files, document: credentials } = secretsOf(config);
  const others = Object.keys(config).filter((key) => !TAKEN.includes(key));
  if (others.length > 0) notes.push(words().leftOut(sanitizeLine(others.join(', '), 200)));
  const architecture = { amd64: 'x86_64', arm64: 'aarch64' }[text(block(config, 'controlPlane'), 'architecture') ?? ''];
  return {
    kind: 'install-config',
    files,
    notes,
    document: withoutNothing({
      openshift: { architecture: architecture ?? text(block(config, 'controlPlane'), 'architecture') },
      topology: topologyOf(config),
      cluster: { name: text(block(config, 'metadata'), 'name'), baseDomain: text(config, 'baseDomain') },
      networks: {
        machine: filled(machineNetworks(networking).map((cidr) => ({ cidr }))),
        cluster: filled(clusterNetworks(networking)),
        service: filled([...list(networking, 'serviceNetwork'), text(networking, 'serviceCIDR')].map(asText)),
        type: text(networking, 'networkType'),
      },
      endpoints,
      nodes: rows.length > 0 ? documentNodes(rows) : undefined,
      ...credentials,
      fips: flag(config, 'fips'),
      proxy: {
        httpProxy: text(block(config, 'proxy'), 'httpProxy'),
        httpsProxy: text(block(config, 'proxy'), 'httpsProxy'),
        noProxy: text(block(config, 'proxy'), 'noProxy'),
      },
      additionalTrustBundlePolicy: text(config, 'additionalTrustBundlePolicy'),
      imageDigestSources: filled(
        [...list(config, 'imageDigestSources'), ...list(config, 'imageContentSources')].map((source) =>
          text(source, 'source') === undefined
            ? undefined
            : { source: text(source, 'source'), mirrors: list(source, 'mirrors').map(String) },
        ),
      ),
    }),
  };
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function machineNetworks(networking: unknown): (string | undefined)[] {
  const entries = list(networking, 'machineNetwork').map((entry) => text(entry, 'cidr'));
  return entries.length > 0 ? entries : [text(networking, 'machineCIDR')];
}

function clusterNetworks(networking: unknown): ({ cidr: string; hostPrefix?: number } | undefined)[] {
  return [...list(networking, 'clusterNetwork'), ...list(networking, 'clusterNetworks')].map((entry) => {
    const cidr = text(entry, 'cidr');
    const hostPrefix = whole(entry, 'hostPrefix') ?? prefixOfLength(cidr, whole(entry, 'hostSubnetLength'));
    return cidr === undefined ? undefined : { cidr, ...(hostPrefix === undefined ? {} : { hostPrefix }) };
  });
}

/**
 * `hostSubnetLength` counts the bits that each node has to itself, `hostPrefix` those that are left of an address.
 * Source: openshift/installer pkg/types/conversion/installconfig.go.
 */
function prefixOfLength(cidr: string | undefined, length: number | undefined): number | undefined {
  if (cidr === undefined || length === undefined) return undefined;
  return (cidr.includes(':') ? 128 : 32) - length;
}

/**
 * User-provisioned machines are not counted: with `replicas: 0` for compute nobody can tell a cluster without workers from one whose
 * workers are not told, so it is the usual topology, which asks for them. Source: openshift-docs modules/installation-bare-metal-config-yaml.adoc.
 */
function topologyOf(config: unknown): 'single-node' | 'standard' | undefined {
  const controlPlane = whole(block(config, 'controlPlane'), 'replicas');
  if (controlPlane === 1) return 'single-node';
  return controlPlane !== undefined && computeReplicas(config) === 0 ? 'standard' : undefined;
}

function computeReplicas(config: unknown): number {
  return list(config, 'compute').reduce<number>((sum, pool) => sum + (whole(pool, 'replicas') ?? 0), 0);
}

function platformOf(config: unknown): { platform: string | undefined; endpoints: Record<string, unknown> } {
  const platforms = block(config, 'platform');
  const [platform] = Object.keys(platforms);
  const settings = platform === undefined ? {} : block(platforms, platform);
  const addresses = (...keys: string[]) => {
    const found = keys.flatMap((key) => list(settings, key)).map(asText);
    const kept = filled(found);
    return kept?.length === 1 ? kept[0] : kept?.slice(0, 2);
  };
  const api = addresses('apiVIPs', 'apiVIP');
  return { platform, endpoints: { api, apiInt: api, ingress: addresses('ingressVIPs', 'ingressVIP') } };
}

/** The hosts of platform bare metal, or as many nameless nodes as the replicas count. */
function nodesOf(config: unknown): { rows: NodeRow[]; note: string | null } {
  const hosts = list(block(block(config, 'platform'), 'baremetal'), 'hosts').map(hostRow);
  if (hosts.length > 0) return { rows: hosts, note: null };
  const controlPlane = whole(block(config, 'controlPlane'), 'replicas') ?? 0;
  const compute = computeReplicas(config);
  if (controlPlane > 99 || compute > 999) return { rows: [], note: null };
  const rows = [
    ...(controlPlane > 1 ? [nameless('bootstrap', 'bootstrap')] : []),
    ...Array.from({ length: controlPlane }, (_, index) => nameless(`control-plane${index}`, 'control-plane')),
    ...Array.from({ length: compute }, (_, index) => nameless(`compute${index}`, 'compute')),
  ];
  return { rows, note: rows.length > 0 ? words().replicas(rows.length) : null };
}

function nameless(name: string, role: NodeRow['role']): NodeRow {
  return { name, domain: '', role, ip: [], mac: '' };
}

function hostRow(host: unknown): NodeRow {
  const role = text(host, 'role') === 'master' ? 'control-plane' : 'compute';
  const interfaces = list(block(host, 'networkConfig'), 'interfaces');
  const ip = interfaces.flatMap((nic) =>
    ['ipv4', 'ipv6'].flatMap((family) => list(block(nic, family), 'address').map((entry) => text(entry, 'ip') ?? '')),
  );
  const disk = text(block(host, 'rootDeviceHints'), 'deviceName');
  return {
    ...splitHostName(text(host, 'name') ?? ''),
    role,
    ip: readAddresses(ip.join(' ')).slice(0, 2),
    mac: canonicalMac(text(host, 'bootMACAddress') ?? '') ?? '',
    ...(disk === undefined ? {} : { installDisk: disk }),
  };
}

/** The texts that a design keeps in files of their own. */
function secretsOf(config: unknown): { files: ImportedFile[]; document: Record<string, unknown> } {
  const files: ImportedFile[] = [];
  const kept = (key: string, name: string) => {
    const found = text(config, key);
    if (found === undefined) return undefined;
    files.push({ name, text: `${found}\n` });
    return `./${name}`;
  };
  return {
    document: {
      credentials: {
        pullSecretFile: kept('pullSecret', 'pull-secret.txt'),
        sshKeyFile: kept('sshKey', 'ssh-key.pub'),
      },
      additionalTrustBundleFile: kept('additionalTrustBundle', 'ca.pem'),
    },
    files,
  };
}
