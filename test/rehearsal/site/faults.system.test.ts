import { afterEach, expect, test } from 'vitest';
import { nameSuffix } from '../../../src/rehearsal/site/random.ts';
import { FAULTS, type Site, startSite } from '../../../src/rehearsal/site-client.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { exampleSite } from '../../support/example-design.ts';
import { built } from '../../support/rehearsal-run.ts';
import { type Play, play, until } from './play.ts';
import { approve, playBootstrap } from './play-install.ts';

let open: Play | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

test('every fault says in a sentence what it is', () => {
  expect(new Set(FAULTS).size).toBe(45);
  for (const id of FAULTS) expect(catalogue().rehearsal.faults[id]).toMatch(/^[A-Z].+\.$/);
});

test('a dead machine stays dark and a machine with another MAC gets no lease', async () => {
  const design = exampleSite();
  const game = await play({ design, speed: 600, faults: ['node-never-boots', 'wrong-mac'] });
  open = game;
  const { hands } = game.site;
  for (const { name } of design.nodes) await hands.powerOn(name);
  const stuck = async () => {
    const { machines } = await game.site.status();
    return machines.filter(
      ({ stage, console }) => stage === 'dead' || (stage === 'dhcp' && console.includes('PXE-E51')),
    );
  };
  await until('both', async () => (await stuck()).length === 2);
  const [first, second] = await stuck();
  expect([first?.stage, second?.stage].sort()).toEqual(['dead', 'dhcp']);
  const wrong = first?.stage === 'dhcp' ? first : second;
  const planned = design.nodes.find(({ name }) => name === wrong?.name);
  expect(planned?.role).toBe('compute');
  expect(wrong?.mac.slice(0, -2)).toBe(planned?.mac.slice(0, -2));
  expect(wrong?.mac).not.toBe(planned?.mac);
  const log = (await hands.readFile('ns1', '/var/log/messages')) ?? '';
  expect(log).toContain(`DHCPDISCOVER from ${wrong?.mac} via eth0: network 172.16.0.0/24: no free leases`);
});

test('what stands in the rack stays when the design is corrected and the site starts again; planned nodes join it', async () => {
  const design = exampleSite();
  const game = await play({ design, speed: 600, faults: ['wrong-mac'] });
  open = game;
  await game.site.hands.powerOn('bs');
  const macs = async (site: Site) => {
    const { machines } = await site.status();
    return new Map(machines.map(({ name, mac }) => [name, mac]));
  };
  const before = await macs(game.site);
  const wrong = design.nodes.find(({ name, mac }) => before.get(name) !== mac);
  const corrected = design.nodes.map((node) => ({ ...node, mac: before.get(node.name) ?? '' }));
  const [like] = corrected.slice(-1);
  if (!like) throw new Error('no nodes');
  const added = { ...like, name: 'w9', ip: ['172.16.0.39'], mac: '00:50:56:96:99:99' };
  const again = await startSite({
    siteDir: game.siteDir,
    design: { ...design, nodes: [...corrected, added] },
    speed: 600,
    seed: 1,
    faults: ['wrong-mac'],
    siteProgram: built('site'),
    standInProgram: built('stand-in'),
  });
  const after = await macs(again);
  expect(wrong?.role).toBe('compute');
  expect(after).toEqual(new Map([...before, ['w9', added.mac]]));
});

test('hostile requests stay pending, and a degraded operator keeps the installation from completing', async () => {
  const game = await playBootstrap(exampleSite(), 600, ['hostile-csr', 'operator-degraded']);
  open = game;
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  // Requests of nodes come and go beside them.
  const hostile = [1, 2].map((number) => `csr-${nameSuffix(1, 5, 'hostile', number)}`);
  const pending = async () => {
    const { body } = await game.api(path);
    const undecided = body.items.filter((each: { status?: { conditions?: unknown } }) => !each.status?.conditions);
    return undecided
      .map((each: { metadata: { name: string } }) => each.metadata.name)
      .filter((name: string) => hostile.includes(name));
  };
  await until('the hostile requests', async () => (await pending()).length === 2);
  const stop = approve(game, (name) => !hostile.includes(name));
  // The patience of one installer may end before all others are up, as on a busy machine: one that begins later meets the end.
  const condition = async (type: string) => {
    const { body } = await game.api('/apis/config.openshift.io/v1/clusterversions/version');
    return body.status.conditions.find((each: { type: string }) => each.type === type);
  };
  await until('the report of what fails', async () => {
    const { status, message } = await condition('Failing');
    return status === 'True' && message === 'Cluster operator insights is degraded';
  });
  const installed = await game.install('wait-for', 'install-complete');
  await stop();
  expect(installed.code).toBe(6);
  expect(installed.stderr).toContain(
    'level=error msg=Cluster operator insights Degraded is True with PeriodicGatherFailed:',
  );
  expect(installed.stderr).toContain(
    'Cluster initialization failed because one or more operators are not functioning properly.',
  );
  expect((await pending()).toSorted()).toEqual(hostile.toSorted());
  expect((await condition('Progressing')).status).toBe('True');
});
