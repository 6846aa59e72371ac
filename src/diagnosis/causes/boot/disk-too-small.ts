import { cause, clueOfLines, told } from '../cause.ts';

/** "Minimum resource requirements": 100 GB; the file system on it is a little smaller. */
const LEAST_GIB = 88;

/** A disk is smaller than an installation needs, or full. */
export const diskTooSmall = cause('disk-too-small', 'requirements', (evidence) => {
  const nodes = (evidence.cluster?.nodes ?? []).flatMap(({ name, diskGiB, hasDiskPressure }) => {
    const isSmall = diskGiB !== null && diskGiB < LEAST_GIB;
    if (!isSmall && !hasDiskPressure) return [];
    const symptom = hasDiskPressure ? `${name}: DiskPressure=True` : `${name}: ${diskGiB} GiB`;
    return [{ likelihood: 'certain' as const, subject: name, symptom, command: `oc describe node ${name}` }];
  });
  const lines = told(
    evidence,
    /no space left on device|disk (?:is )?too small|(?:target|destination|disk).*(?:smaller|too small|not enough (?:space|room))/i,
  );
  return [...nodes, ...clueOfLines(lines, 'certain', 'df -h / /sysroot; lsblk -d -o NAME,SIZE')];
});
