import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reportStep } from '../../../src/steps/report.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

let fixture: StepFixture;
let server: KubeServer;
beforeEach(async () => {
  server = await startKubeServer();
});
afterEach(async () => {
  await fixture.remove();
  await server.close();
});

const PASSWORD = 'cAnAr-yOfth-eRepo-rt001';
const LOG = `time="x" level=info msg="Install complete!"
time="x" level=info msg="Login to the console with user: \\"kubeadmin\\", and password: \\"${PASSWORD}\\""
`;

/** Commands of the report that remove secrets. */
async function listRemovals(): Promise<string[]> {
  const { view } = await reportStep.probe(fixture.context);
  const lines = view.sections.find(({ id }) => id === 'secrets')?.lines ?? [];
  return lines.flatMap((line) => /^ {2}`(.+)`$/.exec(line)?.[1] ?? []);
}

test('the report lists the files with secrets and the commands that remove them, and shows no secret', async () => {
  fixture = createStepFixture({ resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }) });
  const secretFiles = [
    'bootstrap.ign',
    'master.ign',
    'worker.ign',
    '.openshift_install_state.json',
    '.upi-wizard/aside/1/auth/kubeconfig',
  ];
  for (const path of secretFiles) fixture.write(path, 'CanaryInside');
  fixture.write('.openshift_install.log', LOG);
  fixture.write('auth/kubeadmin-password', PASSWORD);
  fixture.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
  fixture.write('.upi-wizard/install-config.yaml', 'CanaryInside');
  fixture.write('.upi-wizard/jobs/install-complete.log', `${PASSWORD}\n`);
  fixture.write('.upi-wizard/jobs/boot-server.log', 'nothing secret');
  await reportStep.apply(fixture.context, () => undefined);
  const text = readFileSync(join(fixture.dir, 'report.md'), 'utf8');
  const html = readFileSync(join(fixture.dir, 'report.html'), 'utf8');
  for (const secret of [PASSWORD, 'CanaryInside']) {
    expect(text).not.toContain(secret);
    expect(html).not.toContain(secret);
  }
  for (const path of [
    ...secretFiles.slice(0, 4),
    '.upi-wizard/aside',
    '.openshift_install.log',
    'auth/kubeadmin-password',
    '.upi-wizard/install-config.yaml',
    '.upi-wizard/jobs/install-complete.log',
  ])
    expect(text).toContain(`- ${path}: `);
  expect(text).toContain('- auth/kubeconfig: system:admin for 10 years; keep');
  expect(text).not.toContain('boot-server.log');

  for (const command of await listRemovals()) execFileSync('/bin/sh', ['-c', command], { cwd: fixture.dir });
  for (const path of secretFiles) expect(existsSync(join(fixture.dir, path))).toBe(false);
  expect(readFileSync(join(fixture.dir, '.openshift_install.log'), 'utf8')).toBe(`${LOG.split('\n')[0]}\n`);
  expect(existsSync(join(fixture.dir, 'auth/kubeconfig'))).toBe(true);
});

test('what is removed is no longer in the report', async () => {
  fixture = createStepFixture();
  fixture.write('bootstrap.ign', 'x');
  expect(await listRemovals()).toHaveLength(1);
  execFileSync('rm', [join(fixture.dir, 'bootstrap.ign')]);
  expect(await listRemovals()).toEqual([]);
});
