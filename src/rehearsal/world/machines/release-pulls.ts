import { SECOND } from '../../../platform/clock.ts';
import { RELEASE_REPOSITORY } from '../../site/images.ts';
import { UNATTACHED } from '../network/attachment.ts';
import { findPullError } from '../network/registry-access.ts';
import { parseIgnition } from './ignition.ts';
import type { MachineContext } from './machine-context.ts';

const RETRY_DELAY = 10 * SECOND;
const CREDENTIALS_PATH = '/root/.docker/config.json';

/** release-image.service of the bootstrap node: pulls the release image, and retries until it succeeds. */
export async function pullReleaseImage(machine: MachineContext): Promise<void> {
  const { world, state, print, sleep } = machine;
  const role = parseIgnition(state.disk?.ignition ?? state.live ?? '');
  const credentials = role.kind === 'bootstrap' ? (role.files.get(CREDENTIALS_PATH) ?? null) : null;
  const image = getReleaseImage(machine);
  for (;;) {
    print(`release-image.service: Pulling ${image}...`);
    const problem = findPullError(world, state.lease ?? UNATTACHED, image, credentials);
    if (problem === null) return;
    print(`release-image.service: Error: ${problem}`);
    print(`release-image.service: Pull failed. Retrying ${image}...`);
    await sleep(RETRY_DELAY);
  }
}

/** The first boot of a node: its operating system also comes from the release. */
export async function rebaseToRelease(machine: MachineContext): Promise<void> {
  const { world, state, print, sleep } = machine;
  for (;;) {
    const problem = findPullError(world, state.lease ?? UNATTACHED, getReleaseImage(machine), null);
    if (problem === null) return;
    print(`machine-config-daemon-firstboot.service: error: ${problem}`);
    await sleep(RETRY_DELAY);
  }
}

function getReleaseImage({ world }: MachineContext): string {
  const { release, design } = world;
  return `${RELEASE_REPOSITORY}:${release.version}-${design.openshift.architecture}`;
}
