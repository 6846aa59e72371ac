import { isIP } from 'node:net';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import { splitWords } from '../api/objects.ts';
import { isMisspelled } from './config-syntax.ts';

/** Keywords of proxy sections. A statement with a misspelled one is refused; other unknown statements are ignored. */
const PROXY_KEYWORDS = splitWords(`
  balance bind default_backend http-check http-request log maxconn mode option retries server stats timeout use_backend
`);
const KNOWN_OPTIONS = ['dontlognull', 'httpchk', 'httplog', 'log-health-checks', 'redispatch', 'tcplog'];
const SERVER_PARAMETERS = splitWords(
  'backup check check-ssl fall fastinter inter on-marked-down rise slowstart verify weight',
);

/** Finds the message with which haproxy refuses a statement; null: these checks find no mistake. */
function findStatementError(
  kind: string,
  [keyword = '', firstArgument = '', secondArgument = '', ...rest]: readonly string[],
) {
  if (kind === 'global') return null;
  if (isMisspelled(keyword, PROXY_KEYWORDS)) return `unknown keyword '${keyword}' in '${kind}' section`;
  if (keyword === 'mode' && !/^(?:tcp|http)$/.test(firstArgument)) return `unknown proxy mode '${firstArgument}'`;
  if (keyword === 'option' && isMisspelled(firstArgument, KNOWN_OPTIONS)) return `unknown option '${firstArgument}'`;
  if (keyword === 'timeout' && !/^\d+(?:us|ms|s|m|h|d)?$/.test(secondArgument))
    return `unexpected character in 'timeout ${firstArgument}' (got '${secondArgument}')`;
  const unknownKeyword = keyword === 'server' ? rest.find((word) => isMisspelled(word, SERVER_PARAMETERS)) : undefined;
  return unknownKeyword === undefined ? null : `'server ${firstArgument}' : unknown keyword '${unknownKeyword}'`;
}

/** Whether a text is an address with a typing mistake, which no resolver knows as a name. */
function isMalformedAddress(text: string): boolean {
  return isIP(text) === 0 && (/^[\d.]+$/.test(text) || /(?:^|\.)\d+$|\.\./.test(text)) && text !== '';
}

/** An address and port on which haproxy listens; address `*` means every address of the host. */
export interface Listener {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly mode: 'tcp' | 'http';
  /** Members that get the connections in turn. */
  readonly members: readonly BackendServer[];
  /** Whether the listener serves the status page and forwards no connections. */
  readonly isStatusPage: boolean;
  /** Whether the status page shows the addresses of the members. */
  readonly hasLegends: boolean;
  /** Whether health checks are HTTP requests, not only connections. */
  readonly hasHttpCheck: boolean;
  /** Milliseconds of silence after which a connection is closed; null: never. */
  readonly idleTimeoutMs: number | null;
}

export interface BackendServer {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Whether the member is used only when no other member is up. */
  readonly isBackup: boolean;
  readonly hasTlsCheck: boolean;
}

interface Section {
  readonly kind: string;
  readonly name: string;
  mode: 'tcp' | 'http';
  defaultBackend: string | null;
  readonly binds: { address: string; port: number }[];
  readonly members: BackendServer[];
  isStatusPage: boolean;
  hasLegends: boolean;
  hasHttpCheck: boolean;
  readonly timeouts: Map<string, number>;
}

const MS_PER_UNIT: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: 24 * HOUR };
const SECTION_KEYWORDS =
  /^(?:global|defaults|frontend|backend|listen|resolvers|peers|userlist|cache|program|ring|mailers)$/;

/**
 * Parses a haproxy.cfg, limited to the listeners and their members.
 * @throws Error with haproxy's message if haproxy would not start
 */
export function parseHaproxyConfig(text: string): Listener[] {
  const sections = parseSections(text);
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
      isStatusPage: section.isStatusPage,
      hasLegends: section.hasLegends,
      hasHttpCheck: target.hasHttpCheck,
      idleTimeoutMs: deriveIdleTimeoutMs(new Map([...section.timeouts, ...target.timeouts])),
    }));
  });
}

