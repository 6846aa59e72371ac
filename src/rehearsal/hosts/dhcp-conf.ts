import { isIPv4 } from 'node:net';
import { getFirstAddress, isInRange, parseNetmask, parseNetwork } from '../../design/address.ts';
import { splitWords } from '../api/objects.ts';
import { isMisspelled, parseStatements, type Statement } from './config-syntax.ts';
import { buildRequestOptions, type DhcpClient, type DhcpServer, type Lease, pickAddress } from './dhcp.ts';

// This module parses the configurations of ISC dhcpd (dhcpd.conf(5), dhcp-eval(5)) and of kea-dhcp4, limited to the
// parts that decide leases and boot files.

type Options = ReadonlyMap<number, Buffer>;

/**
 * Evaluates a condition of terms with `and`, `or`, `not` and parentheses.
 * @param termPattern matches one term, such as a comparison
 */
function evaluateCondition(condition: string, termPattern: RegExp, evaluateTerm: (text: string) => boolean): boolean {
  const tokens = condition.match(new RegExp(`${termPattern.source}|\\b(?:or|and|not)\\b|[()]`, 'g')) ?? [];
  let position = 0;
  const consumeToken = (word: string) => {
    if (tokens[position] !== word) return false;
    position += 1;
    return true;
  };
  const evaluateOr = (): boolean => {
    const values = [evaluateAnd()];
    while (consumeToken('or')) values.push(evaluateAnd());
    return values.includes(true);
  };
  const evaluateAnd = (): boolean => {
    const values = [evaluateOperand()];
    while (consumeToken('and')) values.push(evaluateOperand());
    return !values.includes(false);
  };
  const evaluateOperand = (): boolean => {
    if (consumeToken('not')) return !evaluateOperand();
    if (consumeToken('(')) {
      const value = evaluateOr();
      consumeToken(')');
      return value;
    }
    position += 1;
    return evaluateTerm(tokens[position - 1] ?? '');
  };
  return evaluateOr();
}

const STATEMENT_KEYWORDS = splitWords(`
  authoritative default-lease-time max-lease-time filename fixed-address group hardware host next-server option pool
  range shared-network subnet
`);
const TEXT_OPTIONS = ['domain-name', 'host-name', 'bootfile-name', 'tftp-server-name'];
const OPTION_NAMES = [...TEXT_OPTIONS, 'routers', 'domain-name-servers', 'ntp-servers', 'subnet-mask', 'domain-search'];
/** Options that a configuration may name without defining them first. */
const OPTION_CODES = { 'vendor-class-identifier': 60, 'user-class': 77 };
const DHCPD_FILE = '/etc/dhcp/dhcpd.conf';

type Scope = readonly Statement[];

interface SubnetDeclaration {
  /** `172.16.0.0/24` */
  readonly cidr: string;
  readonly prefix: number;
  readonly body: Scope;
}

interface HostDeclaration {
  readonly mac: string;
  readonly address: string | null;
  /** The scopes around the host, outermost first; the last one is the host's own. */
  readonly scopes: readonly Scope[];
}

/**
 * Parses a dhcpd.conf.
 * @throws Error with dhcpd's message and line if dhcpd would not start
 */
