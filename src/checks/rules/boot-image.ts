import { isSingleNode } from '../../design/choices.ts';
import {
  createDiagnosticRule,
  createSymptom,
  matchLogLines,
  type Symptom,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence, EvidenceLine } from './evidence.ts';

/**
 * Messages of a machine that started from the boot image of another release. The causes:
 *     node-image-pull.sh finds two systems (okd-project/okd#2222)
 *     a live system cannot be replaced (okd#2018, #1969, #2041)
 *     the system lacks programs of the release (okd#2077, #580, #424, #616)
 *     it does not know how the release names images (okd#1509)
 *     its /boot has newer ext4 features than the release reads (okd#2041)
 *     its directories differ (okd-scos#22)
 *     its shared libraries do not fit the programs of the release
 *     ignition files have another version (okd#369, openshift/installer#2755)
 */
const OTHER_BOOT_IMAGE_MESSAGES = [
  /Expected single docker ref, found/,
  /Remounting \/sysroot read-write: Permission denied/,
  /cannot touch '\/usr\/\.test': Read-only file system/,
  /\b(?:bootkube|kubelet)\.sh: line \d+: \S+: (?:command not found|No such file or directory)/,
  /\.sh: line \d+: (?:oc|crictl|crio|kubelet|hyperkube): command not found/,
  /Unit (?:crio|kubelet)\.service (?:not found|could not be found)/,
  /can't read \/etc\/crio\/crio\.conf: No such file/,
  /(?:crio|kubelet)\.service: (?:Failed at step EXEC|Failed to locate executable)/,
  /unrecognized command `?podman image mount/,
  /Invalid refspec ostree-/,
  /has unsupported feature\(s\): FEATURE_C|Get a newer version of e2fsck/,
  /EXT4-fs .*couldn't mount\S* (?:RDWR )?because of unsupported optional features/,
  /\/opt\/cni already exists and is not a dir/,
  /error while loading shared libraries: \S+ cannot change memory protections/,
  /(?:\/lib64\/|libc\.so\.6: )version `GLIBC_[\d.]+' not found/,
  /unsupported config version|failed to convert config from spec v[\d.]+ to v|Unsupported spec version/,
] as const;

/** The machine started from a boot image that does not belong to this release. */
export const bootImageNotOfRelease = createDiagnosticRule('boot-image-not-of-release', 'boot', (evidence) => {
  const lines = evidence.lines.filter(({ text }) => OTHER_BOOT_IMAGE_MESSAGES.some((pattern) => pattern.test(text)));
  return symptomsFromLines(
    lines,
    'certain',
    'openshift-install coreos print-stream-json | grep location; cat /etc/os-release',
  );
});

/** Messages of coreos-installer (coreos/coreos-installer#261, #803, #1463), the most informative last. */
const BUSY_DISK_MESSAGES = [
  /Partitions in use on \/dev\//,
  /checking for exclusive access to \/dev\/\S+.*(?:busy|in use)/,
  // Messages of util-linux, where users wipe or partition the disk by hand.
  /(?:Re-reading the partition table failed|probing initialization failed|contains a mounted filesystem).*(?:busy|mounted)/,
  /couldn't reread partition table|found busy partitions|BLKRRPART: Device or resource busy/,
] as const;
const PARTITION_USE = /^\s*\/dev\/\S+ (?:mounted on|is swap device|in use by) \S*/;

/** The installation disk is in use and cannot be written: by an old LVM, RAID or swap, or by the running system. */
export const diskBusy = createDiagnosticRule('disk-busy', 'boot', (evidence) => {
  const busyLines = evidence.lines.filter(({ text }) => BUSY_DISK_MESSAGES.some((pattern) => pattern.test(text)));
  const command = 'lsblk -o NAME,TYPE,MOUNTPOINTS; cat /proc/mdstat';
  const busyLinesByHost = Map.groupBy(busyLines, ({ host }) => host);
  return [...busyLinesByHost.values()].flatMap((hostLines) => {
    const useLines = evidence.lines.filter(({ host, text }) => host === hostLines[0]?.host && PARTITION_USE.test(text));
    const evidenceLines: EvidenceLine[] = hostLines.slice(-1).map((line) => {
      const useTexts = useLines.slice(0, 3).map(({ text }) => text.trim());
      return { ...line, text: [line.text.trim(), ...useTexts].join('; ') };
    });
    return symptomsFromLines(evidenceLines, 'certain', command);
  });
});

/**
 * GRUB and shim refuse to start a program (okd-project/okd#1938, #2136; coreos/fedora-coreos-tracker#1694, #1884), or
 * the firmware itself does (bootc-dev/bootc#2039). They verify signatures only with Secure Boot.
 */
