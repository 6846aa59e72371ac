import { urlHost } from '../../../text/url-host.ts';
import { cause, clueOfLines, isBootstrapping, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { haproxySections, lineClue } from './haproxy-file.ts';
import { poolLine, poolsOf, servingOn, statusCommand } from './pools.ts';

/** Nodes fetch their configuration from port 22623 through the load balancer, first from the bootstrap, then from the control plane. */
export const configServerClosed = cause(
  'config-server-closed',
  'balancer',
  (evidence) => {
    const found = [...wrongChecks(evidence), ...withoutServer(evidence), ...closed(evidence)];
    if (found.length > 0) return found;
    const isClosed = evidence.ports.some(
      ({ kind, port, state }) => kind === 'api-int' && port === 22623 && state !== 'open',
    );
    const isSeen = evidence.ports.some(({ kind }) => kind === 'api-int');
    // From here it may be open by now; in a bundle nobody can ask.
    if (isSeen && !isClosed) return [];
    const lines = told(
      evidence,
      /:22623\/config\/\S+.*(?:EOF|refused|reset|no route to host|i\/o timeout|context deadline exceeded(?!.*awaiting headers))/,
      3,
    );
    return clueOfLines(lines.slice(-1), isSeen ? 'possible' : 'likely', 'curl -kI https://API-INT:22623/healthz');
  },
  true,
);

/** A check over HTTP of another path than /healthz, or without TLS: the server answers 404, or nothing, and is DOWN while it serves. */
function wrongChecks(evidence: Evidence) {
  return haproxySections(evidence).flatMap((section) => {
    const members = section.lines.filter((line) => /^server \S+ \S+:22623\b.* check\b(?!-)/.test(line));
    const check = section.lines.find((line) => /^option (?:httpchk|ssl-hello-chk)\b/.test(line));
    if (check === undefined || members.length === 0) return [];
    const isRight =
      /^option httpchk (?:[A-Z]+ )?\/healthz\b/.test(check) && members.every((line) => /\bcheck-ssl\b/.test(line));
    return isRight ? [] : [lineClue(section, check)];
  });
}

/** Pools that lack whoever serves it now. */
function withoutServer(evidence: Evidence) {
  const isEarly = isBootstrapping(evidence);
  const wanted = evidence.design?.nodes.filter(({ role }) => role === (isEarly ? 'bootstrap' : 'control-plane')) ?? [];
  if (wanted.length === 0 || poolsOf(evidence, 'api').length === 0) return [];
  return [...new Set(evidence.pools.map(({ balancer }) => balancer))].flatMap((balancer) => {
    const own = evidence.pools.filter((each) => each.balancer === balancer);
    const members = own.filter(({ pool }) => pool === 'machine-config');
    const [first] = own;
    const hasOne = members.some(({ name }) => wanted.some((node) => node.name === name));
    const isInApi = own.some(({ pool, name }) => pool === 'api' && wanted.some((node) => node.name === name));
    // Where the other pool lacks it as well, that is the cause, and told by its own rule.
    if (first === undefined || hasOne || !isInApi) return [];
    const symptom = members.length === 0 ? `${balancer}: no pool machine-config` : poolLine(members);
    return [{ likelihood: 'certain' as const, subject: balancer, symptom, command: statusCommand(first) }];
  });
}

/** The port at the endpoint is closed although somebody behind it serves, or although the load balancer listens for the API. */
function closed(evidence: Evidence) {
  const serving = servingOn(evidence, 22623);
  const isOurs = evidence.design?.services.loadBalancer.kind === 'haproxy';
  const atEndpoint = evidence.ports.filter(({ kind }) => kind === 'api-int');
  return atEndpoint.flatMap(({ port, address, state }) => {
    if (port !== 22623 || state === 'open') return [];
    const api = atEndpoint.find((each) => each.port === 6443 && each.address === address);
    const isListening = api?.state === 'open' || api?.state === 'closed-at-once';
    // One that other people run may open its ports only when a member answers.
    const isSeen = serving.length > 0 ? isListening : isListening && isOurs && state !== 'closed-at-once';
    if (!isSeen) return [];
    const behind = serving.length > 0 ? `open at ${serving.join(', ')}` : `6443 ${api?.state ?? ''}`;
    const command = `curl -kI https://${urlHost(address)}:22623/healthz`;
    return [
      { likelihood: 'certain' as const, subject: address, symptom: `${address}:22623 ${state}; ${behind}`, command },
    ];
  });
}
