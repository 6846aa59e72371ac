import { isIPv4 } from 'node:net';
import { Address6 } from 'ip-address';
import template from '../../../templates/dns-records.nsupdate.eta';
import { getFirstAddress, isAddressInNetwork } from '../../design/address.ts';
import {
  getApiIntName,
  getApiName,
  getAppsDomain,
  getClusterDomain,
  getNodeFqdn,
  getServiceHostFqdn,
  listServiceHosts,
} from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { parseValidNetwork, removeDuplicates } from '../network/addresses.ts';
import { type FileGenerator, WORK_DIR } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';

/** One forward record; the name is fully qualified without the last dot. */
interface AddressRecord {
  readonly name: string;
  readonly type: 'A' | 'AAAA';
  readonly address: string;
}

/** One reverse record. */
export interface PointerRecord {
  readonly address: string;
  /** `21.0.16.172.in-addr.arpa` */
  readonly owner: string;
  readonly name: string;
}

/** A group of records, with the title that it has in the zone file. */
interface RecordGroup {
  readonly title: string;
  readonly records: readonly AddressRecord[];
}

/**
 * Lists every forward record that the cluster and its service hosts need. There is no wildcard at the level of the
 * cluster (an installation cannot complete with one: openshift/assisted-service internal/host/validator.go
 * isDNSWildcardNotConfigured) and no etcd SRV record (needed by 4.1-4.3 only: openshift-docs
 * modules/installation-dns-user-infra.adoc).
 */
export function listAddressRecords(design: Design): RecordGroup[] {
  const { api, apiInt, ingress } = design.endpoints;
  const hosts = listServiceHosts(design).flatMap((host) => createRecords(getServiceHostFqdn(design, host), host.ip));
  return [
    { title: 'service hosts', records: hosts },
    {
      title: 'API for users and for nodes',
      records: [...createRecords(getApiName(design), api), ...createRecords(getApiIntName(design), apiInt)],
    },
    { title: 'application routes', records: createRecords(`*.${getAppsDomain(design)}`, ingress) },
    { title: 'nodes', records: design.nodes.flatMap((node) => createRecords(getNodeFqdn(design, node), node.ip)) },
  ];
}

/**
 * Lists the reverse records of the machine networks: nodes, api and api-int, and service hosts whose address is not
 * the API's. An address that api and api-int share has two records. A node without a reverse record calls itself
 * localhost.
 */
export function listPointerRecords(design: Design): PointerRecord[] {
  const { api, apiInt } = design.endpoints;
  const endpointAddresses = new Set([...api, ...apiInt]);
  const nodeAddresses = new Set(design.nodes.flatMap(({ ip }) => ip));
  // On a single node the endpoints share the node's address, whose record must hold only the node's name: the node may
  // take its host name from it.
  const listPointers = (addresses: readonly string[], name: string) =>
    addresses.filter((address) => !nodeAddresses.has(address)).map((address) => [address, name] as const);
  const addressNames = [
    ...design.nodes.flatMap((node) => node.ip.map((address) => [address, getNodeFqdn(design, node)] as const)),
    ...listPointers(api, getApiName(design)),
    ...listPointers(apiInt, getApiIntName(design)),
    ...listServiceHosts(design).flatMap((host) =>
      host.ip
        .filter((address) => !endpointAddresses.has(address))
        .map((address) => [address, getServiceHostFqdn(design, host)] as const),
    ),
  ];
  const machineNetworks = design.networks.machine.map(({ cidr }) => parseValidNetwork(cidr));
  return addressNames
    .filter(([address]) => machineNetworks.some((network) => isAddressInNetwork(address, network)))
    .map(([address, name]) => ({ address, owner: formatReverseName(address), name }));
}

/**
 * Lists the reverse zones that cover the machine networks: whole zones at the next boundary (8, 16 or 24 bits; a
 * nibble for IPv6), as many as the network needs, so that the generated server answers for every address of it.
 */
export function listReverseZones(design: Design): string[] {
  return removeDuplicates(design.networks.machine.flatMap(({ cidr }) => splitIntoZones(cidr)));
}

function splitIntoZones(cidr: string): string[] {
  const { family, first, prefixLength } = parseValidNetwork(cidr);
  const [bits, step] = family === 4 ? [32, 8] : [128, 4];
  const zonePrefix = Math.min(Math.ceil(prefixLength / step) * step, bits - step);
  const size = 1n << BigInt(bits - zonePrefix);
  const count = 1 << Math.max(0, zonePrefix - prefixLength);
  return Array.from({ length: count }, (_, index) => {
    const zoneStart = first + size * BigInt(index);
    const labels = formatReverseName(
      getFirstAddress({ family, first: zoneStart, last: zoneStart, prefixLength: bits }),
    ).split('.');
    return labels.slice((bits - zonePrefix) / step).join('.');
  });
}

