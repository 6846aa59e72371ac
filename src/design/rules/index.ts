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

/** The rules about a design that has the right shape, by what they are about. */
export const RULE_FAMILIES = {
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
export type RuleFamily = keyof typeof RULE_FAMILIES;

/** All of them. What they report is sorted by its place in the file. */
export const RULES: readonly Rule[] = Object.values(RULE_FAMILIES).flat();
