import { vi } from 'vitest';
import { LATER_FAULTS, LATER_VARIANTS } from '../site-faults/later.ts';
import { playFaults, playHealthyVariants } from '../site-faults/play.ts';
import { testOnDebian } from '../support/debian-host.ts';
import { SITE_PROGRAMS } from '../support/real-site.ts';

// Many plays of ten seconds: a test that hangs shows later.
vi.setConfig({ testTimeout: 3_600_000 });

testOnDebian(...SITE_PROGRAMS)('faults that were planted after the checks were written score as recorded', () =>
  playFaults('later', 'Faults that were planted after the checks were written', LATER_FAULTS),
);

testOnDebian(...SITE_PROGRAMS)('more sites that are different and right have no failures', () =>
  playHealthyVariants('later-healthy', 'More healthy sites that are different', LATER_VARIANTS),
);
