import { vi } from 'vitest';
import { SITE_FAULTS } from '../site-faults/index.ts';
import { playFaults } from '../site-faults/play.ts';
import { testOnDebian } from '../support/debian-host.ts';
import { SITE_PROGRAMS } from '../support/real-site.ts';

// Many plays of ten seconds: a test that hangs shows later.
vi.setConfig({ testTimeout: 3_600_000 });

testOnDebian(...SITE_PROGRAMS, 'python3')('faults of names, addresses, clocks and processes score as recorded', () =>
  playFaults(
    'kinds-3-10',
    'Faults on a real site: names, addresses, clocks, processes, sizes and remedies',
    SITE_FAULTS.filter(({ kind }) => kind > 2),
  ),
);
