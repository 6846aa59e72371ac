import template from '../../../templates/fetch.sh.eta';
import type { Architecture } from '../../design/model.ts';
import { GO_NAMES } from '../../design/names.ts';
import { versionProfile } from '../../design/versions.ts';
import type { ImageSource } from '../boot/images.ts';
import { mirrorImageNames } from '../boot/images.ts';
import { render } from '../shared/render.ts';

/** What is to be fetched. */
export interface FetchPlan {
  /** openshift-install and oc. */
  readonly programs: boolean;
  /** The installer for clusters in FIPS mode, which is another build. */
  readonly isFips?: boolean;
  /** The images where the installer says where they lie; `mirror` where there is no installer that knows; null for none. */
  readonly images: readonly ImageSource[] | 'mirror' | null;
}

const MIRROR = 'https://mirror.openshift.com/pub/openshift-v4';

/** The directory of the mirror with the programs of a version. */
function clientsUrl(version: string, architecture: Architecture): string {
  // "4.18" means the newest 4.18 that is offered to everybody; the mirror calls it stable-4.18.
  const channel = version.split('.').length > 2 ? version : `stable-${version}`;
  return `${MIRROR}/${architecture}/clients/ocp/${channel}`;
}

/**
 * The script that fetches programs and images into its own directory, and checks them. It needs nothing but curl and tar, so
 * that it also runs on another machine, where the bastion does not reach the internet.
 */
export function fetchScript(version: string, architecture: Architecture, plan: FetchPlan): string {
  const { minor } = versionProfile(version);
  const names = mirrorImageNames(version, architecture);
  const isFromMirror = plan.images === 'mirror';
  const wanted = [names.kernel, names.initramfs, names.rootfs, names.metal].filter((name) => name !== null);
  return render(template, {
    version,
    architecture,
    fipsInstaller: plan.isFips ? `openshift-install-rhel9-${GO_NAMES[architecture]}` : null,
    clients: plan.programs ? clientsUrl(version, architecture) : null,
    images: Array.isArray(plan.images) ? plan.images : [],
    mirror: isFromMirror ? `${MIRROR}/${architecture}/dependencies/rhcos/${minor}/latest` : null,
    // The mirror's lists have the names with the build and, for some versions, those without.
    endings: wanted.map((name) => name.slice('rhcos-'.length)),
  });
}
