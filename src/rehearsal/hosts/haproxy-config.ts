import { isIP } from 'node:net';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';

/**
 * The keywords below are those of HAProxy's configuration manual (2.4 to 3.2), limited to those whose misspelling keeps
 * it from starting.
 */
const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Statements of defaults, frontend, backend and listen (chapter 4). */
const PROXY_KEYWORDS = wordSet(`
acl backlog balance bind bind-process capture clitcpka-cnt clitcpka-idle clitcpka-intvl compression cookie declare
default-server default_backend description disabled dispatch email-alert enabled error-log-format errorfile errorfiles errorloc
errorloc302 errorloc303 external-check filter force-be-switch force-persist fullconn guid hash-balance-factor hash-preserve-affinity hash-type
http-after-response http-check http-error http-request http-response http-reuse http-send-name-header id ignore-persist
load-server-state-from-file log log-format log-format-sd log-steps log-tag max-keep-alive-queue max-session-srv-conns maxconn mode monitor
monitor-net monitor-uri no option persist quic-initial rate-limit redirect retries retry-on server server-state-file-name server-template source
srvtcpka-cnt srvtcpka-idle srvtcpka-intvl stats stick stick-table tcp-check tcp-request tcp-response timeout transparent unique-id-format
unique-id-header use-fcgi-app use-server use_backend`);

const OPTION_NAMES = wordSet(`
abortonclose accept-invalid-http-request accept-invalid-http-response accept-unsafe-violations-in-http-request
accept-unsafe-violations-in-http-response allbackups assume-rfc6587-ntf checkcache clitcpka contstats disable-h2-upgrade dontlog-normal
dontlognull external-check forwarded forwardfor h1-case-adjust-bogus-client h1-case-adjust-bogus-server http-buffer-request
http-drop-request-trailers http-drop-response-trailers http-ignore-probes http-keep-alive http-no-delay http-pretend-keepalive
http-restrict-req-hdr-names http-server-close http-use-htx http-use-proxy-header http_proxy httpchk httpclose httplog httpslog
idle-close-on-response independent-streams ldap-check log-health-checks log-separate-errors logasap mysql-check nolinger originalto persist
pgsql-check prefer-last-server redispatch redis-check smtpchk socket-stats splice-auto splice-request splice-response spop-check srvtcpka
ssl-hello-chk tcp-check tcp-smart-accept tcp-smart-connect tcpka tcplog transparent use-small-buffers`);

/** Keywords of the global section (configuration manual, chapter 3); those with a prefix of `UNCHECKED` are not checked. */
const GLOBAL_KEYWORDS = wordSet(`
anonkey busy-polling ca-base chroot close-spread-time cluster-secret cpu-map cpu-policy cpu-set crt-base daemon debug default-path description
email-alert external-check fd-hard-limit force-cfg-parser-pause gid grace group hard-stop-after insecure-fork-wanted insecure-setuid-wanted
issuers-chain-path key-base limited-quic load-server-state-from-file localpeer log log-send-hostname log-tag master-worker maxcompcpuusage
maxcomprate maxconn maxconnrate maxpipes maxsessrate maxsslconn maxsslrate maxzlibmem mworker-max-reloads nbproc nbthread no no-memory-trimming
no-quic node noepoll noevports nogetaddrinfo nokqueue nopoll noreuseport nosplice numa-cpu-mapping ocsp-update.disable ocsp-update.mindelay
pidfile prealloc-fd presetenv quiet resetenv server-state-base server-state-file set-dumpable set-var set-var-fmt setcap setenv spread-checks
stats strict-limits stress-level thread-group thread-groups thread-hard-limit trace uid ulimit-n unix-bind unsetenv user warn-blocked-traffic-after
wurfl-data-file zero-warning`);
const UNCHECKED =
  /^(?:tune|ssl|lua|h1|h2|http|httpclient|profiling|pp2|expose|deviceatlas|51degrees|wurfl|ocsp-update|quic|acme|dns-accept)[.-]/;
const VALUELESS_KEYWORDS = wordSet(
  'daemon quiet debug master-worker noepoll nopoll nosplice nokqueue noevports nogetaddrinfo noreuseport zero-warning busy-polling',
);

const BALANCE_ALGORITHM =
  /^(?:roundrobin|static-rr|leastconn|first|source|uri|url_param|random(?:\(\d+\))?|rdp-cookie(?:\(.*\))?|hdr\(.+\)|hash|log-hash|log-sticky|sticky)$/;
const STATS_PARAMETERS = wordSet(
  'admin auth bind-process enable hide-version http-request maxconn realm refresh scope show-desc show-legends show-modules show-node socket timeout uri',
);
const HTTP_CHECK_ACTIONS = wordSet(
  'comment connect disable-on-404 expect send send-state set-var set-var-fmt unset-var',
);
const EXPECT_MATCH =
  /^(?:!|status|rstatus|hdr|fhdr|string|rstring|min-recv|comment|ok-status|error-status|tout-status|on-success|on-error|status-code)$/;
const TIMEOUT_NAMES = wordSet(
  'check client client-fin client-hs connect http-keep-alive http-request queue server server-fin tarpit tunnel',
);