export function parseDhcpdConf(text: string): DhcpServer {
  const statements = parseStatements(text, {
    tokenPattern: /"(?:\\.|[^"\\])*"|#.*$|[{}();,]|!=|=|[^\s{}();,="!#]+/g,
    isComment: (word) => word.startsWith('#'),
    hasSemicolonAfterBlock: false,
    createError: (line, word) =>
      new Error(
        word === undefined
          ? `${DHCPD_FILE}: unexpected end of file.`
          : `${DHCPD_FILE} line ${line}: semicolon expected.`,
      ),
  });
  statements.forEach(checkStatement);
  const codes = new Map<string, number>(Object.entries(OPTION_CODES));
  const subnets: SubnetDeclaration[] = [];
  const hosts: HostDeclaration[] = [];
  const collectDeclarations = (scope: Scope, scopes: readonly Scope[]): void => {
    for (const { words, body } of scope) {
      const [keyword = '', name = '', thirdWord = '', fourthWord = ''] = words;
      if (keyword === 'option' && thirdWord === 'code') codes.set(name, Number(fourthWord));
      if (body === null) continue;
      if (keyword === 'subnet') {
        const prefix = parseNetmask(fourthWord) ?? 24;
        subnets.push({ cidr: `${name}/${prefix}`, prefix, body });
      }
      if (keyword === 'host') hosts.push(parseHost(body, [...scopes, body]));
      else if (/^(?:subnet|shared-network|group|pool)$/.test(keyword)) collectDeclarations(body, [...scopes, body]);
    }
  };
  collectDeclarations(statements, []);
  return {
    findLease(client) {
      const host = hosts.find(({ mac }) => mac === client.mac);
      const hostAddress = host?.address ?? null;
      const subnet = hostAddress === null ? subnets[0] : subnets.find(({ cidr }) => isInRange(hostAddress, cidr));
      const address = hostAddress ?? pickAddress(client.mac, listRanges(subnet?.body ?? []));
      if (!subnet || address === null) return { network: (subnet ?? subnets[0])?.cidr ?? 'unknown' };
      const values = new Map<string, string[]>();
      for (const scope of [statements, subnet.body, ...(host?.scopes ?? [])])
        executeStatements(scope, client, codes, values);
      return { lease: buildDhcpdLease(address, subnet.prefix, values) };
    },
  };
}

/**
 * Finds mistakes in the statements that decide leases.
 * @throws Error with dhcpd's message and line
 */
function checkStatement({ words, body, line }: Statement): void {
  const [keyword = '', name = ''] = words;
  const fail = (message: string) => {
    throw new Error(`${DHCPD_FILE} line ${line}: ${message}`);
  };
  if (isMisspelled(keyword, STATEMENT_KEYWORDS)) fail(`unknown statement ${keyword}`);
  if (keyword === 'option' && isMisspelled(name, OPTION_NAMES)) fail(`unknown option dhcp.${name}`);
  if (body === null && STATEMENT_KEYWORDS.includes(keyword)) {
    if (words.slice(1).some((word) => STATEMENT_KEYWORDS.includes(word))) fail('semicolon expected.');
    if (words.some((word) => /^\d+(?:\.\d+){3}$/.test(word) && !isIPv4(word)))
      fail('expecting IP address or hostname.');
    const isText = /^"/.test(words[2] ?? '') || name === 'host-name';
    if (keyword === 'option' && TEXT_OPTIONS.includes(name) && !isText) fail('expecting string.');
  }
  if (keyword === 'subnet') {
    const [, , , mask = ''] = words;
    const prefix = parseNetmask(mask);
    const network = prefix === null ? null : parseNetwork(`${name}/${prefix}`);
    // Like dhcpd, accepts a mask with gaps.
    const isAccepted = prefix === null ? isIPv4(mask) : network !== null && getFirstAddress(network) === name;
    if (!isAccepted) fail(`subnet ${name} netmask ${mask}: bad subnet number/mask combination.`);
  }
  body?.forEach(checkStatement);
}

function parseHost(body: Scope, scopes: readonly Scope[]): HostDeclaration {
  const findWords = (keyword: string) => body.find(({ words }) => words[0] === keyword)?.words;
  const mac = (findWords('hardware')?.[2] ?? '').toLowerCase();
  return { mac, address: findWords('fixed-address')?.[1] ?? null, scopes };
}

function listRanges(body: Scope): [string, string][] {
  return body.flatMap(({ words, body: poolBody }) => {
    if (words[0] === 'pool' && poolBody) return listRanges(poolBody);
    const [keyword, firstAddress, lastAddress] = words.filter((word) => word !== 'dynamic-bootp');
    return keyword === 'range' && firstAddress ? [[firstAddress, lastAddress ?? firstAddress] as [string, string]] : [];
  });
}

