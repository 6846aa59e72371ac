import type { Design } from '../../../src/design/model.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { createIgnition, type Play, play, waitUntil } from './play.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** Plays an installation up to the removal of the bootstrap node, with all other nodes powered on and known to the load balancer. */
export async function playBootstrap(
  design: Design,
  speed: number,
  faults: readonly FaultId[] = [],
  options = { mastersSchedulable: false },
): Promise<Play> {
  const game = await play({ design, speed, faults });
  await createIgnition(game, options.mastersSchedulable);
  const { manualActions } = game.site;
  const [bootstrap, ...others] = design.nodes;
  const masters = others.filter(({ role }) => role === 'control-plane');
  for (const { name } of [...(bootstrap ? [bootstrap] : []), ...masters]) await manualActions.powerOn(name);
  const result = await waitForInstaller(game, 'bootstrap-complete');
  if (result.code !== 0) {
    await game.close();
    throw new Error(result.stderr);
  }
  await game.putInPlace('bootstrap-removed');
  await manualActions.powerOff(bootstrap?.name ?? '');
  // Infra nodes start as compute nodes. Routers run on the first nodes that are Ready and must be reachable there.
  if (others.some(({ role }) => role === 'infra')) await game.putInPlace('infra-added');
  for (const { name, role } of others) if (role !== 'control-plane') await manualActions.powerOn(name);
  return game;
}

/** Exit codes of the installer after a timeout. */
const TIMEOUT_EXIT_CODES = { 'bootstrap-complete': 5, 'install-complete': 6 };

/**
 * Runs `wait-for` of the installer, and again after each timeout, ten times at most. At hundreds of times the speed, a
 * busy machine may need longer than one timeout.
 */
export async function waitForInstaller(game: Play, target: keyof typeof TIMEOUT_EXIT_CODES) {
  let result = await game.install('wait-for', target);
  for (let attempt = 0; attempt < 9 && result.code === TIMEOUT_EXIT_CODES[target]; attempt += 1) {
    result = await game.install('wait-for', target);
  }
  return result;
}

/**
 * Waits until all nodes have joined. The installer waits for operators only: a node whose requests are no longer
 * approved would never join.
 */
export async function waitForAllNodes(game: Play): Promise<void> {
  const count = game.design.nodes.filter(({ role }) => role !== 'bootstrap').length;
  await waitUntil('every node', async () => (await game.api('/api/v1/nodes')).body.items.length === count);
}

/** Approves the requests that `isWanted` selects every 20 s, until the returned function is called. */
export function startCsrApprover(game: Play, isWanted: (name: string) => boolean = () => true): () => Promise<void> {
  const controller = new AbortController();
  const run = async () => {
    while (!controller.signal.aborted) {
      const { body } = await game.api(REQUESTS);
      for (const request of body.items ?? []) {
        if (request.status?.conditions || !isWanted(request.metadata.name)) continue;
        const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
        await game.api(`${REQUESTS}/${request.metadata.name}/approval`, 'PUT', { ...request, status: { conditions } });
      }
      await game.site.clock.sleep(20_000);
    }
  };
  const approvals = run();
  // The returned function reports the error. A rehearsal that failed earlier has its own reason.
  approvals.catch(() => undefined);
  return async () => {
    controller.abort();
    await approvals;
  };
}
