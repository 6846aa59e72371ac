import { addressRules } from './addresses.ts';
import { nameRules } from './names.ts';
import { networkRules } from './networks.ts';
import { nodeRules } from './nodes.ts';
import type { Rule } from './rule.ts';
import { serviceRules } from './services.ts';
import { spellingRules } from './spelling.ts';
import { versionRules } from './version.ts';

/** All rules about a design that has the right shape. What they report is sorted by its place in the file. */
export const RULES: readonly Rule[] = [
  ...spellingRules,
  ...nameRules,
  ...versionRules,
  ...networkRules,
  ...addressRules,
  ...nodeRules,
  ...serviceRules,
];
