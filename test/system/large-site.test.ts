import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { DesignNode } from '../../src/design/model.ts';
import type { Play } from '../rehearsal/site/play.ts';
import { approve, playBootstrap, waitedFor } from '../rehearsal/site/play-install.ts';
import { exampleSite } from '../support/example-design.ts';

let open: Play | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** The documented site with more compute nodes, twenty in all beside the bootstrap node. */
function largeSite() {
  const site = exampleSite();
  const pattern = site.nodes.find(({ name }) => name === 'w1') as DesignNode;
  const more = Array.from({ length: 11 }, (_, index) => ({
    ...pattern,
    name: `w${index + 4}`,
    ip: [`172.16.0.${index + 60}`],
    mac: `00:50:56:96:aa:${(index + 16).toString(16)}`,
  }));
  return { ...site, nodes: [...site.nodes, ...more] };
}

test('twenty nodes are installed, in less than 150 MiB', async () => {
  const game = await playBootstrap(largeSite(), 120);
  open = game;
  const stop = approve(game);
  const installed = await waitedFor(game, 'install-complete');
  await stop();
  expect(installed.code).toBe(0);
  expect((await game.api('/api/v1/nodes')).body.items).toHaveLength(20);
  const { pid } = JSON.parse(readFileSync(join(game.siteDir, 'running.json'), 'utf8'));
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  expect(Number(peak) / 1024).toBeLessThan(150);
});
