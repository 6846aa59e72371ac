import { bootkube, noApi, unreachableMasters } from '../../../steps/diagnose/scenes/log-bundles.ts';
import { formatJournal, formatServiceRecord } from '../../../support/bundle-text.ts';
import { createLogBundle } from '../../../support/log-bundle.ts';
import { BS, bundle, design, type FieldCase, formatPasted, text, times } from '../field-case.ts';

const RELEASE = 'quay.io/okd/scos-content@sha256:9c1d';
const REFS = [
  'Image contains non-ostree compatible file paths: secrets: 2',
  `Wrote: ostree-unverified-registry:${RELEASE} => 6b14`,
  'Expected single docker ref, found:',
  'ostree/container/image/docker_3A__2F__2F_quay_2E_io/fedora/fedora-coreos_3A_stable',
  'ostree/container/image/docker_3A__2F__2F_quay_2E_io/okd/scos-content_40_sha256_3A_9c1d',
];
const nothingServed = { ...unreachableMasters('Connection refused'), ...noApi };
const OC_MISSING = [
  'Moving OpenShift manifests in with the rest of them',
  '/usr/local/bin/bootkube.sh: line 85: oc: command not found',
];
const FAILED_UNIT = [
  'bootkube.service: Main process exited, code=exited, status=127/n/a',
  "bootkube.service: Failed with result 'exit-code'.",
];

/** Cases of boot images, firmware and disks. */
export const BOOT_IMAGE_FIELD_CASES: readonly FieldCase[] = [
  {
    id: 'F27',
    source: 'https://github.com/okd-project/okd/issues/2222',
    symptom: 'node-image-pull finds two references',
    cause: 'the bootstrap started from Fedora CoreOS, and the release is CentOS Stream CoreOS',
    expected: ['boot-image-not-of-release'],
    evidence: [
      bundle(
        createLogBundle(design, {
          ...nothingServed,
          'bootstrap/services/bootkube.json': null,
          'bootstrap/services/node-image-pull.json': formatServiceRecord([]),
          'bootstrap/journals/bootkube.log': '-- No entries --\n',
          'bootstrap/journals/node-image-pull.log': formatJournal(BS, 'node-image-pull.sh[3265]', times(4, ...REFS)),
        }),
      ),
      text(...formatPasted('okd-bootstrap', 'node-image-pull.sh[3265]', ...REFS)),
    ],
  },
  {
    id: 'F29',
    source: 'https://github.com/okd-project/okd/issues/2018',
    symptom: 'release-image-pivot cannot remount /sysroot',
    cause: 'the live image is Fedora CoreOS; another image helped',
    expected: ['boot-image-not-of-release'],
    evidence: [
      bundle(
        createLogBundle(design, {
          ...nothingServed,
          'bootstrap/services/bootkube.json': null,
          'bootstrap/services/release-image-pivot.json': formatServiceRecord([], {
            stage: 'rebase-to-okd-os-image',
            message: 'error: Remounting /sysroot read-write: Permission denied',
          }),
          'bootstrap/journals/bootkube.log': '-- No entries --\n',
          'bootstrap/journals/release-image-pivot.log': formatJournal(
            BS,
            'bootstrap-pivot.sh[25771]',
            times(6, 'error: Remounting /sysroot read-write: Permission denied'),
          ),
        }),
      ),
      text(
        ...formatPasted(
          'okd5-master1',
          'bootstrap-pivot.sh[25771]',
          '+ rpm-ostree rebase --experimental ostree-unverified-registry:quay.io/okd/scos-content@sha256:9c1d',
          'error: Remounting /sysroot read-write: Permission denied',
        ),
      ),
    ],
  },
  {
    id: 'F31',
    source: 'https://github.com/okd-project/okd/issues/2077',
    symptom: 'bad shim signature; the older entry of the boot menu starts, and bootkube does not find oc',
    cause: 'the boot image is of another system, and Secure Boot is on',
    expected: ['boot-image-not-of-release'],
    evidence: [
      text(
        'error: ../../grub-core/kern/efi/sb.c:182:bad shim signature.',
        'error: ../../grub-core/loader/i386/efi/linux.c:258:you need to load the kernel first.',
        '',
        ...formatPasted('bootstrap.domain.local', 'bootkube.sh[3221]', ...OC_MISSING),
        ...formatPasted('bootstrap.domain.local', 'systemd[1]', ...FAILED_UNIT),
      ),
      bundle(bootkube('cvo-bootstrap', [], times(6, ...OC_MISSING), nothingServed)),
    ],
  },
  {
    id: 'F33',
    source: 'https://github.com/okd-project/okd/issues/2041',
    symptom: 'the file system check of /boot refuses features of ext4',
    cause: 'the boot image made /boot with features that the release does not know',
    expected: ['boot-image-not-of-release'],
    evidence: [
      text(
        ...formatPasted(
          'server.mydomain.com',
          'systemd-fsck[2239]',
          'boot: clean, 369/98304 files, 144760/393152 blocks',
        ),
        '-- Boot 90dd3e7c8bec47b4826720c75309634f --',
        ...formatPasted(
          'localhost',
          'systemd-fsck[1047]',
          '/dev/md126 has unsupported feature(s): FEATURE_C12',
          'e2fsck: Get a newer version of e2fsck!',
          'boot: ********** WARNING: Filesystem still has errors **********',
          'fsck failed with exit status 12.',
        ),
      ),
      text("[   11.402113] EXT4-fs (sda3): couldn't mount RDWR because of unsupported optional features (400)"),
    ],
  },
  {
    id: 'F39',
    source: 'https://github.com/coreos/coreos-installer/issues/261',
    symptom: 'coreos-installer finds the disk in use',
    cause: 'an old LVM or RAID on the disk was started',
    expected: ['disk-busy'],
    evidence: [
      text('checking for exclusive access to /dev/sda', "caused by: couldn't reread partition table: device is in use"),
      text(
        'Installing Fedora CoreOS 32.20200601.3.0 x86_64 (512-byte sectors)',
        'Partitions in use on /dev/sda:',
        '    /dev/sda6 in use by /dev/dm-0',
        '    /dev/sda8 in use by /dev/md127',
        'Error: checking for exclusive access to /dev/sda',
        "Caused by: couldn't reread partition table: device is in use",
        'Caused by: EBUSY: Device or resource busy',
      ),
      text(
        '[   23.120001] coreos-installer-service[851]: coreos-installer install /dev/sda --ignition-url http://172.16.0.110:8080/ignition/master.ign --insecure-ignition',
        '[   24.301113] coreos-installer-service[862]: Error: checking for exclusive access to /dev/sda',
        '[   24.301200] coreos-installer-service[862]: Caused by:',
        '[   24.301201] coreos-installer-service[862]:     found busy partitions',
        '[   24.311877] systemd[1]: coreos-installer.service: Main process exited, code=exited, status=1/FAILURE',
      ),
    ],
  },
];
