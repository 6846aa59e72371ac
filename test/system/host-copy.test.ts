import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, expect, vi } from 'vitest';
import { generateStep } from '../../src/steps/generate.ts';
import { hostsStep } from '../../src/steps/hosts/index.ts';
import { requireProgram, testWith } from '../support/programs.ts';
import { SSHD_HOST, startSshd } from '../support/sshd.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';

const test = testWith('sshd', 'ssh', 'ssh-keygen', 'tar');
const DNS = '172.16.0.102';
let fixture: StepFixture | null = null;
afterEach(async () => {
  vi.unstubAllEnvs();
  await fixture?.remove();
});

/**
 * Creates a fixture whose name server is a real sshd, reached by the real ssh with a configuration of the test. The
 * real ssh finds this user's own configuration through the user's home, whatever the environment says.
 */
async function setUp(knownHosts: 'known' | 'nothing') {
  const sshd = await startSshd();
  const config = join(sshd.dir, 'ssh_config');
  const options = sshd.target(knownHosts === 'known' ? {} : { known: '/dev/null' }).options.slice(2);
  writeFileSync(
    join(sshd.dir, 'ssh'),
    `#!/bin/sh\nexec ${requireProgram('ssh')} -F ${config} ${options.join(' ')} "$@"\n`,
  );
  writeFileSync(config, 'Host *\n  StrictHostKeyChecking yes\n');
  chmodSync(join(sshd.dir, 'ssh'), 0o755);
  vi.stubEnv('PATH', `${sshd.dir}${delimiter}${process.env.PATH}`);
  fixture = createStepFixture({
    isManual: true,
    resolveEndpoint: (host, port) =>
      host === DNS && port === 22 ? { host: SSHD_HOST, port: sshd.port } : { host: '127.0.0.1', port: 1 },
  });
  await generateStep.apply(fixture.context, () => undefined);
  return { ...fixture, home: join(sshd.dir, 'home') };
}

test('the files of a host are copied on request, and one command is left to run there', async () => {
  const { context, dir, home } = await setUp('known');
  const lines: string[] = [];
  await hostsStep.applyOne?.(context, { kind: 'hosts', names: ['ns1'], options: [] }, (line) => lines.push(line));
  expect(lines).toEqual([`copying the files of ns1 to ${DNS}`]);
  const hostDir = join(home, 'upi-wizard', 'ns1');
  const script = join(hostDir, 'root', 'upi-wizard', 'install.sh');
  expect(statSync(script).mode & 0o777).toBe(0o755);
  expect(readFileSync(script)).toEqual(readFileSync(join(dir, 'files', 'ns1', 'root', 'upi-wizard', 'install.sh')));
  const { view } = await hostsStep.probe(context);
  expect(view.hosts[0]).toMatchObject({
    state: 'copied',
    commands: [`ssh -t ${DNS} sudo bash upi-wizard/ns1/root/upi-wizard/install.sh`],
  });
  expect(view.hosts[1]?.state).toBe('not-set-up');
});

test('nothing is copied to an unknown host, and the remedy is reported', async () => {
  const { context, home } = await setUp('nothing');
  const attempt = hostsStep.applyOne?.(context, { kind: 'hosts', names: ['ns1'], options: [] }, () => undefined);
  await expect(attempt).rejects.toMatchObject({
    userError: { code: 'ssh-host-key-unknown', remedy: expect.stringContaining('compare the fingerprint') },
  });
  const { view } = await hostsStep.probe(context);
  expect(view.hosts[0]?.state).toBe('not-set-up');
  expect(existsSync(join(home, 'upi-wizard'))).toBe(false);
});
