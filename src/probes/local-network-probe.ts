import { readdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { getHomeDirectory } from '../platform/environment.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { parseProxy } from './https-proxy.ts';
import type { DefaultRoute, HostsLine, LocalNetworkSettings } from './probe-types.ts';

const MAX_TEXT_LENGTH = 255;
/** Variables that programs take a proxy from. Go programs such as oc ignore ALL_PROXY; curl reads it. */
const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

/**
 * Reads how programs of this machine resolve names and reach other networks: resolv.conf(5), hosts(5),
 * nsswitch.conf(5), the servers of systemd-resolved, proxy variables and default routes.
 * @param read reads a file; null: it does not exist
 * @param env the environment that programs inherit from the wizard
 */
export async function probeLocalNetwork(
  read: (path: string) => Promise<string | null>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LocalNetworkSettings> {
  const [resolver, hosts, nsswitch, systemdResolved, routes] = await Promise.all(
    ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/run/systemd/resolve/resolv.conf', '/proc/net/route'].map(
      read,
    ),
  );
  const proxies = PROXY_VARIABLES.flatMap((name) => {
    const value = env[name] ?? '';
    return value === '' ? [] : [{ name, value: formatProxy(value) }];
  });
  return {
    resolver: parseResolver(resolver ?? ''),
    resolvedServers: systemdResolved == null ? null : parseResolver(systemdResolved).servers,
    hosts: parseHosts(hosts ?? ''),
    lookupSources: /^hosts:[ \t]*(.*?)[ \t]*(?:#.*)?$/m.exec(nsswitch ?? '')?.[1]?.slice(0, MAX_TEXT_LENGTH) ?? null,
    proxies,
    // The order of golang.org/x/net/http/httpproxy, which openshift-install and oc use.
    noProxy: sanitizeLine(env.NO_PROXY || env.no_proxy || '', 4000),
    proxyFile: proxies.length === 0 ? null : await findProxyFile(read),
    defaultRoutes: parseRoutes(routes ?? ''),
  };
}

/** Formats a proxy URL without its login. */
function formatProxy(value: string): string {
  const proxy = parseProxy(value);
  return proxy === null ? sanitizeLine(redact(value), 80) : `${proxy.host}:${proxy.port}`;
}

/** Finds the file and line that set a proxy variable for logins: `/etc/environment:3`; null: none. */
async function findProxyFile(read: (path: string) => Promise<string | null>): Promise<string | null> {
  const profiles = await readdir('/etc/profile.d').catch(() => []);
  const homeFiles = ['.bashrc', '.bash_profile', '.profile'].map((name) => join(getHomeDirectory(), name));
  for (const path of ['/etc/environment', ...profiles.map((name) => join('/etc/profile.d', name)), ...homeFiles]) {
    const lines = ((await read(path)) ?? '').split('\n');
    const index = lines.findIndex((line) => /^[^#]*\b(?:https?|all)_proxy=/i.test(line));
    if (index !== -1) return `${sanitizeLine(path, MAX_TEXT_LENGTH)}:${index + 1}`;
  }
  return null;
}

function parseResolver(text: string): LocalNetworkSettings['resolver'] {
  const search = [...text.matchAll(/^(?:search|domain)[ \t]+(.*)$/gm)].at(-1)?.[1] ?? '';
  const options = [...text.matchAll(/^options[ \t]+(.*)$/gm)].map(([, value = '']) => value).join(' ');
  return {
    servers: [...text.matchAll(/^nameserver[ \t]+(\S+)/gm)]
      .map(([, server = '']) => server)
      .filter((server) => isIP(server.split('%')[0] ?? '') !== 0),
    search: search
      .split(/\s+/)
      .filter((name) => /^[\w.-]{1,253}$/.test(name))
      .map((name) => name.replace(/\.$/, '')),
    ndots: Number(/\bndots:(\d{1,2})/.exec(options)?.[1] ?? 1),
    isRotationEnabled: /\brotate\b/.test(options),
    writer: /NetworkManager/.test(text) ? 'NetworkManager' : /dhclient/.test(text) ? 'dhclient' : 'other',
  };
}

function parseHosts(text: string): HostsLine[] {
  return text.split('\n').flatMap((line, index) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0 || names.length === 0) return [];
    return [
      {
        line: index + 1,
        text: sanitizeLine(line, MAX_TEXT_LENGTH),
        address,
        names: names.map((name) => name.toLowerCase()),
      },
    ];
  });
}

/** RTF_UP and RTF_GATEWAY of linux/route.h. */
const ROUTE_FLAGS = 0x3;

/**
 * Parses the default routes of /proc/net/route (hexadecimal, in the byte order of this machine). The route that is used
 * comes first.
 */
function parseRoutes(table: string): DefaultRoute[] {
  return table
    .split('\n')
    .map((line) => line.split('\t'))
    .flatMap(([device = '', destination, gateway = '', flags = '', , , metric = '', mask]) => {
      if (destination !== '00000000' || mask !== '00000000') return [];
      if ((Number.parseInt(flags, 16) & ROUTE_FLAGS) !== ROUTE_FLAGS) return [];
      const bytes =
        gateway
          .match(/../g)
          ?.map((byte) => Number.parseInt(byte, 16))
          .reverse() ?? [];
      return [{ device, gateway: bytes.join('.'), metric: Number(metric) }];
    })
    .toSorted((a, b) => a.metric - b.metric);
}

/** Parses `route default via GATEWAY dev DEVICE … metric N`, lines of `ip -o route show default`. */
export function parseRouteLines(lines: readonly string[]): DefaultRoute[] {
  return lines
    .flatMap((line) => {
      const [, gateway = '', device = ''] = /^route default via ([\d.]{7,15}) dev ([\w.@-]{1,32})/.exec(line) ?? [];
      if (gateway === '') return [];
      return [{ device, gateway, metric: Number(/ metric (\d{1,10})/.exec(line)?.[1] ?? 0) }];
    })
    .toSorted((a, b) => a.metric - b.metric);
}

/** Reads a file of this machine; null: it does not exist, or is not readable. */
export async function readLocalFile(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch(() => null);
}
