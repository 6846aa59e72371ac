import {
  type DhcpClient,
  type DhcpServer,
  evaluateCondition,
  isInNetwork,
  type Lease,
  parsePrefixLength,
  pickAddress,
} from './dhcp.ts';

/** A statement of dhcpd.conf: its words, the block in braces after them, and the line on which it ends. */
interface DhcpdStatement {
  readonly words: readonly string[];
  readonly body: readonly DhcpdStatement[] | null;
  readonly line: number;
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/**
 * Statements (dhcpd.conf(5)). Those that begin with `ddns-`, `dhcpv6-`, `omapi-`, `ping-` or `ldap-` are not checked.
 */
const STATEMENTS = wordSet(`
abandon-lease-time adaptive-lease-time-threshold add algorithm allow always-broadcast always-reply-rfc1048 append authoritative
bind-local-address6 boot-unknown-clients break case check-secs-byte-order class client-updates db-time-format default default-lease-time deny
do-forward-updates dont-use-fsync duplicates dynamic-bootp-lease-cutoff dynamic-bootp-lease-length echo-client-id else elsif eval execute
failover filename fixed-address fixed-address6 fixed-prefix6 get-lease-hostnames group hardware host host-identifier if ignore ignore-client-uids
include infinite-is-reserved key lease lease-file-name lease-id-format limit-addrs-per-ia limit-prefs-per-ia local-address local-address6
local-port log log-facility log-threshold-high log-threshold-low match max-ack-delay max-lease-time min-lease-time min-secs next-server not
one-lease-per-client on option override parse-vendor-option peer persist-eui-64-leases pid-file-name pool pool6 preferred-lifetime prefix-length-mode prefix6
prepend primary primary6 secondary secondary6 range range6 release-on-roam remote-port secret send server-duid server-id-check server-identifier server-name
set shared-network site-option-space spawn stash-agent-options subclass subnet subnet6 supersede switch temporary-address unset update-conflict-detection
update-optimization update-static-leases use-eui-64 use-host-decl-names use-lease-addr-for-default-route vendor-option-space zone`);
const UNCHECKED = /^(?:ddns|dhcpv6|omapi|ping|ldap)-/;

/** Options (dhcp-options(5)) by the type of their value: address lists, quoted texts, numbers, and others. */
const ADDRESS_OPTIONS = wordSet(`
routers domain-name-servers ntp-servers time-servers log-servers cookie-servers lpr-servers impress-servers resource-location-servers
ien116-name-servers name-servers netbios-name-servers netbios-dd-server font-servers x-display-manager nis-servers nisplus-servers smtp-server
pop-server nntp-server www-server finger-server irc-server streettalk-server streettalk-directory-assistance-server mobile-ip-home-agent
subnet-mask broadcast-address swap-server router-solicitation-address dhcp-server-identifier dhcp-requested-address`);
const TEXT_OPTIONS = wordSet(`
domain-name host-name bootfile-name tftp-server-name root-path extensions-path merit-dump nis-domain nisplus-domain netbios-scope
pcode tcode uap-servers dhcp-message`);
const NUMBER_OPTIONS = wordSet(`
interface-mtu dhcp-lease-time dhcp-renewal-time dhcp-rebinding-time dhcp-max-message-size time-offset boot-size default-ip-ttl default-tcp-ttl
arp-cache-timeout tcp-keepalive-interval path-mtu-aging-timeout max-dgram-reassembly netbios-node-type dhcp-option-overload dhcp-message-type`);
const OTHER_OPTIONS = wordSet(`
domain-search static-routes rfc3442-classless-static-routes policy-filter path-mtu-plateau-table user-class vendor-class-identifier
vendor-encapsulated-options dhcp-client-identifier dhcp-parameter-request-list dhcp-user-class ip-forwarding non-local-source-routing
all-subnets-local perform-mask-discovery mask-supplier router-discovery trailer-encapsulation ieee802-3-encapsulation
tcp-keepalive-garbage client-last-transaction-time associated-ip subnet-selection default-url nds-servers nds-tree-name nds-context
slp-directory-agent slp-service-scope fqdn sip-server uuid-type pxe-system-type pxe-interface-id pxe-client-id geoconf-civic
loader-configfile loader-pathprefix loader-reboottime option-6rd v6-only-preferred default-routers`);

const ADDRESS = /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const isAddress = (word: string) => ADDRESS.test(word);
/** A host name is allowed instead of an address; only digits and dots are a malformed address. */
const isHostOrAddress = (word: string) =>
  isAddress(word) || (/^[a-z0-9][\w.-]*$/i.test(word) && !/^[\d.]+$|^\d+\.\d+\./.test(word));
const isText = (word: string) => word.startsWith('"');

/**
 * Checks the statements as dhcpd does.
 * @throws Error with dhcpd's message and line, at the first statement that it refuses
 */
function assertStatements(statements: readonly DhcpdStatement[]): void {
  const defined = new Set<string>();
  const hosts = new Set<string>();
  const visit = ({ words: tokens, body, line }: DhcpdStatement) => {
    const [keyword = '', name = ''] = tokens;
    const fail = (text: string) => {
      throw new Error(`/etc/dhcp/dhcpd.conf line ${line}: ${text}`);
    };
    // A single word is parsed as a flag.
    const isFlag = tokens.length === 1 && body === null && /^[a-z][\w-]*$/i.test(keyword);
    if (keyword !== '' && !isFlag && !STATEMENTS.has(keyword) && !UNCHECKED.test(keyword))
      fail(`unknown statement ${keyword}`);
    if (keyword === 'host' && body !== null && name === '') fail('expecting name for host declaration.');
    if (keyword === 'host' && body !== null && hosts.has(name)) fail(`host ${name}: already exists`);
    if (keyword === 'host') hosts.add(name);
    if (keyword === 'option' && tokens[2] === 'code') {
      if (!/^\d+$/.test(tokens[3] ?? '')) fail('expecting option code number.');
      defined.add(name);
    } else if (keyword === 'option' && body === null) checkOption(tokens, defined, fail);
    else if (body === null) checkArguments(tokens, fail);
    if (keyword === 'subnet' && !isValidSubnet(name, tokens[3] ?? ''))
      fail(`subnet ${name} netmask ${tokens[3]}: bad subnet number/mask combination.`);
    body?.forEach(visit);
  };
  statements.forEach(visit);
}

function checkOption(tokens: readonly string[], defined: ReadonlySet<string>, fail: (text: string) => void): void {
  const [, name = '', ...rest] = tokens;
  if (isText(name)) fail('expecting identifier.');
  const isKnown = [ADDRESS_OPTIONS, TEXT_OPTIONS, NUMBER_OPTIONS, OTHER_OPTIONS, defined].some((names) =>
    names.has(name),
  );
  if (!isKnown && !name.includes('.') && name !== 'space') fail(`unknown option dhcp.${name}`);
  // The value of an expression is evaluated for each request.
  if (rest[0] === '=' || defined.has(name)) return;
  if (ADDRESS_OPTIONS.has(name)) checkAddresses(rest, fail);
  if (TEXT_OPTIONS.has(name) && !isText(rest[0] ?? '') && !(name === 'host-name' && rest.length === 1))
    fail('expecting string.');
  if (TEXT_OPTIONS.has(name) && rest.length > 1) fail('semicolon expected.');
  if (NUMBER_OPTIONS.has(name) && !/^-?\d+$/.test(rest[0] ?? '')) fail('expecting number.');
  if (NUMBER_OPTIONS.has(name) && rest.length > 1) fail('semicolon expected.');
}

/** Checks a comma-separated list of addresses. */
function checkAddresses(list: readonly string[], fail: (text: string) => void): void {
  for (const [index, word] of list.entries()) {
    if (index % 2 === 1 && word !== ',') fail('semicolon expected.');
    if (index % 2 === 0 && !isHostOrAddress(word)) fail('expecting IP address or hostname.');
  }
  if (list.length % 2 === 0) fail('expecting IP address or hostname.');
}

function checkArguments(tokens: readonly string[], fail: (text: string) => void): void {
  const [keyword = '', first = '', second = ''] = tokens;
  const maximum = keyword === 'range' ? 4 : keyword === 'hardware' || /^(?:allow|deny|ignore)$/.test(keyword) ? 3 : 2;
  if (/^(?:default|max|min)-lease-time$/.test(keyword) && !/^\d+$/.test(first)) fail('expecting number.');
  if (/^(?:filename|server-name)$/.test(keyword) && !isText(first) && tokens[1] !== '=')
    fail('filename must be a string');
  if (keyword === 'hardware' && !/^(?:ethernet|token-ring|fddi|infiniband|unknown-\d+)$/.test(first))
    fail('expecting a network hardware type');
  if (keyword === 'hardware' && !/^[0-9a-f]+(?::[0-9a-f]{1,2})+$/i.test(second)) fail('hardware address expected.');
  if (keyword === 'range' && !isAddress(first === 'dynamic-bootp' ? second : first)) fail('expecting IP address.');
  if (keyword === 'fixed-address') checkAddresses(tokens.slice(1), fail);
  const plainKeywords =
    /^(?:next-server|filename|server-name|(?:default|max|min)-lease-time|range|hardware|authoritative|allow|deny|ignore)$/;
  if (plainKeywords.test(keyword) && tokens.length > maximum && tokens[1] !== '=') fail('semicolon expected.');
  if (keyword === 'next-server' && tokens[1] !== '=' && !isHostOrAddress(first))
    fail('expecting IP address or hostname.');
}

function isValidSubnet(network: string, mask: string): boolean {
  if (!isAddress(network) || !isAddress(mask)) return false;
  const [address, bits] = [network, mask].map((text) =>
    text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0),
  );
  return ((address ?? 0) & ~(bits ?? 0)) >>> 0 === 0;
}

