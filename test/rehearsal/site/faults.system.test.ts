import { afterEach, expect, test } from 'vitest';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { FAULTS } from '../../../src/rehearsal/site/faults.ts';
import { generateNameSuffix } from '../../../src/rehearsal/site/seeded-random.ts';
import { type SiteClient, startSite } from '../../../src/rehearsal/site-client.ts';
import { exampleSite } from '../../support/example-design.ts';
import { getBuiltProgram } from '../../support/rehearsal-run.ts';
import { type SimulatedInstallation, startSimulatedInstallation, waitUntil } from './play.ts';
import { bootstrapSimulatedCluster, startCsrApprover } from './play-install.ts';

let open: SimulatedInstallation | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

test('every fault is described in a sentence', () => {
  expect(new Set(FAULTS).size).toBe(45);
  for (const id of FAULTS) expect(catalogue().rehearsal.faults[id]).toMatch(/^[A-Z].+\.$/);
});

test('a broken machine never boots, and a machine with another MAC gets no lease', async () => {
  const design = exampleSite();
  const installation = await startSimulatedInstallation({
    design,
    speed: 600,
    faults: ['node-never-boots', 'wrong-mac'],
  });
  open = installation;
  const { manualActions } = installation.site;
  for (const { name } of design.nodes) await manualActions.powerOn(name);
  const findStuck = async () => {
    const { machines } = await installation.site.getStatus();
    return machines.filter(
      ({ stage, console }) => stage === 'dead' || (stage === 'dhcp' && console.includes('PXE-E51')),
    );
  };
  await waitUntil('both', async () => (await findStuck()).length === 2);
  const [first, second] = await findStuck();
  expect([first?.stage, second?.stage].sort()).toEqual(['dead', 'dhcp']);
  const wrong = first?.stage === 'dhcp' ? first : second;
  const planned = design.nodes.find(({ name }) => name === wrong?.name);
  expect(planned?.role).toBe('compute');
  expect(wrong?.mac.slice(0, -2)).toBe(planned?.mac.slice(0, -2));
  expect(wrong?.mac).not.toBe(planned?.mac);
  const log = (await manualActions.readFile('ns1', '/var/log/messages')) ?? '';
  expect(log).toContain(`DHCPDISCOVER from ${wrong?.mac} via eth0: network 172.16.0.0/24: no free leases`);
});

test('the hardware stays when the design is corrected and the site starts again; new nodes of the design are added', async () => {
  const design = exampleSite();
  const installation = await startSimulatedInstallation({ design, speed: 600, faults: ['wrong-mac'] });
  open = installation;
  await installation.site.manualActions.powerOn('bs');
  const readMacs = async (site: SiteClient) => {
    const { machines } = await site.getStatus();
    return new Map(machines.map(({ name, mac }) => [name, mac]));
  };
  const before = await readMacs(installation.site);
  const wrong = design.nodes.find(({ name, mac }) => before.get(name) !== mac);
  const corrected = design.nodes.map((node) => ({ ...node, mac: before.get(node.name) ?? '' }));
  const [template] = corrected.slice(-1);
  if (!template) throw new Error('no nodes');
  const added = { ...template, name: 'w9', ip: ['172.16.0.39'], mac: '00:50:56:96:99:99' };
  const restarted = await startSite({
    siteDir: installation.siteDir,
    design: { ...design, nodes: [...corrected, added] },
    speed: 600,
    seed: 1,
    faults: ['wrong-mac'],
    siteProgram: getBuiltProgram('site'),
    standInProgram: getBuiltProgram('stand-in'),
  });
  const after = await readMacs(restarted);
  expect(wrong?.role).toBe('compute');
  expect(after).toEqual(new Map([...before, ['w9', added.mac]]));
});

test('hostile requests stay pending, and a degraded operator keeps the installation from completing', async () => {
  const installation = await bootstrapSimulatedCluster(exampleSite(), 600, ['hostile-csr', 'operator-degraded']);
  open = installation;
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  // Requests of nodes appear and disappear beside them.
  const hostile = [1, 2].map((number) => `csr-${generateNameSuffix(1, 5, 'hostile', number)}`);
  const listPending = async () => {
    const { body } = await installation.api(path);
    const undecided = body.items.filter((each: { status?: { conditions?: unknown } }) => !each.status?.conditions);
    return undecided
      .map((each: { metadata: { name: string } }) => each.metadata.name)
      .filter((name: string) => hostile.includes(name));
  };
  await waitUntil('the hostile requests', async () => (await listPending()).length === 2);
  const stop = startCsrApprover(installation, (name) => !hostile.includes(name));
  // On a busy machine one installer may time out before all other operators are up. An installer that starts later
  // reaches the end.
  const readCondition = async (type: string) => {
    const { body } = await installation.api('/apis/config.openshift.io/v1/clusterversions/version');
    return body.status.conditions.find((each: { type: string }) => each.type === type);
  };
  await waitUntil('the report of what fails', async () => {
    const { status, message } = await readCondition('Failing');
    return status === 'True' && message === 'Cluster operator insights is degraded';
  });
  const result = await installation.install('wait-for', 'install-complete');
  await stop();
  expect(result.code).toBe(6);
  expect(result.stderr).toContain(
    'level=error msg=Cluster operator insights Degraded is True with PeriodicGatherFailed:',
  );
  expect(result.stderr).toContain(
    'Cluster initialization failed because one or more operators are not functioning properly.',
  );
  expect((await listPending()).toSorted()).toEqual(hostile.toSorted());
  expect((await readCondition('Progressing')).status).toBe('True');
});
