import type { Rule } from '../rule.ts';
import type { BootEvidence } from './evidence.ts';
import { halted } from './halted.ts';
import { silent, unknownMac } from './silent.ts';
import { stuck } from './stuck.ts';
import { taken } from './taken.ts';

/** Why machines do not come up. */
export const BOOT: readonly Rule<BootEvidence>[] = [taken, unknownMac, silent, stuck, halted];
