import { vi } from 'vitest';
import { SITE_FAULTS } from '../site-faults/index.ts';
import { playFaults } from '../site-faults/play.ts';
import { testOnDebian } from '../support/debian-host.ts';
import { SITE_PROGRAMS } from '../support/real-site.ts';

// Many plays of ten seconds: a test that hangs shows later.
vi.setConfig({ testTimeout: 3_600_000 });

testOnDebian(...SITE_PROGRAMS)('faults of where one asks from, and of contents, score as recorded', () =>
  playFaults(
    'kinds-1-2',
    'Faults on a real site: vantage points and contents',
    SITE_FAULTS.filter(({ kind }) => kind <= 2),
  ),
);
