import { formatUrlHost } from '../../platform/text.ts';
import {
  buildStatusCommand,
  hasConnectionFailure,
  isClusterPool,
  listRouterNodes,
  listServingHosts,
  POOL_PORTS,
} from './balancer.ts';
import {
  createDiagnosticRule,
  createSymptom,
  matchLogLines,
  type Symptom,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';

const CLUSTER_PORTS: ReadonlySet<string> = new Set(['6443', '22623', '443', '80']);

/** A section of a HAProxy file (configuration manual, 4.1). */
interface HaproxySection {
  readonly host: string;
  readonly path: string;
  readonly kind: 'frontend' | 'backend' | 'listen' | 'defaults' | 'global';
  readonly name: string;
  /** Without comments, one space between words. */
  readonly lines: readonly string[];
  /** Ports of the cluster that it listens on, and ports of its members. */
  readonly bindPorts: readonly string[];
  readonly memberPorts: readonly string[];
}

type ConfigFile = Evidence['files'][number];

/** Cache: several load balancer rules read the same file. */
const sectionCache = new WeakMap<ConfigFile, readonly HaproxySection[]>();

/** Lists the sections of the HAProxy files on the service hosts. */
export function listHaproxySections({ files }: Evidence): HaproxySection[] {
  return files.flatMap((file) => {
    if (file.kind !== 'haproxy') return [];
    const sections = sectionCache.get(file) ?? parseHaproxySections(file);
    sectionCache.set(file, sections);
    return sections;
  });
}

function parseHaproxySections({ host, path, text }: ConfigFile): HaproxySection[] {
  const sections: { header: string; lines: string[] }[] = [];
  for (const rawLine of text.split('\n')) {
    const line = rawLine
      .replace(/(?:^|\s)#.*$/, '')
      .trim()
      .replaceAll(/\s+/g, ' ');
    if (/^(?:frontend|backend|listen|defaults|global)\b/.test(line)) sections.push({ header: line, lines: [] });
    else if (line !== '') sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ header, lines }) => {
    const [kind = '', name = ''] = header.split(' ');
    const matchPorts = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
    const bindPorts = matchPorts(/^bind \S*:(\d+)\b/).filter((port) => CLUSTER_PORTS.has(port));
    return {
      host,
      path,
      kind: toSectionKind(kind),
      name,
      lines,
      bindPorts,
      memberPorts: matchPorts(/^server \S+ \S+:(\d+)\b/),
    };
  });
}

function toSectionKind(word: string): HaproxySection['kind'] {
  return word === 'frontend' || word === 'backend' || word === 'listen' || word === 'defaults' ? word : 'global';
}

/** Whether cluster traffic passes through the section. */
function isClusterSection({ bindPorts, memberPorts }: HaproxySection): boolean {
  return bindPorts.length > 0 || memberPorts.some((port) => CLUSTER_PORTS.has(port));
}

/** Creates the symptom of a line in a section. */
export function createLineSymptom(
  { host, path, name }: HaproxySection,
  line: string,
  likelihood: 'certain' | 'likely' = 'certain',
) {
  const evidenceText = `${path} on ${host}: ${[name, line].filter((part) => part !== '').join(': ')}`;
  const [word = ''] = line.split(' ');
  return createSymptom(likelihood, host, evidenceText, `ssh ${host} grep -n ${word} ${path}`);
}

/**
 * Check results that no API server gives to a TLS request for /readyz: its own are 200 and 500; L4CON means a closed
 * port.
 */
const NON_API_SERVER_RESULT = /^(?:L6\w+|L7RSP|L7STS\/?4\d\d)/;

/** The load balancer marks an API member DOWN although it serves: the health check sends a wrong request. */
export const apiHealthCheckWrong = createDiagnosticRule(
  'api-health-check-wrong',
  'balancer',
  (evidence) => {
    const servingHosts = listServingHosts(evidence, 6443);
    const configSymptoms = listWrongApiCheckSymptoms(evidence);
    const downMembers = evidence.balancerMembers.filter(
      ({ pool, name, status }) => pool === 'api' && /^DOWN/.test(status) && servingHosts.includes(name),
    );
    const poolSymptoms = downMembers.flatMap((member) => {
      const isReady = evidence.readyHosts.includes(member.name);
      // A check without a connection requested nothing: its address or port is wrong, which another rule reports.
      if (hasConnectionFailure(member) || (!isReady && !NON_API_SERVER_RESULT.test(member.check))) return [];
      const { name, balancer, status, check } = member;
      const evidenceText = `api/${name} on ${balancer}: ${[status, check].join(' ').trim()}; ${name}:6443 ${isReady ? '/readyz 200' : 'open'}`;
      return [createSymptom('certain', name, evidenceText, buildStatusCommand(member))];
    });
    return [...poolSymptoms, ...configSymptoms];
  },
  true,
);

