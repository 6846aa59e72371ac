import { cause, clueOfLines, told } from '../cause.ts';
import { stoppedAfterIgnition } from './installation-stopped.ts';

/** The machine has no disk of the name that it shall be installed on. */
export const installDiskWrong = cause('install-disk-wrong', 'boot', (evidence) => {
  const lines = told(
    evidence,
    /(?:coreos-installer|install_dev|opening|checking for exclusive access).*\/dev\/\S+.*(?:No such file|not found|does not exist|not a block device)|\/dev\/\S+ (?:is not a block device|does not exist)/i,
  );
  if (lines.length > 0) return clueOfLines(lines, 'certain', 'lsblk -d -o NAME,SIZE,MODEL,WWN');
  return stoppedAfterIgnition(evidence).map(({ name, address, lastRequest }) => ({
    likelihood: 'possible' as const,
    subject: name,
    symptom: `${lastRequest?.path ?? ''} fetched; nothing answers at ${address}`,
    command: 'lsblk -d -o NAME,SIZE,MODEL,WWN',
  }));
});
