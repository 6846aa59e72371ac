import { vi } from 'vitest';
import { HEALTHY_VARIANTS } from '../site-faults/healthy.ts';
import { playHealthyVariants } from '../site-faults/play.ts';
import { testOnDebian } from '../support/debian-host.ts';
import { SITE_PROGRAMS } from '../support/real-site.ts';

// Many plays of ten seconds: a test that hangs shows later.
vi.setConfig({ testTimeout: 3_600_000 });

testOnDebian(...SITE_PROGRAMS, 'kea-dhcp4')('a healthy site that is different has no failure', () =>
  playHealthyVariants('healthy', 'Healthy sites that are different', HEALTHY_VARIANTS),
);
