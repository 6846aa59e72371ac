import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import { ago, booting, bootstrapping, complete, lines, times, withCluster } from './base-evidence.ts';
import type { RuleCase } from './rule-case.ts';

const withLines = (source: string, ...texts: readonly string[]): Evidence => ({
  ...booting,
  lines: lines(source, ...texts),
});
const withNamedHost = (host: string, ...texts: readonly string[]): Evidence => ({
  ...bootstrapping,
  lines: texts.map((text) => ({ source: 'bootkube', host, text, at: ago(1) })),
});
const WAITS = times(6, 'Waiting for etcd to go down');
const CVO_ERROR =
  'ReleaseAccepted=False RetrievePayload: The update cannot be verified: unable to verify sha256:ab against keyrings: verifier-public-key-redhat';

/**
 * Cases of boot images, disks, firmware, processors and releases: wordings of public threads, with their sources in the
 * rules.
 */
export const BOOT_IMAGE_CASES: readonly RuleCase[] = [
  [
    'boot-image-not-of-release',
    [
      'Expected single docker ref, found:',
      'error: Remounting /sysroot read-write: Permission denied',
      "touch: cannot touch '/usr/.test': Read-only file system",
      '/usr/local/bin/bootkube.sh: line 85: oc: command not found',
      "sed: can't read /etc/crio/crio.conf: No such file or directory",
      'error: Invalid refspec ostree-unverified-registry:quay.io/okd/content@sha256:ab',
      '/dev/md126 has unsupported feature(s): FEATURE_C12',
      'failed to fetch config: unsupported config version',
      "couldn't convert config for req: {master 0xc0}, error: failed to convert config from spec v3.2 to v2.2",
    ].map((text) => [withLines('console.log', text), 'certain']),
    [
      // Fedora CoreOS has no oc of its own: the script falls back to podman (okd-project/okd#566).
      withLines('release-image', 'ionice: failed to execute oc: No such file or directory'),
      withLines('bootkube', '/usr/local/bin/bootkube.sh: line 12: retrying'),
    ],
  ],
  [
    'shim-signature-bad',
    [
      'error: ../../grub-core/kern/efi/sb.c:182:bad shim signature',
      'Verification failed: (0x1A) Security Violation',
    ].map((text) => [withLines('console.log', text), 'certain']),
    [withLines('crio', 'docker://mirror.example.com/x has invalid signature')],
  ],
  [
    'cpu-too-old',
    [[withLines('console.log', 'Fatal glibc error: CPU does not support x86-64-v3'), 'certain']],
    [withLines('kernel', 'x86/CPU: Model not found in latest microcode list')],
  ],
  [
    'disk-busy',
    [
      [
        withLines('console.log', 'Error: checking for exclusive access to /dev/sda', 'found busy partitions'),
        'certain',
      ],
      [withLines('console.log', "Caused by: couldn't reread partition table: device is in use"), 'certain'],
    ],
    [withLines('console.log', 'Error: checking for exclusive access to /dev/sda', 'opening /dev/sda')],
  ],
  [
    'hostname-etcd',
    [[withNamedHost('etcd-lab', ...WAITS), 'certain']],
    [withNamedHost('etcd-lab', ...WAITS.slice(3)), withNamedHost('sno', ...WAITS), withNamedHost('etcd-lab')],
  ],
  [
    'signatures-missing',
    [
      [withLines('crio', 'Source image rejected: A signature was required, but no signature exists'), 'certain'],
      [
        withCluster(complete, {
          unhealthyObjects: [{ kind: 'ClusterVersion', name: 'version', message: CVO_ERROR, since: ago(9) }],
        }),
        'certain',
      ],
    ],
    [withLines('crio', 'Source image rejected: Running image docker://m.example.com/x is rejected by policy.')],
  ],
  [
    'release-broken',
    [
      [withLines('bootkube', 'Error: unknown flag: --operand-kubernetes-version'), 'certain'],
      [
        withLines(
          'release-image',
          'Error: initializing source docker://registry.ci.openshift.org/origin/release:4.17: reading manifest 4.17 in registry.ci.openshift.org/origin/release: manifest unknown',
        ),
        'certain',
      ],
    ],
    [
      withLines('kubelet', 'Error: unknown flag: --container-runtime'),
      withLines('release-image', 'reading manifest sha256:ab in mirror.example.com:5000/ocp/release: manifest unknown'),
    ],
  ],
  [
    'dhcp-options-wrong',
    [
      [
        withLines(
          'release-image',
          ...times(3, 'lookup quay.io on [::1]:53: read udp [::1]:46964->[::1]:53: read: connection refused'),
        ),
        'certain',
      ],
    ],
    [
      withLines('release-image', 'lookup quay.io on [::1]:53: read udp [::1]:1->[::1]:53: read: connection refused'),
      withLines('kubelet', ...times(3, 'dial tcp [::1]:6443: connect: connection refused')),
    ],
  ],
];
