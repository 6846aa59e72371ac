import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { getCompileCacheVariables } from '../../../src/platform/environment.ts';
import { findLiveProcess, getOwnIdentity } from '../../../src/platform/process.ts';
import { findSite, startSite } from '../../../src/rehearsal/site-client.ts';
import { exampleSite } from '../../support/example-design.ts';
import { getBuiltProgram } from '../../support/rehearsal-run.ts';
import { createIgnition, type SimulatedInstallation, startSimulatedInstallation, waitUntil } from './play.ts';
import { bootstrapSimulatedCluster, startCsrApprover, waitForAllNodes, waitForInstaller } from './play-install.ts';

const MERGE = 'application/merge-patch+json';
const INFRA = { 'node-role.kubernetes.io/infra': '' };
const ROUTER = '/apis/operator.openshift.io/v1/namespaces/openshift-ingress-operator/ingresscontrollers/default';

let current: SimulatedInstallation | null = null;
afterEach(async () => {
  await current?.close();
  current = null;
});

/** Lists the nodes of the running pods of a workload. */
async function listPodNodes(installation: SimulatedInstallation, namespace: string, name: string): Promise<string[]> {
  const { body } = await installation.api(
    `/api/v1/namespaces/${namespace}/pods?labelSelector=app.kubernetes.io/name=${name}`,
  );
  return body.items
    .filter((pod: { status: { phase: string } }) => pod.status.phase === 'Running')
    .map((pod: { spec: { nodeName: string } }) => pod.spec.nodeName.split('.')[0])
    .sort();
}

test('the API comes up behind the load balancer after the bootstrap node was powered on', async () => {
  const installation = await startSimulatedInstallation({ design: exampleSite(), speed: 600 });
  current = installation;
  await createIgnition(installation);
  await installation.site.manualActions.powerOn('bs');
  await waitUntil('the API', async () => (await installation.site.getStatus()).api.isUp);
  const version = await installation.api('/version');
  expect(version.status).toBe(200);
  expect(version.body.gitVersion).toBe('v1.31.7');
  const map = await installation.api('/api/v1/namespaces/kube-system/configmaps/bootstrap');
  expect(map.body.data).toEqual({ status: 'progress' });
  // The programs of the site use the same compile cache as this process.
  const [dir = ''] = installation.site.programDirectories;
  const installer = readFileSync(join(dir, 'openshift-install'), 'utf8');
  expect(installer).toContain(`export NODE_COMPILE_CACHE=${process.env.NODE_COMPILE_CACHE}\n`);
  expect(getCompileCacheVariables()).toEqual({ NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE });
});

test('a whole installation runs to its end, and routers, registry and monitoring move to infra nodes', async () => {
  const installation = await bootstrapSimulatedCluster(exampleSite(), 300);
  current = installation;
  const stop = startCsrApprover(installation);
  const result = await waitForInstaller(installation, 'install-complete');
  await waitForAllNodes(installation);
  await stop();
  expect(result.stderr).toContain('Install complete!');
  expect(result.code).toBe(0);
  const nodes = await installation.api('/api/v1/nodes');
  expect(nodes.body.items).toHaveLength(9);

  for (const name of ['i1', 'i2', 'i3']) {
    const path = `/api/v1/nodes/${name}.ocp45.example.localdomain`;
    expect((await installation.api(path, 'PATCH', { metadata: { labels: INFRA } }, MERGE)).status).toBe(200);
  }
  const placement = { nodeSelector: { matchLabels: INFRA } };
  await installation.api(ROUTER, 'PATCH', { spec: { replicas: 3, nodePlacement: placement } }, MERGE);
  await waitUntil('routers on infra nodes', async () => {
    return (await listPodNodes(installation, 'openshift-ingress', 'router-default')).join() === 'i1,i2,i3';
  });

  const claim = {
    metadata: { name: 'image-registry-storage' },
    spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '100Gi' } } },
  };
  await installation.api('/api/v1/namespaces/openshift-image-registry/persistentvolumeclaims', 'POST', claim);
  const registry = {
    managementState: 'Managed',
    replicas: 2,
    storage: { pvc: { claim: 'image-registry-storage' } },
    nodeSelector: INFRA,
  };
  await installation.api(
    '/apis/imageregistry.operator.openshift.io/v1/configs/cluster',
    'PATCH',
    { spec: registry },
    MERGE,
  );
  await waitUntil('the registry', async () => {
    return (await listPodNodes(installation, 'openshift-image-registry', 'image-registry')).length === 2;
  });

  const config = {
    'config.yaml': JSON.stringify({
      prometheusK8s: {
        nodeSelector: INFRA,
        volumeClaimTemplate: { spec: { resources: { requests: { storage: '40Gi' } } } },
      },
    }),
  };
  const map = { metadata: { name: 'cluster-monitoring-config' }, data: config };
  await installation.api('/api/v1/namespaces/openshift-monitoring/configmaps', 'POST', map);
  await waitUntil('prometheus on infra nodes', async () => {
    const found = await listPodNodes(installation, 'openshift-monitoring', 'prometheus-k8s');
    return found.length === 2 && found.every((name) => name.startsWith('i'));
  });
  await waitUntil('the volumes', async () => {
    const { body } = await installation.api('/api/v1/namespaces/openshift-monitoring/persistentvolumeclaims');
    const phases = body.items.map((each: { status: { phase: string } }) => each.status.phase);
    return phases.join() === 'Bound,Bound';
  });
});

