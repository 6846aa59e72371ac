import type { Architecture } from '../../design/choices.ts';

/** Metadata of the release that an openshift-install installs. */
export interface ReleaseMetadata {
  /** `4.18.11`, or `4.20.0-okd-scos.3` for OKD */
  readonly version: string;
  /** `v1.31.7`, as the API's /version gives it. */
  readonly kubernetesVersion: string;
  /** The release image: `quay.io/openshift-release-dev/ocp-release:4.18.11-x86_64`. */
  readonly image: string;
  /** The repository of the images in the release. */
  readonly contentRepository: string;
  /** Whether the images can be pulled without a login: those of OKD. */
  readonly isPublic: boolean;
  /** `stable-4.18` */
  readonly channel: string;
  /** The operating system as a node reports it, without its build. */
  readonly os: { readonly id: string; readonly name: string };
  readonly rhcos: RhcosRelease;
}

export interface RhcosRelease {
  /** `rhcos-4.18`, as openshift-install names the stream. */
  readonly stream: string;
  /** `418.94.202410090804-0` */
  readonly build: string;
  /** URL of the build, without a trailing slash. */
  readonly url: string;
  /** File names; `rootfs` is null before 4.6. */
  readonly kernel: string;
  readonly initramfs: string;
  readonly rootfs: string | null;
  readonly metal: string;
  readonly iso: string;
}

const RHCOS_STREAMS = 'https://rhcos.mirror.openshift.com/art/storage/prod/streams';

/**
 * Derives the metadata of a release.
 * @param version `4.18`, `4.18.11` or `4.20.0-okd-scos.3`; the default patch number is 11
 */
export function deriveReleaseMetadata(version: string, architecture: Architecture): ReleaseMetadata {
  const [release = '', ...okdSuffix] = version.split('-');
  const [major = 4, minor = 18, patch = 11] = release.split('.').map(Number);
  // The minor version of Kubernetes rises by one with each minor version of OpenShift; 5.0 follows 4.23.
  const kubernetesVersion = `v1.${13 + (major >= 5 ? 23 + minor : minor)}.7`;
  return okdSuffix.length > 0
    ? {
        kubernetesVersion,
        ...deriveOkdRelease(version),
        rhcos: deriveScosRelease(major === 4 && minor < 20 ? 9 : 10, architecture),
      }
    : {
        kubernetesVersion,
        version: `${major}.${minor}.${patch}`,
        image: `quay.io/openshift-release-dev/ocp-release:${major}.${minor}.${patch}-${architecture}`,
        contentRepository: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
        isPublic: false,
        channel: `stable-${major}.${minor}`,
        os: { id: 'rhcos', name: 'Red Hat Enterprise Linux CoreOS' },
        rhcos: deriveRhcosRelease(major, minor, architecture),
      };
}

/**
 * Derives the facts of an OKD release. The repositories are those of okd-project/okd-release-infra; clusters of 4.20
 * report this channel and operating system.
 */
const deriveOkdRelease = (version: string) => ({
  version,
  image: `quay.io/okd/scos-release:${version}`,
  contentRepository: 'quay.io/okd/scos-content',
  isPublic: true,
  channel: 'stable-scos-4',
  os: { id: 'scos', name: 'CentOS Stream CoreOS' },
});

/** Derives names and URLs as in openshift/installer data/data/coreos/scos.json: c9s in 4.19, c10s from 4.20 on. */
function deriveScosRelease(stream: 9 | 10, arch: Architecture): RhcosRelease {
  const build = stream === 9 ? '9.0.20250515-0' : '10.0.20251103-0';
  const formatFileName = (suffix: string) => `scos-${build}-${suffix}`;
  return {
    stream: `c${stream}s`,
    build,
    url: `${RHCOS_STREAMS}/c${stream}s/builds/${build}/${arch}`,
    kernel: formatFileName(`live-kernel.${arch}`),
    initramfs: formatFileName(`live-initramfs.${arch}.img`),
    rootfs: formatFileName(`live-rootfs.${arch}.img`),
    metal: formatFileName(`metal.${arch}.raw.gz`),
    iso: formatFileName(`live-iso.${arch}.iso`),
  };
}

/** Derives names and URLs as in openshift/installer data/data/coreos/rhcos.json; they changed at 4.6 and at 4.19. */
function deriveRhcosRelease(major: number, minor: number, arch: Architecture): RhcosRelease {
  const isBefore46 = major === 4 && minor < 6;
  const isRhelNumbered = major > 4 || minor >= 19;
  const build = isRhelNumbered
    ? `${major > 4 ? '10.2' : '9.6'}.20260423-0`
    : `${major}${minor}.${minor >= 13 ? '94' : '86'}.202410090804-0`;
  const stream = isRhelNumbered ? `rhel-${build.split('.').slice(0, 2).join('.')}` : `${major}.${minor}-9.4`;
  const kind = isBefore46 ? 'installer' : 'live';
  const formatFileName = (suffix: string) => `rhcos-${build}-${suffix}`;
  return {
    stream: `rhcos-${major}.${minor}`,
    build,
    url: `${RHCOS_STREAMS}/${stream}/builds/${build}/${arch}`,
    kernel: formatFileName(isRhelNumbered ? `${kind}-kernel.${arch}` : `${kind}-kernel-${arch}`),
    initramfs: formatFileName(`${kind}-initramfs.${arch}.img`),
    rootfs: isBefore46 ? null : formatFileName(`live-rootfs.${arch}.img`),
    metal: formatFileName(`metal.${arch}.raw.gz`),
    iso: formatFileName(isRhelNumbered ? `live-iso.${arch}.iso` : `${kind}.${arch}.iso`),
  };
}
