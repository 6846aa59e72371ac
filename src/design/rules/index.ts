import { addressRules } from './addresses.ts';
import { dhcpRules } from './dhcp.ts';
import { endpointRules } from './endpoints.ts';
import { familyRules } from './families.ts';
import { infraRules } from './infra.ts';
import { linkRules } from './links.ts';
import { membershipRules } from './membership.ts';
import { nameRules } from './names.ts';
import { neededNameRules } from './needed-names.ts';
import { networkRules } from './networks.ts';
import { nodeRules } from './nodes.ts';
import { platformRules } from './platform.ts';
import { podNetworkRules } from './pod-networks.ts';
import type { Rule } from './rule.ts';
import { serviceRules } from './services.ts';
import { sourceRules } from './sources.ts';
import { specialRules } from './special.ts';
import { spellingRules } from './spelling.ts';
import { topologyRules } from './topology.ts';
import { versionRules } from './version.ts';

/** The design rules, grouped by topic. They apply to a design of valid shape. */
export const RULE_GROUPS = {
  spelling: spellingRules,
  names: nameRules,
  version: versionRules,
  platform: platformRules,
  networks: networkRules,
  special: specialRules,
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
  sources: sourceRules,
  'needed-names': neededNameRules,
  infra: infraRules,
} as const satisfies Readonly<Record<string, readonly Rule[]>>;
export type RuleGroup = keyof typeof RULE_GROUPS;

/** All design rules. Their problems are sorted by position in the file. */
export const DESIGN_RULES: readonly Rule[] = Object.values(RULE_GROUPS).flat();
