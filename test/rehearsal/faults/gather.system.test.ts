import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { gatherBootstrap } from '../../../src/rehearsal/stand-in/gather.ts';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { exampleSite } from '../../support/example-design.ts';
import { createPlantedSite, type PlantedSite } from '../../support/planted-site.ts';

let open: PlantedSite | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const BOOTSTRAP = '172.16.0.11';
const MASTERS = ['172.16.0.21', '172.16.0.22', '172.16.0.23'];

async function gatherBundle(installation: PlantedSite): Promise<string> {
  await gatherBootstrap({
    dir: installation.installDir,
    clock: installation.clock,
    out: { log: () => undefined },
    bootstrapAddress: BOOTSTRAP,
    controlPlaneAddresses: MASTERS,
    logIn: async (address) => installation.site.inspectMachine(address),
  });
  return join(
    installation.installDir,
    readdirSync(installation.installDir).find((name) => /^log-bundle-\d{14}\.tar\.gz$/.test(name)) ?? '',
  );
}

test('a log bundle has the journals of the machines that allow a login, and diagnosis finds the cause in it', async () => {
  const installation = await createPlantedSite(exampleSite(), ['pull-secret-without-registry']);
  open = installation;
  for (const name of ['bs', 'm1']) installation.site.powerOn(name);
  await expect(gatherBundle(installation)).rejects.toThrow('failed to connect to the bootstrap machine');
  await installation.waitUntil(() => installation.log().includes('Pull failed'));
  const bundle = await gatherBundle(installation);
  const names = execFileSync('tar', ['tzf', bundle], { encoding: 'utf8' }).split('\n');
  const has = (path: string) => names.some((name) => name.endsWith(path));
  for (const unit of ['bootkube', 'release-image', 'kubelet']) expect(has(`bootstrap/journals/${unit}.log`)).toBe(true);
  // A control plane node that waits for its configuration runs no sshd yet.
  expect(has('control-plane/172.16.0.21/journals/kubelet.log')).toBe(false);
  const { findings } = await diagnoseBundle(bundle, installation.design, installation.clock.now());
  expect(findings.map(({ rule }) => rule)[0]).toMatch(/^pull-secret/);
});

test('the journal of a node that waits for its name shows the reason', async () => {
  const installation = await createPlantedSite(exampleSite(), ['ptr-missing']);
  open = installation;
  for (const { name, role } of installation.design.nodes) if (role !== 'compute') installation.site.powerOn(name);
  await installation.waitUntil(() => installation.log().includes('waiting for non-localhost hostname'));
  const inside = MASTERS.flatMap((address) => installation.site.inspectMachine(address) ?? []);
  const waiting = inside.filter(({ failedUnits }) => failedUnits.includes('node-valid-hostname.service'));
  expect(waiting).toHaveLength(1);
  expect(waiting[0]?.journal).toMatch(/ node-valid-hostname\[\d+\]: waiting for non-localhost hostname to be assigned/);
  const journal = installation.site.inspectMachine(BOOTSTRAP)?.journal ?? '';
  expect(journal).toMatch(/ bootkube\.sh\[\d+\]: Starting cluster-bootstrap/);
  expect(journal).toMatch(
    / machine-config-server\[\d+\]: api\.go:52\] Pool master requested by address:"172\.16\.0\.112"/,
  );
});
