import { getAppsDomain, getClusterDomain } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg, quoteShellCommand } from '../../platform/shell-quoting.ts';
import { listRequiredRegistries } from '../site/before-boot.ts';
import {
  createDiagnosticRule,
  createSymptom,
  matchLogLines,
  type Symptom,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence, EvidenceLine } from './evidence.ts';
import { listStalledBootstraps } from './machines.ts';

/** The release and the machine have different processor architectures. */
export const imageArchitectureMismatch = createDiagnosticRule('image-architecture', 'requirements', (evidence) =>
  symptomsFromLines(
    matchLogLines(
      evidence,
      /exec(?: user process caused:)?:? .*exec format error|exec format error|no (?:matching manifest|image found in (?:manifest list|image index)) for (?:architecture|linux)/i,
    ).slice(-1),
    'certain',
    'uname -m; oc adm release info --registry-config pull-secret.txt IMAGE | grep -i arch',
  ),
);

/** Wording of containers/image for an image without a signature, and of the Cluster Version Operator for a release. */
const NO_SIGNATURE =
  /A signature was required, but no signature exists|unable to verify sha256:\w+ against keyrings|[Tt]he update cannot be verified/;

/**
 * The mirror has the images without their signatures (openshift/openshift-docs#104865, #118944;
 * openshift/oc-mirror#917; openshift/installer#10742). From 4.21 on, nodes and the Cluster Version Operator require
 * the signatures.
 */
export const signaturesMissing = createDiagnosticRule('signatures-missing', 'installation', (evidence) => {
  const command = 'skopeo inspect --raw docker://MIRROR/REPOSITORY:sha256-DIGEST.sig; oc get clusterimagepolicy';
  const versions = (evidence.cluster?.unhealthyObjects ?? []).filter(
    ({ kind, message }) => kind === 'ClusterVersion' && NO_SIGNATURE.test(message),
  );
  return [
    ...versions.map(({ name, message }) => createSymptom('certain', '', `ClusterVersion ${name}: ${message}`, command)),
    ...symptomsFromLines(matchLogLines(evidence, NO_SIGNATURE).slice(-1), 'certain', command),
  ];
});

/**
 * The node's policy rejects the image: it requires another signature, or allows only other registries
 * (containers-policy.json(5)).
 */
export const imageRejectedByPolicy = createDiagnosticRule('image-policy-refuses', 'installation', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /Source image rejected|is rejected by policy/)
      .filter(({ text }) => !NO_SIGNATURE.test(text))
      .slice(-1),
    'certain',
    'sudo cat /etc/containers/policy.json; oc get image.config.openshift.io cluster -o yaml',
  ),
);

const PROXY_MESSAGE =
  /proxyconnect|via proxy|Proxy Authentication Required|ERR_ACCESS_DENIED|squid|X-Squid|proxy.*(?:Forbidden|Bad Gateway|Service Unavailable|refused)/i;

/** Requests inside the cluster go through the proxy, which cannot reach the cluster. */
export const noProxyIncomplete = createDiagnosticRule('proxy-without-no-proxy', 'network', (evidence) => {
  const { design } = evidence;
  const command = "oc get proxy cluster -o jsonpath='{.status.noProxy}'";
  const clusterLines = matchLogLines(evidence, PROXY_MESSAGE).filter(({ text }) => isClusterTraffic(text, evidence));
  const lineSymptoms = symptomsFromLines(clusterLines.slice(-1), 'certain', command);
  const designProxy = design?.proxy ?? null;
  const { isUsed, noProxy } = evidence.cluster?.proxy ?? {
    isUsed: designProxy !== null && designProxy.httpProxy + designProxy.httpsProxy !== '',
    noProxy: designProxy?.noProxy ?? '',
  };
  if (design === null || !isUsed) return lineSymptoms;
  const isCovered = noProxy.split(',').some((domain) => coversName(domain.trim(), `x.${getAppsDomain(design)}`));
  if (isCovered) return lineSymptoms;
  // The installer adds api-int, the networks and .svc on its own, but not the routes: a proxy that reaches them does no
  // harm.
  const waitingOperators = (evidence.cluster?.operators ?? []).filter(
    ({ wait }) => wait?.code === 'routes-closed' && !wait.isNormal,
  );
  const routeSymptoms = waitingOperators.map(
    ({ name, message }): Symptom => createSymptom('likely', name, message, command),
  );
  return [...lineSymptoms, ...routeSymptoms];
});

function isClusterTraffic(text: string, { design }: Evidence): boolean {
  if (/\bapi-int\.|\.svc\b|\.cluster\.local\b|:(?:6443|22623)\b/.test(text)) return true;
  return (
    design !== null &&
    (text.includes(getClusterDomain(design)) ||
      design.nodes.some(({ ip }) => ip.some((address) => text.includes(`${address}:`))))
  );
}

