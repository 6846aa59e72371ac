import { catalogue } from '../../i18n/catalogue.ts';
import {
  getAddressFamily,
  isAddressInNetwork,
  isInRange,
  type Network,
  overlapsRange,
  parseNetworkOfFamily,
} from '../address.ts';
import type { Design } from '../model.ts';
import {
  allAddresses,
  externalAddresses,
  gatewayAddresses,
  listParsedNetworks,
  machineNetworks,
  routerAddress,
} from './design-entries.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

// Ranges that no network can use: IANA special-purpose address registries (RFC 6890) and multicast.
const RESERVED_RANGES = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/8',
  'fe80::/10',
  'ff00::/8',
];

// Ranges that are not routed on the internet: RFC 1918, RFC 6598, RFC 2544, RFC 5737, RFC 4193, RFC 3849.
const PRIVATE_RANGES = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  'fc00::/7',
  '2001:db8::/32',
];

const LINK_LOCAL_6 = 'fe80::/10';

const networkSpecial: Rule = {
  id: 'network-special',
  severity: 'error',
  source: 'RFC 6890; the installer accepts 127.0.0.0/8',
  title: () => words().networkSpecial.title,
  check(design, report) {
    for (const { at, cidr, network } of listParsedNetworks(design)) {
      const hit = RESERVED_RANGES.find((range) => overlapsRange(network, range));
      // A network that starts at the unspecified address has its own rule (cidr-base).
      if (hit === undefined || network.first === 0n) continue;
      report(at, { message: words().networkSpecial.message(cidr, hit), fix: words().networkSpecial.fix });
    }
  },
};

const networkPublic: Rule = {
  id: 'network-public',
  severity: 'warning',
  source: 'RFC 1918; RFC 4193',
  title: () => words().networkPublic.title,
  check(design, report) {
    const isPrivate = (inner: Network) =>
      PRIVATE_RANGES.some((cidr) => {
        const range = parseNetworkOfFamily(inner.family, cidr);
        return range !== null && range.first <= inner.first && inner.last <= range.last;
      });
    for (const { at, cidr, network, kind } of listParsedNetworks(design)) {
      const isInternal = kind === 'cluster' || kind === 'service';
      if (!isInternal || isPrivate(network) || RESERVED_RANGES.some((range) => overlapsRange(network, range))) continue;
      report(at, { message: words().networkPublic.message(cidr), fix: words().networkPublic.fix });
    }
  },
};

const addressUnusable: Rule = {
  id: 'address-unusable',
  severity: 'error',
  source: 'RFC 6890; RFC 1122 section 3.2.1.3',
  title: () => words().addressUnusable.title,
  check(design, report) {
    // A machine network inside such a range is reported once, at the network.
    const machineRanges = machineNetworks(design);
    for (const { at, address, mayBeLinkLocal } of listCheckedAddresses(design)) {
      const hit = RESERVED_RANGES.find((range) => isInRange(address, range));
      if (hit === undefined || machineRanges.some((network) => isAddressInNetwork(address, network))) continue;
      if (mayBeLinkLocal && hit === LINK_LOCAL_6) continue;
      report(at, { message: words().addressUnusable.message(address, hit), fix: words().addressUnusable.fix });
    }
  },
};

/** Lists the addresses to check. IPv6 routers may have a link-local address. */
function listCheckedAddresses(design: Design) {
  const others = [...allAddresses(design), ...externalAddresses(design)];
  const routers = [...gatewayAddresses(design), ...routerAddress(design)];
  return [
    ...others.map((entry) => ({ ...entry, mayBeLinkLocal: false })),
    ...routers.map((entry) => ({ ...entry, mayBeLinkLocal: getAddressFamily(entry.address) === 6 })),
  ];
}

export const specialRules: readonly Rule[] = [networkSpecial, networkPublic, addressUnusable];
