import { SITE_FAULTS } from '../site-faults/index.ts';
import { playFaults } from '../site-faults/play.ts';
import { testOnDebian } from '../support/debian-host.ts';
import { SITE_PROGRAMS } from '../support/real-site.ts';

testOnDebian(...SITE_PROGRAMS)('faults of where one asks from, and of contents, score as recorded', () =>
  playFaults(
    'kinds-1-2',
    'Faults on a real site: vantage points and contents',
    SITE_FAULTS.filter(({ kind }) => kind <= 2),
  ),
);
