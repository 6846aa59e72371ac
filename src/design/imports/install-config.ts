import { stringify } from 'yaml';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { toCanonicalMac } from '../address.ts';
import type { Topology } from '../choices.ts';
import {
  compactList,
  getBlock,
  getBoolean,
  getInteger,
  getList,
  getText,
  type ImportedDesign,
  type ImportedFile,
  omitEmpty,
} from './imported-design.ts';
import { type NodeRow, parseAddresses, splitHostName, toDocumentNodes } from './node-table.ts';

const words = () => catalogue().imports;

const KNOWN_KEYS = [
  'apiVersion',
  'kind',
  'baseDomain',
  'metadata',
  'networking',
  'controlPlane',
  'arbiter',
  'compute',
  'platform',
  'pullSecret',
  'sshKey',
  'proxy',
  'additionalTrustBundle',
  'additionalTrustBundlePolicy',
  'osImageStream',
  'imageContentSources',
  'imageDigestSources',
  'fips',
  'bootstrapInPlace',
];

/**
 * Whether a document is one that openshift-install reads: `apiVersion: v1` (or an older beta) with a base domain or a
 * cluster name.
 */
export function isInstallConfig(document: unknown): boolean {
  return (
    /^v1(?:beta\d+)?$/.test(getText(document, 'apiVersion') ?? '') &&
    (getText(document, 'baseDomain') ?? getText(getBlock(document, 'metadata'), 'name')) !== undefined
  );
}

/**
 * Derives a design from an install-config.yaml. Keys as in openshift/installer pkg/types/installconfig.go, with the
 * spellings of older versions (machineCIDR, clusterNetworks, hostSubnetLength, serviceCIDR, imageContentSources).
 */
export function importInstallConfig(config: Readonly<Record<string, unknown>>): ImportedDesign {
  const notes: string[] = [];
  const networking = getBlock(config, 'networking');
  const { rows, note } = listNodeRows(config);
  if (note) notes.push(note);
  if (deriveTopology(config) === 'standard' && !rows.some(({ role }) => role === 'compute'))
    notes.push(words().noCompute);
  const { platform, endpoints } = parsePlatform(config);
  if (platform && platform !== 'none') notes.push(words().platform(sanitizeLine(platform, 40)));
  const { files, document: credentials } = extractFiles(config);
  const unknownKeys = Object.keys(config).filter((key) => !KNOWN_KEYS.includes(key));
  if (unknownKeys.length > 0) notes.push(words().leftOut(sanitizeLine(unknownKeys.join(', '), 200)));
  const architecture = { amd64: 'x86_64', arm64: 'aarch64' }[
    getText(getBlock(config, 'controlPlane'), 'architecture') ?? ''
  ];
  return {
    kind: 'install-config',
    files,
    notes,
    document: omitEmpty({
      openshift: {
        architecture: architecture ?? getText(getBlock(config, 'controlPlane'), 'architecture'),
        osImageStream: getText(config, 'osImageStream'),
      },
      topology: deriveTopology(config),
      cluster: { name: getText(getBlock(config, 'metadata'), 'name'), baseDomain: getText(config, 'baseDomain') },
      networks: {
        machine: compactList(listMachineNetworks(networking).map((cidr) => ({ cidr }))),
        cluster: compactList(listClusterNetworks(networking)),
        service: compactList(
          [...getList(networking, 'serviceNetwork'), getText(networking, 'serviceCIDR')].map(toNonEmptyString),
        ),
        type: getText(networking, 'networkType'),
      },
      endpoints,
      nodes: rows.length > 0 ? toDocumentNodes(rows) : undefined,
      ...credentials,
      fips: getBoolean(config, 'fips'),
      proxy: {
        httpProxy: getText(getBlock(config, 'proxy'), 'httpProxy'),
        httpsProxy: getText(getBlock(config, 'proxy'), 'httpsProxy'),
        noProxy: getText(getBlock(config, 'proxy'), 'noProxy'),
      },
      additionalTrustBundlePolicy: getText(config, 'additionalTrustBundlePolicy'),
      imageDigestSources: compactList(
        [...getList(config, 'imageDigestSources'), ...getList(config, 'imageContentSources')].map((source) =>
          getText(source, 'source') === undefined
            ? undefined
            : { source: getText(source, 'source'), mirrors: getList(source, 'mirrors').map(String) },
        ),
      ),
    }),
  };
}

