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
