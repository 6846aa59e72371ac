import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, expect, onTestFinished, vi } from 'vitest';
import type { Stage } from '../../src/design/choices.ts';
import { UserErrorException } from '../../src/i18n/user-error.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fetchPoolMembers } from '../../src/probes/haproxy-stats.ts';
import { bootstrapRemovalStep } from '../../src/steps/bootstrap-removal.ts';
import { generateStep } from '../../src/steps/generate.ts';
import { probeLoadBalancers } from '../../src/steps/shared/hosts/load-balancer.ts';
import { eventually } from '../support/eventually.ts';
import { exampleSite, generateFileText } from '../support/example-design.ts';
import { adaptConfig, createLoopback, type Member, startMember } from '../support/load-balancer.ts';
import { requireProgram, testWith } from '../support/programs.ts';
import { SSHD_HOST, startSshd } from '../support/sshd.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';

const FILE = 'lb1/etc/haproxy/haproxy.cfg';
let fixture: StepFixture | null = null;
afterEach(async () => {
  vi.unstubAllEnvs();
  await fixture?.remove();
  fixture = null;
});

/** Starts HAProxy with the file of a stage, the nodes behind it, and a fixture that reaches all of them. */
async function balancedSite(second: number) {
  const mapping = createLoopback(second);
  const design = exampleSite();
  const members = new Map<string, Member>();
  for (const { name, ip } of design.nodes) members.set(name, await startMember(name, ip[0] ?? '', mapping));
  const dir = mkdtempSync(join(tmpdir(), 'removal-'));
  const write = (stage: Stage) =>
    writeFileSync(
      join(dir, 'haproxy.cfg'),
      // On loopback every client has the address 127.0.0.1.
      adaptConfig(generateFileText(design, FILE, stage), mapping, dir).replace(
        'unless { src ',
        'unless { src 127.0.0.1 ',
      ),
    );
  write('install');
  const haproxy = spawn(requireProgram('haproxy'), ['-W', '-db', '-f', join(dir, 'haproxy.cfg')]);
  let log = '';
  haproxy.stdout.resume();
  haproxy.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const countLoads = () => log.split('Loading success.').length - 1;
  const ended = once(haproxy, 'exit');
  onTestFinished(async () => {
    haproxy.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
  const newFixture = createStepFixture({
    design,
    clock: systemClock,
    resolveEndpoint: (host, port) => ({ host: mapping.address(host), port: mapping.port(port) }),
    facts: { stage: 'bootstrap-removed' },
  });
  fixture = newFixture;
  const reload = async (stage: Stage) => {
    // A signal before HAProxy is ready would end it, or be lost.
    await eventually(() => expect(countLoads(), log).toBeGreaterThan(0));
    const before = countLoads();
    write(stage);
    await eventually(() => {
      if (countLoads() === before) haproxy.kill('SIGUSR2');
      expect(countLoads(), log).toBeGreaterThan(before);
    }, 1000);
  };
  return { context: newFixture.context, members, reload, socket: join(dir, 'stats') };
}

testWith('haproxy')(
  'the running HAProxy is queried for the members of its pools before and after the bootstrap removal',
  async () => {
    const { context, members, reload, socket } = await balancedSite(246);
    const probe = () => probeLoadBalancers(context);
    await eventually(async () => expect((await probe()).balancers[0]?.upMembers).toContain('api/bs'));
    expect((await probe()).balancers[0]).toMatchObject({ name: 'lb1', state: 'has-bootstrap' });
    // The file no longer has the bootstrap, but the running program does: that is not done.
    const before = await bootstrapRemovalStep.probe(context);
    expect(before).toMatchObject({ state: 'waiting', findings: [{ code: 'bootstrap-in-pool' }] });
    // A run that was killed before it installed the files installs them now, and the stage is not reverted.
    context.stepState.set('put-files', { lb1: 'those of the stage before' });
    expect(await bootstrapRemovalStep.probe(context)).toMatchObject({ state: 'needed' });
    await bootstrapRemovalStep.apply(context, () => undefined);
    expect(fixture?.calls).toEqual(['put lb1', 'off bs']);
    expect(await bootstrapRemovalStep.probe(context)).toMatchObject({ state: 'waiting' });
    await reload('bootstrap-removed');
    await eventually(async () => expect((await probe()).balancers[0]?.state).toBe('no-bootstrap'));
    await eventually(async () => expect((await probe()).balancers[0]?.upMembers).toContain('api/m1'));
    const still = await bootstrapRemovalStep.probe(context);
    expect(still).toMatchObject({ state: 'done', summary: expect.stringContaining('you can power off bs') });
    await members.get('bs')?.stop();
    const after = await bootstrapRemovalStep.probe(context);
    expect(after).toMatchObject({ state: 'done', summary: expect.stringContaining('the API answers without it') });
    // The socket reports the same as the page.
    const pools = await fetchPoolMembers({ socket }, systemClock);
    expect(pools?.map(({ name }) => name)).not.toContain('bs');
    expect(pools?.find(({ pool, name }) => pool === 'machine-config' && name === 'm1')?.status).toBe('UP');
  },
);

testWith('haproxy')('a HAProxy whose members are all down proves nothing', async () => {
  const { context, members, reload } = await balancedSite(247);
  await eventually(async () => expect((await probeLoadBalancers(context)).balancers[0]?.state).toBe('has-bootstrap'));
  await reload('bootstrap-removed');
  for (const member of members.values()) await member.stop();
  await eventually(async () => {
    const { balancers } = await probeLoadBalancers(context);
    expect(balancers[0]).toMatchObject({ state: 'no-bootstrap', upMembers: [] });
  });
  expect((await bootstrapRemovalStep.probe(context)).state).toBe('waiting');
});

/** Returns a load balancer that is reached over SSH, where sudo records its arguments. */
async function sshSite(sudo: string) {
  const sshd = await startSshd(['/nowhere']);
  const home = join(sshd.dir, 'home');
  mkdirSync(join(home, 'bin'));
  const program = (name: string, text: string) => {
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(home, 'bin', name), 0o755);
  };
  program('id', 'echo 1000');
  program('sudo', sudo.replaceAll('HOME', home));
  writeFileSync(
    join(sshd.dir, 'ssh'),
    `#!/bin/sh\nexec ${requireProgram('ssh')} ${sshd.target().options.join(' ')} "$@"\n`,
  );
  chmodSync(join(sshd.dir, 'ssh'), 0o755);
  vi.stubEnv('PATH', `${sshd.dir}${delimiter}${process.env.PATH}`);
  const newFixture = createStepFixture({
    isManual: true,
    facts: { stage: 'bootstrap-removed' },
    resolveEndpoint: (host, port) =>
      host === '172.16.0.112' && port === 22 ? { host: SSHD_HOST, port: sshd.port } : { host: '127.0.0.1', port: 1 },
  });
  fixture = newFixture;
  await generateStep.apply(newFixture.context, () => undefined);
  const lines: string[] = [];
  const apply = () =>
    bootstrapRemovalStep
      .applyOne?.(newFixture.context, { kind: 'part', name: 'lb1' }, (line) => void lines.push(line))
      .then(
        () => null,
        (error: unknown) => error,
      );
  return { context: newFixture.context, facts: newFixture.facts, apply, lines, home };
}

const testSsh = testWith('sshd', 'ssh', 'ssh-keygen', 'tar');

testSsh('over SSH the files are copied, install.sh is run with sudo, and its output is reported', async () => {
  const { apply, lines, home } = await sshSite(
    'echo "$*" >>HOME/asked; echo "Place: /etc/haproxy/haproxy.cfg" >&2; echo Done.',
  );
  expect(await apply()).toBeNull();
  expect(readFileSync(join(home, 'asked'), 'utf8')).toBe('-n bash upi-wizard/lb1/root/upi-wizard/install.sh\n');
  expect(readFileSync(join(home, 'upi-wizard', FILE), 'utf8')).not.toContain('server bs ');
  expect(lines).toEqual(expect.arrayContaining(['lb1: Place: /etc/haproxy/haproxy.cfg', 'lb1: Done.']));
});

testSsh('a sudo that wants a password is reported with the command to type', async () => {
  const { apply } = await sshSite('echo "sudo: a password is required" >&2; exit 1');
  const error = await apply();
  expect(error).toBeInstanceOf(UserErrorException);
  expect((error as UserErrorException).userError).toMatchObject({
    code: 'install-failed',
    cause: 'sudo: a password is required',
    remedy: expect.stringContaining('ssh -t 172.16.0.112 sudo bash upi-wizard/lb1'),
  });
});

testSsh('before the bootstrap is over nothing is written and no host is contacted', async () => {
  const { apply, facts, home, context } = await sshSite('exit 0');
  delete facts.stage;
  const error = await apply();
  expect((error as UserErrorException).userError.code).toBe('bootstrap-needed');
  expect(existsSync(join(home, 'upi-wizard'))).toBe(false);
  expect((await bootstrapRemovalStep.probe(context)).view.sshBalancerNames).toBeNull();
});
