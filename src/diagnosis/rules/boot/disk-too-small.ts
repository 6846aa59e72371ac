import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import { listStalledInstalls } from './stalled-machines.ts';

/** "Minimum resource requirements": 100 GB; the file system on it is a little smaller. */
const MIN_GIB = 88;

/** A disk is smaller than an installation needs, or full. */
export const diskTooSmall = diagnosticRule('disk-too-small', 'requirements', (evidence) => {
  const nodes = (evidence.cluster?.nodes ?? []).flatMap(({ name, diskGiB, hasDiskPressure }): Symptom[] => {
    const isSmall = diskGiB !== null && diskGiB < MIN_GIB;
    if (!isSmall && !hasDiskPressure) return [];
    const size = diskGiB === null ? [] : [`ephemeral-storage ${diskGiB} GiB`];
    const symptom = `${name}: ${[...(hasDiskPressure ? ['DiskPressure=True'] : []), ...size].join(', ')}`;
    return [{ likelihood: 'certain', subject: name, symptom, command: shellCommand`oc describe node ${name}` }];
  });
  const lines = matchLogLines(
    evidence,
    /no space left on device|disk (?:is )?too small|(?:target|destination|disk).*(?:smaller|too small|not enough (?:space|room))/i,
    // An operator's message about its own volume says nothing about a node's disk.
  ).filter(({ text }) => !/^Cluster operator \S+ /.test(text));
  const stopped = listStalledInstalls(evidence).map(({ name, address, lastRequest }): Symptom => {
    const symptom = `${lastRequest?.path ?? ''} fetched; then nothing from ${address}`;
    return { likelihood: 'possible', subject: name, symptom, command: 'lsblk -d -o NAME,SIZE,MODEL,WWN' };
  });
  return [...nodes, ...symptomsFromLines(lines, 'certain', 'df -h / /sysroot; lsblk -d -o NAME,SIZE'), ...stopped];
});
