import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ReportView, reportStep } from '../../../src/steps/report/index.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

/** What the report says, as its file has it. */
const linesOf = ({ sections }: ReportView) => sections.flatMap(({ heading, lines }) => ['', heading, '', ...lines]);

let world: StepWorld;
let server: KubeServer;
beforeEach(async () => {
  server = await startKubeServer();
});
afterEach(async () => {
  await world.remove();
  await server.close();
});

const PASSWORD = 'cAnAr-yOfth-eRepo-rt001';
const LOG = `time="x" level=info msg="Install complete!"
time="x" level=info msg="Login to the console with user: \\"kubeadmin\\", and password: \\"${PASSWORD}\\""
`;

/** The commands of the report. */
async function removals(): Promise<string[]> {
  const { view } = await reportStep.probe(world.context);
  return linesOf(view).flatMap((line) => /^ {2}`(.+)`$/.exec(line)?.[1] ?? []);
}

test('the report points out where secrets lie, with commands that remove them, and shows none', async () => {
  world = stepWorld({ reach: () => ({ host: '127.0.0.1', port: server.port }) });
  const places = [
    'bootstrap.ign',
    'master.ign',
    'worker.ign',
    '.openshift_install_state.json',
    '.upi-wizard/aside/1/auth/kubeconfig',
  ];
  for (const path of places) world.write(path, 'CanaryInside');
  world.write('.openshift_install.log', LOG);
  world.write('auth/kubeadmin-password', PASSWORD);
  world.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
  world.write('.upi-wizard/install-config.yaml', 'CanaryInside');
  world.write('.upi-wizard/jobs/install-complete.log', `${PASSWORD}\n`);
  world.write('.upi-wizard/jobs/boot-server.log', 'nothing secret');
  await reportStep.apply(world.context, () => undefined);
  const text = readFileSync(join(world.dir, 'report.md'), 'utf8');
  for (const secret of [PASSWORD, 'CanaryInside']) expect(text).not.toContain(secret);
  for (const path of [
    ...places.slice(0, 4),
    '.upi-wizard/aside',
    '.openshift_install.log',
    'auth/kubeadmin-password',
    '.upi-wizard/install-config.yaml',
    '.upi-wizard/jobs/install-complete.log',
  ])
    expect(text).toContain(`- ${path}: `);
  expect(text).toContain('- auth/kubeconfig: system:admin for 10 years; keep');
  expect(text).not.toContain('boot-server.log');

  for (const command of await removals()) execFileSync('/bin/sh', ['-c', command], { cwd: world.dir });
  for (const path of places) expect(existsSync(join(world.dir, path))).toBe(false);
  expect(readFileSync(join(world.dir, '.openshift_install.log'), 'utf8')).toBe(`${LOG.split('\n')[0]}\n`);
  expect(existsSync(join(world.dir, 'auth/kubeconfig'))).toBe(true);
});

test('what is removed is no longer in the report', async () => {
  world = stepWorld();
  world.write('bootstrap.ign', 'x');
  expect(await removals()).toHaveLength(1);
  execFileSync('rm', [join(world.dir, 'bootstrap.ign')]);
  expect(await removals()).toEqual([]);
});