interface Subnet {
  readonly network: string;
  readonly prefix: number;
  readonly body: readonly DhcpdStatement[];
}

interface Host {
  readonly mac: string;
  readonly address: string | null;
  /** The declarations around it, outermost first, and its own as the last. */
  readonly scopes: readonly (readonly DhcpdStatement[])[];
}

/** Options that a configuration may name without defining them first. */
const OPTION_CODES: Readonly<Record<string, number>> = { 'vendor-class-identifier': 60, 'user-class': 77 };

/**
 * Parses a dhcpd.conf of ISC dhcpd (dhcpd.conf(5), dhcp-eval(5)), limited to the parts that decide leases and boot
 * files.
 * @throws Error with a line number where dhcpd would not start
 */
export function parseDhcpdConf(text: string): DhcpServer {
  const statements = parseStatements(text);
  assertStatements(statements);
  const codes = new Map(Object.entries(OPTION_CODES));
  const subnets: Subnet[] = [];
  const hosts: Host[] = [];
  const classes: (readonly DhcpdStatement[])[] = [];
  collectDeclarations(statements, []);

  function collectDeclarations(list: readonly DhcpdStatement[], scopes: readonly (readonly DhcpdStatement[])[]): void {
    for (const { words, body } of list) {
      const [keyword = '', name = '', third = '', fourth = ''] = words;
      if (keyword === 'option' && third === 'code') codes.set(name, Number(fourth));
      if (body === null) continue;
      if (keyword === 'subnet') subnets.push({ network: name, prefix: parsePrefixLength(fourth) ?? 24, body });
      if (keyword === 'class') classes.push(body);
      if (keyword === 'host') hosts.push(parseHost(body, [...scopes, body]));
      else if (/^(?:subnet|shared-network|group|pool)$/.test(keyword)) collectDeclarations(body, [...scopes, body]);
    }
  }

  return {
    findLease(client) {
      const host = hosts.find(({ mac }) => mac === client.mac);
      const subnet = host?.address
        ? subnets.find(({ network, prefix }) => isInNetwork(host.address ?? '', network, prefix))
        : subnets[0];
      if (!subnet) return { network: subnets[0] ? `${subnets[0].network}/${subnets[0].prefix}` : 'unknown' };
      const address = host?.address ?? pickAddress(client.mac, listRanges(subnet.body));
      if (address === null) return { network: `${subnet.network}/${subnet.prefix}` };
      const matching = classes.filter((body) => matchesClass(body, client, codes));
      const values = new Map<string, string[]>();
      for (const scope of [statements, subnet.body, ...matching, ...(host?.scopes ?? [])])
        execute(scope, client, codes, values);
      return { lease: buildLease(address, subnet.prefix, values) };
    },
  };
}

