import { isIP } from 'node:net';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import { findStatementError, isMalformedAddress } from './haproxy-syntax.ts';

/** An address and port on which haproxy listens; address `*` means every address of the host. */
export interface Listener {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly mode: 'tcp' | 'http';
  /** Connections go to these members, in order. */
  readonly members: readonly BackendServer[];
  /** Serves the status page instead. */
  readonly isStats: boolean;
  /** The status page shows the addresses of the members. */
  readonly hasLegends: boolean;
  /** Health checks are HTTP requests, not only connections. */
  readonly isHttpCheck: boolean;
  /** Milliseconds of silence after which a connection is closed; null: never. */
  readonly idleLimit: number | null;
}

export interface BackendServer {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Used only when no other member is up. */
  readonly isBackup: boolean;
  /** Its health checks use TLS. */
  readonly isTlsCheck: boolean;
}

interface Section {
  readonly kind: string;
  readonly name: string;
  mode: 'tcp' | 'http';
  defaultBackend: string | null;
  readonly binds: { address: string; port: number }[];
  readonly members: BackendServer[];
  isStats: boolean;
  hasLegends: boolean;
  isHttpCheck: boolean;
  readonly timeouts: Map<string, number>;
}

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: 24 * HOUR };
const SECTIONS = /^(?:global|defaults|frontend|backend|listen|resolvers|peers|userlist|cache|program|ring|mailers)$/;

/**
 * Parses a haproxy.cfg, limited to the listeners and their members.
 * @throws Error with haproxy's message where it would not start
 */
export function parseHaproxyConfig(text: string): Listener[] {
  const sections = readSections(text);
  const backends = new Map(
    sections.filter(({ kind }) => kind === 'backend' || kind === 'listen').map((section) => [section.name, section]),
  );
  return sections.flatMap((section) => {
    if (section.kind !== 'frontend' && section.kind !== 'listen') return [];
    const target = section.defaultBackend === null ? section : backends.get(section.defaultBackend);
    if (target === undefined) {
      throw new Error(`unable to find required default_backend: '${section.defaultBackend}'`);
    }
    return section.binds.map(({ address, port }) => ({
      name: section.name,
      address,
      port,
      mode: section.mode,
      members: target.members,
      isStats: section.isStats,
      hasLegends: section.hasLegends,
      isHttpCheck: target.isHttpCheck,
      idleLimit: deriveIdleLimit(new Map([...section.timeouts, ...target.timeouts])),
    }));
  });
}

function readSections(text: string): Section[] {
  const sections: Section[] = [];
  let defaultMode: 'tcp' | 'http' = 'tcp';
  const defaultTimeouts = new Map<string, number>();
  let current: Section | null = null;
  for (const [index, raw] of text.split('\n').entries()) {
    const words = splitWords(raw);
    const [keyword = '', ...rest] = words;
    if (keyword === '') continue;
    const location = `parsing [/etc/haproxy/haproxy.cfg:${index + 1}]`;
    if (SECTIONS.test(keyword)) {
      if (/^(?:frontend|backend|listen)$/.test(keyword) && rest[0] === undefined)
        throw new Error(`${location} : '${keyword}' expects a name`);
      current = {
        kind: keyword,
        name: rest[0] ?? '',
        mode: defaultMode,
        defaultBackend: null,
        binds: [],
        members: [],
        isStats: false,
        hasLegends: false,
        isHttpCheck: false,
        timeouts: keyword === 'defaults' ? defaultTimeouts : new Map(defaultTimeouts),
      };
      sections.push(current);
      continue;
    }
    if (current === null) throw new Error(`${location} : unknown keyword '${keyword}' out of section.`);
    const problem = findStatementError(current, words);
    if (problem !== null) throw new Error(`${location} : ${problem}.`);
    if (keyword === 'mode' && (rest[0] === 'tcp' || rest[0] === 'http')) {
      current.mode = rest[0];
      if (current.kind === 'defaults') defaultMode = rest[0];
    }
    if (keyword === 'default_backend' || keyword === 'use_backend') current.defaultBackend ??= rest[0] ?? null;
    if (keyword === 'stats' && rest[0] === 'enable') current.isStats = true;
    if (keyword === 'stats' && rest[0] === 'show-legends') current.hasLegends = true;
    if (keyword === 'option' && rest[0] === 'httpchk') current.isHttpCheck = true;
    if (keyword === 'timeout') current.timeouts.set(rest[0] ?? '', parseMilliseconds(rest[1] ?? ''));
    if (keyword === 'bind') current.binds.push(...(rest[0] ?? '').split(',').map((spec) => parseBind(spec, location)));
    if (keyword === 'server') current.members.push(parseMember(rest, location));
  }
  return sections;
}

