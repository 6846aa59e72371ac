import type { MachineEvidence } from '../../diagnosis/machine/evidence.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { askProgram } from '../ask-program.ts';

/** A program that hangs says nothing. */
const PATIENCE_MS = 3000;

/** Whether somebody keeps this machine's clock right, as systemd or chronyd says; both are asked here, not over the network. */
export async function clockFacts(): Promise<MachineEvidence['clock']> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const [systemd, chrony] = await Promise.all([
    askProgram('timedatectl', ['show', '--property=NTPSynchronized', '--value'], PATIENCE_MS),
    askProgram('chronyc', ['-n', 'tracking'], PATIENCE_MS),
  ]);
  const leap = /^Leap status\s*:\s*(.*)$/m.exec(chrony ?? '')?.[1]?.trim();
  if (leap !== undefined) {
    const source = `chronyd: ${sanitizeLine(leap, 40)}`;
    return { isSynchronised: leap !== 'Not synchronised', source, timeZone };
  }
  const said = systemd?.trim();
  const isSynchronised = said === 'yes' ? true : said === 'no' ? false : null;
  return { isSynchronised, source: 'systemd', timeZone };
}
