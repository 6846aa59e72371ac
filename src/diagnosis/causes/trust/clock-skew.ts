import { MINUTE, SECOND } from '../../../ports/clock.ts';
import { stoppedJoining } from '../boot/installation-stopped.ts';
import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** Certificates are valid from the second that they were made in; a minute is what answers over a slow network may hide. */
const MOST_API = MINUTE;
const MOST_SERVER = 2 * SECOND;
/** chronyd puts most clocks right by some seconds when a machine starts. */
const SMALL_STEP = /system clock was (?:stepped|wrong) by -?\d{1,2}(?:\.\d+)? seconds/i;

/** Two clocks differ: of this machine, a time server, the API, or of a node. */
export const clockSkew = cause('clock-skew', 'installation', (evidence) => {
  const { clocks, api } = evidence;
  const servers = clocks
    .filter(({ offset }) => Math.abs(offset) > MOST_SERVER)
    .map(({ server, offset }): Clue => {
      const symptom = `${server}: ${Math.round(offset / SECOND)} s`;
      return { likelihood: 'certain', subject: server, symptom, command: `chronyd -Q 'server ${server} iburst'` };
    });
  const skew = api?.skew ?? 0;
  const own: Clue[] =
    Math.abs(skew) > MOST_API
      ? [
          {
            likelihood: 'certain',
            subject: '',
            symptom: `Date of the API: ${Math.round(skew / SECOND)} s`,
            command: 'date -u; chronyc tracking',
          },
        ]
      : [];
  const early: Clue[] =
    api?.code === 'cluster-certificate-early'
      ? [{ likelihood: 'likely', subject: '', symptom: api.line, command: 'date -u; chronyc tracking' }]
      : [];
  const lines = told(
    evidence,
    /not yet valid.*is before|certificate is not yet valid|clock is .*(?:behind|ahead)|system clock was (?:stepped|wrong)/i,
  ).filter(({ text }) => !SMALL_STEP.test(text));
  // Said once while the network comes up; again and again, no time server answers.
  const adrift = told(evidence, /Can't synchronise: no selectable sources|No suitable source for synchronisation/, 3);
  return [
    ...servers,
    ...own,
    ...early,
    ...clueOfLines(lines, 'likely', 'timedatectl; chronyc sources'),
    ...clueOfLines(adrift.slice(-1), 'possible', 'timedatectl; chronyc sources'),
    ...leftBehind(evidence),
  ];
});

/** One machine goes silent at the first TLS connection, where others of its kind went on: its own clock may be why. */
function leftBehind(evidence: Evidence): Clue[] {
  const others = evidence.machines.filter(({ role, hasJoined }) => role === 'control-plane' && hasJoined);
  const left = stoppedJoining(evidence);
  if (others.length === 0) return [];
  return left.map(({ name }) => {
    const symptom = `${name} started from its disk and does not join; ${others.map((each) => each.name).join(', ')} did`;
    // Before its configuration nobody can log in there: its management controller tells what its hardware clock says.
    const command = `date -u; ipmitool -I lanplus -H BMC-OF-${name} -U USER -a sel time get`;
    return { likelihood: 'possible', subject: name, symptom, command };
  });
}
