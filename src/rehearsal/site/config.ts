import type { Architecture } from '../../design/choices.ts';
import type { CloudName } from '../../design/example.ts';
import type { Design } from '../../design/model.ts';
import type { FaultId } from './faults.ts';

/** Configuration of a site, in SITE_DIR/config.json. */
export interface SiteConfig {
  /** Defines the physical machines; everything else comes from the installed files. */
  readonly design: Design;
  /** Cloud on which the cluster of the design runs already; omitted: the machines stand in a rack, switched off. */
  readonly cloud?: CloudName | null;
  readonly speed: number;
  readonly seed: number;
  readonly faults: readonly FaultId[];
  /** False: openshift-install and the images come from elsewhere; missing: they are there from the beginning. */
  readonly hasDownloads?: boolean;
  /** The program file of the stand-in openshift-install. */
  readonly standInProgram: string;
}

/** SITE_DIR/running.json: the process of the site, and its control socket. */
export interface RunningFile {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat: distinguishes our process from a later one with the same number. */
  readonly processStart: string;
  readonly controlSocket: string;
  /** Identity of the site's directory; a copy of the directory does not match it. */
  readonly home?: string | null;
}

/** Status of the site, for users and tests. Times are milliseconds of the site's clock. */
export interface SiteStatus {
  readonly now: number;
  /** 0: its time is halted. */
  readonly speed: number;
  readonly seed: number;
  readonly faults: readonly FaultId[];
  readonly machines: readonly MachineStatus[];
  readonly hosts: readonly HostStatus[];
  readonly api: { readonly isUp: boolean; readonly since: number | null };
  readonly isBootstrapComplete: boolean;
  /** Since when and why the world cannot be saved, for example on a full disk; null while it can. */
  readonly unsaved: { readonly since: number; readonly detail: string } | null;
}

interface MachineStatus {
  readonly name: string;
  readonly mac: string;
  readonly isOn: boolean;
  readonly stage: string;
  readonly since: number;
  /** The last line of its console. */
  readonly console: string;
}

export interface HostStatus {
  readonly name: string;
  readonly services: readonly { readonly name: string; readonly isRunning: boolean; readonly detail: string }[];
}

/** Facts about the release that an openshift-install installs. */
export interface ReleaseFacts {
  /** `4.18.11` */
  readonly version: string;
  /** `[4, 18]` */
  readonly minor: readonly [number, number];
  /** `v1.31.7`, as the API's /version gives it. */
  readonly kubernetes: string;
  readonly rhcos: RhcosRelease;
}

export interface RhcosRelease {
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
 * Derives the facts of a release.
 * @param version `4.18` or `4.18.11`; the default patch number is 11
 */
export function releaseFacts(version: string, architecture: Architecture): ReleaseFacts {
  const [major = 4, minor = 18, patch = 11] = version.split('.').map(Number);
  // Kubernetes moves by one with every minor version; 5.0 follows 4.23.
  const kubernetesMinor = 13 + (major >= 5 ? 23 + minor : minor);
  return {
    version: `${major}.${minor}.${patch}`,
    minor: [major, minor],
    kubernetes: `v1.${kubernetesMinor}.7`,
    rhcos: deriveRhcosRelease(major, minor, architecture),
  };
}

/** File names as in reference openshift-install.md and the streams; they changed at 4.6 and at 4.19. */
function deriveRhcosRelease(major: number, minor: number, arch: Architecture): RhcosRelease {
  const isOld = major === 4 && minor < 6;
  const isRhelNumbered = major > 4 || minor >= 19;
  const build = isRhelNumbered
    ? `${major > 4 ? '10.2' : '9.6'}.20260423-0`
    : `${major}${minor}.${minor >= 13 ? '94' : '86'}.202410090804-0`;
  const stream = isRhelNumbered ? `rhel-${build.split('.').slice(0, 2).join('.')}` : `${major}.${minor}-9.4`;
  const kind = isOld ? 'installer' : 'live';
  const name = (suffix: string) => `rhcos-${build}-${suffix}`;
  return {
    build,
    url: `${RHCOS_STREAMS}/${stream}/builds/${build}/${arch}`,
    kernel: name(isRhelNumbered ? `${kind}-kernel.${arch}` : `${kind}-kernel-${arch}`),
    initramfs: name(`${kind}-initramfs.${arch}.img`),
    rootfs: isOld ? null : name(`live-rootfs.${arch}.img`),
    metal: name(`metal.${arch}.raw.gz`),
    iso: name(isRhelNumbered ? `live-iso.${arch}.iso` : `${kind}.${arch}.iso`),
  };
}
