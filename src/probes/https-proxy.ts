import { BlockList, isIP } from 'node:net';
import { getProxyAuthorization } from '../platform/http.ts';
import { getUrlHost } from '../platform/text.ts';

/** A proxy for HTTPS; its password is only in `authorization`. */
export interface HttpsProxy {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** The value of Proxy-Authorization; null: none. */
  readonly authorization: string | null;
}

/** Parses the URL of a proxy; null for an empty or invalid one. */
export function parseProxy(url: string): HttpsProxy | null {
  if (!URL.canParse(url)) return null;
  const proxy = new URL(url);
  const { protocol, hostname, port } = proxy;
  const isTls = protocol === 'https:';
  return {
    host: getUrlHost({ hostname }),
    port: Number(port || (isTls ? 443 : 80)),
    isTls,
    authorization: getProxyAuthorization(proxy),
  };
}

/**
 * Whether a connection bypasses the proxy, by the rules of the cluster's programs for noProxy
 * (golang.org/x/net/http/httpproxy): `*`, an address or a network in CIDR notation, a name with all its subdomains, or
 * with a leading dot only the subdomains; each with an optional port.
 */
export function shouldBypassProxy(host: string, port: number, noProxy: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || /^127\.|^::1$/.test(name)) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .some((entry) => matchesEntry(entry, name, port));
}

function matchesEntry(entry: string, name: string, port: number): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isAddressInCidr(entry, name);
  if (isIP(entry) !== 0) return entry === name;
  const [, domain = entry, entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && Number(entryPort) !== port) return false;
  const suffix = domain.replace(/^\*?\./, '');
  return name.endsWith(`.${suffix}`) || (domain === suffix && name === suffix);
}

function isAddressInCidr(cidr: string, address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const [network = '', prefix = ''] = cidr.split('/');
  if (isIP(address) === 0 || isIP(network) !== isIP(address) || !/^\d{1,3}$/.test(prefix)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(address, family);
}
