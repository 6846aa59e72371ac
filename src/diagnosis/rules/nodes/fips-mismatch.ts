import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** The installation and the boot of the machine differ in FIPS mode: its first start stops there. */
export const fipsMismatch = diagnosticRule('fips-mismatch', 'installation', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /FIPS mode is not as expected/i),
    'certain',
    'cat /proc/sys/crypto/fips_enabled /proc/cmdline',
  ),
);