function parseSections(text: string): Section[] {
  const sections: Section[] = [];
  let defaultMode: 'tcp' | 'http' = 'tcp';
  const defaultTimeouts = new Map<string, number>();
  let section: Section | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const words = splitLine(line);
    const [keyword = '', ...args] = words;
    if (keyword === '') continue;
    const location = `parsing [/etc/haproxy/haproxy.cfg:${index + 1}]`;
    if (SECTION_KEYWORDS.test(keyword)) {
      if (/^(?:frontend|backend|listen)$/.test(keyword) && args[0] === undefined)
        throw new Error(`${location} : '${keyword}' expects a name`);
      section = {
        ...{ kind: keyword, name: args[0] ?? '', mode: defaultMode, defaultBackend: null, binds: [], members: [] },
        ...{ isStatusPage: false, hasLegends: false, hasHttpCheck: false },
        timeouts: keyword === 'defaults' ? defaultTimeouts : new Map(defaultTimeouts),
      };
      sections.push(section);
      continue;
    }
    if (section === null) throw new Error(`${location} : unknown keyword '${keyword}' out of section.`);
    const problem = findStatementError(section.kind, words);
    if (problem !== null) throw new Error(`${location} : ${problem}.`);
    if (keyword === 'mode' && (args[0] === 'tcp' || args[0] === 'http')) {
      section.mode = args[0];
      if (section.kind === 'defaults') defaultMode = args[0];
    }
    if (keyword === 'default_backend' || keyword === 'use_backend') section.defaultBackend ??= args[0] ?? null;
    if (keyword === 'stats' && args[0] === 'enable') section.isStatusPage = true;
    if (keyword === 'stats' && args[0] === 'show-legends') section.hasLegends = true;
    if (keyword === 'option' && args[0] === 'httpchk') section.hasHttpCheck = true;
    if (keyword === 'timeout') section.timeouts.set(args[0] ?? '', parseMilliseconds(args[1] ?? ''));
    if (keyword === 'bind') section.binds.push(...(args[0] ?? '').split(',').map((spec) => parseBind(spec, location)));
    if (keyword === 'server') section.members.push(parseMember(args, location));
  }
  return sections;
}

/**
 * Returns `timeout tunnel`, which applies once data has flowed both ways. Without it, returns the shorter one of the
 * client and server timeouts; null if there is no timeout.
 */
function deriveIdleTimeoutMs(timeouts: ReadonlyMap<string, number>): number | null {
  const limits = ['client', 'server'].flatMap((direction) => timeouts.get(direction) ?? []);
  return timeouts.get('tunnel') ?? (limits.length === 0 ? null : Math.min(...limits));
}

/** Parses `10s`, `1m` or `5000`; without a unit the value is milliseconds (haproxy configuration manual, 2.5). */
function parseMilliseconds(text: string): number {
  const [, number = '0', unit = 'ms'] = /^(\d+)([a-z]+)?$/.exec(text) ?? [];
  return Number(number) * (MS_PER_UNIT[unit] ?? 1);
}

/** Splits a line into words. Comments are dropped, a backslash escapes a blank, and quotes group words. */
function splitLine(line: string): string[] {
  const matches = line.matchAll(/"([^"]*)"|'([^']*)'|#.*$|((?:\\.|[^\s"'#\\])+)/g);
  return [...matches].flatMap(([match, doubleQuotedText, singleQuotedText, plainText]) =>
    match.startsWith('#') ? [] : [doubleQuotedText ?? singleQuotedText ?? (plainText ?? '').replace(/\\(.)/g, '$1')],
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
  return { name, address, port, isBackup: options.includes('backup'), hasTlsCheck: options.includes('check-ssl') };
}

/** Splits `172.16.0.21:6443`, `[fd00::1]:6443`, `*:443`, `:443`, or a name with a port. */
function splitAddress(spec: string): { address: string; port: number | null } {
  const hostAndPort = spec.replace(/^ipv[46]@/, '');
  const colonIndex = hostAndPort.lastIndexOf(':');
  const stripBrackets = (text: string) => text.replace(/^\[|\]$/g, '');
  if (colonIndex < 0 || isIP(stripBrackets(hostAndPort)) === 6)
    return { address: stripBrackets(hostAndPort), port: null };
  const port = Number(hostAndPort.slice(colonIndex + 1));
  return {
    address: stripBrackets(hostAndPort.slice(0, colonIndex)),
    port: Number.isInteger(port) && port > 0 ? port : null,
  };
}

/** Parses the virtual addresses that a keepalived.conf adds to its host. */
export function parseVirtualAddresses(keepalivedText: string): string[] {
  const blocks = keepalivedText.matchAll(/virtual_ipaddress(?:_excluded)?\s*\{([^}]*)\}/g);
  const lines = [...blocks].flatMap(([, block = '']) => block.split('\n'));
  return lines.map((line) => /^\s*([^\s/!#]*)/.exec(line)?.[1] ?? '').filter((address) => isIP(address) !== 0);
}
