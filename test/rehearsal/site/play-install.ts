import type { Design } from '../../../src/design/model.ts';
import type { FaultId } from '../../../src/rehearsal/site-client.ts';
import { makeIgnition, type Play, play } from './play.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** Plays an installation up to the removal of the bootstrap node, with all other nodes powered on. */
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
  const waited = await game.install('wait-for', 'bootstrap-complete');
  if (waited.code !== 0) {
    await game.close();
    throw new Error(waited.stderr);
  }
  await game.putInPlace('bootstrap-removed');
  await hands.powerOff(bootstrap?.name ?? '');
  for (const { name, role } of others) if (role !== 'control-plane') await hands.powerOn(name);
  return game;
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
  return async () => {
    stopping.abort();
    await running;
  };
}
