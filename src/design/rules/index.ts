import { sanitizeLine } from '../../platform/sanitize.ts';
import type { Design, Problem } from '../model.ts';
import { formatPath, type Path } from '../paths.ts';
import { familyRules } from './address-families.ts';
import { addressFormatRules } from './address-formats.ts';
import { addressRules } from './addresses.ts';
import { dhcpRules } from './dhcp.ts';
import { endpointRules } from './endpoints.ts';
import { imageAndProxyRules } from './images-and-proxy.ts';
import { infraRules } from './infra.ts';
import { nameRules, requiredNameRules } from './names.ts';
import { linkRules } from './network-links.ts';
import { membershipRules } from './network-membership.ts';
import { networkRules, podNetworkRules, specialAddressRules } from './networks.ts';
import { nodeRules } from './nodes.ts';
import { platformRules, versionRules } from './platform.ts';
import type { DesignRule } from './rule.ts';
import { serviceRules } from './services.ts';
import { topologyRules } from './topology.ts';

/** The design rules, grouped by topic. They apply to a design that fits the schema. */
export const RULE_GROUPS = {
  spelling: addressFormatRules,
  names: nameRules,
  version: versionRules,
  platform: platformRules,
  networks: networkRules,
  special: specialAddressRules,
  'pod-networks': podNetworkRules,
  families: familyRules,
  membership: membershipRules,
  endpoints: endpointRules,
  addresses: addressRules,
  topology: topologyRules,
  nodes: nodeRules,
  links: linkRules,
  services: serviceRules,
  dhcp: dhcpRules,
  sources: imageAndProxyRules,
  'needed-names': requiredNameRules,
  infra: infraRules,
} as const satisfies Readonly<Record<string, readonly DesignRule[]>>;
export type RuleGroup = keyof typeof RULE_GROUPS;

/** All design rules. Their problems are sorted by position in the file. */
export const DESIGN_RULES: readonly DesignRule[] = Object.values(RULE_GROUPS).flat();

/** A violation of a rule, before its position in the file is known. */
interface RuleViolation extends Omit<Problem, 'path' | 'line' | 'column'> {
  readonly path: Path;
}

/** Matches a quote longer than any valid name in a design; its beginning identifies the value. */
const LONG_QUOTE = /"([^"]{300})[^"]+"/gu;

/**
 * Evaluates all rules on a design.
 * @param unreadablePaths values that could not be read and were replaced; rules that depend on them report nothing
 * @param shouldSkipWarnings skips the rules that only warn
 */
export function evaluateDesignRules(
  design: Design,
  unreadablePaths: readonly Path[],
  shouldSkipWarnings = false,
): RuleViolation[] {
  const isUnreadable = createPathMatcher(unreadablePaths);
  const violations: RuleViolation[] = [];
  for (const { id, severity, check, dependsOn = [] } of DESIGN_RULES) {
    if (dependsOn.some(isUnreadable) || (shouldSkipWarnings && severity !== 'error')) continue;
    check(design, (path, { message, fix, otherPath }) => {
      if (isUnreadable(path)) return false;
      // Messages quote values of any content and length. Shortening a long quote keeps the problem behind it visible.
      const shortMessage = message.replace(LONG_QUOTE, '"$1…"');
      const otherPathPart = otherPath === undefined ? {} : { otherPath: formatPath(otherPath) };
      violations.push({
        rule: id,
        severity,
        path,
        ...otherPathPart,
        message: sanitizeLine(shortMessage),
        fix: sanitizeLine(fix),
      });
      return true;
    });
  }
  return violations;
}

/** Creates a predicate: whether a path is one of these paths, or is above or below one. */
function createPathMatcher(paths: readonly Path[]): (path: Path) => boolean {
  // The usual case: a design without unreadable values. The predicate runs for every rule.
  if (paths.length === 0) return () => false;
  const exactKeys = new Set(paths.map(encodePath));
  const ancestorKeys = new Set(paths.flatMap((path) => listPrefixes(path)));
  return (path) => ancestorKeys.has(encodePath(path)) || listPrefixes(path).some((prefix) => exactKeys.has(prefix));
}

/** Lists the encoded path and all its ancestors. */
function listPrefixes(path: Path): string[] {
  return Array.from({ length: path.length + 1 }, (_, length) => encodePath(path.slice(0, length)));
}

/** Encodes a path unambiguously: a key may contain dots. */
function encodePath(path: Path): string {
  return JSON.stringify(path.map(String));
}