/** Runs the statements of a scope in order; later values win. */
function executeStatements(
  scope: Scope,
  client: DhcpClient,
  codes: ReadonlyMap<string, number>,
  values: Map<string, string[]>,
): void {
  const options = buildRequestOptions(client);
  let isBranchTaken = false;
  for (const { words, body } of scope) {
    const [keyword = '', ...args] = words;
    if (/^(?:if|elsif|else)$/.test(keyword)) {
      if (keyword === 'if') isBranchTaken = false;
      if (isBranchTaken || (keyword !== 'else' && !evaluateDhcpdCondition(args, options, codes))) continue;
      isBranchTaken = true;
      executeStatements(body ?? [], client, codes, values);
    } else if (body === null) {
      const [name = '', ...data] = keyword === 'option' ? [`option ${args[0]}`, ...args.slice(1)] : words;
      values.set(
        name,
        data.filter((word) => word !== ','),
      );
    }
  }
}

const DHCPD_TERM = /exists [\w-]+|option [\w-]+ !?= (?:"[^"]*"|\S+)/;

function evaluateDhcpdCondition(
  words: readonly string[],
  options: Options,
  codes: ReadonlyMap<string, number>,
): boolean {
  return evaluateCondition(words.join(' '), DHCPD_TERM, (term) => {
    const [kind, name = '', operator, ...data] = term.split(' ');
    const value = options.get(codes.get(name) ?? -1);
    if (kind === 'exists') return value !== undefined;
    const text = data.join(' ');
    const expectedData = text.startsWith('"')
      ? Buffer.from(text.slice(1, -1))
      : Buffer.from(text.split(':').map((byte) => Number.parseInt(byte, 16)));
    return (value?.equals(expectedData) ?? false) === (operator === '=');
  });
}

function buildDhcpdLease(address: string, prefix: number, values: ReadonlyMap<string, string[]>): Lease {
  const getText = (key: string) => values.get(key)?.[0]?.replace(/^"|"$/g, '') ?? null;
  return {
    address,
    prefix,
    hostname: getText('option host-name'),
    domain: getText('option domain-name'),
    nameServers: values.get('option domain-name-servers') ?? [],
    routers: values.get('option routers') ?? [],
    timeServers: values.get('option ntp-servers') ?? [],
    vendorClass: getText('option vendor-class-identifier'),
    filename: getText('filename') ?? getText('option bootfile-name'),
    nextServer: getText('next-server') ?? getText('option tftp-server-name'),
  };
}

/** Settings that every level of Kea's configuration may have. */
interface KeaLevel {
  readonly 'option-data'?: readonly { readonly name?: string; readonly code?: number; readonly data?: string }[];
  readonly 'next-server'?: string;
  readonly 'boot-file-name'?: string;
}

interface KeaReservation extends KeaLevel {
  readonly 'hw-address'?: string;
  readonly 'ip-address'?: string;
  readonly hostname?: string;
}

interface KeaClass extends KeaLevel {
  readonly name: string;
  readonly test?: string;
}

interface KeaSubnet extends KeaLevel {
  readonly subnet: string;
  readonly pools?: readonly { readonly pool: string }[];
  readonly reservations?: readonly KeaReservation[];
}

interface Dhcp4 extends KeaLevel {
  readonly subnet4?: readonly KeaSubnet[];
  readonly reservations?: readonly KeaReservation[];
  readonly 'client-classes'?: readonly KeaClass[];
}

/**
 * Parses the configuration of kea-dhcp4.
 * @throws Error if kea-dhcp4 would not start
 */
