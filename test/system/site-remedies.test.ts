import { vi } from 'vitest';
import { playRemedies } from '../site-faults/follow.ts';
import { SITE_FAULTS } from '../site-faults/index.ts';
import { LATER_FAULTS } from '../site-faults/later.ts';
import { isRecording } from '../site-faults/scoreboard.ts';
import { testOnDebian } from '../support/debian-host.ts';
import { SITE_PROGRAMS } from '../support/real-site.ts';

// Many plays of ten seconds: a test that hangs shows later.
vi.setConfig({ testTimeout: 3_600_000 });

/** All of them take half an hour: without a recording, the first fault of each kind is played. */
const played = [...SITE_FAULTS, ...LATER_FAULTS].filter(({ ask, kind }, index, all) => {
  const sameKind = all.slice(0, index).filter((each) => each.kind === kind);
  return ask === undefined && (isRecording || sameKind.length < 1);
});

testOnDebian(...SITE_PROGRAMS)('remedies mend what they are for, followed word for word', () =>
  playRemedies('Remedies of the faults on a real site', played),
);
