import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { decode, encode } from 'dns-packet';
import { afterEach, expect, onTestFinished, vi } from 'vitest';
import { MINUTE } from '../../src/platform/clock.ts';
import { probeHost, readHostTexts } from '../../src/steps/check/host.ts';
import { probeReach } from '../../src/steps/check/reach.ts';
import { readHostFile } from '../../src/steps/shared/hosts/host-command.ts';
import { probeServiceHosts } from '../../src/steps/shared/machines/service-probe.ts';
import { exampleSite, generateFileText } from '../support/example-design.ts';
import { testInLab, waitUntil } from '../support/lab.ts';
import { manualClock } from '../support/manual-clock.ts';
import { requireProgram } from '../support/programs.ts';
import { SSHD_HOST, startSshd } from '../support/sshd.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';
import { START } from '../support/wizard-state.ts';

const test = testInLab('sshd', 'ssh', 'ssh-keygen');
const address = '172.16.0.102';
let fixture: StepFixture | null = null;
afterEach(async () => {
  vi.unstubAllEnvs();
  await fixture?.remove();
});

/** Puts an `ssh` first in PATH: the real program, with the keys and known hosts of the test. */
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

test('a service host reports how servers answer it; each DNS question arrives in one datagram', async () => {
  const sshd = await startSshd([]);
  sshHost(sshd);
  fixture = createStepFixture({
    isManual: true,
    resolveEndpoint: (host, port) => (host === address ? { host: SSHD_HOST, port: sshd.port } : { host, port }),
  });
  const asked: string[] = [];
  const names = createSocket('udp4', (packet, { port }) => {
    const { questions = [] } = decode(packet);
    const name = questions[0]?.name ?? '';
    asked.push(name);
    // The last four bits are the code of the answer: REFUSED is 5 (RFC 1035 4.1.1).
    const flags = name.startsWith('refused.') ? 5 : 0;
    names.send(encode({ type: 'response', id: 1, flags, questions }), port, '127.0.0.1');
  });
  await new Promise<void>((resolve) => names.bind(0, '127.0.0.1', resolve));
  const web = createServer((request, response) => response.writeHead(request.url === '/boot.ipxe' ? 200 : 403).end());
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void [names.close(), web.close()]);
  const [host, dns, http] = ['127.0.0.1', names.address().port, (web.address() as AddressInfo).port];
  // A label of ten letters has the byte of a newline before it.
  const name = 'api-int.production.example.com';
  const targets = [
    { host, port: dns, request: { dnsName: name } },
    { host, port: dns, request: { dnsName: 'refused.example.com' } },
    { host, port: http, request: { httpPath: '/boot.ipxe' } },
    { host, port: http, request: { httpPath: '/other' } },
    { host, port: http },
    { host, port: 1 },
  ];
  expect(await probeReach(fixture.context, { name: 'ns1', address, targets })).toEqual({
    state: 'known',
    results: [
      { state: 'open' },
      { state: 'denied', answer: 'REFUSED' },
      { state: 'open' },
      { state: 'denied', answer: 'HTTP 403' },
      { state: 'open' },
      { state: 'refused' },
    ],
  });
  expect(new Set(asked)).toEqual(new Set([name, 'refused.example.com']));
});