function toNonEmptyString(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function listMachineNetworks(networking: unknown): (string | undefined)[] {
  const entries = getList(networking, 'machineNetwork').map((entry) => getText(entry, 'cidr'));
  return entries.length > 0 ? entries : [getText(networking, 'machineCIDR')];
}

function listClusterNetworks(networking: unknown): ({ cidr: string; hostPrefix?: number } | undefined)[] {
  return [...getList(networking, 'clusterNetwork'), ...getList(networking, 'clusterNetworks')].map((entry) => {
    const cidr = getText(entry, 'cidr');
    const hostPrefix = getInteger(entry, 'hostPrefix') ?? toHostPrefix(cidr, getInteger(entry, 'hostSubnetLength'));
    return cidr === undefined ? undefined : { cidr, ...(hostPrefix === undefined ? {} : { hostPrefix }) };
  });
}

/**
 * Converts `hostSubnetLength`, the host bits of a node's subnet, to `hostPrefix`, its network bits. Source:
 * openshift/installer pkg/types/conversion/installconfig.go.
 */
function toHostPrefix(cidr: string | undefined, hostSubnetLength: number | undefined): number | undefined {
  if (cidr === undefined || hostSubnetLength === undefined) return undefined;
  return (cidr.includes(':') ? 128 : 32) - hostSubnetLength;
}

/**
 * Derives the topology. Replica counts do not include user-provisioned machines. With `replicas: 0` for compute, a
 * cluster without workers looks like one whose workers are not listed. The result is then the standard topology, which
 * requires workers. Source: openshift-docs modules/installation-bare-metal-config-yaml.adoc.
 */
function deriveTopology(config: unknown): Exclude<Topology, 'compact'> | undefined {
  const controlPlaneReplicas = getInteger(getBlock(config, 'controlPlane'), 'replicas');
  if (controlPlaneReplicas === 1) return 'single-node';
  if (getArbiterReplicas(config) > 0) return 'arbiter';
  if (listFencingCredentials(config).length > 0) return 'fencing';
  return controlPlaneReplicas !== undefined && sumComputeReplicas(config) === 0 ? 'standard' : undefined;
}

const listFencingCredentials = (config: unknown) =>
  getList(getBlock(getBlock(config, 'controlPlane'), 'fencing'), 'credentials');

const getArbiterReplicas = (config: unknown) => getInteger(getBlock(config, 'arbiter'), 'replicas') ?? 0;

function sumComputeReplicas(config: unknown): number {
  return getList(config, 'compute').reduce<number>((sum, pool) => sum + (getInteger(pool, 'replicas') ?? 0), 0);
}

function parsePlatform(config: unknown): { platform: string | undefined; endpoints: Record<string, unknown> } {
  const platforms = getBlock(config, 'platform');
  const [platform] = Object.keys(platforms);
  const settings = platform === undefined ? {} : getBlock(platforms, platform);
  const getEndpoint = (...keys: string[]) => {
    const entries = keys.flatMap((key) => getList(settings, key)).map(toNonEmptyString);
    const values = compactList(entries);
    return values?.length === 1 ? values[0] : values?.slice(0, 2);
  };
  const api = getEndpoint('apiVIPs', 'apiVIP');
  return { platform, endpoints: { api, apiInt: api, ingress: getEndpoint('ingressVIPs', 'ingressVIP') } };
}

/** Lists the hosts of platform baremetal; without any, one placeholder node for each replica. */
function listNodeRows(config: unknown): { rows: NodeRow[]; note: string | null } {
  const hosts = getList(getBlock(getBlock(config, 'platform'), 'baremetal'), 'hosts').map(toNodeRow);
  if (hosts.length > 0) return { rows: hosts, note: null };
  const controlPlaneReplicas = getInteger(getBlock(config, 'controlPlane'), 'replicas') ?? 0;
  const computeReplicas = sumComputeReplicas(config);
  const arbiterCount = getArbiterReplicas(config);
  const fencingCredentials = listFencingCredentials(config);
  if (controlPlaneReplicas > 99 || arbiterCount > 99 || computeReplicas > 999) return { rows: [], note: null };
  const rows = [
    ...(controlPlaneReplicas > 1 ? [createPlaceholderNode('bootstrap', 'bootstrap')] : []),
    ...Array.from({ length: controlPlaneReplicas }, (_, index): NodeRow => {
      const hostName = getText(fencingCredentials[index], 'hostName') ?? `control-plane${index}`;
      return { ...createPlaceholderNode('', 'control-plane'), ...splitHostName(hostName) };
    }),
    ...Array.from({ length: arbiterCount }, (_, index) => createPlaceholderNode(`arbiter${index}`, 'arbiter')),
    ...Array.from({ length: computeReplicas }, (_, index) => createPlaceholderNode(`compute${index}`, 'compute')),
  ];
  return { rows, note: rows.length > 0 ? words().replicas(rows.length) : null };
}

function createPlaceholderNode(name: string, role: NodeRow['role']): NodeRow {
  return { name, domain: '', role, ip: [], mac: '' };
}

const HOST_ROLES: readonly (readonly [string, NodeRow['role']])[] = [
  ['master', 'control-plane'],
  ['arbiter', 'arbiter'],
];

function toNodeRow(host: unknown): NodeRow {
  const role = HOST_ROLES.find(([name]) => name === getText(host, 'role'))?.[1] ?? 'compute';
  const interfaces = getList(getBlock(host, 'networkConfig'), 'interfaces');
  const ip = interfaces.flatMap((nic) =>
    ['ipv4', 'ipv6'].flatMap((family) =>
      getList(getBlock(nic, family), 'address').map((entry) => getText(entry, 'ip') ?? ''),
    ),
  );
  const disk = getText(getBlock(host, 'rootDeviceHints'), 'deviceName');
  return {
    ...splitHostName(getText(host, 'name') ?? ''),
    role,
    ip: parseAddresses(ip.join(' ')).slice(0, 2),
    mac: toCanonicalMac(getText(host, 'bootMACAddress') ?? '') ?? '',
    ...(disk === undefined ? {} : { installDisk: disk }),
  };
}

/** Extracts the texts that a design stores in separate files. */
function extractFiles(config: unknown): { files: ImportedFile[]; document: Record<string, unknown> } {
  const files: ImportedFile[] = [];
  const moveToFile = (key: string, name: string) => {
    const content = getText(config, key);
    if (content === undefined) return undefined;
    files.push({ name, text: `${content}\n` });
    return `./${name}`;
  };
  const moveFencingToFile = () => {
    const credentials = listFencingCredentials(config);
    if (credentials.length === 0) return undefined;
    files.push({ name: 'fencing.yaml', text: stringify({ credentials }) });
    return './fencing.yaml';
  };
  return {
    document: {
      credentials: {
        pullSecretFile: moveToFile('pullSecret', 'pull-secret.txt'),
        sshKeyFile: moveToFile('sshKey', 'ssh-key.pub'),
        fencingFile: moveFencingToFile(),
      },
      additionalTrustBundleFile: moveToFile('additionalTrustBundle', 'ca.pem'),
    },
    files,
  };
}