function parseHost(body: readonly DhcpdStatement[], scopes: readonly (readonly DhcpdStatement[])[]): Host {
  const findWords = (keyword: string) => body.find(({ words }) => words[0] === keyword)?.words;
  return {
    mac: (findWords('hardware')?.[2] ?? '').toLowerCase(),
    address: findWords('fixed-address')?.[1] ?? null,
    scopes,
  };
}

function listRanges(body: readonly DhcpdStatement[]): [string, string][] {
  return body.flatMap(({ words, body: inner }) => {
    if (words[0] === 'pool' && inner) return listRanges(inner);
    if (words[0] !== 'range') return [];
    const [first, last] = words.slice(1).filter((word) => word !== 'dynamic-bootp');
    return first ? [[first, last ?? first] as [string, string]] : [];
  });
}

/** Runs the statements of a scope in order; later values win. */
function execute(
  list: readonly DhcpdStatement[],
  client: DhcpClient,
  codes: ReadonlyMap<string, number>,
  values: Map<string, string[]>,
): void {
  let isBranchTaken = false;
  for (const { words, body } of list) {
    const [keyword = ''] = words;
    if (keyword === 'if' || keyword === 'elsif' || keyword === 'else') {
      if (keyword === 'if') isBranchTaken = false;
      const isElseIf = keyword === 'elsif' || (keyword === 'else' && words[1] === 'if');
      const condition = words.slice(keyword === 'else' && isElseIf ? 2 : 1);
      const isTrue = keyword === 'else' && !isElseIf ? true : evaluateCondition(condition, client, codes);
      if (!isBranchTaken && isTrue) {
        isBranchTaken = true;
        execute(body ?? [], client, codes, values);
      }
      continue;
    }
    if (body !== null) continue;
    if (keyword === 'option')
      values.set(
        `option ${words[1]}`,
        words.slice(2).filter((word) => word !== ','),
      );
    else
      values.set(
        keyword,
        words.slice(1).filter((word) => word !== ','),
      );
  }
}

