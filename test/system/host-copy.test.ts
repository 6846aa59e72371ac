import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, expect, vi } from 'vitest';
import { generateStep } from '../../src/steps/generate/index.ts';
import { hostsStep } from '../../src/steps/hosts/index.ts';
import { requireProgram, testWith } from '../support/programs.ts';
import { SSHD_HOST, startSshd } from '../support/sshd.ts';
import { type StepWorld, stepWorld } from '../support/step-world.ts';

const test = testWith('sshd', 'ssh', 'ssh-keygen', 'tar');
const DNS = '172.16.0.102';
let world: StepWorld | null = null;
afterEach(async () => {
  vi.unstubAllEnvs();
  await world?.remove();
});

/**
 * A world whose name server is a real sshd, reached by the real ssh with a configuration of the test: this user's own one
 * is found by the user's home whatever the environment says.
 */
async function setUp(known: 'known' | 'nothing') {
  const sshd = await startSshd();
  const config = join(sshd.dir, 'ssh_config');
  const options = sshd.target(known === 'known' ? {} : { known: '/dev/null' }).options.slice(2);
  writeFileSync(
    join(sshd.dir, 'ssh'),
    `#!/bin/sh\nexec ${requireProgram('ssh')} -F ${config} ${options.join(' ')} "$@"\n`,
  );
  writeFileSync(config, 'Host *\n  StrictHostKeyChecking yes\n');
  chmodSync(join(sshd.dir, 'ssh'), 0o755);
  vi.stubEnv('PATH', `${sshd.dir}${delimiter}${process.env.PATH}`);
  world = stepWorld({
    isPerson: true,
    reach: (host, port) =>
      host === DNS && port === 22 ? { host: SSHD_HOST, port: sshd.port } : { host: '127.0.0.1', port: 1 },
  });
  await generateStep.apply(world.context, () => undefined);
  return { ...world, home: join(sshd.dir, 'home') };
}

test('the files of a host are copied on request, and one command is left to run there', async () => {
  const { context, dir, home } = await setUp('known');
  const said: string[] = [];
  await hostsStep.applyOne?.(context, 'ns1', (line) => said.push(line));
  expect(said).toEqual([`copying the files of ns1 to ${DNS}`]);
  const there = join(home, 'upi-wizard', 'ns1');
  const script = join(there, 'root', 'upi-wizard', 'install.sh');
  expect(statSync(script).mode & 0o777).toBe(0o755);
  expect(readFileSync(script)).toEqual(readFileSync(join(dir, 'files', 'ns1', 'root', 'upi-wizard', 'install.sh')));
  const { view } = await hostsStep.probe(context);
  expect(view.hosts[0]).toMatchObject({
    state: 'copied',
    commands: [`ssh -t ${DNS} sudo bash upi-wizard/ns1/root/upi-wizard/install.sh`],
  });
  expect(view.hosts[1]?.state).toBe('open');
});

test('a host that is not known is not copied to, and what to do is said', async () => {
  const { context, home } = await setUp('nothing');
  const attempt = hostsStep.applyOne?.(context, 'ns1', () => undefined);
  await expect(attempt).rejects.toMatchObject({
    trouble: { code: 'ssh-host-key-unknown', whatToDo: expect.stringContaining('compare the fingerprint') },
  });
  const { view } = await hostsStep.probe(context);
  expect(view.hosts[0]?.state).toBe('open');
  expect(existsSync(join(home, 'upi-wizard'))).toBe(false);
});