/**
 * Lists health checks in the load balancer's file that request something the API does not answer without a login, or
 * without TLS.
 */
function listWrongApiCheckSymptoms({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text }) => {
    const wrongLines =
      kind === 'haproxy' ? text.split(/^(?=\S)/m).flatMap((section) => findWrongCheckLine(section) ?? []) : [];
    return wrongLines.map((line) => {
      const command = `ssh ${host} grep -nE 'httpchk|:6443' ${path}`;
      return createSymptom('certain', host, `${path} on ${host}: ${line}`, command);
    });
  });
}

/** Finds the line of an API section that configures a wrong check; null if none does. */
function findWrongCheckLine(section: string): string | null {
  const httpCheck = /^\s*option\s+httpchk(?:\s+(?:[A-Z]+\s+)?(\S+).*)?$/m.exec(section);
  const members = [...section.matchAll(/^\s*server\s.*:6443\b.*$/gm)].map(([line]) => line.trim());
  // This option sends an SSL 3.0 hello, which no current server answers (configuration manual, "option ssl-hello-chk").
  const sslHello = /^\s*option\s+ssl-hello-chk\b.*$/m.exec(section);
  if (sslHello !== null && members.length > 0) return sslHello[0].trim();
  if (httpCheck === null || members.length === 0) return null;
  const isOtherPath = httpCheck[1] !== undefined && !/^\/(?:readyz|healthz|livez)(?:\?|$)/.test(httpCheck[1]);
  if (isOtherPath) return httpCheck[0].trim();
  return members.find((line) => /\scheck\b(?!-)/.test(line) && !/\s(?:check-ssl|ssl)\b/.test(line)) ?? null;
}

/**
 * A frontend on a cluster port uses a backend on another port, or has such members itself: 22623 to the API, 443 to
 * port 80 (okd-project/okd#165, openshift/openshift-docs#71645).
 */
export const balancerBackendPortMismatch = createDiagnosticRule('balancer-port-mixed', 'balancer', (evidence) => {
  const sections = listHaproxySections(evidence);
  return sections.flatMap((section) => {
    const { bindPorts, memberPorts } = section;
    if (bindPorts.length === 0) return [];
    const isPortMismatch =
      memberPorts.length > 0 && memberPorts.every((port) => CLUSTER_PORTS.has(port) && !bindPorts.includes(port));
    if (isPortMismatch)
      return [
        createLineSymptom(
          section,
          `bind :${bindPorts.join(', :')} (members on ${[...new Set(memberPorts)].join(', ')})`,
        ),
      ];
    return section.lines.flatMap((line) => {
      const target = /^default_backend (\S+)/.exec(line)?.[1];
      const backend = sections.find(
        ({ host, kind, name }) => host === section.host && kind === 'backend' && name === target,
      );
      const members = backend?.memberPorts ?? [];
      const isPortMismatch = members.length > 0 && !members.some((port) => section.bindPorts.includes(port));
      const description = `${line} (members on ${[...new Set(members)].join(', ')}; bind :${section.bindPorts.join(', :')})`;
      return isPortMismatch ? [createLineSymptom(section, description)] : [];
    });
  });
});

/**
 * Each node keeps dozens of watches open. Three control plane nodes and their operators exceed this number while they
 * start.
 */
const MIN_CONNECTIONS = 500;

/** The load balancer accepts too few connections, or rejects some. */
export const balancerConnectionLimit = createDiagnosticRule('balancer-limits', 'balancer', (evidence) =>
  listHaproxySections(evidence).flatMap((section) =>
    section.lines
      .filter((line) => isConnectionLimit(section, line))
      .map((line) => createLineSymptom(section, line, 'likely')),
  ),
);

function isConnectionLimit(section: HaproxySection, line: string): boolean {
  const limit = /^maxconn (\d+)$/.exec(line)?.[1];
  const isShared = section.kind === 'global' || section.kind === 'defaults';
  // A limit in the section of a status page, or of another service, is irrelevant.
  if (!isShared && section.bindPorts.length === 0) return false;
  if (limit !== undefined) return Number(limit) > 0 && Number(limit) < MIN_CONNECTIONS;
  return isClusterSection(section) && /^tcp-request (?:connection|content) (?:silent-drop|reject)\b/.test(line);
}

