import { type Clue, cause, clueOfLines, told } from '../cause.ts';

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
    /rootfs (?:image )?(?:version )?.*(?:does not match|mismatch)|do(?:es)? not match initramfs|Unable to mount root|VFS: Cannot open root|verifying.*signature.*fail|checksum mismatch/i,
  );
  return [
    ...mixed,
    ...wrong.map((name) => clue(`${name}: sha256`)),
    ...clueOfLines(lines.slice(-1), 'likely', command),
  ];

  function clue(symptom: string): Clue {
    return { likelihood: 'certain', subject: '', symptom, command };
  }
});
