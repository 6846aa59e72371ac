import { cause } from '../cause.ts';
import { haproxySections, isOfCluster, lineClue } from './haproxy-file.ts';

/** The load balancer speaks the PROXY protocol to members that do not expect it: no TLS handshake begins so. Routers can be told to expect it. */
export const balancerProxyProtocol = cause('balancer-proxy-protocol', 'balancer', (evidence) =>
  haproxySections(evidence)
    .filter(isOfCluster)
    .flatMap((section) =>
      section.lines
        .filter((line) => /^(?:server|default-server)\b.* send-proxy(?:-v2)?\b/.test(line))
        .map((line) => lineClue(section, line, /:(?:80|443) /.test(line) ? 'likely' : 'certain')),
    ),
);