test('a service host is probed in one login: clock, rights, and what its generated scripts would still change', async () => {
  const sshd = await startSshd(['/root/upi-wizard']);
  const { home, put, login } = sshHost(sshd);
  fixture = createStepFixture({
    isManual: true,
    resolveEndpoint: (host, port) => (host === address ? { host: SSHD_HOST, port: sshd.port } : { host, port }),
  });
  const { context } = fixture;
  // The clock of the step world is simulated; the host uses the real one.
  const probeAsLoggedIn = () =>
    probeHost({ ...context, clock: { ...context.clock, now: Date.now } }, { name: 'ns1', address, isSelf: false });

  expect(await probeAsLoggedIn()).toMatchObject({
    state: 'known',
    isRoot: true,
    firewall: 'absent',
    selinux: 'absent',
  });

  put(join(home, 'root/upi-wizard/firewall.sh'), generateFileText(exampleSite(), 'ns1/root/upi-wizard/firewall.sh'));
  // A running firewall without our rules. It only answers queries; `--dry-run` needs no more.
  const firewalld = spawn('sleep', ['infinity'], { argv0: 'firewalld', stdio: 'ignore' });
  onTestFinished(() => void firewalld.kill());
  put(
    join(home, 'bin/firewall-cmd'),
    '#!/bin/sh\ncase "$*" in --state) ;; --get*) echo public ;; *--add*) exit 1 ;; *--query*) echo "53/udp: no" ;; esac\n',
  );
  put(join(home, 'bin/date'), `#!/bin/sh\necho "$(($(${requireProgram('date')} +%s) + 90))000000000"\n`);
  const report = await probeAsLoggedIn();
  if (report.state !== 'known') throw new Error(JSON.stringify(report));
  expect(report.firewall).toEqual([
    'Would open: public port=53/udp',
    'Would open: public port=53/tcp',
    'Would open: public port=67/udp',
  ]);
  expect(Math.abs((report.offsetMs ?? 0) - 90_000)).toBeLessThan(60_000);

  put(join(home, 'root/upi-wizard/named.conf'), 'options {\n  recursion “no”;\n};\n');
  const paths = ['/root/upi-wizard/named.conf', '/root/upi-wizard/is not there'];
  const request = { name: 'ns1', address, isSelf: false, paths };
  expect(await readHostTexts(context, request)).toEqual({
    state: 'known',
    texts: ['options {\n  recursion “no”;\n};\n', null],
  });

  login({ key: 'stranger' });
  expect(await probeAsLoggedIn()).toMatchObject({
    state: 'refused',
    detail: expect.stringContaining('Permission denied'),
  });
  expect(await readHostTexts(context, request)).toMatchObject({ state: 'unknown' });
  expect(
    await probeHost(
      { ...context, manualActions: { ...context.manualActions, canLogIn: false } },
      { name: 'ns1', address, isSelf: false },
    ),
  ).toMatchObject({ state: 'unknown' });
});

test('leases and configuration of a service host are read over SSH at intervals, and a host that refuses the login is named', async () => {
  const sshd = await startSshd(['/var/lib/dhcp', '/etc/dhcp']);
  const { home, put, login } = sshHost(sshd);
  const clock = manualClock(START);
  fixture = createStepFixture({
    isManual: true,
    clock,
    resolveEndpoint: (host) => (host === address ? { host: SSHD_HOST, port: sshd.port } : { host, port: 1 }),
  });
  const { context } = fixture;
  const { design } = context;
  const mac = design.nodes.find(({ name }) => name === 'm1')?.mac ?? '';
  put(
    join(home, 'var/lib/dhcp/dhcpd.leases'),
    `lease 172.16.0.21 {\n  starts 5 2024/03/01 12:00:00;\n  binding state active;\n  hardware ethernet ${mac};\n}\n`,
  );
  put(join(home, 'etc/dhcp/dhcpd.conf'), '# as it stands there\n');
  const probeServices = () => probeServiceHosts(context);
  await probeServices();
  const { activity } = await waitUntil('the leases', async () => {
    const probe = await probeServices();
    return probe.activity.leases.length > 0 ? probe : null;
  });
  expect(activity.leases).toContainEqual({ mac, address: '172.16.0.21', at: Date.UTC(2024, 2, 1, 12) });
  expect(await readHostFile(context, 'ns1', '/etc/dhcp/dhcpd.conf')).toBe('# as it stands there');
  put(join(home, 'etc/dhcp/dhcpd.conf'), '# changed\n');
  expect(await readHostFile(context, 'ns1', '/etc/dhcp/dhcpd.conf')).toBe('# as it stands there');
  expect(await readHostFile(context, 'ns1', '/etc/dhcp/none')).toBeNull();

  // The bastion of this world has no reachable address.
  const unreachable = await waitUntil('the bastion', async () => {
    const { unavailableHostLines } = await probeServices();
    return unavailableHostLines.length > 0 ? unavailableHostLines : null;
  });
  expect(unreachable).toEqual([expect.stringMatching(/^Leases, TFTP and neighbours of bastion are not visible: /)]);
  login({ key: 'stranger' });
  await clock.advance(MINUTE);
  expect(await readHostFile(context, 'ns1', '/etc/dhcp/dhcpd.conf')).toBeNull();
  const unreadable = await waitUntil('the refusal', async () => {
    const { unavailableHostLines: refused } = await probeServices();
    return refused.length > 1 ? refused : null;
  });
  expect(unreadable.find((line) => line.includes(' ns1 '))).toContain('Permission denied');
});