function matchesClass(
  body: readonly DhcpdStatement[],
  client: DhcpClient,
  codes: ReadonlyMap<string, number>,
): boolean {
  const match = body.find(({ words }) => words[0] === 'match' && words[1] === 'if');
  return match !== undefined && evaluateCondition(match.words.slice(2), client, codes);
}

function buildLease(address: string, prefix: number, values: ReadonlyMap<string, string[]>): Lease {
  const firstText = (key: string) => unquote(values.get(key)?.[0]);
  return {
    address,
    prefix,
    hostname: firstText('option host-name'),
    domain: firstText('option domain-name'),
    nameServers: values.get('option domain-name-servers') ?? [],
    routers: values.get('option routers') ?? [],
    filename: firstText('filename') ?? firstText('option bootfile-name'),
    nextServer: firstText('next-server') ?? firstText('option tftp-server-name'),
  };
}

function unquote(word: string | undefined): string | null {
  return word === undefined ? null : word.replace(/^"|"$/g, '');
}

function parseStatements(source: string): DhcpdStatement[] {
  const tokens: { word: string; line: number }[] = [];
  for (const [index, line] of source.split('\n').entries()) {
    for (const [word] of line.matchAll(/"(?:\\.|[^"\\])*"|#.*$|[{}();,]|!=|=|[^\s{}();,="!#]+/g)) {
      if (!word.startsWith('#')) tokens.push({ word, line: index + 1 });
    }
  }
  let position = 0;
  const parseBlock = (isNested: boolean): DhcpdStatement[] => {
    const found: DhcpdStatement[] = [];
    let words: string[] = [];
    for (;;) {
      const token = tokens[position];
      position += 1;
      if (token === undefined) {
        if (isNested || words.length > 0) throw new Error('/etc/dhcp/dhcpd.conf: unexpected end of file.');
        return found;
      }
      if (token.word === '}') {
        if (!isNested || words.length > 0)
          throw new Error(`/etc/dhcp/dhcpd.conf line ${token.line}: semicolon expected.`);
        return found;
      }
      if (token.word === ';') {
        if (words.length > 0) found.push({ words, body: null, line: token.line });
        words = [];
      } else if (token.word === '{') {
        found.push({ words, body: parseBlock(true), line: token.line });
        words = [];
      } else words.push(token.word);
    }
  };
  return parseBlock(false);
}
