// A control plane node dies after the installation: the screens alone lead from the finding to its replacement.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSandbox, FAST_SPEED, listProcesses, runWizard, startRehearsal } from '../support/rehearsal-run.ts';
import { goForward, key, startOnTerminal } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

const readWorld = (dir: string) => JSON.parse(readFileSync(join(dir, '.upi-wizard/site/world.json'), 'utf8'));

test('a dead control plane node is replaced from the finding to the report by following the screens', async () => {
  const dir = sandbox.dir('dead');
  const first = await startRehearsal(dir, { sandbox, fault: 'etcd-member-lost' }).exit;
  expect(first.code, first.stdout).toBe(4);
  const dead = Object.values(readWorld(dir).machines as Record<string, { name: string; stage: string }>).find(
    ({ name, stage }) => stage === 'off' && name !== 'bs',
  );
  const before = readWorld(dir).cluster.etcdMembers as { id: string; name: string }[];
  expect(before).toHaveLength(3);

  const run = startOnTerminal(['rehearse', '--dir', dir, '--speed', String(FAST_SPEED)], { sandbox });
  await run.waitFor(/Infra nodes {2}16\/17/);
  run.type('!');
  await run.waitFor('etcd has lost a member (certain)');
  await run.waitFor(/the wizard replaces it[\s\S]*go to Boot, select the node, and press R/);
  run.type(key.escape);
  await run.waitFor(/Infra nodes {2}16\/17[\s\S]*▸ \w/);
  run.type(':boot\r');
  await run.waitFor(/Boot {2}11\/17[\s\S]*✖ not Ready/);
  const getSelected = () => /▸ (\w+) +(?:✔|✖)/.exec(run.screen())?.[1];
  const lost = /(m\d) +✖ not Ready/.exec(run.screen())?.[1] ?? '';
  while (getSelected() !== lost) {
    const selected = getSelected();
    run.type(key.down);
    await run.waitUntil(() => getSelected() !== selected, `another row than ${selected}`);
  }
  run.type('R');
  await run.waitFor(`Replace ${lost}, because its machine is lost for good?`);
  run.type('y');
  await run.waitFor(`to replace ${lost}: remove it from etcd`);
  const confirmed = await goForward(run, /Operators {2}15\/17[\s\S]*turn the quorum guard on/);
  const [removal = '', guard = '', deletion = ''] = confirmed;
  expect(removal).toMatch(new RegExp(`- [0-9a-f]{16} ${lost}\\.`));
  expect(guard).toContain('useUnsupportedUnsafeNonHANonProductionUnstableEtcd: true');
  expect(deletion).toContain(`Secret/etcd-peer-${lost}.`);
  expect(deletion).toContain(`Node/${lost}.`);
  await goForward(run, /The rehearsal is complete\./);

  const after = readWorld(dir).cluster.etcdMembers as { id: string; name: string }[];
  const names = (members: typeof after) => members.map(({ name }) => name).sort();
  expect(names(after)).toEqual(names(before));
  const lostName = before.find(({ name }) => name.startsWith(`${lost}.`))?.name;
  const getId = (members: typeof after) => members.find(({ name }) => name === lostName)?.id;
  expect(getId(after)).not.toBe(getId(before));
  expect(dead?.name).toBe(lost);
  const report = readFileSync(join(dir, 'report.md'), 'utf8');
  expect(report.match(/\| Ready \|$/gm)).toHaveLength(9);
  for (const change of [
    `Boot: remove the etcd member of ${lost}: done in`,
    `Boot: turn off the quorum guard of etcd, to replace ${lost}: done in`,
    `Boot: delete the certificates and the Node object of ${lost}: done in`,
    'Operators: turn on the quorum guard of etcd again: done in',
  ])
    expect(report).toContain(change);
  await run.waitFor(/^ Enter finish {2}/m);
  run.type(key.enter);
  expect((await run.exit).exitCode).toBe(0);
  await runWizard(['rehearse', '--stop', '--dir', dir], { sandbox });
  expect(listProcesses(dir), 'nothing runs on').toEqual([]);
});
