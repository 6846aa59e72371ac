import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, expect, onTestFinished, vi } from 'vitest';
import { MINUTE } from '../../src/ports/clock.ts';
import { lookAtHost } from '../../src/steps/check/host.ts';
import { readHostTexts } from '../../src/steps/check/host-texts.ts';
import { readThere } from '../../src/steps/shared/hosts/run-there.ts';
import { serviceLooks } from '../../src/steps/shared/machines/service-look.ts';
import { exampleSite, generated } from '../support/example-design.ts';
import { testAsRoot, until } from '../support/lab.ts';
import { manualClock } from '../support/manual-clock.ts';
import { requireProgram } from '../support/programs.ts';
import { SSHD_HOST, startSshd } from '../support/sshd.ts';
import { type StepWorld, stepWorld } from '../support/step-world.ts';
import { START } from '../support/wizard-state.ts';

const test = testAsRoot('sshd', 'ssh', 'ssh-keygen');
const address = '172.16.0.102';
let world: StepWorld | null = null;
afterEach(async () => {
  vi.unstubAllEnvs();
  await world?.remove();
});

/** What `ssh` is in a test, from now on: the real one, with keys and known hosts of the test. */
function sshHost(sshd: Awaited<ReturnType<typeof startSshd>>) {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  };
  const ssh = requireProgram('ssh');
  const login = (changes: Parameters<typeof sshd.target>[0]) =>
    put(join(sshd.dir, 'ssh'), `#!/bin/sh\nexec ${ssh} ${sshd.target(changes).options.join(' ')} "$@"\n`);
  login({});
  vi.stubEnv('PATH', `${sshd.dir}${delimiter}${process.env.PATH}`);
  return { home: join(sshd.dir, 'home'), put, login };
}

test('a service host is looked at in one login: clock, rights, and what its generated scripts would still change', async () => {
  const sshd = await startSshd(['/root/upi-wizard']);
  const { home, put, login } = sshHost(sshd);
  world = stepWorld({
    isPerson: true,
    reach: (host, port) => (host === address ? { host: SSHD_HOST, port: sshd.port } : { host, port }),
  });
  const { context } = world;
  // The clock of this world is its own; the host has that of this machine.
  const look = () =>
    lookAtHost({ ...context, clock: { ...context.clock, now: Date.now } }, { name: 'ns1', address, isSelf: false });

  expect(await look()).toMatchObject({ state: 'seen', isRoot: true, firewall: 'absent', selinux: 'absent' });

  put(join(home, 'root/upi-wizard/firewall.sh'), generated(exampleSite(), 'ns1/root/upi-wizard/firewall.sh'));
  // A firewall that runs and has none of our rules: it only answers, and --dry-run asks for no more.
  const firewalld = spawn('sleep', ['infinity'], { argv0: 'firewalld', stdio: 'ignore' });
  onTestFinished(() => void firewalld.kill());
  put(
    join(home, 'bin/firewall-cmd'),
    '#!/bin/sh\ncase "$*" in --state) ;; --get*) echo public ;; *--add*) exit 1 ;; *--query*) echo "53/udp: no" ;; esac\n',
  );
  put(join(home, 'bin/date'), `#!/bin/sh\necho "$(($(${requireProgram('date')} +%s) + 90))000000000"\n`);
  const seen = await look();
  if (seen.state !== 'seen') throw new Error(JSON.stringify(seen));
  expect(seen.firewall).toEqual([
    'Would open: public port=53/udp',
    'Would open: public port=53/tcp',
    'Would open: public port=67/udp',
  ]);
  expect(Math.abs((seen.offsetMs ?? 0) - 90_000)).toBeLessThan(60_000);

  put(join(home, 'root/upi-wizard/named.conf'), 'options {\n  recursion “no”;\n};\n');
  const paths = ['/root/upi-wizard/named.conf', '/root/upi-wizard/is not there'];
  const asked = { name: 'ns1', address, isSelf: false, paths };
  expect(await readHostTexts(context, asked)).toEqual({
    state: 'seen',
    texts: ['options {\n  recursion “no”;\n};\n', null],
  });

  login({ key: 'stranger' });
  expect(await look()).toMatchObject({ state: 'refused', detail: expect.stringContaining('Permission denied') });
  expect(await readHostTexts(context, asked)).toMatchObject({ state: 'unseen' });
  expect(
    await lookAtHost(
      { ...context, hands: { ...context.hands, isPerson: false } },
      { name: 'ns1', address, isSelf: false },
    ),
  ).toMatchObject({ state: 'unseen' });
});

test('leases and configuration of a service host are read over SSH, once in a while, and a host that refuses is named', async () => {
  const sshd = await startSshd(['/var/lib/dhcp', '/etc/dhcp']);
  const { home, put, login } = sshHost(sshd);
  const clock = manualClock(START);
  world = stepWorld({
    isPerson: true,
    clock,
    reach: (host) => (host === address ? { host: SSHD_HOST, port: sshd.port } : { host, port: 1 }),
  });
  const { context } = world;
  const { design } = context;
  const mac = design.nodes.find(({ name }) => name === 'm1')?.mac ?? '';
  put(
    join(home, 'var/lib/dhcp/dhcpd.leases'),
    `lease 172.16.0.21 {\n  starts 5 2024/03/01 12:00:00;\n  binding state active;\n  hardware ethernet ${mac};\n}\n`,
  );
  put(join(home, 'etc/dhcp/dhcpd.conf'), '# as it stands there\n');
  const seen = () => serviceLooks(context);
  await seen();
  const { signs } = await until('the leases', async () => {
    const now = await seen();
    return now.signs.leases.length > 0 ? now : null;
  });
  expect(signs.leases).toContainEqual({ mac, address: '172.16.0.21', at: Date.UTC(2024, 2, 1, 12) });
  expect(await readThere(context, 'ns1', '/etc/dhcp/dhcpd.conf')).toBe('# as it stands there');
  put(join(home, 'etc/dhcp/dhcpd.conf'), '# changed\n');
  expect(await readThere(context, 'ns1', '/etc/dhcp/dhcpd.conf')).toBe('# as it stands there');
  expect(await readThere(context, 'ns1', '/etc/dhcp/none')).toBeNull();

  // The bastion of this world is nowhere.
  const refused = await until('the bastion', async () => {
    const { unseen } = await seen();
    return unseen.length > 0 ? unseen : null;
  });
  expect(refused).toEqual([expect.stringMatching(/^Leases, TFTP and neighbours of bastion are not seen: /)]);
  login({ key: 'stranger' });
  await clock.advance(MINUTE);
  expect(await readThere(context, 'ns1', '/etc/dhcp/dhcpd.conf')).toBeNull();
  const denied = await until('the refusal', async () => {
    const { unseen } = await seen();
    return unseen.length > 1 ? unseen : null;
  });
  expect(denied.find((line) => line.includes(' ns1 '))).toContain('Permission denied');
});
