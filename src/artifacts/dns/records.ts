import { isIPv4 } from 'node:net';
import { Address6 } from 'ip-address';
import { firstAddress, isAddressInNetwork } from '../../design/address.ts';
import type { Design } from '../../design/model.ts';
import { apiIntName, apiName, appsDomain, nodeFqdn, serviceHostFqdn, serviceHosts } from '../../design/names.ts';
import { parseValidNetwork, unique } from '../network/addresses.ts';

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
export interface RecordGroup {
  readonly title: string;
  readonly records: readonly AddressRecord[];
}

/**
 * Every forward record that the cluster and its service hosts need. There is no wildcard at the level of the cluster (an
 * installation cannot complete with one: openshift/assisted-service internal/host/validator.go isDNSWildcardNotConfigured)
 * and no etcd SRV record (needed by 4.1-4.3 only: openshift-docs modules/installation-dns-user-infra.adoc).
 */
export function addressRecords(design: Design): RecordGroup[] {
  const { api, apiInt, ingress } = design.endpoints;
  const hosts = serviceHosts(design).flatMap((host) => createRecords(serviceHostFqdn(design, host), host.ip));
  return [
    { title: 'service hosts', records: hosts },
    {
      title: 'API for people and for the nodes',
      records: [...createRecords(apiName(design), api), ...createRecords(apiIntName(design), apiInt)],
    },
    { title: 'routes of applications', records: createRecords(`*.${appsDomain(design)}`, ingress) },
    { title: 'nodes', records: design.nodes.flatMap((node) => createRecords(nodeFqdn(design, node), node.ip)) },
  ];
}

/**
 * The reverse records of the machine networks: every node, api and api-int (two records where they share an address), and
 * service hosts whose address is not the API's. A node without one calls itself localhost.
 */
export function pointerRecords(design: Design): PointerRecord[] {
  const { api, apiInt } = design.endpoints;
  const endpoints = new Set([...api, ...apiInt]);
  const nodes = new Set(design.nodes.flatMap(({ ip }) => ip));
  // On a single node the endpoints share the node's address, whose record must hold only the node's name: the node may
  // take its host name from it.
  const listPointers = (addresses: readonly string[], name: string) =>
    addresses.filter((address) => !nodes.has(address)).map((address) => [address, name] as const);
  const names = [
    ...design.nodes.flatMap((node) => node.ip.map((address) => [address, nodeFqdn(design, node)] as const)),
    ...listPointers(api, apiName(design)),
    ...listPointers(apiInt, apiIntName(design)),
    ...serviceHosts(design).flatMap((host) =>
      host.ip
        .filter((address) => !endpoints.has(address))
        .map((address) => [address, serviceHostFqdn(design, host)] as const),
    ),
  ];
  const machine = design.networks.machine.map(({ cidr }) => parseValidNetwork(cidr));
  return names
    .filter(([address]) => machine.some((network) => isAddressInNetwork(address, network)))
    .map(([address, name]) => ({ address, owner: reverseName(address), name }));
}

/**
 * The reverse zones that cover the machine networks: whole zones at the next boundary (8, 16 or 24 bits; a nibble for
 * IPv6), as many as the network needs, so that the generated server answers for every address of it.
 */
export function reverseZones(design: Design): string[] {
  return unique(design.networks.machine.flatMap(({ cidr }) => splitIntoZones(cidr)));
}

function splitIntoZones(cidr: string): string[] {
  const { family, first, prefix } = parseValidNetwork(cidr);
  const [bits, step] = family === 4 ? [32, 8] : [128, 4];
  const zonePrefix = Math.min(Math.ceil(prefix / step) * step, bits - step);
  const size = 1n << BigInt(bits - zonePrefix);
  const count = 1 << Math.max(0, zonePrefix - prefix);
  return Array.from({ length: count }, (_, index) => {
    const last = first + size * BigInt(index);
    const labels = reverseName(firstAddress({ family, first: last, last, prefix: bits })).split('.');
    return labels.slice((bits - zonePrefix) / step).join('.');
  });
}

/** `21.0.16.172.in-addr.arpa`, or the nibbles under ip6.arpa. */
function reverseName(address: string): string {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = new Address6(address).canonicalForm().replaceAll(':', '');
  return `${[...nibbles].reverse().join('.')}.ip6.arpa`;
}

function createRecords(name: string, addresses: readonly string[]): AddressRecord[] {
  return addresses.map((address) => ({ name, type: isIPv4(address) ? 'A' : 'AAAA', address }));
}
