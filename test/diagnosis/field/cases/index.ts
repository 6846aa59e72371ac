import type { FieldCase } from '../field-case.ts';
import { BOOT_IMAGE_FIELD_CASES } from './boot-images.ts';
import { BOOT_PROGRAM_CASES } from './boot-programs.ts';
import { BOOTSTRAP_FIELD_CASES } from './bootstrap.ts';
import { FREQUENT_FIELD_CASES } from './frequent.ts';
import { FURTHER_FIELD_CASES } from './further.ts';
import { NODE_FIELD_CASES } from './nodes.ts';

const byId = (a: FieldCase, b: FieldCase) => a.id.localeCompare(b.id, 'en');

/** Cases by the group that the scoreboard shows them in. */
export const FIELD_CASES: Readonly<Record<string, readonly FieldCase[]>> = {
  'Collected cases': [...BOOTSTRAP_FIELD_CASES, ...BOOT_IMAGE_FIELD_CASES, ...NODE_FIELD_CASES].toSorted(byId),
  'Further threads': FURTHER_FIELD_CASES,
  'Failures of several threads': FREQUENT_FIELD_CASES,
  'Words of firmware and boot programs': BOOT_PROGRAM_CASES,
};
