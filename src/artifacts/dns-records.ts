import { isIPv4 } from 'node:net';
import { Address4, Address6 } from 'ip-address';
import type { Design } from '../design/model.ts';
import { apiIntName, apiName, appsDomain, nodeFqdn, serviceHostFqdn, serviceHosts } from '../design/names.ts';
import { isInNetwork, prefixOf, unique } from './addresses.ts';

/** One forward record; the name is fully qualified without the last dot. */
export interface AddressRecord {
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

/** A group of records with what it is for, so that the zone reads well. */
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
  const hosts = serviceHosts(design).flatMap((host) => recordsOf(serviceHostFqdn(design, host), host.ip));
  return [
    { title: 'service hosts', records: hosts },
    {
      title: 'API for people and for the nodes',
      records: [...recordsOf(apiName(design), api), ...recordsOf(apiIntName(design), apiInt)],
    },
    { title: 'routes of applications', records: recordsOf(`*.${appsDomain(design)}`, ingress) },
    { title: 'nodes', records: design.nodes.flatMap((node) => recordsOf(nodeFqdn(design, node), node.ip)) },
  ];
}

/**
 * The reverse records of the machine networks: every node, api and api-int (two records where they share an address), and
 * service hosts whose address is not an endpoint's. A node without one calls itself localhost.
 */
export function pointerRecords(design: Design): PointerRecord[] {
  const { api, apiInt, ingress } = design.endpoints;
  const endpoints = new Set([...api, ...apiInt, ...ingress]);
  const names = [
    ...design.nodes.flatMap((node) => node.ip.map((address) => [address, nodeFqdn(design, node)] as const)),
    ...api.map((address) => [address, apiName(design)] as const),
    ...apiInt.map((address) => [address, apiIntName(design)] as const),
    ...serviceHosts(design).flatMap((host) =>
      host.ip
        .filter((address) => !endpoints.has(address))
        .map((address) => [address, serviceHostFqdn(design, host)] as const),
    ),
  ];
  return names
    .filter(([address]) => design.networks.machine.some(({ cidr }) => isInNetwork(address, cidr)))
    .map(([address, name]) => ({ address, owner: reverseName(address), name }));
}

/**
 * The reverse zones that cover the machine networks: whole zones at the next boundary (8, 16 or 24 bits; a nibble for IPv6),
 * as many as the network needs, so that our own server answers every address of it.
 */
export function reverseZones(design: Design): string[] {
  return unique(design.networks.machine.flatMap(({ cidr }) => zonesOf(cidr)));
}

function zonesOf(cidr: string): string[] {
  const prefix = prefixOf(cidr);
  const is4 = isIPv4(cidr.split('/')[0] ?? '');
  const step = is4 ? 8 : 4;
  const zonePrefix = Math.min(Math.ceil(prefix / step) * step, is4 ? 24 : 124);
  const first = is4 ? new Address4(cidr).startAddress().bigInt() : new Address6(cidr).startAddress().bigInt();
  const size = 1n << BigInt((is4 ? 32 : 128) - zonePrefix);
  const count = 1 << Math.max(0, zonePrefix - prefix);
  return Array.from({ length: count }, (_, index) => {
    const at = first + size * BigInt(index);
    const address = is4 ? Address4.fromBigInt(at).correctForm() : Address6.fromBigInt(at).correctForm();
    return reverseName(address)
      .split('.')
      .slice((is4 ? 32 - zonePrefix : 128 - zonePrefix) / step)
      .join('.');
  });
}

/** `21.0.16.172.in-addr.arpa`, or the nibbles under ip6.arpa. */
export function reverseName(address: string): string {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = new Address6(address).canonicalForm().replaceAll(':', '');
  return `${[...nibbles].reverse().join('.')}.ip6.arpa`;
}

function recordsOf(name: string, addresses: readonly string[]): AddressRecord[] {
  return addresses.map((address) => ({ name, type: isIPv4(address) ? 'A' : 'AAAA', address }));
}
