import type { FieldCase } from '../field-case.ts';
import { BOOT_IMAGE_FIELD_CASES } from './boot-images.ts';
import { BOOTSTRAP_FIELD_CASES } from './bootstrap.ts';
import { NODE_FIELD_CASES } from './nodes.ts';

const byId = (a: FieldCase, b: FieldCase) => a.id.localeCompare(b.id, 'en');

/** The collected cases, by id. */
export const FIELD_CASES: readonly FieldCase[] = [
  ...BOOTSTRAP_FIELD_CASES,
  ...BOOT_IMAGE_FIELD_CASES,
  ...NODE_FIELD_CASES,
].toSorted(byId);
