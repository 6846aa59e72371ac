import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { MACHINE_ENV, testOnDebian } from '../support/debian-host.ts';
import { waitUntil } from '../support/lab.ts';
import { runOnPty } from '../support/pty-run.ts';
import { createBastionMachine, createServiceMachine } from '../support/service-machine.ts';
import { key } from '../support/terminal-run.ts';

interface HostsReport {
  readonly hosts: readonly {
    readonly name: string;
    readonly state: string;
    readonly changes: readonly { readonly kind: string; readonly what: string; readonly how: string | null }[];
    readonly trouble: { readonly code: string } | null;
  }[];
}

const parseReport = ({ all }: { readonly all: string }) => JSON.parse(all) as HostsReport;

testOnDebian('sshd', 'ssh')('a host is probed over SSH, and nothing is written there', async () => {
  const { hosts, shell, snapshot } = await createServiceMachine();
  const before = await snapshot();
  const plan = await hosts('plan', '--host', 'ns1');
  expect(plan.exitCode, plan.all).toBe(0);
  expect(plan.all).toMatch(/^ns1 \(172\.16\.0\.101\)\n/);
  expect(plan.all).toMatch(/^ {4}\/etc\/haproxy\/haproxy\.cfg: not as generated\n {6}@@/m);
  expect(plan.all).toContain('    systemctl start named\n');
  const [host] = parseReport(await hosts('plan', '--host', 'ns1', '--json')).hosts;
  expect(host).toMatchObject({ name: 'ns1', state: 'new', trouble: null });
  expect(host?.changes).toContainEqual({
    kind: 'file',
    what: '/etc/dhcp/dhcpd.conf',
    how: 'changed',
    diff: expect.anything(),
  });
  expect(await snapshot()).toBe(before);
  expect((await shell('ls /tmp /run/upi-wizard 2>&1; true')).all).not.toMatch(/tmp\.|files/);

  // A refused login is reported with a remedy. The other hosts are still probed.
  await shell('mv /tmp/lab/keys/user.pub /tmp/lab/keys/away');
  const refused = await hosts('plan', '--host', 'ns1', '--json');
  expect(refused.exitCode).toBe(4);
  expect(parseReport(refused).hosts[0]).toMatchObject({ state: 'unknown', trouble: { code: 'ssh-login' } });
});

const NS1 = ['--host', 'ns1'] as const;

