/** A statement of dhcpd.conf: its words, what stands in braces behind it, and the line that it ends on. */
export interface Statement {
  readonly words: readonly string[];
  readonly body: readonly Statement[] | null;
  readonly line: number;
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Statements (dhcpd.conf(5)); those that begin with `ddns-`, `dhcpv6-`, `omapi-` or `ping-` are not judged. */
const STATEMENTS = words(`
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
const UNJUDGED = /^(?:ddns|dhcpv6|omapi|ping|ldap)-/;

/** Options (dhcp-options(5)): lists of addresses, texts in quotes, numbers, and others. */
const LISTS = words(`
routers domain-name-servers ntp-servers time-servers log-servers cookie-servers lpr-servers impress-servers resource-location-servers
ien116-name-servers name-servers netbios-name-servers netbios-dd-server font-servers x-display-manager nis-servers nisplus-servers smtp-server
pop-server nntp-server www-server finger-server irc-server streettalk-server streettalk-directory-assistance-server mobile-ip-home-agent
subnet-mask broadcast-address swap-server router-solicitation-address dhcp-server-identifier dhcp-requested-address`);
const TEXTS = words(`
domain-name host-name bootfile-name tftp-server-name root-path extensions-path merit-dump nis-domain nisplus-domain netbios-scope
pcode tcode uap-servers dhcp-message`);
const NUMBERS = words(`
interface-mtu dhcp-lease-time dhcp-renewal-time dhcp-rebinding-time dhcp-max-message-size time-offset boot-size default-ip-ttl default-tcp-ttl
arp-cache-timeout tcp-keepalive-interval path-mtu-aging-timeout max-dgram-reassembly netbios-node-type dhcp-option-overload dhcp-message-type`);
const OTHERS = words(`
domain-search static-routes rfc3442-classless-static-routes policy-filter path-mtu-plateau-table user-class vendor-class-identifier
vendor-encapsulated-options dhcp-client-identifier dhcp-parameter-request-list dhcp-user-class ip-forwarding non-local-source-routing
all-subnets-local perform-mask-discovery mask-supplier router-discovery trailer-encapsulation ieee802-3-encapsulation
tcp-keepalive-garbage client-last-transaction-time associated-ip subnet-selection default-url nds-servers nds-tree-name nds-context
slp-directory-agent slp-service-scope fqdn sip-server uuid-type pxe-system-type pxe-interface-id pxe-client-id geoconf-civic
loader-configfile loader-pathprefix loader-reboottime option-6rd v6-only-preferred default-routers`);

const ADDRESS = /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const isAddress = (word: string) => ADDRESS.test(word);
/** A name may stand for an address; what has only digits and dots is a wrong one. */
const isHost = (word: string) =>
  isAddress(word) || (/^[a-z0-9][\w.-]*$/i.test(word) && !/^[\d.]+$|^\d+\.\d+\./.test(word));
const isText = (word: string) => word.startsWith('"');

/** @throws Error with the words and the line of dhcpd, at the first statement that it would not take */
export function assertStatements(statements: readonly Statement[]): void {
  const defined = new Set<string>();
  const hosts = new Set<string>();
  const visit = ({ words: said, body, line }: Statement) => {
    const [keyword = '', name = ''] = said;
    const fail = (text: string) => {
      throw new Error(`/etc/dhcp/dhcpd.conf line ${line}: ${text}`);
    };
    // One word alone is taken for a flag.
    const isFlag = said.length === 1 && body === null && /^[a-z][\w-]*$/i.test(keyword);
    if (keyword !== '' && !isFlag && !STATEMENTS.has(keyword) && !UNJUDGED.test(keyword))
      fail(`unknown statement ${keyword}`);
    if (keyword === 'host' && body !== null && name === '') fail('expecting name for host declaration.');
    if (keyword === 'host' && body !== null && hosts.has(name)) fail(`host ${name}: already exists`);
    if (keyword === 'host') hosts.add(name);
    if (keyword === 'option' && said[2] === 'code') {
      if (!/^\d+$/.test(said[3] ?? '')) fail('expecting option code number.');
      defined.add(name);
    } else if (keyword === 'option' && body === null) optionError(said, defined, fail);
    else if (body === null) lengthError(said, fail);
    if (keyword === 'subnet' && !isSubnet(name, said[3] ?? ''))
      fail(`subnet ${name} netmask ${said[3]}: bad subnet number/mask combination.`);
    body?.forEach(visit);
  };
  statements.forEach(visit);
}

function optionError(said: readonly string[], defined: ReadonlySet<string>, fail: (text: string) => void): void {
  const [, name = '', ...rest] = said;
  if (isText(name)) fail('expecting identifier.');
  const isKnown = [LISTS, TEXTS, NUMBERS, OTHERS, defined].some((names) => names.has(name));
  if (!isKnown && !name.includes('.') && name !== 'space') fail(`unknown option dhcp.${name}`);
  // An expression decides its value when somebody asks.
  if (rest[0] === '=' || defined.has(name)) return;
  if (LISTS.has(name)) addresses(rest, fail);
  if (TEXTS.has(name) && !isText(rest[0] ?? '') && !(name === 'host-name' && rest.length === 1))
    fail('expecting string.');
  if (TEXTS.has(name) && rest.length > 1) fail('semicolon expected.');
  if (NUMBERS.has(name) && !/^-?\d+$/.test(rest[0] ?? '')) fail('expecting number.');
  if (NUMBERS.has(name) && rest.length > 1) fail('semicolon expected.');
}

/** Addresses with commas between them. */
function addresses(list: readonly string[], fail: (text: string) => void): void {
  for (const [index, word] of list.entries()) {
    if (index % 2 === 1 && word !== ',') fail('semicolon expected.');
    if (index % 2 === 0 && !isHost(word)) fail('expecting IP address or hostname.');
  }
  if (list.length % 2 === 0) fail('expecting IP address or hostname.');
}

function lengthError(said: readonly string[], fail: (text: string) => void): void {
  const [keyword = '', first = '', second = ''] = said;
  const most = keyword === 'range' ? 4 : keyword === 'hardware' || /^(?:allow|deny|ignore)$/.test(keyword) ? 3 : 2;
  if (/^(?:default|max|min)-lease-time$/.test(keyword) && !/^\d+$/.test(first)) fail('expecting number.');
  if (/^(?:filename|server-name)$/.test(keyword) && !isText(first) && said[1] !== '=')
    fail('filename must be a string');
  if (keyword === 'hardware' && !/^(?:ethernet|token-ring|fddi|infiniband|unknown-\d+)$/.test(first))
    fail('expecting a network hardware type');
  if (keyword === 'hardware' && !/^[0-9a-f]+(?::[0-9a-f]{1,2})+$/i.test(second)) fail('hardware address expected.');
  if (keyword === 'range' && !isAddress(first === 'dynamic-bootp' ? second : first)) fail('expecting IP address.');
  if (keyword === 'fixed-address') addresses(said.slice(1), fail);
  const isPlain =
    /^(?:next-server|filename|server-name|(?:default|max|min)-lease-time|range|hardware|authoritative|allow|deny|ignore)$/;
  if (isPlain.test(keyword) && said.length > most && said[1] !== '=') fail('semicolon expected.');
  if (keyword === 'next-server' && said[1] !== '=' && !isHost(first)) fail('expecting IP address or hostname.');
}

function isSubnet(network: string, mask: string): boolean {
  if (!isAddress(network) || !isAddress(mask)) return false;
  const [address, bits] = [network, mask].map((text) =>
    text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0),
  );
  return ((address ?? 0) & ~(bits ?? 0)) >>> 0 === 0;
}
