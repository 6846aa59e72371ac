import template from '../../../templates/fetch.sh.eta';
import type { Architecture } from '../../design/model.ts';
import { GO_ARCHITECTURES } from '../../design/names.ts';
import { versionProfile } from '../../design/versions.ts';
import type { ImageSource } from '../boot/images.ts';
import { mirrorImageNames } from '../boot/images.ts';
import { renderTemplate } from '../shared/render.ts';

/** Selection of the downloads. */
export interface FetchPlan {
  /** openshift-install and oc. */
  readonly programs: boolean;
  /** The installer for clusters in FIPS mode, which is another build. */
  readonly isFips?: boolean;
  /** Images with the locations that the installer gives; `mirror`: no installer has them; null: no images. */
  readonly images: readonly ImageSource[] | 'mirror' | null;
}

const MIRROR = 'https://mirror.openshift.com/pub/openshift-v4';

/** Returns the directory of the mirror with the programs of a version. */
function clientsUrl(version: string, architecture: Architecture): string {
  // "4.18" means the newest 4.18 that is generally available; the mirror calls it stable-4.18.
  const channel = version.split('.').length > 2 ? version : `stable-${version}`;
  return `${MIRROR}/${architecture}/clients/ocp/${channel}`;
}

/**
 * Renders the script that downloads programs and images into its own directory, and checks them. It needs only curl and
 * tar, so that it also runs on another machine when the bastion does not reach the internet.
 */
export function renderFetchScript(version: string, architecture: Architecture, plan: FetchPlan): string {
  const { minor } = versionProfile(version);
  const names = mirrorImageNames(version, architecture);
  const isFromMirror = plan.images === 'mirror';
  const imageNames = [names.kernel, names.initramfs, names.rootfs, names.metal].filter((name) => name !== null);
  return renderTemplate(template, {
    version,
    architecture,
    fipsInstaller: plan.isFips ? `openshift-install-rhel9-${GO_ARCHITECTURES[architecture]}` : null,
    clients: plan.programs ? clientsUrl(version, architecture) : null,
    images: Array.isArray(plan.images) ? plan.images : [],
    mirror: isFromMirror ? `${MIRROR}/${architecture}/dependencies/rhcos/${minor}/latest` : null,
    // The mirror's lists have the names with the build and, for some versions, those without.
    endings: imageNames.map((name) => name.slice('rhcos-'.length)),
  });
}