/**
 * `timeout tunnel` applies once data has flowed both ways; without it, the shorter of the client and server timeouts.
 */
function deriveIdleLimit(timeouts: ReadonlyMap<string, number>): number | null {
  const limits = ['client', 'server'].flatMap((side) => timeouts.get(side) ?? []);
  return timeouts.get('tunnel') ?? (limits.length === 0 ? null : Math.min(...limits));
}

/** Parses `10s`, `1m` or `5000`; without a unit the value is milliseconds (haproxy configuration manual, 2.5). */
function parseMilliseconds(text: string): number {
  const [, number = '0', unit = 'ms'] = /^(\d+)([a-z]+)?$/.exec(text) ?? [];
  return Number(number) * (UNITS[unit] ?? 1);
}

/** Splits a line into words. Comments are dropped, a backslash escapes a blank, and quotes group words. */
function splitWords(line: string): string[] {
  const found = line.matchAll(/"([^"]*)"|'([^']*)'|#.*$|((?:\\.|[^\s"'#\\])+)/g);
  return [...found].flatMap(([all, double, single, bare]) =>
    all.startsWith('#') ? [] : [double ?? single ?? (bare ?? '').replace(/\\(.)/g, '$1')],
  );
}

function parseBind(spec: string, location: string): { address: string; port: number } {
  const { address, port } = splitAddress(spec);
  if (isMalformedAddress(address)) throw new Error(`${location} : 'bind' : invalid address: '${address}' in '${spec}'`);
  if (port === null) throw new Error(`${location} : 'bind' : missing port number: '${spec}'`);
  return { address: address === '' || address === '0.0.0.0' || address === '::' ? '*' : address, port };
}

function parseMember(words: readonly string[], location: string): BackendServer {
  const [name = '', spec = '', ...options] = words;
  const { address, port } = splitAddress(spec);
  if (name === '' || address === '') throw new Error(`${location} : 'server' expects <name> and <addr>[:<port>].`);
  if (isMalformedAddress(address))
    throw new Error(`${location} : 'server ${name}' : could not resolve address '${address}'.`);
  if (port === null) throw new Error(`${location} : 'server ${name}' : missing port in '${spec}'`);
  return { name, address, port, isBackup: options.includes('backup'), isTlsCheck: options.includes('check-ssl') };
}

/** Splits `172.16.0.21:6443`, `[fd00::1]:6443`, `*:443`, `:443`, or a name with a port. */
function splitAddress(spec: string): { address: string; port: number | null } {
  const plain = spec.replace(/^ipv[46]@/, '');
  const colon = plain.lastIndexOf(':');
  const stripBrackets = (text: string) => text.replace(/^\[|\]$/g, '');
  if (colon < 0 || isIP(stripBrackets(plain)) === 6) return { address: stripBrackets(plain), port: null };
  const port = Number(plain.slice(colon + 1));
  return { address: stripBrackets(plain.slice(0, colon)), port: Number.isInteger(port) && port > 0 ? port : null };
}

/** Lists the virtual addresses that a keepalived.conf adds to its host. */
export function parseVirtualAddresses(keepalived: string): string[] {
  const blocks = keepalived.matchAll(/virtual_ipaddress(?:_excluded)?\s*\{([^}]*)\}/g);
  return [...blocks].flatMap(([, block = '']) =>
    block
      .split('\n')
      .map(
        (line) =>
          line
            .replace(/[!#].*$/, '')
            .trim()
            .split(/[\s/]/)[0] ?? '',
      )
      .filter((address) => isIP(address) !== 0),
  );
}