/** Parameters of a server line (5.2) and of a bind line (5.1): those without a value, and those with one. */
const FLAG_PARAMETERS = wordSet(`
accept-proxy allow-0rtt backup check check-send-proxy check-ssl check-via-socks4 defer-accept disabled enabled force-sslv3 force-tlsv10
force-tlsv11 force-tlsv12 force-tlsv13 generate-certificates no-alpn no-backup no-ca-names no-check no-check-send-proxy no-check-ssl no-send-proxy
no-send-proxy-v2 no-ssl no-ssl-reuse no-sslv3 no-tfo no-tls-tickets no-tlsv10 no-tlsv11 no-tlsv12 no-tlsv13 no-verifyhost non-stick
prefer-client-ciphers quic-force-retry send-proxy send-proxy-v2 send-proxy-v2-ssl send-proxy-v2-ssl-cn ssl ssl-reuse stick strict-sni tcp-ut
tfo tls-tickets transparent v4v6 v6only`);
const VALUE_PARAMETERS = wordSet(`
addr agent-addr agent-check agent-inter agent-port agent-send alpn backlog ca-file ca-ignore-err ca-sign-file ca-sign-pass ca-verify-file
check-alpn check-proto check-reuse-pool check-sni check-pool-conn-name ciphers ciphersuites client-sigalgs cookie crl-file crt crt-ignore-err
crt-list curves downinter ecdhe error-limit expose-fd fall fastinter gid group guid guid-prefix hash-key id init-addr init-state inter interface
level log-bufsize log-proto max-reuse maxconn maxqueue minconn mode mss name namespace nbconn nice npn observe ocsp-update on-error
on-marked-down on-marked-up pool-conn-name pool-low-conn pool-max-conn pool-purge-delay port process proto proxy-v2-options redir
renegotiate resolve-net resolve-opts resolve-prefer resolvers rise set-proxy-v2-tlv-fmt severity-output shards sigalgs slowstart sni socks4 source
ssl-max-ver ssl-min-ver thread tls-ticket-keys track uid user usesrc verify verifyhost weight ws`);

/**
 * Finds why haproxy refuses a statement, as haproxy's message; null: these checks find no error.
 * @param section its kind and its name
 */
function findStatementError(
  section: { readonly kind: string; readonly name: string },
  line: readonly string[],
): string | null {
  const { kind, name } = section;
  if (kind === 'global') return findGlobalError(line);
  if (!/^(?:defaults|frontend|backend|listen)$/.test(kind)) return null;
  const [keyword = '', first = '', second = ''] = line[0] === 'no' ? line.slice(1) : line;
  if (!PROXY_KEYWORDS.has(keyword)) return `unknown keyword '${keyword}' in '${kind}' section`;
  if (keyword === 'mode' && !/^(?:tcp|http|log|spop|health)$/.test(first)) return `unknown proxy mode '${first}'`;
  if (keyword === 'option' && !OPTION_NAMES.has(first)) return `unknown option '${first}'`;
  if (keyword === 'balance' && !BALANCE_ALGORITHM.test(first)) return `unknown balance algorithm '${first}'`;
  if (keyword === 'stats' && !STATS_PARAMETERS.has(first)) return `unknown stats parameter '${first}'`;
  if (keyword === 'http-request' && !/^[a-z][\w-]*(?:\(.*\))?$/.test(first))
    return `'http-request' : unknown action '${first}'`;
  if (keyword === 'http-check' && !HTTP_CHECK_ACTIONS.has(first.replace(/\(.*$/, '')))
    return `'http-check' : unknown '${first}'`;
  if (keyword === 'http-check' && first === 'expect' && !EXPECT_MATCH.test(second))
    return `'http-check expect' : unknown '${second}'`;
  if (keyword === 'timeout' && !TIMEOUT_NAMES.has(first))
    return `'timeout' supports 'client', 'server', 'connect', 'check', 'queue', 'tunnel' (got '${first}')`;
  if (keyword === 'timeout' && !/^\d+(?:us|ms|s|m|h|d)?$/.test(second))
    return `unexpected character in 'timeout ${first}' (got '${second}')`;
  if ((keyword === 'maxconn' || keyword === 'retries') && !/^\d+$/.test(first))
    return `'${keyword}' expects an integer argument`;
  if ((kind === 'frontend' && keyword === 'server') || (kind === 'backend' && keyword === 'bind'))
    return `'${keyword}' not allowed in '${kind}' section`;
  const parameters = keyword === 'server' ? line.slice(3) : keyword === 'bind' ? line.slice(2) : [];
  const unknownKeyword = findUnknownKeyword(parameters);
  return unknownKeyword === null
    ? null
    : `'${keyword} ${keyword === 'server' ? first : name}' : unknown keyword '${unknownKeyword}'`;
}

function findGlobalError([keyword = '', ...rest]: readonly string[]): string | null {
  if (UNCHECKED.test(keyword)) return null;
  if (!GLOBAL_KEYWORDS.has(keyword)) return `unknown keyword '${keyword}' in 'global' section`;
  return rest.length === 0 && !VALUELESS_KEYWORDS.has(keyword) ? `'${keyword}' expects an argument` : null;
}

/** Matches an address with a typing mistake, which no resolver knows as a name. */
function isMalformedAddress(text: string): boolean {
  return isIP(text) === 0 && (/^[\d.]+$/.test(text) || /(?:^|\.)\d+$|\.\./.test(text)) && text !== '';
}

function findUnknownKeyword(parameters: readonly string[]): string | null {
  for (let index = 0; index < parameters.length; index += 1) {
    const word = (parameters[index] ?? '').replace(/\(.*$/, '');
    if (VALUE_PARAMETERS.has(word)) index += 1;
    else if (!FLAG_PARAMETERS.has(word)) return word;
  }
  return null;
}

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