/** Port 6443 answers in plain HTTP: the load balancer works in HTTP mode, or forwards to another port. */
export const balancerHttpMode = createDiagnosticRule(
  'balancer-http-mode',
  'balancer',
  (evidence) => {
    const { api, design } = evidence;
    const address = design?.endpoints.api[0] ?? 'API';
    const command = `curl -sI http://${formatUrlHost(address)}:6443/`;
    const configSymptoms = [...listHttpModeSectionSymptoms(evidence), ...listHttpModePoolSymptoms(evidence)];
    if (configSymptoms.length > 0) return configSymptoms;
    if (api?.code === 'cluster-not-tls') return [createSymptom('certain', '', api.detail, command)];
    if (api?.isUp) return [];
    return symptomsFromLines(
      matchLogLines(evidence, /server gave HTTP response to HTTPS client/, 3).slice(-1),
      'likely',
      command,
    );
  },
  true,
);

/** Lists sections with members on TLS ports in HTTP mode, set in the section or inherited from the defaults. */
function listHttpModeSectionSymptoms({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text }) => {
    if (kind !== 'haproxy') return [];
    const sections = text.split(/^(?=\S)/m);
    const parseMode = (section: string) => /^\s*mode\s+(\S+)/m.exec(section)?.[1];
    const defaultMode = parseMode(sections.find((section) => section.startsWith('defaults')) ?? '');
    return sections.flatMap((section): Symptom[] => {
      const name = /^(?:listen|backend)\s+(\S+)/.exec(section)?.[1];
      const isTls = /^\s*server\s+\S+\s+\S+:(?:6443|22623|443)\b/m.test(section);
      // HTTP is not the default mode of HAProxy itself (configuration manual, 4.2 "mode").
      if (name === undefined || !isTls || (parseMode(section) ?? defaultMode) !== 'http') return [];
      const evidenceText = `${path} on ${host}: ${name}: mode http`;
      return [createSymptom('certain', host, evidenceText, `ssh ${host} grep -n mode ${path}`)];
    });
  });
}

/** Lists pools of TLS ports for which the status page reports HTTP mode. */
function listHttpModePoolSymptoms({ balancerMembers }: Evidence): Symptom[] {
  const httpMembers = balancerMembers.filter(
    ({ pool, mode }) => isClusterPool(pool) && POOL_PORTS[pool] !== 80 && mode === 'http',
  );
  const firstByPool = new Map(httpMembers.toReversed().map((member) => [`${member.balancer} ${member.pool}`, member]));
  return [...firstByPool.values()].map((member) =>
    createSymptom(
      'certain',
      member.balancer,
      `${member.pool} on ${member.balancer}: mode http`,
      buildStatusCommand(member),
    ),
  );
}

/**
 * The load balancer sends PROXY protocol headers to members that expect a TLS handshake. Routers can be configured to
 * accept the headers.
 */
export const balancerProxyProtocol = createDiagnosticRule('balancer-proxy-protocol', 'balancer', (evidence) =>
  listHaproxySections(evidence)
    .filter(isClusterSection)
    .flatMap((section) =>
      section.lines
        .filter((line) => /^(?:server|default-server)\b.* send-proxy(?:-v2)?\b/.test(line))
        .map((line) => createLineSymptom(section, line, /:(?:80|443) /.test(line) ? 'likely' : 'certain')),
    ),
);

/**
 * The load balancer terminates TLS. Kubelets and operators log in with certificates, which must reach the API, and
 * nodes trust only the API's CA.
 */
export const balancerTerminatesTls = createDiagnosticRule('balancer-tls-ends', 'balancer', (evidence) => [
  ...listHaproxySections(evidence)
    .filter(isClusterSection)
    .flatMap((section) =>
      section.lines
        .filter((line) => /^bind \S*:(?:6443|22623)\b.* ssl\b/.test(line) || isReencrypted(line))
        .map((line) => createLineSymptom(section, line)),
    ),
  // The Machine Config Server has a certificate for api-int: one for another name is the load balancer's.
  ...symptomsFromLines(
    matchLogLines(evidence, /:22623\/config\/\S+.*x509: certificate is (?:not )?valid for/).slice(-1),
    'likely',
    'openssl s_client -connect API-INT:22623 </dev/null | openssl x509 -noout -subject -issuer',
  ),
]);

/** Whether the line opens TLS to a member; `check-ssl` concerns only the health check (configuration manual, 5.2). */
function isReencrypted(line: string): boolean {
  return /^server \S+ \S+:(?:6443|22623)\b.* ssl(?: |$)/.test(line);
}

/**
 * Minimum timeout in seconds. Watches can be silent for up to a minute; a load balancer that closes them sooner makes
 * every kubelet and operator open its watches again.
 */
const MIN_TIMEOUT_SECONDS = 30;
const SECONDS_PER_UNIT: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600, d: 86_400 };

/** Some watches end during any installation; this many indicate a load balancer that closes them. */
const MIN_CLOSED_WATCHES = 10;

