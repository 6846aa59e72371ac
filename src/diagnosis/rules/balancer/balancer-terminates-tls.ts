import { diagnosticRule } from '../diagnostic-rule.ts';
import { haproxySections, isClusterSection, lineSymptom } from './haproxy-file.ts';

/**
 * The load balancer terminates TLS. Kubelets and operators log in with certificates, which must reach the API, and
 * nodes trust only the API's authority.
 */
export const balancerTerminatesTls = diagnosticRule('balancer-tls-ends', 'balancer', (evidence) =>
  haproxySections(evidence)
    .filter(isClusterSection)
    .flatMap((section) =>
      section.lines
        .filter((line) => /^bind \S*:(?:6443|22623)\b.* ssl\b/.test(line) || isReencrypted(line))
        .map((line) => lineSymptom(section, line)),
    ),
);

/** `check-ssl` concerns only the health check (configuration manual, 5.2). */
function isReencrypted(line: string): boolean {
  return /^server \S+ \S+:(?:6443|22623)\b.* ssl(?: |$)/.test(line);
}
