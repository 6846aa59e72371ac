import { catalogue } from '../../i18n/catalogue.ts';
import {
  formatNetwork,
  getAddressFamily,
  type Network,
  parseNetmask,
  parseNetwork,
  toCanonicalAddress,
  toCanonicalMac,
} from '../address.ts';
import type { Path } from '../paths.ts';
import { isDomain } from '../text-formats.ts';
import {
  listEndpointAddresses,
  listHostAddresses,
  listHostEntries,
  listNetworkEntries,
  listNodeAddresses,
} from './entries.ts';
import type { DesignRule } from './rule.ts';

const words = () => catalogue().designRules;

// Formats of addresses, networks and MACs. Leading zeros are rejected because of CVE-2021-29921 (octal octets).

const addressFormat: DesignRule = {
  id: 'address-format',
  severity: 'error',
  source: 'RFC 6943 section 3.1.1; CVE-2021-29921',
  title: () => words().addressFormat.title,
  check(design, report) {
    const { networks, services } = design;
    const addressEntries: { path: Path; address: string }[] = [
      ...listNodeAddresses(design),
      ...listHostAddresses(design),
      ...listEndpointAddresses(design),
      ...networks.machine.flatMap(({ gateway }, index) =>
        gateway === null ? [] : [{ path: ['networks', 'machine', index, 'gateway'], address: gateway }],
      ),
      ...(networks.router === null ? [] : [{ path: ['networks', 'router'], address: networks.router }]),
      ...services.dns.forwarders.map((address, index) => ({ path: ['services', 'dns', 'forwarders', index], address })),
    ];
    for (const { path, address } of addressEntries) {
      if (toCanonicalAddress(address) !== null) continue;
      report(path, { message: words().addressFormat.message(address), fix: words().addressFormat.fix });
    }
  },
};

const addressFamilies: DesignRule = {
  id: 'address-families',
  severity: 'error',
  source: 'the design file: a list of addresses holds one per family',
  title: () => words().addressFamilies.title,
  check(design, report) {
    const lists: { path: Path; list: readonly string[] }[] = [
      ...design.nodes.map(({ ip }, index) => ({ path: ['nodes', index, 'ip'], list: ip })),
      ...listHostEntries(design).map(({ path, host }) => ({ path: [...path, 'ip'], list: host.ip })),
      ...(['api', 'apiInt', 'ingress'] as const).map((key) => ({
        path: ['endpoints', key],
        list: design.endpoints[key],
      })),
    ];
    for (const { path, list } of lists) {
      const families = new Set(list.map(getAddressFamily));
      const areAddresses = list.every((address) => toCanonicalAddress(address) !== null);
      if (list.length > 1 && families.size === 1 && areAddresses) {
        report(path, { message: words().addressFamilies.message, fix: words().addressFamilies.fix });
      }
    }
  },
};

const hostFormat: DesignRule = {
  id: 'host-format',
  severity: 'error',
  source: 'RFC 1123 section 2.1',
  title: () => words().hostFormat.title,
  check({ services }, report) {
    for (const [index, server] of services.time.servers.entries()) {
      const looksLikeAddress = /^[\d.]+$/.test(server);
      if (toCanonicalAddress(server) !== null || (!looksLikeAddress && isDomain(server))) continue;
      report(['services', 'time', 'servers', index], {
        message: words().hostFormat.message(server),
        fix: words().hostFormat.fix,
      });
    }
  },
};

const cidrFormat: DesignRule = {
  id: 'cidr-format',
  severity: 'error',
  source: 'openshift/installer pkg/ipnet/ipnet.go',
  title: () => words().cidrFormat.title,
  check(design, report) {
    for (const { path, cidr } of listNetworkEntries(design)) {
      if (parseNetwork(cidr) !== null) continue;
      const [, address = '', length] = /^(.*)\/(\d+)$/.exec(cidr) ?? [];
      const maximum = address.includes(':') ? 128 : 32;
      const isTooLong = parseNetwork(`${address}/${maximum}`) !== null && Number(length) > maximum;
      const { message, prefixTooLong, fix } = words().cidrFormat;
      const maskedNetwork = parseMaskedNetwork(cidr);
      report(path, {
        message: isTooLong ? prefixTooLong(cidr, maximum) : message(cidr),
        fix: maskedNetwork === null ? fix : words().cidrBase.fix(formatNetwork(maskedNetwork)),
      });
    }
  },
};

/**
 * Parses a network that is written with a mask: `10.44.0.0 255.255.0.0`, with a blank or a slash. Null if it is none.
 */
function parseMaskedNetwork(text: string): Network | null {
  const [address = '', mask = '', ...others] = text.trim().split(/[\s/]+/);
  const prefixLength = parseNetmask(mask);
  // No network is meant by the mask 0.0.0.0, which stands for every network.
  return !prefixLength || others.length > 0 ? null : parseNetwork(`${address}/${prefixLength}`);
}

const cidrBase: DesignRule = {
  id: 'cidr-base',
  severity: 'error',
  source: 'openshift/installer pkg/validate/validate.go: invalid network address',
  title: () => words().cidrBase.title,
  check(design, report) {
    for (const { path, cidr } of listNetworkEntries(design)) {
      const network = parseNetwork(cidr);
      if (network === null) continue;
      const base = formatNetwork(network);
      if (base !== cidr)
        report(path, { message: words().cidrBase.message(cidr, base), fix: words().cidrBase.fix(base) });
      else if (network.first === 0n) {
        report(path, { message: words().cidrUnspecified.message(cidr), fix: words().cidrUnspecified.fix });
      }
    }
  },
};

const macFormat: DesignRule = {
  id: 'mac-format',
  severity: 'error',
  source: 'IEEE 802 EUI-48',
  title: () => words().macFormat.title,
  check({ nodes }, report) {
    for (const [index, { mac }] of nodes.entries()) {
      if (toCanonicalMac(mac) !== null) continue;
      report(['nodes', index, 'mac'], { message: words().macFormat.message(mac), fix: words().macFormat.fix });
    }
  },
};

const macUnicast: DesignRule = {
  id: 'mac-unicast',
  severity: 'error',
  source: 'openshift/installer pkg/validate/validate.go: expected unicast mac address',
  title: () => words().macUnicast.title,
  check({ nodes }, report) {
    for (const [index, { mac }] of nodes.entries()) {
      if (toCanonicalMac(mac) === null) continue;
      const isMulticast = (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;
      if (isMulticast || mac === '00:00:00:00:00:00') {
        report(['nodes', index, 'mac'], { message: words().macUnicast.message(mac), fix: words().macUnicast.fix });
      }
    }
  },
};

export const addressFormatRules: readonly DesignRule[] = [
  addressFormat,
  addressFamilies,
  hostFormat,
  cidrFormat,
  cidrBase,
  macFormat,
  macUnicast,
];
