import { BlockList, isIP } from 'node:net';

/**
 * Whether a connection goes past the proxy, as the programs of a cluster read noProxy (golang.org/x/net/http/httpproxy): `*`, an
 * address or a network in CIDR notation, a name with all below it, or with a dot before it only what is below it; each with a port or not.
 */
export function goesDirect(host: string, port: number, noProxy: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || /^127\.|^::1$/.test(name)) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry, name, port));
}

function matches(entry: string, name: string, port: number): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInNetwork(entry, name);
  if (isIP(entry) !== 0) return entry === name;
  const [, domain = entry, only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (only !== undefined && Number(only) !== port) return false;
  const below = domain.replace(/^\*?\./, '');
  return name.endsWith(`.${below}`) || (domain === below && name === below);
}

function isInNetwork(cidr: string, address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const [network = '', prefix = ''] = cidr.split('/');
  if (isIP(address) === 0 || isIP(network) !== isIP(address) || !/^\d{1,3}$/.test(prefix)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(address, family);
}
