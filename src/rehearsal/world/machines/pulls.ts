import { SECOND } from '../../../ports/clock.ts';
import { RELEASES } from '../../site/images.ts';
import { UNATTACHED } from '../network/attachment.ts';
import { pullProblem } from '../network/outside.ts';
import { readIgnition } from './ignition.ts';
import type { MachineContext } from './machine-context.ts';

const RETRY = 10 * SECOND;
const CREDENTIALS = '/root/.docker/config.json';

/** release-image.service of the bootstrap node: asks for the release until it is there. */
export async function pullForEver(machine: MachineContext): Promise<void> {
  const { world, state, print, sleep } = machine;
  const role = readIgnition(state.disk?.ignition ?? state.live ?? '');
  const credentials = role.kind === 'bootstrap' ? (role.files.get(CREDENTIALS) ?? null) : null;
  const image = releaseImage(machine);
  for (;;) {
    print(`release-image.service: Pulling ${image}...`);
    const problem = pullProblem(world, state.lease ?? UNATTACHED, image, credentials);
    if (problem === null) return;
    print(`release-image.service: Error: ${problem}`);
    print(`release-image.service: Pull failed. Retrying ${image}...`);
    await sleep(RETRY);
  }
}

/** The first boot of a node: its operating system comes from the release too. */
export async function rebaseForEver(machine: MachineContext): Promise<void> {
  const { world, state, print, sleep } = machine;
  for (;;) {
    const problem = pullProblem(world, state.lease ?? UNATTACHED, releaseImage(machine), null);
    if (problem === null) return;
    print(`machine-config-daemon-firstboot.service: error: ${problem}`);
    await sleep(RETRY);
  }
}

function releaseImage({ world }: MachineContext): string {
  const { release, design } = world;
  return `${RELEASES}:${release.version}-${design.openshift.architecture}`;
}
