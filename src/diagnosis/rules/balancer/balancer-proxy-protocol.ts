import { diagnosticRule } from '../diagnostic-rule.ts';
import { haproxySections, isClusterSection, lineSymptom } from './haproxy-file.ts';

/**
 * The load balancer sends PROXY protocol headers to members that expect a TLS handshake. Routers can be configured to
 * accept the headers.
 */
export const balancerProxyProtocol = diagnosticRule('balancer-proxy-protocol', 'balancer', (evidence) =>
  haproxySections(evidence)
    .filter(isClusterSection)
    .flatMap((section) =>
      section.lines
        .filter((line) => /^(?:server|default-server)\b.* send-proxy(?:-v2)?\b/.test(line))
        .map((line) => lineSymptom(section, line, /:(?:80|443) /.test(line) ? 'likely' : 'certain')),
    ),
);