export function parseKeaConf(text: string): DhcpServer {
  // Kea allows #, // and C comments in its JSON.
  const json = text.replace(/"(?:\\.|[^"\\])*"|\/\*[\s\S]*?\*\/|\/\/[^\n]*|#[^\n]*/g, (part) =>
    part.startsWith('"') ? part : '',
  );
  const config = (JSON.parse(json) as { Dhcp4?: Dhcp4 }).Dhcp4;
  if (!config) throw new Error("missing mandatory 'Dhcp4' element");
  const subnets = config.subnet4 ?? [];
  return {
    findLease(client) {
      const match = subnets.flatMap((subnet) =>
        [...(subnet.reservations ?? []), ...(config.reservations ?? [])]
          .filter((entry) => entry['hw-address']?.toLowerCase() === client.mac)
          .filter((entry) => isInSubnet(entry['ip-address'], subnet))
          .map((reservation) => ({ subnet, reservation })),
      )[0];
      const subnet = match?.subnet ?? subnets[0];
      if (!subnet) return { network: 'unknown' };
      const address = match?.reservation['ip-address'] ?? pickAddress(client.mac, listPools(subnet));
      if (address === null) return { network: subnet.subnet };
      const classes = listMatchingClasses(config['client-classes'] ?? [], buildRequestOptions(client));
      const levels: KeaLevel[] = [config, subnet, ...classes, ...(match ? [match.reservation] : [])];
      return { lease: buildKeaLease(address, subnet, match?.reservation.hostname ?? null, levels) };
    },
  };
}

function isInSubnet(address: string | undefined, { subnet }: KeaSubnet): boolean {
  return address === undefined || isInRange(address, subnet);
}

function listPools({ pools = [] }: KeaSubnet): [string, string][] {
  return pools.flatMap(({ pool }) => {
    const [firstAddress, lastAddress] = pool.split('-').map((part) => part.trim());
    return firstAddress && lastAddress ? [[firstAddress, lastAddress] as [string, string]] : [];
  });
}

function buildKeaLease(
  address: string,
  { subnet }: KeaSubnet,
  hostname: string | null,
  levels: readonly KeaLevel[],
): Lease {
  const options = levels.flatMap((level) => level['option-data'] ?? []);
  const findOption = (name: string, code: number) =>
    options.findLast((entry) => entry.name === name || entry.code === code)?.data ?? null;
  const findLastSetting = (key: 'next-server' | 'boot-file-name') =>
    levels.map((level) => level[key]).findLast(Boolean);
  const splitList = (data: string | null) => (data === null ? [] : data.split(',').map((entry) => entry.trim()));
  return {
    address,
    prefix: Number(subnet.split('/')[1]),
    hostname: hostname || findOption('host-name', 12),
    domain: findOption('domain-name', 15),
    nameServers: splitList(findOption('domain-name-servers', 6)),
    routers: splitList(findOption('routers', 3)),
    timeServers: splitList(findOption('ntp-servers', 42)),
    vendorClass: findOption('vendor-class-identifier', 60),
    filename: findLastSetting('boot-file-name') ?? findOption('boot-file-name', 67),
    nextServer: findLastSetting('next-server') ?? findOption('tftp-server-name', 66),
  };
}

function listMatchingClasses(classes: readonly KeaClass[], options: Options): KeaClass[] {
  const classNames = new Set<string>(['ALL', 'KNOWN']);
  return classes.filter(({ name, test }) => {
    const isMember = test !== undefined && evaluateKeaTest(test, options, classNames);
    if (isMember) classNames.add(name);
    return isMember;
  });
}

const KEA_TERM =
  /member\('[^']*'\)|option\[\d+\]\.exists|(?:substring\()?option\[\d+\]\.\w+(?:,\s*\d+,\s*\d+\))? *[!=]= *(?:'[^']*'|\w+)/;

function evaluateKeaTest(test: string, options: Options, classNames: ReadonlySet<string>): boolean {
  return evaluateCondition(test, KEA_TERM, (term) => {
    const [, name] = /^member\('([^']*)'\)/.exec(term) ?? [];
    if (name !== undefined) return classNames.has(name);
    const value = options.get(Number(/\[(\d+)\]/.exec(term)?.[1]));
    if (term.endsWith('.exists')) return value !== undefined;
    const [, offset = '0', length] = /,\s*(\d+),\s*(\d+)\)/.exec(term) ?? [];
    const [, operator, text = '', hex = ''] = /([!=]=) *(?:'([^']*)'|0x(\w+))$/.exec(term) ?? [];
    const expectedData = hex === '' ? Buffer.from(text) : Buffer.from(hex, 'hex');
    const part = value?.subarray(Number(offset), length === undefined ? undefined : Number(offset) + Number(length));
    return (part?.equals(expectedData) ?? false) === (operator === '==');
  });
}
