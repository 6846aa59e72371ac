import type { Design } from '../../../src/design/model.ts';
import type { FaultId } from '../../../src/rehearsal/site-client.ts';
import { makeIgnition, type Play, play, until } from './play.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** Plays an installation up to the removal of the bootstrap node, with all other nodes powered on and known to the load balancer. */
export async function playBootstrap(
  design: Design,
  speed: number,
  faults: readonly FaultId[] = [],
  options = { mastersSchedulable: false },
): Promise<Play> {
  const game = await play({ design, speed, faults });
  await makeIgnition(game, options.mastersSchedulable);
  const { hands } = game.site;
  const [bootstrap, ...others] = design.nodes;
  const masters = others.filter(({ role }) => role === 'control-plane');
  for (const { name } of [...(bootstrap ? [bootstrap] : []), ...masters]) await hands.powerOn(name);
  const waited = await waitedFor(game, 'bootstrap-complete');
  if (waited.code !== 0) {
    await game.close();
    throw new Error(waited.stderr);
  }
  await game.putInPlace('bootstrap-removed');
  await hands.powerOff(bootstrap?.name ?? '');
  // Infra nodes are compute nodes at first: routers go to the nodes that are ready first, and have to be reachable there.
  if (others.some(({ role }) => role === 'infra')) await game.putInPlace('infra-added');
  for (const { name, role } of others) if (role !== 'control-plane') await hands.powerOn(name);
  return game;
}

/** What the installer says when its patience is over. */
const OUT_OF_TIME = { 'bootstrap-complete': 5, 'install-complete': 6 };

/**
 * Waits as a person does: again where the installer gave up. At hundreds of times the speed a busy machine takes longer than it
 * has patience for. Ten times it is more than that.
 */
export async function waitedFor(game: Play, what: keyof typeof OUT_OF_TIME) {
  let waited = await game.install('wait-for', what);
  for (let again = 0; again < 9 && waited.code === OUT_OF_TIME[what]; again += 1) {
    waited = await game.install('wait-for', what);
  }
  return waited;
}

/** The installer waits for operators, and not for the last node: one that nobody approves any more stays outside for ever. */
export async function everyNode(game: Play): Promise<void> {
  const count = game.design.nodes.filter(({ role }) => role !== 'bootstrap').length;
  await until('every node', async () => (await game.api('/api/v1/nodes')).body.items.length === count);
}

/** Approves what `isWanted` says until the returned function is called: a person who looks every 20 s. */
export function approve(game: Play, isWanted: (name: string) => boolean = () => true): () => Promise<void> {
  const stopping = new AbortController();
  const run = async () => {
    while (!stopping.signal.aborted) {
      const { body } = await game.api(REQUESTS);
      for (const request of body.items ?? []) {
        if (request.status?.conditions || !isWanted(request.metadata.name)) continue;
        const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
        await game.api(`${REQUESTS}/${request.metadata.name}/approval`, 'PUT', { ...request, status: { conditions } });
      }
      await game.site.clock.sleep(20_000);
    }
  };
  const running = run();
  // Who stops it hears of it: a play that failed before has a reason of its own.
  running.catch(() => undefined);
  return async () => {
    stopping.abort();
    await running;
  };
}
