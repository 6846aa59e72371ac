import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { listStalledInLiveSystem } from './stalled-machines.ts';

/** `rhcos-418.94.202410090804-0-live-kernel-x86_64`: the build is between the name and the kind. */
const BUILD = /^rhcos-(\d[\w.-]*?)-(?:live|installer|metal)/;

/** Kernel, initramfs and root file system are of different builds, or not the published ones. */
export const rhcosBuildMismatch = diagnosticRule('rhcos-mixed', 'boot', (evidence) => {
  const { names, wrong } = evidence.images;
  const builds = new Set(names.flatMap((name) => BUILD.exec(name)?.[1] ?? []));
  const command = 'sha256sum images/*; openshift-install coreos print-stream-json | grep -E "sha256|location"';
  const mixed = builds.size > 1 ? [createSymptom(names.join(', '))] : [];
  const lines = matchLogLines(
    evidence,
    /rootfs (?:image )?(?:version )?.*(?:does not match|mismatch)|do(?:es)? not match initramfs|Couldn't fetch, verify, and unpack image|Unable to mount root|VFS: Cannot open root|verifying.*signature.*fail|checksum mismatch/i,
  );
  return [
    ...mixed,
    ...wrong.map((name) => createSymptom(`${name}: sha256`)),
    ...symptomsFromLines(lines.slice(-1), 'likely', command),
    ...describeStalledMachines(evidence).map(
      (symptom): Symptom => ({ likelihood: 'possible', subject: '', symptom, command }),
    ),
  ];

  function createSymptom(symptom: string): Symptom {
    return { likelihood: 'certain', subject: '', symptom, command };
  }
});

/**
 * A fault that stops every machine at its root file system is not one machine's disk: the live system rejects a file of
 * another build.
 */
function describeStalledMachines(evidence: Evidence): string[] {
  const stalled = listStalledInLiveSystem(evidence);
  const isFurther = evidence.machines.some(({ stage, hasJoined }) => stage === 'ignition' || hasJoined);
  if (isFurther || stalled.length < 2) return [];
  return [
    `${stalled[0]?.lastRequest?.path ?? ''} fetched by ${stalled.map(({ name }) => name).join(', ')}, and no ignition file`,
  ];
}
