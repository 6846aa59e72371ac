import { catalogue } from '../../text/catalogue.ts';
import { familyOf, isInRange, isInside, type Network, overlapsRange, rangeIn } from '../address.ts';
import type { Design } from '../model.ts';
import {
  allAddresses,
  gatewayAddresses,
  machineNetworks,
  outsideAddresses,
  parsedNetworks,
  routerAddress,
} from './places.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().designRules;

// Ranges that are no network of anybody: IANA special-purpose address registries (RFC 6890) and multicast.
const NOBODYS = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/8',
  'fe80::/10',
  'ff00::/8',
];

// Ranges that have no owner on the internet: RFC 1918, RFC 6598, RFC 2544, RFC 5737, RFC 4193, RFC 3849.
const PRIVATE = [
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
  source: 'RFC 6890; the installer lets 127.0.0.0/8 through',
  title: () => words().networkSpecial.title,
  check(design, report) {
    for (const { at, cidr, network } of parsedNetworks(design)) {
      const hit = NOBODYS.find((range) => overlapsRange(network, range));
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
    const isWithin = (inner: Network) =>
      PRIVATE.some((cidr) => {
        const range = rangeIn(inner.family, cidr);
        return range !== null && range.first <= inner.first && inner.last <= range.last;
      });
    for (const { at, cidr, network, kind } of parsedNetworks(design)) {
      const isInternal = kind === 'cluster' || kind === 'service';
      if (!isInternal || isWithin(network) || NOBODYS.some((range) => overlapsRange(network, range))) continue;
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
    // A whole machine network in such a range is one problem, at the network.
    const said = machineNetworks(design);
    for (const { at, address, mayBeLinkLocal } of judgedAddresses(design)) {
      const hit = NOBODYS.find((range) => isInRange(address, range));
      if (hit === undefined || said.some((network) => isInside(address, network))) continue;
      if (mayBeLinkLocal && hit === LINK_LOCAL_6) continue;
      report(at, { message: words().addressUnusable.message(address, hit), fix: words().addressUnusable.fix });
    }
  },
};

/** IPv6 routers are reached by their link-local address as well. */
function judgedAddresses(design: Design) {
  const others = [...allAddresses(design), ...outsideAddresses(design)];
  const routers = [...gatewayAddresses(design), ...routerAddress(design)];
  return [
    ...others.map((placed) => ({ ...placed, mayBeLinkLocal: false })),
    ...routers.map((placed) => ({ ...placed, mayBeLinkLocal: familyOf(placed.address) === 6 })),
  ];
}

export const specialRules: readonly Rule[] = [networkSpecial, networkPublic, addressUnusable];
