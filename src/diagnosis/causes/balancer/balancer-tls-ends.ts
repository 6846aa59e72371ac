import { cause } from '../cause.ts';
import { haproxySections, isOfCluster, lineClue } from './haproxy-file.ts';

/** The load balancer ends TLS: kubelets and operators log in with certificates, which must reach the API, and nodes trust its authority alone. */
export const balancerTlsEnds = cause('balancer-tls-ends', 'balancer', (evidence) =>
  haproxySections(evidence)
    .filter(isOfCluster)
    .flatMap((section) =>
      section.lines
        .filter((line) => /^bind \S*:(?:6443|22623)\b.* ssl\b/.test(line) || isEncryptedAgain(line))
        .map((line) => lineClue(section, line)),
    ),
);

/** `check-ssl` is of the check alone (configuration manual, 5.2). */
function isEncryptedAgain(line: string): boolean {
  return /^server \S+ \S+:(?:6443|22623)\b.* ssl(?: |$)/.test(line);
}
