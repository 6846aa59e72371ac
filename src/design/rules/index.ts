import type { Rule } from './rule.ts';

/** All rules about a design. The order is that of reading the file; what is reported is sorted by place anyway. */
export const RULES: readonly Rule[] = [];
