import { shell } from '../../../text/shell-word.ts';
import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import { stoppedInstalling } from './installation-stopped.ts';

/** "Minimum resource requirements": 100 GB; the file system on it is a little smaller. */
const LEAST_GIB = 88;

/** A disk is smaller than an installation needs, or full. */
export const diskTooSmall = cause('disk-too-small', 'requirements', (evidence) => {
  const nodes = (evidence.cluster?.nodes ?? []).flatMap(({ name, diskGiB, hasDiskPressure }): Clue[] => {
    const isSmall = diskGiB !== null && diskGiB < LEAST_GIB;
    if (!isSmall && !hasDiskPressure) return [];
    const size = diskGiB === null ? [] : [`ephemeral-storage ${diskGiB} GiB`];
    const symptom = `${name}: ${[...(hasDiskPressure ? ['DiskPressure=True'] : []), ...size].join(', ')}`;
    return [{ likelihood: 'certain', subject: name, symptom, command: shell`oc describe node ${name}` }];
  });
  const lines = told(
    evidence,
    /no space left on device|disk (?:is )?too small|(?:target|destination|disk).*(?:smaller|too small|not enough (?:space|room))/i,
    // What an operator says of its own volume is no disk of a node.
  ).filter(({ text }) => !/^Cluster operator \S+ /.test(text));
  const stopped = stoppedInstalling(evidence).map(({ name, address, lastRequest }): Clue => {
    const symptom = `${lastRequest?.path ?? ''} fetched; then nothing from ${address}`;
    return { likelihood: 'possible', subject: name, symptom, command: 'lsblk -d -o NAME,SIZE,MODEL,WWN' };
  });
  return [...nodes, ...clueOfLines(lines, 'certain', 'df -h / /sysroot; lsblk -d -o NAME,SIZE'), ...stopped];
});
