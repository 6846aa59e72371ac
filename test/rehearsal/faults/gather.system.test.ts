import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { gatherBootstrap } from '../../../src/rehearsal/stand-in/gather.ts';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { exampleSite } from '../../support/example-design.ts';
import { type PlantedSite, plantedSite } from '../../support/planted-site.ts';

let open: PlantedSite | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const BOOTSTRAP = '172.16.0.11';
const MASTERS = ['172.16.0.21', '172.16.0.22', '172.16.0.23'];

async function gathered(game: PlantedSite): Promise<string> {
  await gatherBootstrap({
    dir: game.installDir,
    clock: game.clock,
    out: { say: () => undefined },
    bootstrap: BOOTSTRAP,
    masters: MASTERS,
    logIn: async (address) => game.site.inside(address),
  });
  return join(
    game.installDir,
    readdirSync(game.installDir).find((name) => /^log-bundle-\d{14}\.tar\.gz$/.test(name)) ?? '',
  );
}

test('a log bundle has the journals of the machines that let somebody in, and names the cause to who reads it', async () => {
  const game = await plantedSite(exampleSite(), ['pull-secret-without-registry']);
  open = game;
  for (const name of ['bs', 'm1']) game.site.powerOn(name);
  await expect(gathered(game)).rejects.toThrow('failed to connect to the bootstrap machine');
  await game.until(() => game.log().includes('Pull failed'));
  const bundle = await gathered(game);
  const names = execFileSync('tar', ['tzf', bundle], { encoding: 'utf8' }).split('\n');
  const has = (path: string) => names.some((name) => name.endsWith(path));
  for (const unit of ['bootkube', 'release-image', 'kubelet']) expect(has(`bootstrap/journals/${unit}.log`)).toBe(true);
  // A control plane node that waits for its configuration runs no sshd yet.
  expect(has('control-plane/172.16.0.21/journals/kubelet.log')).toBe(false);
  const { found } = await diagnoseBundle(bundle, game.design, game.clock.now());
  expect(found.map(({ rule }) => rule)[0]).toMatch(/^pull-secret/);
});

test('who is let in by a node that waits for its name sees why', async () => {
  const game = await plantedSite(exampleSite(), ['ptr-missing']);
  open = game;
  for (const { name, role } of game.design.nodes) if (role !== 'compute') game.site.powerOn(name);
  await game.until(() => game.log().includes('waiting for non-localhost hostname'));
  const inside = MASTERS.flatMap((address) => game.site.inside(address) ?? []);
  const waiting = inside.filter(({ failed }) => failed.includes('node-valid-hostname.service'));
  expect(waiting).toHaveLength(1);
  expect(waiting[0]?.journal).toMatch(/ node-valid-hostname\[\d+\]: waiting for non-localhost hostname to be assigned/);
  const journal = game.site.inside(BOOTSTRAP)?.journal ?? '';
  expect(journal).toMatch(/ bootkube\.sh\[\d+\]: Starting cluster-bootstrap/);
  expect(journal).toMatch(
    / machine-config-server\[\d+\]: api\.go:52\] Pool master requested by address:"172\.16\.0\.112"/,
  );
});