/** Formats the name of a reverse record: `21.0.16.172.in-addr.arpa`, or the nibbles under ip6.arpa. */
function formatReverseName(address: string): string {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = new Address6(address).canonicalForm().replaceAll(':', '');
  return `${[...nibbles].reverse().join('.')}.ip6.arpa`;
}

function createRecords(name: string, addresses: readonly string[]): AddressRecord[] {
  return addresses.map((address) => ({ name, type: isIPv4(address) ? 'A' : 'AAAA', address }));
}

const CSV_PATH = `${WORK_DIR}/dns-records.csv`;

/** The records as CSV, for the administrators of an external DNS. */
export const dnsRecordsCsv: FileGenerator<'dns-records'> = {
  kind: 'dns-records',
  host: 'bastion',
  paths: [CSV_PATH],
  files({ design }) {
    if (design.services.dns.kind !== 'external') return [];
    const rows = [
      ['name', 'type', 'value'],
      ...listAddressRecords(design).flatMap(({ records }) =>
        records.map(({ name, type, address }) => [name, type, address]),
      ),
      ...listPointerRecords(design).map(({ owner, name }) => [owner, 'PTR', name]),
    ];
    // Names and addresses need no quotes in CSV.
    const content = rows.map((row) => `${row.join(',')}\r\n`).join('');
    return [{ host: design.services.bastion, path: CSV_PATH, content }];
  },
};

const NSUPDATE_FILE = 'dns-records.nsupdate';
const NSUPDATE_PATH = `${WORK_DIR}/${NSUPDATE_FILE}`;

/** As in the generated zones. */
const TTL_SECONDS = 3600;

/** Keeps each update message below its limit of 65535 bytes (RFC 1035 section 4.2.2). */
const NAMES_PER_MESSAGE = 200;

/** The names and records that one update message changes. */
interface UpdateBlock {
  readonly title: string;
  readonly names: readonly {
    readonly name: string;
    /** The types that are first deleted from the name, so that a second run changes nothing and no alias conflicts. */
    readonly typesToDelete: readonly string[];
    readonly records: readonly { readonly type: string; readonly value: string }[];
  }[];
}

/** The records as commands for nsupdate, for an external DNS server that takes dynamic updates. */
export const nsupdate: FileGenerator<'dns-nsupdate'> = {
  kind: 'dns-nsupdate',
  host: 'bastion',
  paths: [NSUPDATE_PATH],
  files({ design }) {
    if (design.services.dns.kind !== 'external') return [];
    const blocks = [...createAddressBlocks(design), ...createPointerBlocks(design)];
    const content = renderTemplate(template, {
      clusterDomain: getClusterDomain(design),
      file: NSUPDATE_FILE,
      ttl: TTL_SECONDS,
      blocks,
    });
    return [{ host: design.services.bastion, path: NSUPDATE_PATH, content }];
  },
};

/** Creates the blocks of the forward records: separate ones for base domain and cluster, which may be two zones. */
function createAddressBlocks(design: Design): UpdateBlock[] {
  const records = listAddressRecords(design).flatMap((group) => group.records);
  const isInClusterDomain = (name: string) => name.endsWith(`.${getClusterDomain(design)}`);
  return [false, true].flatMap((isClusterDomain) => {
    const domainRecords = records.filter(({ name }) => isInClusterDomain(name) === isClusterDomain);
    const title = isClusterDomain ? getClusterDomain(design) : design.cluster.baseDomain;
    return splitIntoBlocks(
      title,
      ['A', 'AAAA', 'CNAME'],
      domainRecords.map(({ name, type, address }) => ({ name, type, value: address })),
    );
  });
}

function createPointerBlocks(design: Design): UpdateBlock[] {
  const pointers = listPointerRecords(design);
  return listReverseZones(design).flatMap((zone) => {
    const zonePointers = pointers.filter(({ owner }) => owner.endsWith(`.${zone}`));
    return splitIntoBlocks(
      zone,
      ['PTR', 'CNAME'],
      zonePointers.map(({ owner, name }) => ({ name: owner, type: 'PTR', value: `${name}.` })),
    );
  });
}

function splitIntoBlocks(
  title: string,
  typesToDelete: readonly string[],
  records: readonly { readonly name: string; readonly type: string; readonly value: string }[],
): UpdateBlock[] {
  const recordsByName = Map.groupBy(records, ({ name }) => name);
  const names = [...recordsByName].map(([name, nameRecords]) => ({ name, typesToDelete, records: nameRecords }));
  return Array.from({ length: Math.ceil(names.length / NAMES_PER_MESSAGE) }, (_, index) => ({
    title,
    names: names.slice(index * NAMES_PER_MESSAGE, (index + 1) * NAMES_PER_MESSAGE),
  }));
}
