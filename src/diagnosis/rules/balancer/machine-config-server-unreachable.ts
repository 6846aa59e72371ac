import { formatUrlHost } from '../../../platform/url-host.ts';
import { diagnosticRule, isBootstrapping, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { haproxySections, lineSymptom } from './haproxy-file.ts';
import { formatPool, groupMembersByBalancer, listServingHosts, statusCommand } from './pools.ts';

/** Nodes fetch their configuration from port 22623 through the load balancer, first from the bootstrap, then from the control plane. */
export const machineConfigServerUnreachable = diagnosticRule(
  'config-server-closed',
  'balancer',
  (evidence) => {
    const found = [...findWrongChecks(evidence), ...findPoolsWithoutServer(evidence), ...findClosedEndpoints(evidence)];
    if (found.length > 0) return found;
    const isClosed = evidence.ports.some(
      ({ kind, port, state }) => kind === 'api-int' && port === 22623 && state !== 'open',
    );
    const isProbed = evidence.ports.some(({ kind }) => kind === 'api-int');
    // A port that is open now makes older log lines irrelevant. A bundle has no probed ports.
    if (isProbed && !isClosed) return [];
    const lines = matchLogLines(
      evidence,
      /:22623\/config\/\S+.*(?:EOF|refused|reset|no route to host|i\/o timeout|context deadline exceeded(?!.*awaiting headers))/,
      3,
    );
    return symptomsFromLines(
      lines.slice(-1),
      isProbed ? 'possible' : 'likely',
      'curl -kI https://API-INT:22623/healthz',
    );
  },
  true,
);

/**
 * An HTTP check of a path other than /healthz, or without TLS: the server answers 404 or nothing, and is marked DOWN
 * while it serves.
 */
function findWrongChecks(evidence: Evidence) {
  return haproxySections(evidence).flatMap((section) => {
    const members = section.lines.filter((line) => /^server \S+ \S+:22623\b.* check\b(?!-)/.test(line));
    const check = section.lines.find((line) => /^option (?:httpchk|ssl-hello-chk)\b/.test(line));
    if (check === undefined || members.length === 0) return [];
    const isRight =
      /^option httpchk (?:[A-Z]+ )?\/healthz\b/.test(check) && members.every((line) => /\bcheck-ssl\b/.test(line));
    return isRight ? [] : [lineSymptom(section, check)];
  });
}

/** Pools without any machine that serves the configuration at this stage. */
function findPoolsWithoutServer(evidence: Evidence) {
  const isEarly = isBootstrapping(evidence);
  const wanted = evidence.design?.nodes.filter(({ role }) => role === (isEarly ? 'bootstrap' : 'control-plane')) ?? [];
  if (wanted.length === 0 || groupMembersByBalancer(evidence, 'api').length === 0) return [];
  return [...new Set(evidence.pools.map(({ balancer }) => balancer))].flatMap((balancer) => {
    const own = evidence.pools.filter((each) => each.balancer === balancer);
    const members = own.filter(({ pool }) => pool === 'machine-config');
    const [first] = own;
    const hasOne = members.some(({ name }) => wanted.some((node) => node.name === name));
    const isInApi = own.some(({ pool, name }) => pool === 'api' && wanted.some((node) => node.name === name));
    // If the API pool lacks it as well, that is the cause, which its own rule reports.
    if (first === undefined || hasOne || !isInApi) return [];
    const symptom = members.length === 0 ? `${balancer}: no pool machine-config` : formatPool(members);
    return [{ likelihood: 'certain' as const, subject: balancer, symptom, command: statusCommand(first) }];
  });
}

/**
 * The port at the endpoint is closed although a member serves it, or although the load balancer listens for the API.
 */
function findClosedEndpoints(evidence: Evidence) {
  const serving = listServingHosts(evidence, 22623);
  const isOurs = evidence.design?.services.loadBalancer.kind === 'haproxy';
  const atEndpoint = evidence.ports.filter(({ kind }) => kind === 'api-int');
  return atEndpoint.flatMap(({ port, address, state }) => {
    if (port !== 22623 || state === 'open') return [];
    const api = atEndpoint.find((each) => each.port === 6443 && each.address === address);
    const isListening = api?.state === 'open' || api?.state === 'closed-at-once';
    // A load balancer that others run may open its ports only once a member answers.
    const isProven = serving.length > 0 ? isListening : isListening && isOurs && state !== 'closed-at-once';
    if (!isProven) return [];
    const behind = serving.length > 0 ? `open at ${serving.join(', ')}` : `6443 ${api?.state ?? ''}`;
    const command = `curl -kI https://${formatUrlHost(address)}:22623/healthz`;
    return [
      { likelihood: 'certain' as const, subject: address, symptom: `${address}:22623 ${state}; ${behind}`, command },
    ];
  });
}