/** The load balancer closes connections after only seconds of silence. */
export const balancerTimeoutShort = createDiagnosticRule('balancer-timeout-short', 'balancer', (evidence) => {
  const lines = matchLogLines(
    evidence,
    /Unexpected watch close|very short watch|unexpected EOF.*watch|http2: client connection lost/,
    MIN_CLOSED_WATCHES,
  );
  const shortTimeouts = evidence.files.flatMap(({ host, kind, path, text }) =>
    kind === 'haproxy' ? listShortTimeoutLines(text).map((line) => ({ host, path, line })) : [],
  );
  const command = "grep -nE 'timeout +(client|server|tunnel) ' /etc/haproxy/haproxy.cfg";
  const likelihood = lines.length > 0 ? 'certain' : 'likely';
  if (shortTimeouts.length === 0) return symptomsFromLines(lines.slice(-1), 'possible', command);
  return shortTimeouts.map(({ host, path, line }) =>
    createSymptom(likelihood, host, `${path} on ${host}: ${line}`, `ssh ${host} ${command}`),
  );
});

/**
 * Lists the lines with a short timeout of client, server or tunnel. `timeout tunnel` replaces the other two once data
 * has flowed both ways (HAProxy configuration manual, 4.2).
 */
function listShortTimeoutLines(text: string): string[] {
  const matches = [...text.matchAll(/^\s*timeout\s+(client|server|tunnel)\s+(\d+)(us|ms|s|m|h|d)?\s*$/gm)];
  const times = matches.map(([line, name, number, unit]) => ({
    line: line.trim(),
    name,
    seconds: Number(number) * (SECONDS_PER_UNIT[unit ?? 'ms'] ?? 1e-3),
  }));
  const isShort = ({ seconds }: { seconds: number }) => seconds > 0 && seconds < MIN_TIMEOUT_SECONDS;
  return times.filter(isShort).map(({ line }) => line);
}

/** Failed check results other than a missing connection. */
const CONNECTED_RESULT = /^\*?\s*(?:L7STS|L7RSP|L7TOUT|L6)/;

/**
 * The load balancer requests something that routers do not answer: on 80 and 443 a router knows only routes, and
 * answers 503 to any other name. Its own health is at /healthz/ready on port 1936.
 */
export const ingressHealthCheckWrong = createDiagnosticRule('ingress-health-check-wrong', 'balancer', (evidence) => {
  const poolSymptoms = listDownRouterSymptoms(evidence);
  return poolSymptoms.length > 0 ? poolSymptoms : listRouterPortCheckSymptoms(evidence);
});

function listDownRouterSymptoms(evidence: Evidence): Symptom[] {
  const routerNodes = listRouterNodes(evidence);
  return evidence.balancerMembers
    .filter(({ pool, status, check, name }) => {
      return (
        pool.startsWith('ingress-') &&
        /^DOWN/.test(status) &&
        CONNECTED_RESULT.test(check) &&
        routerNodes.includes(name)
      );
    })
    .map((member) =>
      createSymptom(
        'certain',
        member.name,
        `${member.pool}/${member.name} on ${member.balancer}: ${member.status} ${member.check}; a router runs there`,
        buildStatusCommand(member),
      ),
    );
}

/** Lists an HTTP check of the router port itself, regardless of the expected answer. */
function listRouterPortCheckSymptoms(evidence: Evidence): Symptom[] {
  return listHaproxySections(evidence).flatMap((section) => {
    const check = section.lines.find((line) => /^option (?:httpchk|ssl-hello-chk)\b/.test(line));
    const members = section.lines.filter((line) => /^server \S+ \S+:(?:443|80)\b.* check\b(?!-)/.test(line));
    const usesHealthPort = section.lines.some((line) => /\bport 1936\b/.test(line));
    // An explicit `expect` or Host header is deliberate.
    const isDeliberate = section.lines.some(
      (line) => /^http-check (?:expect|send)\b/.test(line) || /httpchk.*[Hh]ost/.test(line),
    );
    if (check === undefined || members.length === 0 || usesHealthPort || isDeliberate) return [];
    return [createLineSymptom(section, check, 'likely')];
  });
}

/**
 * Pool members without a check count as UP forever (configuration manual, 5.2 "check"). While one is off or restarts,
 * it still gets its share of the connections.
 */
export const membersWithoutHealthCheck = createDiagnosticRule('balancer-members-unchecked', 'balancer', (evidence) =>
  listHaproxySections(evidence)
    .filter(isClusterSection)
    .flatMap((section) => {
      const members = section.lines.filter((line) => /^server \S+ \S+:(?:6443|22623|443|80)\b/.test(line));
      const isChecked = section.lines.some(
        (line) => /^(?:server|default-server)\b.* check(?: |$)/.test(line) || /^default-server check\b/.test(line),
      );
      const [firstMember] = members;
      return members.length < 2 || isChecked || firstMember === undefined
        ? []
        : [createLineSymptom(section, firstMember, 'likely')];
    }),
);