/** Whether an entry of noProxy covers a name: `.domain`, `domain`, `*` (Go's httpproxy). */
function coversName(entry: string, name: string): boolean {
  if (entry === '*') return true;
  const domain = entry.replace(/^\*?\./, '');
  return domain !== '' && (name === domain || name.endsWith(`.${domain}`));
}

/** The proxy itself does not answer, or requires a login, whatever the request. */
const PROXY_ERRORS =
  /proxyconnect tcp: dial tcp.*(?:i\/o timeout|refused|no route|unreachable|no such host)|Proxy Authentication Required|proxyconnect tcp:.*407/;

/** Outgoing connections use a proxy that lets none through. */
export const proxyFails = createDiagnosticRule('proxy-fails', 'network', (evidence) => {
  const proxy = evidence.design?.proxy?.httpsProxy.replace(/\/\/[^@/]*@/, '//') || 'PROXY';
  return symptomsFromLines(
    matchLogLines(evidence, PROXY_ERRORS).slice(-1),
    'certain',
    `curl -sI -x ${proxy} https://quay.io/v2/`,
  );
});

/** Wording of registries. The API's own "Unauthorized" is about logins of the cluster. */
const LOGIN_REFUSAL =
  /unauthorized: |authentication required|denied: (?:access|requested)|invalid username\/password|\b401 \(?unauthorized/i;
const PULL_CONTEXT = /pull|registry|\/v2\/|image|manifest|docker:\/\//i;
const NO_ANSWER =
  /i\/o timeout|connection refused|no route to host|network is unreachable|deadline exceeded|Client\.Timeout|awaiting headers|no such host|server misbehaving|connection reset/i;

/** Parses the registry that a line is about: the host of the first image or URL in it; null if it names none. */
function parseRegistry(text: string): string | null {
  const url = /https?:\/\/([\w.-]+(?::\d+)?)\/v2/.exec(text)?.[1];
  const image = /(?:docker:\/\/|["\s@(])((?:[\w-]+\.)+[\w-]+(?::\d+)?)\/[\w./-]+(?:@sha256:|:[\w.-]+)/.exec(text)?.[1];
  return url ?? image ?? /registry ([\w.-]+\.[\w-]+(?::\d+)?)/.exec(text)?.[1] ?? null;
}

/** Lists the lines of pulls that a registry refused. */
function listRefusedPulls(evidence: Evidence): EvidenceLine[] {
  // A proxy that requires a login uses the same words.
  return matchLogLines(evidence, LOGIN_REFUSAL).filter(
    ({ text }) => PULL_CONTEXT.test(text) && !/proxy authentication/i.test(text),
  );
}

/** Lists the lines of pulls that got no answer. Names of the cluster itself are no registries. */
function listUnansweredPulls(evidence: Evidence): EvidenceLine[] {
  return matchLogLines(evidence, NO_ANSWER).filter(({ text }) => {
    const registry = parseRegistry(text);
    return (
      registry !== null &&
      PULL_CONTEXT.test(text) &&
      !/^api(?:-int)?\./.test(registry) &&
      !/:(?:6443|22623)$/.test(registry)
    );
  });
}

/** The pull secret has a login that the registry does not accept, or no longer accepts. */
export const pullSecretRejected = createDiagnosticRule('pull-secret-rejected', 'installation', (evidence) => {
  const { registries } = evidence;
  const lines = listRefusedPulls(evidence).filter(({ text }) => {
    const registry = parseRegistry(text);
    return registries === null || registry === null || registries.includes(registry);
  });
  const registry = lines.map(({ text }) => parseRegistry(text)).find((registry) => registry !== null) ?? 'quay.io';
  return symptomsFromLines(
    lines.slice(-1),
    'likely',
    `podman login --authfile pull-secret.txt --get-login ${registry}; podman pull --authfile pull-secret.txt IMAGE`,
  );
});

/** The pull secret has no login for a registry that images come from. */
export const pullSecretWithoutRegistry = createDiagnosticRule(
  'pull-secret-without-registry',
  'installation',
  (evidence) => {
    const { registries, design } = evidence;
    if (registries === null) return [];
    const file = quoteShellArg(evidence.pullSecretFile ?? 'pull-secret.txt');
    const command = `jq -r '.auths | keys[]' ${file}`;
    const { remedyFor } = catalogue().diagnosis.causes['pull-secret-without-registry'];
    // Mirrors usually require a login.
    const missingRegistries = (design === null ? [] : listRequiredRegistries(design)).filter(
      (name) => !registries.includes(name),
    );
    const secretSymptoms = missingRegistries.map((name): Symptom => {
      const symptom = createSymptom('certain', name, `.auths: ${registries.join(', ')}`, command);
      return { ...symptom, remedy: remedyFor(file, quoteShellArg(name)) };
    });
    const lines = listRefusedPulls(evidence).filter(({ text }) => {
      const registry = parseRegistry(text);
      return registry !== null && !registries.includes(registry);
    });
    const lineSymptoms = symptomsFromLines(lines.slice(-1), 'certain', command).map((symptom) => {
      const registry = parseRegistry(symptom.evidence[0] ?? '') ?? 'REGISTRY';
      return { ...symptom, remedy: remedyFor(file, quoteShellArg(registry)) };
    });
    return [...secretSymptoms, ...lineSymptoms];
  },
);

/** The pull rate limit of a registry is exceeded. */
export const registryRateLimit = createDiagnosticRule('registry-limits', 'installation', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /toomanyrequests|pull rate limit|429 Too Many Requests/i).slice(-1),
    'certain',
    'oc get events -A | grep -i toomanyrequests',
  ),
);

/** A registry does not answer the nodes: they cannot pull images. */
export const registryUnreachable = createDiagnosticRule('registry-unreachable', 'installation', (evidence) => {
  const lines = listUnansweredPulls(evidence).slice(-1);
  const registry =
    lines.map(({ text }) => parseRegistry(text)).find((registry) => registry !== null) ??
    (evidence.design === null ? undefined : listRequiredRegistries(evidence.design)[0]) ??
    'quay.io';
  const pullingOperators = (evidence.cluster?.operators ?? []).filter(
    ({ wait }) => wait?.code === 'image-pull' && !wait.isNormal,
  );
  const operatorSymptoms = pullingOperators.map(
    ({ name, message }): Symptom =>
      createSymptom('possible', name, message, quoteShellCommand`oc get clusteroperator ${name} -o yaml`),
  );
  const bootstrapSymptoms = listStalledBootstraps(evidence).map(({ name, address }): Symptom => {
    const evidenceText = `${name} ${address} started from its disk; port 6443 is closed`;
    return createSymptom('possible', name, evidenceText, `ssh core@${address} journalctl -b -u release-image -n 20`);
  });
  return [
    ...symptomsFromLines(lines, 'likely', `curl -sI https://${registry}/v2/`),
    ...operatorSymptoms,
    ...bootstrapSymptoms,
  ].map((symptom) => ({ ...symptom, object: registry }));
});

const UNTRUSTED_CERTIFICATE =
  /x509: (?:certificate signed by unknown authority|certificate relies on legacy Common Name|certificate is (?:valid for|not valid for)|cannot validate certificate)/;

/** A registry, or a proxy that intercepts TLS on the way to it, presents a certificate that nodes do not trust. */
export const registryUntrusted = createDiagnosticRule('registry-untrusted', 'installation', (evidence) => {
  const lines = matchLogLines(evidence, UNTRUSTED_CERTIFICATE).filter(({ text }) => {
    const registry = parseRegistry(text);
    const isClusterEndpoint = registry === null || /^api(?:-int)?\.|:(?:6443|22623)$/.test(registry);
    return !isClusterEndpoint || /proxyconnect/.test(text);
  });
  const registry = lines.map(({ text }) => parseRegistry(text)).find((registry) => registry !== null) ?? 'quay.io';
  const address = registry.includes(':') ? registry : `${registry}:443`;
  return [
    ...symptomsFromLines(
      lines.slice(-1),
      'certain',
      `openssl s_client -connect ${address} -showcerts </dev/null | openssl x509 -noout -issuer -ext subjectAltName`,
    ),
    ...listPlainRegistrySymptoms(evidence),
  ];
});

/** Lists a registry that answers without TLS, which nodes require. */
function listPlainRegistrySymptoms(evidence: Evidence): Symptom[] {
  const lines = matchLogLines(evidence, /http: server gave HTTP response to HTTPS client/);
  return lines.slice(-1).flatMap((line) => {
    const registry = PULL_CONTEXT.test(line.text) ? parseRegistry(line.text) : null;
    if (registry === null || /^api(?:-int)?\.|:(?:6443|22623)$/.test(registry)) return [];
    const { plainHttp } = catalogue().diagnosis.causes['registry-untrusted'];
    return symptomsFromLines([line], 'certain', `curl -sI http://${registry}/v2/`).map((symptom) => ({
      ...symptom,
      ...plainHttp,
    }));
  });
}

/** The registry answers, but lacks an image of this release: an incomplete mirror. */
export const releaseImageMissing = createDiagnosticRule('release-missing', 'installation', (evidence) =>
  symptomsFromLines(
    // A signature is a manifest, too. An installer without a release has its own rule.
    matchLogLines(evidence, /manifest unknown|manifest for \S+ not found|name unknown/i)
      .filter(({ text }) => !/sha256-[0-9a-f]+\.sig|ci\.openshift\.org\/origin\/release:/.test(text))
      .slice(-1),
    'certain',
    'oc adm release info --registry-config pull-secret.txt IMAGE',
  ),
);
