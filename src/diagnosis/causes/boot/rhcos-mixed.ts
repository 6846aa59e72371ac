import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { stoppedInLive } from './installation-stopped.ts';

/** `rhcos-418.94.202410090804-0-live-kernel-x86_64`: what stands between the name and the kind is the build. */
const BUILD = /^rhcos-(\d[\w.-]*?)-(?:live|installer|metal)/;

/** Kernel, initramfs and root file system are of different builds, or not the published ones. */
export const rhcosMixed = cause('rhcos-mixed', 'boot', (evidence) => {
  const { names, wrong } = evidence.images;
  const builds = new Set(names.flatMap((name) => BUILD.exec(name)?.[1] ?? []));
  const command = 'sha256sum images/*; openshift-install coreos print-stream-json | grep -E "sha256|location"';
  const mixed = builds.size > 1 ? [clue(names.join(', '))] : [];
  const lines = told(
    evidence,
    /rootfs (?:image )?(?:version )?.*(?:does not match|mismatch)|do(?:es)? not match initramfs|Couldn't fetch, verify, and unpack image|Unable to mount root|VFS: Cannot open root|verifying.*signature.*fail|checksum mismatch/i,
  );
  return [
    ...mixed,
    ...wrong.map((name) => clue(`${name}: sha256`)),
    ...clueOfLines(lines.slice(-1), 'likely', command),
    ...allStopped(evidence).map((symptom): Clue => ({ likelihood: 'possible', subject: '', symptom, command })),
  ];

  function clue(symptom: string): Clue {
    return { likelihood: 'certain', subject: '', symptom, command };
  }
});

/** What stops every machine at its root file system is not one machine's disk: the live system refuses a file of another build. */
function allStopped(evidence: Evidence): string[] {
  const stopped = stoppedInLive(evidence);
  const isFurther = evidence.machines.some(({ stage, hasJoined }) => stage === 'ignition' || hasJoined);
  if (isFurther || stopped.length < 2) return [];
  return [
    `${stopped[0]?.lastRequest?.path ?? ''} fetched by ${stopped.map(({ name }) => name).join(', ')}, and no ignition file`,
  ];
}
