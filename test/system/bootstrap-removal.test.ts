import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, expect, onTestFinished, vi } from 'vitest';
import { poolMembers } from '../../src/bastion/haproxy-stats.ts';
import type { Stage } from '../../src/design/model.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { bootstrapRemovalStep } from '../../src/steps/bootstrap-removal/index.ts';
import { generateStep } from '../../src/steps/generate/index.ts';
import { balancerProof } from '../../src/steps/shared/hosts/balancer-proof.ts';
import { TroubleError } from '../../src/text/trouble.ts';
import { local, loopback, type Member, startMember } from '../support/balancer.ts';
import { eventually } from '../support/eventually.ts';
import { exampleSite, generated } from '../support/example-design.ts';
import { requireProgram, testWith } from '../support/programs.ts';
import { SSHD_HOST, startSshd } from '../support/sshd.ts';
import { type StepWorld, stepWorld } from '../support/step-world.ts';

const FILE = 'lb1/etc/haproxy/haproxy.cfg';
let world: StepWorld | null = null;
afterEach(async () => {
  vi.unstubAllEnvs();
  await world?.remove();
  world = null;
});

/** HAProxy with the file of a stage, the nodes behind it, and a world that reaches all of them. */
async function balancedSite(second: number) {
  const at = loopback(second);
  const design = exampleSite();
  const members = new Map<string, Member>();
  for (const { name, ip } of design.nodes) members.set(name, await startMember(name, ip[0] ?? '', at));
  const dir = mkdtempSync(join(tmpdir(), 'removal-'));
  const write = (stage: Stage) =>
    writeFileSync(
      join(dir, 'haproxy.cfg'),
      // On loopback everybody comes from 127.0.0.1.
      local(generated(design, FILE, stage), at, dir).replace('unless { src ', 'unless { src 127.0.0.1 '),
    );
  write('install');
  const haproxy = spawn(requireProgram('haproxy'), ['-W', '-db', '-f', join(dir, 'haproxy.cfg')]);
  let said = '';
  haproxy.stdout.resume();
  haproxy.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const loads = () => said.split('Loading success.').length - 1;
  const ended = once(haproxy, 'exit');
  onTestFinished(async () => {
    haproxy.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
  const made = stepWorld({
    design,
    clock: systemClock,
    reach: (host, port) => ({ host: at.address(host), port: at.port(port) }),
    facts: { stage: 'bootstrap-removed' },
  });
  world = made;
  const reload = async (stage: Stage) => {
    // A signal before it is ready would end it, or be lost.
    await eventually(() => expect(loads(), said).toBeGreaterThan(0));
    const before = loads();
    write(stage);
    await eventually(() => {
      if (loads() === before) haproxy.kill('SIGUSR2');
      expect(loads(), said).toBeGreaterThan(before);
    }, 1000);
  };
  return { context: made.context, members, reload, socket: join(dir, 'stats') };
}

testWith('haproxy')(
  'the running HAProxy is asked who is in its pools: before and after the bootstrap leaves',
  async () => {
    const { context, members, reload, socket } = await balancedSite(246);
    const proof = () => balancerProof(context);
    await eventually(async () => expect((await proof()).balancers[0]?.up).toContain('api/bs'));
    expect((await proof()).balancers[0]).toMatchObject({ name: 'lb1', state: 'with' });
    // The file says so already, the running program does not: that is not done.
    const before = await bootstrapRemovalStep.probe(context);
    expect(before).toMatchObject({ state: 'waiting', findings: [{ code: 'bootstrap-in-pool' }] });
    // Killed before the files were there: they are put there then, and the stage is not taken back.
    context.memory.set('put-files', { lb1: 'those of the stage before' });
    expect(await bootstrapRemovalStep.probe(context)).toMatchObject({ state: 'needed' });
    await bootstrapRemovalStep.apply(context, () => undefined);
    expect(world?.done).toEqual(['put lb1', 'off bs']);
    expect(await bootstrapRemovalStep.probe(context)).toMatchObject({ state: 'waiting' });
    await reload('bootstrap-removed');
    await eventually(async () => expect((await proof()).balancers[0]?.state).toBe('without'));
    await eventually(async () => expect((await proof()).balancers[0]?.up).toContain('api/m1'));
    const still = await bootstrapRemovalStep.probe(context);
    expect(still).toMatchObject({ state: 'done', summary: expect.stringContaining('you can power off bs') });
    await members.get('bs')?.stop();
    const after = await bootstrapRemovalStep.probe(context);
    expect(after).toMatchObject({ state: 'done', summary: expect.stringContaining('the API answers without it') });
    // The socket says the same as the page.
    const pools = await poolMembers({ socket }, systemClock);
    expect(pools?.map(({ name }) => name)).not.toContain('bs');
    expect(pools?.find(({ pool, name }) => pool === 'machine-config' && name === 'm1')?.status).toBe('UP');
  },
);

testWith('haproxy')('a HAProxy whose members are all down proves nothing', async () => {
  const { context, members, reload } = await balancedSite(247);
  await eventually(async () => expect((await balancerProof(context)).balancers[0]?.state).toBe('with'));
  await reload('bootstrap-removed');
  for (const member of members.values()) await member.stop();
  await eventually(async () => {
    const { balancers } = await balancerProof(context);
    expect(balancers[0]).toMatchObject({ state: 'without', up: [] });
  });
  expect((await bootstrapRemovalStep.probe(context)).state).toBe('waiting');
});

/** A load balancer that is reached over SSH, where sudo writes down what it is asked. */
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
  const made = stepWorld({
    isPerson: true,
    facts: { stage: 'bootstrap-removed' },
    reach: (host, port) =>
      host === '172.16.0.112' && port === 22 ? { host: SSHD_HOST, port: sshd.port } : { host: '127.0.0.1', port: 1 },
  });
  world = made;
  await generateStep.apply(made.context, () => undefined);
  const lines: string[] = [];
  const apply = () =>
    bootstrapRemovalStep
      .applyOne?.(made.context, 'lb1', (line) => void lines.push(line))
      .then(
        () => null,
        (error: unknown) => error,
      );
  return { context: made.context, facts: made.facts, apply, lines, home };
}

const testSsh = testWith('sshd', 'ssh', 'ssh-keygen', 'tar');

testSsh('over SSH the files are copied, install.sh is run with sudo, and what it says is told', async () => {
  const { apply, lines, home } = await sshSite(
    'echo "$*" >>HOME/asked; echo "Place: /etc/haproxy/haproxy.cfg" >&2; echo Done.',
  );
  expect(await apply()).toBeNull();
  expect(readFileSync(join(home, 'asked'), 'utf8')).toBe('-n bash upi-wizard/lb1/root/upi-wizard/install.sh\n');
  expect(readFileSync(join(home, 'upi-wizard', FILE), 'utf8')).not.toContain('server bs ');
  expect(lines).toEqual(expect.arrayContaining(['lb1: Place: /etc/haproxy/haproxy.cfg', 'lb1: Done.']));
});

testSsh('a sudo that wants a password is told with the command to type', async () => {
  const { apply } = await sshSite('echo "sudo: a password is required" >&2; exit 1');
  const error = await apply();
  expect(error).toBeInstanceOf(TroubleError);
  expect((error as TroubleError).trouble).toMatchObject({
    code: 'install-failed',
    cause: 'sudo: a password is required',
    whatToDo: expect.stringContaining('ssh -t 172.16.0.112 sudo bash upi-wizard/lb1'),
  });
});

testSsh('before the bootstrap is over nothing is written and nobody is asked', async () => {
  const { apply, facts, home, context } = await sshSite('exit 0');
  delete facts.stage;
  const error = await apply();
  expect((error as TroubleError).trouble.code).toBe('bootstrap-needed');
  expect(existsSync(join(home, 'upi-wizard'))).toBe(false);
  expect((await bootstrapRemovalStep.probe(context)).view.overSsh).toBeNull();
});
