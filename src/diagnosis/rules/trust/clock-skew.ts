import { MINUTE, SECOND } from '../../../platform/clock.ts';
import { listStalledJoins } from '../boot/stalled-machines.ts';
import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

/** A certificate is valid from the second of its creation; a slow network may hide up to a minute. */
const MAX_API_SKEW = MINUTE;
const MAX_SERVER_SKEW = 2 * SECOND;
/** chronyd corrects most clocks by some seconds when a machine starts. */
const SMALL_STEP = /system clock was (?:stepped|wrong) by -?\d{1,2}(?:\.\d+)? seconds/i;

/** Two clocks differ: of this machine, a time server, the API, or a node. */
export const clockSkew = diagnosticRule('clock-skew', 'installation', (evidence) => {
  const { clocks, api } = evidence;
  const servers = clocks
    .filter(({ offset }) => Math.abs(offset) > MAX_SERVER_SKEW)
    .map(({ server, offset }): Symptom => {
      const symptom = `${server}: ${Math.round(offset / SECOND)} s`;
      return { likelihood: 'certain', subject: server, symptom, command: `chronyd -Q 'server ${server} iburst'` };
    });
  const skew = api?.skew ?? 0;
  const own: Symptom[] =
    Math.abs(skew) > MAX_API_SKEW
      ? [
          {
            likelihood: 'certain',
            subject: '',
            symptom: `Date of the API: ${Math.round(skew / SECOND)} s`,
            command: 'date -u; chronyc tracking',
          },
        ]
      : [];
  const early: Symptom[] =
    api?.code === 'cluster-certificate-early'
      ? [{ likelihood: 'likely', subject: '', symptom: api.line, command: 'date -u; chronyc tracking' }]
      : [];
  const lines = matchLogLines(
    evidence,
    /not yet valid.*is before|certificate is not yet valid|clock is .*(?:behind|ahead)|system clock was (?:stepped|wrong)/i,
  ).filter(({ text }) => !SMALL_STEP.test(text));
  // One such line is normal while the network starts; repeated lines mean that no time server answers.
  const unsynchronised = matchLogLines(
    evidence,
    /Can't synchronise: no selectable sources|No suitable source for synchronisation/,
    3,
  );
  return [
    ...servers,
    ...own,
    ...early,
    ...symptomsFromLines(lines, 'likely', 'timedatectl; chronyc sources'),
    ...symptomsFromLines(unsynchronised.slice(-1), 'possible', 'timedatectl; chronyc sources'),
    ...findPossibleClockFaults(evidence),
  ];
});

/**
 * One machine goes silent at the first TLS connection, while others of its kind continued: its own clock may be wrong.
 */
function findPossibleClockFaults(evidence: Evidence): Symptom[] {
  const others = evidence.machines.filter(({ role, hasJoined }) => role === 'control-plane' && hasJoined);
  const stalled = listStalledJoins(evidence);
  if (others.length === 0) return [];
  return stalled.map(({ name }) => {
    const symptom = `${name} started from its disk and does not join; ${others.map((each) => each.name).join(', ')} did`;
    // Before it has its configuration, the machine accepts no login: its management controller shows its hardware
    // clock.
    const command = `date -u; ipmitool -I lanplus -H BMC-OF-${name} -U USER -a sel time get`;
    return { likelihood: 'possible', subject: name, symptom, command };
  });
}