test('a killed site resumes with its state and its clock', async () => {
  const installation = await startSimulatedInstallation({ design: exampleSite(), speed: 300 });
  current = installation;
  await createIgnition(installation);
  await installation.site.manualActions.powerOn('bs');
  await waitUntil('the first boot', async () => {
    const { machines } = await installation.site.getStatus();
    return machines.some(({ name, stage }) => name === 'bs' && stage === 'installing');
  });
  const { pid } = JSON.parse(readFileSync(join(installation.siteDir, 'running.json'), 'utf8'));
  process.kill(pid, 'SIGKILL');
  await waitUntil('its end', async () => (await findSite(installation.siteDir)) === null);
  const before = JSON.parse(readFileSync(join(installation.siteDir, 'world.json'), 'utf8')).now;
  const config = JSON.parse(readFileSync(join(installation.siteDir, 'config.json'), 'utf8'));
  const site = await startSite({
    ...config,
    siteDir: installation.siteDir,
    siteProgram: getBuiltProgram('site'),
  });
  const { machines, now } = await site.getStatus();
  expect(machines.find(({ name }) => name === 'bs')?.isOn).toBe(true);
  expect(now - before).toBeLessThan(300 * 5000);
  await waitUntil('the API', async () => (await site.getStatus()).api.isUp);
  expect((await installation.api('/version')).status).toBe(200);
});

test('the speed of a running site can be changed or set to 0, for every process, and persists to the next start', async () => {
  const installation = await startSimulatedInstallation({ design: exampleSite(), speed: 1 });
  current = installation;
  const { site } = installation;
  const wakeTime = site.clock.sleep(20 * 60_000).then(() => site.clock.now());
  await site.setSpeed(0);
  const stoppedAt = (await site.getStatus()).now;
  expect(await site.getStatus()).toMatchObject({ now: stoppedAt, speed: 0 });
  expect(site.clock.now()).toBe(stoppedAt);
  await site.setSpeed(6000);
  expect(await wakeTime).toBeGreaterThan(stoppedAt + 19 * 60_000);
  await site.setSpeed(0);
  await expect(site.setSpeed(-1)).rejects.toMatchObject({ userError: { code: 'site-refused' } });
  const config = JSON.parse(readFileSync(join(installation.siteDir, 'config.json'), 'utf8'));
  expect(config.speed).toBe(6000);
});

test('a process that halts the time of the site does so only as long as it lives', async () => {
  const installation = await startSimulatedInstallation({ design: exampleSite(), speed: 60 });
  current = installation;
  const { site } = installation;
  const holder = spawn('sleep', ['infinity']);
  const identity = findLiveProcess(holder.pid ?? 0);
  await site.setSpeed(600, identity);
  // The speed that applies afterwards: the next wizard must not take the halt for a pause of the user.
  const { now, speed } = await site.getStatus();
  expect(speed).toBe(600);
  expect((await site.getStatus()).now).toBe(now);
  holder.kill('SIGKILL');
  await waitUntil('the time that runs again', async () => (await site.getStatus()).now > now);
  await site.setSpeed(60, getOwnIdentity());
  await site.setSpeed(0);
  expect((await site.getStatus()).speed).toBe(0);
});

test('files with secrets are readable by their owner only', async () => {
  const installation = await startSimulatedInstallation({ design: exampleSite(), speed: 60 });
  current = installation;
  await createIgnition(installation);
  expect(statSync(installation.siteDir).mode & 0o777).toBe(0o700);
  for (const name of ['world.json', 'pull-secret.txt', 'running.json', 'control.sock', 'config.json']) {
    if (name === 'control.sock' && !existsSync(join(installation.siteDir, name))) continue;
    expect([name, statSync(join(installation.siteDir, name)).mode & 0o077]).toEqual([name, 0]);
  }
  const matches = spawnSync('grep', ['-rl', 'PRIVATE KEY', installation.siteDir], { encoding: 'utf8' }).stdout.trim();
  expect(matches).toBe('');
});

test('a machine whose MAC is not in the DHCP configuration sends requests for ever, and the host logs it', async () => {
  const change = (file: string, text: string) =>
    file.endsWith('dhcpd.conf') ? text.replace('00:50:56:96:37:c8', '00:50:56:96:37:c9') : text;
  const installation = await startSimulatedInstallation({ design: exampleSite(), speed: 600, change });
  current = installation;
  await createIgnition(installation);
  await installation.site.manualActions.powerOn('m1');
  await waitUntil('the log', async () => {
    const log = (await installation.site.manualActions.readFile('ns1', '/var/log/messages')) ?? '';
    return log.includes('DHCPDISCOVER from 00:50:56:96:37:c8 via eth0: network 172.16.0.0/24: no free leases');
  });
  const getStage = async () => (await installation.site.getStatus()).machines.find(({ name }) => name === 'm1')?.stage;
  expect(await getStage()).toBe('dhcp');
  // A wizard that was killed before it recorded the power-on sends it again: the machine does not boot twice.
  await installation.site.manualActions.powerOn('m1');
  expect(await getStage()).toBe('dhcp');
});

test('without the record of api-int the control plane never gets its configuration', async () => {
  const change = (file: string, text: string) => (/zone/.test(file) ? text.replace(/^api-int.*$/m, '') : text);
  const installation = await startSimulatedInstallation({ design: exampleSite(), speed: 600, change });
  current = installation;
  await createIgnition(installation);
  await installation.site.manualActions.powerOn('m1');
  await waitUntil('ignition to ask', async () => {
    const machine = (await installation.site.getStatus()).machines.find(({ name }) => name === 'm1');
    return machine?.console.includes('no such host') ?? false;
  });
});
