import { cause, clueOfLines, told } from '../cause.ts';

/** The installation says one thing of FIPS, and the machine booted with another: its first start stops there. */
export const fipsMismatch = cause('fips-mismatch', 'installation', (evidence) =>
  clueOfLines(
    told(evidence, /FIPS mode is not as expected/i),
    'certain',
    'cat /proc/sys/crypto/fips_enabled /proc/cmdline',
  ),
);
