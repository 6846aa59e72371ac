import { isIP } from 'node:net';

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

/** Statements of global (chapter 3); those with a prefix of `UNCHECKED` are not checked. */
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
export function findStatementError(
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
export function isMalformedAddress(text: string): boolean {
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
