import { cause } from '../cause.ts';
import { haproxySections, isOfCluster, lineClue, type Section } from './haproxy-file.ts';

/** Each node keeps dozens of watches open; three nodes of a control plane and their operators are beyond this while they start. */
const LEAST = 500;

/** The load balancer lets too few connections in, or turns some away. */
export const balancerLimits = cause('balancer-limits', 'balancer', (evidence) =>
  haproxySections(evidence).flatMap((section) =>
    section.lines.filter((line) => isLimit(section, line)).map((line) => lineClue(section, line, 'likely')),
  ),
);

function isLimit(section: Section, line: string): boolean {
  const most = /^maxconn (\d+)$/.exec(line)?.[1];
  const isShared = section.kind === 'global' || section.kind === 'defaults';
  // Of a status page, or of another service, neither says anything.
  if (!isShared && section.binds.length === 0) return false;
  if (most !== undefined) return Number(most) > 0 && Number(most) < LEAST;
  return isOfCluster(section) && /^tcp-request (?:connection|content) (?:silent-drop|reject)\b/.test(line);
}
