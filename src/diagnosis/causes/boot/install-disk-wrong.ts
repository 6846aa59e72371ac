import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { MachineSeen } from '../evidence.ts';
import { stoppedInLive, stoppedInstalling } from './installation-stopped.ts';

/** The machine has no disk of the name that it shall be installed on. */
export const installDiskWrong = cause('install-disk-wrong', 'boot', (evidence) => {
  const lines = told(
    evidence,
    /(?:coreos-installer|install_dev|opening|checking for exclusive access).*\/dev\/\S+.*(?:No such file|not found|does not exist|not a block device)|\/dev\/\S+ (?:is not a block device|does not exist)/i,
  );
  if (lines.length > 0) return clueOfLines(lines, 'certain', 'lsblk -d -o NAME,SIZE,MODEL,WWN');
  return [...stoppedInLive(evidence), ...stoppedInstalling(evidence)].map(guess);
});

/** From outside, all that a machine without a disk to write shows is that it goes silent. */
function guess({ name, address, lastRequest }: MachineSeen): Clue {
  const symptom = `${lastRequest?.path ?? ''} fetched; then nothing from ${address}`;
  return { likelihood: 'possible', subject: name, symptom, command: 'lsblk -d -o NAME,SIZE,MODEL,WWN' };
}
