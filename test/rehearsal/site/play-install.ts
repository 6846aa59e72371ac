import { runsEtcd } from '../../../src/design/derived-facts.ts';
import type { Design } from '../../../src/design/model.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { createIgnition, type SimulatedInstallation, startSimulatedInstallation, waitUntil } from './play.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/**
 * Plays an installation up to the removal of the bootstrap node, with all other nodes powered on and known to the load
 * balancer.
 */
export async function bootstrapSimulatedCluster(
  design: Design,
  speed: number,
  faults: readonly FaultId[] = [],
  options = { mastersSchedulable: false },
): Promise<SimulatedInstallation> {
  const installation = await startSimulatedInstallation({ design, speed, faults });
  await createIgnition(installation, options.mastersSchedulable);
  const { manualActions } = installation.site;
  const [bootstrap, ...others] = design.nodes;
  const masters = others.filter(runsEtcd);
  for (const { name } of [...(bootstrap ? [bootstrap] : []), ...masters]) await manualActions.powerOn(name);
  const result = await waitForInstaller(installation, 'bootstrap-complete');
  if (result.code !== 0) {
    await installation.close();
    throw new Error(result.stderr);
  }
  await installation.putInPlace('bootstrap-removed');
  await manualActions.powerOff(bootstrap?.name ?? '');
  // Infra nodes start as compute nodes. Routers run on the first nodes that are Ready and must be reachable there.
  if (others.some(({ role }) => role === 'infra')) await installation.putInPlace('infra-added');
  for (const node of others) if (!runsEtcd(node)) await manualActions.powerOn(node.name);
  return installation;
}

/** Exit codes of the installer after a timeout. */
const TIMEOUT_EXIT_CODES = { 'bootstrap-complete': 5, 'install-complete': 6 };

/**
 * Runs `wait-for` of the installer, and again after each timeout, ten times at most. At hundreds of times the speed, a
 * busy machine may need longer than one timeout.
 */
export async function waitForInstaller(installation: SimulatedInstallation, target: keyof typeof TIMEOUT_EXIT_CODES) {
  let result = await installation.install('wait-for', target);
  for (let attempt = 0; attempt < 9 && result.code === TIMEOUT_EXIT_CODES[target]; attempt += 1) {
    result = await installation.install('wait-for', target);
  }
  return result;
}

/**
 * Waits until all nodes have joined. The installer waits for operators only: a node whose requests are no longer
 * approved would never join.
 */
export async function waitForAllNodes(installation: SimulatedInstallation): Promise<void> {
  const count = installation.design.nodes.filter(({ role }) => role !== 'bootstrap').length;
  await waitUntil('every node', async () => (await installation.api('/api/v1/nodes')).body.items.length === count);
}

/** Approves the requests that `isWanted` selects every 20 s, until the returned function is called. */
export function startCsrApprover(
  installation: SimulatedInstallation,
  isWanted: (name: string) => boolean = () => true,
): () => Promise<void> {
  const controller = new AbortController();
  const run = async () => {
    while (!controller.signal.aborted) {
      const { body } = await installation.api(REQUESTS);
      for (const request of body.items ?? []) {
        if (request.status?.conditions || !isWanted(request.metadata.name)) continue;
        const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
        await installation.api(`${REQUESTS}/${request.metadata.name}/approval`, 'PUT', {
          ...request,
          status: { conditions },
        });
      }
      await installation.site.clock.sleep(20_000);
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
