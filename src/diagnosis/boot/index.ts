import type { Rule } from '../rule.ts';
import { bootAddressConflict } from './address-conflict.ts';
import type { BootEvidence } from './evidence.ts';
import { bootRequestRefused } from './request-refused.ts';
import { bootSilent, unknownMac } from './silent.ts';
import { bootStalled } from './stalled.ts';

/** The rules that explain why machines do not boot. */
export const BOOT_RULES: readonly Rule<BootEvidence>[] = [
  bootAddressConflict,
  unknownMac,
  bootSilent,
  bootRequestRefused,
  bootStalled,
];