testOnDebian('sshd', 'ssh')(
  'a Debian machine gets all services over a connection that is lost, and undo restores its original state',
  async () => {
    const { lab, dir, hosts, command, expectShell, snapshot, units } = await createServiceMachine();
    const [before, unitsBefore] = [await snapshot(), await units()];
    lab.start('admin', ['bash', '-c', `${command('apply', ...NS1, '--yes')}; echo exit $?`], 'apply.log');
    const log = () => readFileSync(join(lab.dir, 'apply.log'), 'utf8');
    // The connection is cut while install.sh runs on the host.
    await waitUntil('a file in place', async () => (log().includes('Place: /etc/') ? true : null));
    const pids = readFileSync(join(lab.dir, 'ssh-pids'), 'utf8').trim().split('\n');
    await lab.run(null, `kill -KILL ${pids.at(-1)}`);
    await waitUntil('the end', async () => (/^exit \d+$/m.test(log()) ? true : null));
    expect(log()).toMatch(/ns1: The connection is lost \(.*ns1: The connection is back\./s);
    expect(log()).toMatch(
      /ns1: services\n.*ns1: Every check of this host passes\.\nns1: Confirmed: the changes stay\.\n/s,
    );
    expect(log()).toMatch(/^exit 0$/m);
    const dnsAnswer = await lab.run('admin', 'dig +short @172.16.0.101 api.ocp45.example.localdomain');
    expect(dnsAnswer.all).toBe('172.16.0.111');
    const verified = await hosts('verify', ...NS1);
    expect(verified.exitCode, verified.all).toBe(0);
    expect((await hosts('apply', ...NS1, '--yes')).all).toMatch(/^Nothing to do\.$/m);

    // Neither apply nor undo overwrites later changes made by hand, unless `--overwrite` is given.
    await expectShell('echo "# by hand" >>/etc/haproxy/haproxy.cfg');
    const stopped = await hosts('apply', ...NS1, '--yes');
    expect(stopped.exitCode, stopped.all).toBe(5);
    expect(stopped.all).toContain('haproxy.cfg: changed since it was put in place\n');
    const refusedUndo = await hosts('undo', ...NS1, '--yes');
    expect(refusedUndo.exitCode, refusedUndo.all).toBe(4);
    expect(await expectShell('tail -n 1 /etc/haproxy/haproxy.cfg')).toBe('# by hand');
    expect(await units()).toBe(unitsBefore);
    const undone = await hosts('undo', ...NS1, '--yes', '--overwrite');
    expect(undone.exitCode, undone.all).toBe(0);
    expect(await snapshot()).toBe(before);
    expect(await units()).toBe(unitsBefore);
    // Only the running services show this mistake: the checks do not confirm it, and the host reverts it on its own.
    const zone = join(dir, 'files/ns1/var/lib/bind/example.localdomain.zone');
    const good = readFileSync(zone, 'utf8');
    writeFileSync(zone, good.replaceAll('172.16.0.111', '172.16.0.99'));
    const reverted = await hosts('apply', ...NS1, '--yes', '--revert-after', '10');
    expect(reverted.exitCode, reverted.all).toBe(4);
    expect(reverted.all).toMatch(/ns1: \d+ checks? fails?, first: .*; reverts in \d+ s$/m);
    // The reason is the result of the checks on the wrong zone, not of those after the host reverted it.
    expect(reverted.all).toMatch(
      /^ns1: Reverted, and verified to be as before\. Why: api\.ocp45\S* the DNS record of the API is missing or wrong/m,
    );
    expect(await snapshot()).toBe(before);
    expect(await units()).toBe(unitsBefore);
  },
);

testOnDebian(
  'sshd',
  'ssh',
  'nft',
)(
  'a host that cuts the connection off reverts by itself; the messages of ssh are not taken for its output',
  async () => {
    const { lab, command, shell, expectShell, snapshot } = await createServiceMachine();
    const before = await snapshot();
    lab.start(
      'admin',
      ['bash', '-c', `${command('apply', ...NS1, '--yes', '--revert-after', '10')}; echo exit $?`],
      'apply.log',
    );
    const log = () => readFileSync(join(lab.dir, 'apply.log'), 'utf8');
    await waitUntil('the services', async () => (log().includes('ns1: services') ? true : null));
    await expectShell(
      'nft "add table inet oops; add chain inet oops in { type filter hook input priority 0; }; add rule inet oops in tcp dport 22 drop"',
    );
    await waitUntil('the loss, reported', async () => (log().includes('The connection is lost') ? true : null));
    await waitUntil('the revert', async () =>
      (await shell('grep -qx reverted /run/upi-wizard/outcome')).exitCode === 0 ? true : null,
    );
    await waitUntil('the time of a revert', async () => (log().includes('No connection for') ? true : null));
    expect(await snapshot()).toBe(before);
    await expectShell('nft delete table inet oops');
    await waitUntil('the end', async () => (/^exit \d+$/m.test(log()) ? true : null));
    expect(log()).toMatch(/is lost \(.*has restored its previous files by now.*The connection is back\.\n/s);
    expect(log().match(/The connection is back/g)).toHaveLength(1);
    expect(log()).not.toMatch(/^ns1: {3}.*timed out/m);
    expect(log()).toMatch(/ns1: Reverted, and verified to be as before\..*^exit 4$/ms);
  },
);

testOnDebian('curl')('the Hosts screen sets up all services on a Debian machine, and undoes it', async () => {
  const { lab, shell, snapshot, units, startWizard } = await createBastionMachine();
  const [before, unitsBefore] = [await snapshot(), await units()];
  const run = startWizard();
  await run.sees(/▸ 1\. bastion +◦ to be set up/);
  run.type('H');
  await run.sees(/Run install\.sh on bastion from here\?.* {2}Files[ │]*\n/s);
  expect(await snapshot()).toBe(before);
  run.type('y');
  await run.sees(/bastion: services/);
  await run.sees(/✔ answers as designed.*Last run from here: Confirmed: the changes stay\./s);
  expect(await units()).toBe(
    ['named', 'haproxy', 'keepalived', 'isc-dhcp-server', 'tftpd-hpa']
      .map((unit) => `${unit} runs\n${unit} enabled`)
      .join('\n'),
  );
  const serviceAnswers = await lab.run(
    'host',
    'dig +short @172.16.0.101 api.ocp45.example.localdomain; curl -sf tftp://172.16.0.101/ipxe.efi | head -c 2',
  );
  expect(serviceAnswers.all).toBe('172.16.0.111\nMZ');

  run.type('u');
  await run.sees(/Put everything back on bastion/);
  run.type('y');
  await run.sees(/▸ 1\. bastion +◦ to be set up.*Last run from here: The host is as it was before the first run\./s);
  expect(await snapshot()).toBe(before);
  expect(await units()).toBe(unitsBefore);
  expect(
    (await shell('cd /run/units; for unit in *; do systemctl is-active $unit && exit 1; done; true')).exitCode,
  ).toBe(0);
  run.type(key.ctrl('s'));
  expect((await run.exit).exitCode).toBe(0);
});

testOnDebian('sshd', 'ssh')(
  'the Hosts screen sets two machines up side by side, and overwrites changes made by hand only on request',
  async () => {
    const { shell, balancer, startWizard } = await createBastionMachine({ hasBalancer: true });
    const run = startWizard();
    await run.sees(/1\. (?:lb1|bastion) +◦ to be set up.*2\. (?:lb1|bastion) +◦ to be set up/s);
    run.type('M');
    await run.sees(/Run install\.sh on .*T in parallel/s);
    run.type('T');
    await run.sees(/All of them in parallel\./);
    run.type('y');
    await run.sees(/▸ 1\. \S+ +✔.*2\. \S+ +✔/s);
    expect((await shell('dig +short @172.16.0.101 api.ocp45.example.localdomain')).all).toBe('172.16.0.111');
    expect((await balancer?.('systemctl is-active haproxy'))?.exitCode).toBe(0);
    await balancer?.('echo "# by hand" >>/etc/haproxy/haproxy.cfg');
    run.type(key.down);
    await run.sees(/▸ \d\. lb1/);
    run.type('H');
    await run.sees(/O allow overwriting/s);
    run.type('O');
    await run.sees(/since it was put in place\.[\s│]+It[\s│]+will[\s│]+be[\s│]+overwritten\./);
    run.type('y');
    await run.sees(/Last run from here: Confirmed: the changes stay\./s);
    expect((await balancer?.('tail -n 1 /etc/haproxy/haproxy.cfg'))?.all).not.toBe('# by hand');
    run.type(key.ctrl('s'));
    expect((await run.exit).exitCode).toBe(0);
  },
);

testOnDebian(
  'sshd',
  'ssh',
  'ssh-agent',
  'ssh-add',
  'sudo',
  'useradd',
)(
  'two hosts side by side, with sudo, an agent and a jump host: one connection is cut, and one host reboots before it is confirmed',
  async () => {
    const { lab, dir, shells, hosts, command, configure, captureState, powerCut } = await createServiceMachine({
      balancer: 'lb1',
    });
    for (const shell of Object.values(shells)) {
      const created = await shell(
        `for user in plain op; do useradd -p "*" $user; done
         printf "%s\n" "Defaults secure_path=${MACHINE_ENV.replace('PATH=', '')}" "op ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/op`,
      );
      expect(created.exitCode, created.all).toBe(0);
    }
    const agent = await lab.run(
      'admin',
      'chmod 755 "$LAB"; ssh-agent -a "$LAB/agent" >/dev/null; SSH_AUTH_SOCK="$LAB/agent" ssh-add -q "$LAB/keys/user"; rm "$LAB/keys/user"',
    );
    expect(agent).toEqual({ exitCode: 0, all: '' });
    const loginAs = (user: string) =>
      configure(
        ...['Host 172.16.0.101', 'ProxyJump 172.16.0.102', 'Host *', `User ${user}`],
        `IdentityAgent ${join(lab.dir, 'agent')}`,
      );
    const both = ['--host', 'ns1,lb1'];

    loginAs('plain');
    const refused = await hosts('plan', ...both);
    expect(refused.exitCode).toBe(4);
    for (const name of ['ns1', 'lb1'])
      expect(refused.all).toContain(`  Root privileges are missing on ${name}: sudo: a password is required\n`);
    // BatchMode does not reach the ssh to the jump host: it looks for a terminal and finds none.
    const known = join(lab.dir, 'keys/known');
    const keys = readFileSync(known, 'utf8');
    writeFileSync(known, keys.replace(/^172\.16\.0\.102 .*\n/m, ''));
    const [program, ...args] = lab.buildArgv('admin', ['bash', '-c', command('plan', '--host', 'ns1')]);
    const terminalRun = runOnPty(program, args, { cwd: '/', env: { LAB: lab.dir } });
    await terminalRun.waitUntil(
      () => /Are you sure|known_hosts of this user/.test(terminalRun.screen()),
      'what ssh said',
    );
    expect(terminalRun.screen()).toContain('is not in known_hosts of this user');
    expect((await terminalRun.exit).exitCode).toBe(4);
    writeFileSync(known, keys);

    loginAs('op');
    const before = await captureState('ns1');
    const zone = join(dir, 'files/ns1/var/lib/bind/example.localdomain.zone');
    writeFileSync(zone, readFileSync(zone, 'utf8').replaceAll('172.16.0.111', '172.16.0.99'));
    // A script waits for the first file on lb1 and then cuts its connection: there is not much time.
    lab.start(
      'admin',
      [
        'bash',
        '-c',
        `until grep -q "^lb1: *Place: " "$LAB/apply.log" 2>/dev/null; do sleep 0.05; done
until [[ -n "$found" ]]; do
  mapfile -t pids <"$LAB/ssh-pids"
  # The last one first, and no program is started to look at it: there is little time on a busy machine.
  for ((i = \${#pids[@]} - 1; i >= 0; i--)); do
    words=()
    mapfile -d "" -t words <"/proc/\${pids[i]}/cmdline"
    if [[ "\${words[*]}" == *"102 exec "*" follow "* ]] && kill -KILL "\${pids[i]}"; then found=\${pids[i]}; fi
  done
done 2>/dev/null
echo cut`,
      ],
      'cut.log',
    );
    lab.start(
      'admin',
      ['bash', '-c', `${command('apply', ...both, '--yes', '--side-by-side')}; echo exit $?`],
      'apply.log',
    );
    const log = () => readFileSync(join(lab.dir, 'apply.log'), 'utf8');
    await waitUntil('the line is cut', async () =>
      readFileSync(join(lab.dir, 'cut.log'), 'utf8').includes('cut') ? true : null,
    );
    await waitUntil('the countdown', async () => (/^ns1: \d+ checks? fails?, .*reverts in/m.test(log()) ? true : null));
    await powerCut('ns1');
    await waitUntil('the end', async () => (/^exit \d+$/m.test(log()) ? true : null));
    expect(log()).toMatch(
      /^lb1: The connection is lost \(.*^lb1: The connection is back\..*^lb1: Confirmed: the changes stay\.$/ms,
    );
    expect(log()).toMatch(/^ns1: Reverted, and verified to be as before\. Why: the host rebooted before/m);
    expect(log()).toMatch(/^exit 4$/m);
    expect(await captureState('ns1')).toEqual(before);
  },
);
