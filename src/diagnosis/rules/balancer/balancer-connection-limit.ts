import { diagnosticRule } from '../diagnostic-rule.ts';
import { type HaproxySection, haproxySections, isClusterSection, lineSymptom } from './haproxy-file.ts';

/**
 * Each node keeps dozens of watches open. Three control plane nodes and their operators exceed this number while they
 * start.
 */
const MIN_CONNECTIONS = 500;

/** The load balancer accepts too few connections, or rejects some. */
export const balancerConnectionLimit = diagnosticRule('balancer-limits', 'balancer', (evidence) =>
  haproxySections(evidence).flatMap((section) =>
    section.lines.filter((line) => isLimit(section, line)).map((line) => lineSymptom(section, line, 'likely')),
  ),
);

function isLimit(section: HaproxySection, line: string): boolean {
  const limit = /^maxconn (\d+)$/.exec(line)?.[1];
  const isShared = section.kind === 'global' || section.kind === 'defaults';
  // A limit in the section of a status page, or of another service, is irrelevant.
  if (!isShared && section.binds.length === 0) return false;
  if (limit !== undefined) return Number(limit) > 0 && Number(limit) < MIN_CONNECTIONS;
  return isClusterSection(section) && /^tcp-request (?:connection|content) (?:silent-drop|reject)\b/.test(line);
}
