import { isIP } from 'node:net';
import { HOUR, MINUTE, SECOND } from '../../ports/clock.ts';
import { isBrokenAddress, refusal } from './haproxy-words.ts';

/** One address and port that haproxy listens on; address `*` is every address of the host. */
export interface Listener {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly mode: 'tcp' | 'http';
  /** The members that connections are given to, in order. */
  readonly members: readonly Member[];
  /** It shows the status page instead. */
  readonly isStats: boolean;
  /** The status page tells where members are. */
  readonly hasLegends: boolean;
  /** Its health checks are HTTP requests, not connections alone. */
  readonly isHttpCheck: boolean;
  /** After how many milliseconds of silence it ends a connection; null: never. */
  readonly idleLimit: number | null;
}

export interface Member {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Used only when no other member is up. */
  readonly isBackup: boolean;
  /** Its health checks speak TLS. */
  readonly isTlsCheck: boolean;
}

interface Section {
  readonly kind: string;
  readonly name: string;
  mode: 'tcp' | 'http';
  defaultBackend: string | null;
  readonly binds: { address: string; port: number }[];
  readonly members: Member[];
  isStats: boolean;
  hasLegends: boolean;
  isHttpCheck: boolean;
  readonly timeouts: Map<string, number>;
}

const UNITS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: 24 * HOUR };
const SECTIONS = /^(?:global|defaults|frontend|backend|listen|resolvers|peers|userlist|cache|program|ring|mailers)$/;

/**
 * Reads a haproxy.cfg as far as it decides who answers where.
 * @throws Error with the words of haproxy where it would not start
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
      idleLimit: idleLimitOf(new Map([...section.timeouts, ...target.timeouts])),
    }));
  });
}

function readSections(text: string): Section[] {
  const sections: Section[] = [];
  let defaultMode: 'tcp' | 'http' = 'tcp';
  const defaultTimeouts = new Map<string, number>();
  let current: Section | null = null;
  for (const [index, raw] of text.split('\n').entries()) {
    const words = wordsOf(raw);
    const [keyword = '', ...rest] = words;
    if (keyword === '') continue;
    const where = `parsing [/etc/haproxy/haproxy.cfg:${index + 1}]`;
    if (SECTIONS.test(keyword)) {
      if (/^(?:frontend|backend|listen)$/.test(keyword) && rest[0] === undefined)
        throw new Error(`${where} : '${keyword}' expects a name`);
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
    if (current === null) throw new Error(`${where} : unknown keyword '${keyword}' out of section.`);
    const refused = refusal(current, words);
    if (refused !== null) throw new Error(`${where} : ${refused}.`);
    if (keyword === 'mode' && (rest[0] === 'tcp' || rest[0] === 'http')) {
      current.mode = rest[0];
      if (current.kind === 'defaults') defaultMode = rest[0];
    }
    if (keyword === 'default_backend' || keyword === 'use_backend') current.defaultBackend ??= rest[0] ?? null;
    if (keyword === 'stats' && rest[0] === 'enable') current.isStats = true;
    if (keyword === 'stats' && rest[0] === 'show-legends') current.hasLegends = true;
    if (keyword === 'option' && rest[0] === 'httpchk') current.isHttpCheck = true;
    if (keyword === 'timeout') current.timeouts.set(rest[0] ?? '', millisecondsOf(rest[1] ?? ''));
    if (keyword === 'bind') current.binds.push(...(rest[0] ?? '').split(',').map((spec) => bindOf(spec, where)));
    if (keyword === 'server') current.members.push(memberOf(rest, where));
  }
  return sections;
}

/** Once data has flowed both ways `timeout tunnel` holds; without one, the shorter of the two sides. */
function idleLimitOf(timeouts: ReadonlyMap<string, number>): number | null {
  const sides = ['client', 'server'].flatMap((side) => timeouts.get(side) ?? []);
  return timeouts.get('tunnel') ?? (sides.length === 0 ? null : Math.min(...sides));
}

/** `10s`, `1m`, `5000`: milliseconds where no unit is given (haproxy configuration manual, 2.5). */
function millisecondsOf(text: string): number {
  const [, number = '0', unit = 'ms'] = /^(\d+)([a-z]+)?$/.exec(text) ?? [];
  return Number(number) * (UNITS[unit] ?? 1);
}

/** Words of a line: comments go, a backslash keeps a blank, quotes keep what is between them. */
function wordsOf(line: string): string[] {
  const found = line.matchAll(/"([^"]*)"|'([^']*)'|#.*$|((?:\\.|[^\s"'#\\])+)/g);
  return [...found].flatMap(([all, double, single, bare]) =>
    all.startsWith('#') ? [] : [double ?? single ?? (bare ?? '').replace(/\\(.)/g, '$1')],
  );
}

function bindOf(spec: string, where: string): { address: string; port: number } {
  const { address, port } = splitAddress(spec);
  if (isBrokenAddress(address)) throw new Error(`${where} : 'bind' : invalid address: '${address}' in '${spec}'`);
  if (port === null) throw new Error(`${where} : 'bind' : missing port number: '${spec}'`);
  return { address: address === '' || address === '0.0.0.0' || address === '::' ? '*' : address, port };
}

function memberOf(words: readonly string[], where: string): Member {
  const [name = '', spec = '', ...options] = words;
  const { address, port } = splitAddress(spec);
  if (name === '' || address === '') throw new Error(`${where} : 'server' expects <name> and <addr>[:<port>].`);
  if (isBrokenAddress(address))
    throw new Error(`${where} : 'server ${name}' : could not resolve address '${address}'.`);
  if (port === null) throw new Error(`${where} : 'server ${name}' : missing port in '${spec}'`);
  return { name, address, port, isBackup: options.includes('backup'), isTlsCheck: options.includes('check-ssl') };
}

/** `172.16.0.21:6443`, `[fd00::1]:6443`, `*:443`, `:443`, a name with a port. */
function splitAddress(spec: string): { address: string; port: number | null } {
  const plain = spec.replace(/^ipv[46]@/, '');
  const cut = plain.lastIndexOf(':');
  const bare = (text: string) => text.replace(/^\[|\]$/g, '');
  if (cut < 0 || isIP(bare(plain)) === 6) return { address: bare(plain), port: null };
  const port = Number(plain.slice(cut + 1));
  return { address: bare(plain.slice(0, cut)), port: Number.isInteger(port) && port > 0 ? port : null };
}

/** The addresses that a keepalived.conf puts on its host. */
export function virtualAddresses(keepalived: string): string[] {
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