export const shimSignatureBad = createDiagnosticRule('shim-signature-bad', 'boot', (evidence) =>
  symptomsFromLines(
    matchLogLines(
      evidence,
      /bad shim signature|\bhas invalid signature\.?$|shim_lock protocol not found|Verification failed: \(0x1A\) Security Violation|Secure Boot Violation|SBAT self-check failed|prohibited by secure boot policy|rejected (?:probably )?by Secure Boot|failed to verify with \*?ACCESS DENIED|Check Secure Boot Policy in Setup/i,
    ).filter(({ text }) => !/docker:\/\/|sigstore|\/v2\//.test(text)),
    'certain',
    'mokutil --sb-state; bootctl status',
  ),
);

/** Programs of RHEL 9 need x86-64-v2, those of RHEL 10 x86-64-v3: glibc stops each of them at once. */
const CPU_TOO_OLD = /CPU does not support x86-64-v\d|CPU ISA level is lower than required/;

/** The processor of the machine, or the CPU model that its hypervisor presents, is older than the release needs. */
export const cpuTooOld = createDiagnosticRule('cpu-too-old', 'requirements', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, CPU_TOO_OLD),
    'certain',
    'grep -m1 "model name" /proc/cpuinfo; /lib64/ld-linux-x86-64.so.2 --help | grep x86-64-v',
  ),
);

const ETCD_IN_NAME = /^[a-z0-9-]*etcd[a-z0-9-]*(?:\.|$)/i;
/** etcd stops in less than a minute; the script repeats its message every ten seconds. */
const MIN_WAIT_LINES = 6;

/**
 * bootstrap-in-place.sh waits until `crictl ps | grep etcd` finds nothing (openshift/installer#7304, OCPBUGS-15852).
 * This never happens if the names of other containers include a node name with "etcd".
 */
export const hostnameEtcd = createDiagnosticRule('hostname-etcd', 'installation', (evidence) => {
  const waitLines = matchLogLines(evidence, /^Waiting for etcd to go down/, MIN_WAIT_LINES);
  const name = findNameWithEtcd(evidence);
  if (waitLines.length === 0 || name === null) return [];
  const command = 'hostname; sudo crictl ps | grep etcd';
  const evidenceText = `${waitLines.at(-1)?.source}: Waiting for etcd to go down (${waitLines.length}×); host name ${name}`;
  return [createSymptom('certain', name, evidenceText, command)];
});

/** Finds the name with "etcd": of the machine itself, in the design, or of a container other than etcd's. */
function findNameWithEtcd({ design, lines }: Evidence): string | null {
  const plannedNames = design !== null && isSingleNode(design.topology) ? design.nodes.map((node) => node.name) : [];
  const observedNames = lines.flatMap(({ host, text }) => [
    host ?? '',
    /^hostname: (\S+)$/.exec(text)?.[1] ?? '',
    // `crictl ps` lists the pod last: "kube-apiserver-operator-… kube-scheduler-etcd-lab".
    /\b(?:kube-(?:apiserver|scheduler|controller-manager)|etcd)-(\S*etcd\S*)\s*$/.exec(text)?.[1] ?? '',
  ]);
  return (
    [...observedNames, ...plannedNames].find((memberName) => ETCD_IN_NAME.test(memberName) && memberName !== 'etcd') ??
    null
  );
}

/** Sources of the programs of the release while the bootstrap starts them. */
const BOOTSTRAP_PROGRAM = /bootkube|release-image|node-image|bootstrap|\.(?:log|txt)$/;
/** An installer that was built without a release points to the registry of the CI (okd-project/okd#2231). */
const UNSTAMPED_RELEASE = /registry\.(?:svc\.)?ci\.openshift\.org\/origin\/release:[\w.-]+/;
/** The parts of a release are of different versions, or some are missing (okd#2293, #507). */
const MIXED_RELEASE_ERRORS =
  /^(?:Error: )?unknown (?:shorthand )?flag: |Unknown name requested, could not find \S+ in UpdatePayload|(?:does not contain|is not) a (?:valid )?release(?: image| payload)|image-references: (?:no such file|file does not exist)/;

/** The release itself, or the build of openshift-install, is at fault: its parts do not belong together. */
export const releaseBroken = createDiagnosticRule('release-broken', 'installation', (evidence): Symptom[] => {
  const unstampedLines = matchLogLines(evidence, UNSTAMPED_RELEASE).filter(
    ({ text }) =>
      /manifest unknown|not found|unauthorized|Pull failed/i.test(text) && !/Mirrors also failed/.test(text),
  );
  const mixedLines = matchLogLines(evidence, MIXED_RELEASE_ERRORS).filter(({ source }) =>
    BOOTSTRAP_PROGRAM.test(source),
  );
  const snapshotLines = matchLogLines(evidence, /\b0\.0\.1-snapshot\b/).filter(({ source }) =>
    /clusteroperator/.test(source),
  );
  const command = 'openshift-install version; oc adm release info IMAGE';
  return [
    ...symptomsFromLines(unstampedLines.slice(-1), 'certain', command),
    ...symptomsFromLines(mixedLines.slice(-1), 'certain', command),
    ...symptomsFromLines(snapshotLines.slice(-1), 'likely', command),
  ];
});
