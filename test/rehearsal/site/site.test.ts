import { afterEach, expect, test } from 'vitest';
import { exampleSite } from '../../support/example-design.ts';
import { makeIgnition, type Play, play, until } from './play.ts';

let open: Play | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

test('the API comes up behind the load balancer after the bootstrap node was powered on', async () => {
  const game = await play({ design: exampleSite(), speed: 600 });
  open = game;
  await makeIgnition(game);
  await game.site.hands.powerOn('bs');
  await until('the API', async () => (await game.site.status()).api.isUp, 20_000);
  const version = await game.api('/version');
  expect(version.status).toBe(200);
  expect(version.body.gitVersion).toBe('v1.31.7');
  const map = await game.api('/api/v1/namespaces/kube-system/configmaps/bootstrap');
  expect(map.body.data).toEqual({ status: 'progress' });
});

test('a whole installation runs to its end, with the certificates of late nodes approved by hand', async () => {
  const game = await play({ design: exampleSite(), speed: 300 });
  open = game;
  await makeIgnition(game);
  const { hands, clock } = game.site;
  for (const name of ['bs', 'm1', 'm2', 'm3']) await hands.powerOn(name);
  const startedAt = clock.now();
  const bootstrap = await game.install('wait-for', 'bootstrap-complete', '--log-level', 'debug');
  expect(bootstrap.stderr).toContain('level=info msg=It is now safe to remove the bootstrap resources');
  expect(bootstrap.code).toBe(0);
  await game.putInPlace('bootstrap-removed');
  await hands.powerOff('bs');
  for (const name of ['w1', 'w2', 'w3', 'i1', 'i2', 'i3']) await hands.powerOn(name);
  const approving = new AbortController();
  const approver = approveAll(game, approving.signal);
  const installed = await game.install('wait-for', 'install-complete', '--log-level', 'debug');
  approving.abort();
  await approver;
  expect(installed.code).toBe(0);
  expect(installed.stderr).toContain('Install complete!');
  const nodes = await game.api('/api/v1/nodes');
  expect(nodes.body.items).toHaveLength(9);
}, 120_000);

/** What a person does who trusts everybody. */
async function approveAll(game: Play, signal: AbortSignal): Promise<void> {
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  while (!signal.aborted) {
    const { body } = await game.api(path);
    for (const request of body.items ?? []) {
      if (request.status?.conditions) continue;
      const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
      await game.api(`${path}/${request.metadata.name}/approval`, 'PUT', { ...request, status: { conditions } });
    }
    await game.site.clock.sleep(20_000);
  }
}
