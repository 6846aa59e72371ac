import type { MachineEvidence } from '../../diagnosis/machine/evidence.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { readProgramOutput } from '../program-output.ts';

/** A program that hangs is ended after this time (ms). */
const PROGRAM_TIMEOUT = 3000;

/**
 * Reads from systemd or chronyd whether this machine's clock is synchronised. Both are queried locally, not over the
 * network.
 */
export async function readClockFacts(): Promise<MachineEvidence['clock']> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const [systemd, chrony] = await Promise.all([
    readProgramOutput('timedatectl', ['show', '--property=NTPSynchronized', '--value'], PROGRAM_TIMEOUT),
    readProgramOutput('chronyc', ['-n', 'tracking'], PROGRAM_TIMEOUT),
  ]);
  const leap = /^Leap status\s*:\s*(.*)$/m.exec(chrony ?? '')?.[1]?.trim();
  if (leap !== undefined) {
    const source = `chronyd: ${sanitizeLine(leap, 40)}`;
    return { isSynchronised: leap !== 'Not synchronised', source, timeZone };
  }
  const answer = systemd?.trim();
  const isSynchronised = answer === 'yes' ? true : answer === 'no' ? false : null;
  return { isSynchronised, source: 'systemd', timeZone };
}
