import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { DesignNode } from '../../src/design/model.ts';
import type { SimulatedInstallation } from '../rehearsal/site/play.ts';
import { bootstrapSimulatedCluster, startCsrApprover, waitForInstaller } from '../rehearsal/site/play-install.ts';
import { eventually } from '../support/eventually.ts';
import { exampleSite } from '../support/example-design.ts';

let openGame: SimulatedInstallation | null = null;
afterEach(async () => {
  await openGame?.close();
  openGame = null;
});

/** Creates the documented site with more compute nodes: 20 nodes without the bootstrap node. */
function createLargeSite() {
  const site = exampleSite();
  const pattern = site.nodes.find(({ name }) => name === 'w1') as DesignNode;
  const moreNodes = Array.from({ length: 11 }, (_, index) => ({
    ...pattern,
    name: `w${index + 4}`,
    ip: [`172.16.0.${index + 60}`],
    mac: `00:50:56:96:aa:${(index + 16).toString(16)}`,
  }));
  return { ...site, nodes: [...site.nodes, ...moreNodes] };
}

test('twenty nodes are installed, in less than 150 MiB', async () => {
  const game = await bootstrapSimulatedCluster(createLargeSite(), 120);
  openGame = game;
  const stop = startCsrApprover(game);
  const installed = await waitForInstaller(game, 'install-complete');
  expect(installed.code).toBe(0);
  // The installer waits for the operators, and these do not wait for the last compute node.
  await eventually(async () => expect((await game.api('/api/v1/nodes')).body.items).toHaveLength(20));
  await stop();
  const { pid } = JSON.parse(readFileSync(join(game.siteDir, 'running.json'), 'utf8'));
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  expect(Number(peak) / 1024).toBeLessThan(150);
});
