import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished } from 'vitest';
import type { Design } from '../../src/design/model.ts';
import { balancerPairDesign, exampleSite, generateFileText, V4, V6 } from '../support/example-design.ts';
import { type Lab, openLab, testInLab, waitUntil } from '../support/lab.ts';
import { requireProgram } from '../support/programs.ts';

// Only root can run keepalived's check scripts, or check configurations that contain them.
testInLab('keepalived')('keepalived accepts its configuration without a message', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'keepalived-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const cases = [
    [exampleSite(), 'lb1'],
    [balancerPairDesign(), 'lb1'],
    [balancerPairDesign(), 'lb2'],
    [balancerPairDesign('rhel9'), 'lb2'],
  ] as const;
  for (const [design, host] of cases) {
    writeFileSync(join(dir, 'keepalived.conf'), generateFileText(design, `${host}/etc/keepalived/keepalived.conf`));
    const { exitCode, all } = await execa(requireProgram('keepalived'), ['-t', '-f', join(dir, 'keepalived.conf')], {
      all: true,
      reject: false,
    });
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: '' });
  }
});

/** Starts HAProxy and keepalived on a load balancer of the lab, with its generated files. */
async function startBalancer(lab: Lab, design: Design, name: string) {
  const file = (path: string) => generateFileText(design, `${name}${path}`);
  const dir = join(lab.dir, name);
  mkdirSync(dir);
  // Removes the accounts and sockets of the real host. Neither affects the addresses that are served.
  const haproxy = file('/etc/haproxy/haproxy.cfg')
    .replace(/^ +(?:user|group|chroot) .*\n/gm, '')
    .replace(/stats socket \S+/, `stats socket ${dir}/stats`);
  writeFileSync(join(dir, 'haproxy.cfg'), haproxy);
  writeFileSync(join(dir, 'interface.conf'), '$INTERFACE=lan0\n');
  writeFileSync(
    join(dir, 'keepalived.conf'),
    file('/etc/keepalived/keepalived.conf').replace(
      '/etc/keepalived/upi-wizard-interface.con[f]',
      `${dir}/interface.conf`,
    ),
  );
  writeFileSync(join(dir, 'sysctl.conf'), file('/etc/sysctl.d/90-upi-wizard.conf'));
  const { all, exitCode } = await lab.run(name, `sysctl -q -e -p ${dir}/sysctl.conf`);
  expect({ all, exitCode }).toEqual({ all: '', exitCode: 0 });
  const startHaproxy = () => lab.start(name, ['haproxy', '-db', '-f', join(dir, 'haproxy.cfg')], `${name}/haproxy.log`);
  const pids = ['-p', join(dir, 'pid'), '-r', join(dir, 'vrrp.pid'), '-c', join(dir, 'checkers.pid')];
  const stopKeepalived = lab.start(
    name,
    ['keepalived', '-n', '-l', '-D', '-f', join(dir, 'keepalived.conf'), ...pids],
    `${name}/keepalived.log`,
  );
  return {
    startHaproxy,
    stopHaproxy: startHaproxy(),
    stopKeepalived,
    log: () => readFileSync(join(dir, 'keepalived.log'), 'utf8'),
  };
}

/** Returns the load balancer that has the address; null: none or both have it. */
async function findAddressHolder(lab: Lab, address: string): Promise<string | null> {
  const found: string[] = [];
  for (const name of ['lb1', 'lb2']) {
    const { all } = await lab.run(name, `ip -o addr show to ${address}`);
    if (all !== '') found.push(name);
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

const waitForAddresses = (lab: Lab, balancer: string) =>
  waitUntil(`both addresses on ${balancer}`, async () =>
    (await findAddressHolder(lab, V4)) === balancer && (await findAddressHolder(lab, V6)) === balancer
      ? balancer
      : null,
  );

/** Connects to an application route from another machine of the network. */
const requestRoute = (lab: Lab, address: string) => () =>
  lab
    .run('client', `exec 3<>/dev/tcp/${address}/443; timeout 2 cat <&3`)
    .then(({ all }) => (all === 'a router' ? all : null));

describe('two load balancers', () => {
  testInLab('keepalived', 'haproxy')(
    'the addresses move when HAProxy or the host fails, do not move back, and carry traffic',
    async () => {
      const lab = await openLab();
      const design = balancerPairDesign();
      for (const { name, ip } of design.services.loadBalancer.servers) {
        await lab.addMachine(name, [`${ip[0]}/24`, `${ip[1]}/64`]);
      }
      await lab.addMachine('client', ['172.16.0.200/24', 'fd00:16::200/64']);
      await lab.addMachine(
        'nodes',
        design.nodes.map(({ ip }) => `${ip[0]}/24`),
      );
      writeFileSync(
        join(lab.dir, 'router.js'),
        "require('net').createServer((s) => s.on('error', () => {}).end('a router')).listen(443)",
      );
      lab.start('nodes', ['node', join(lab.dir, 'router.js')], 'router.log');

      const first = await startBalancer(lab, design, 'lb1');
      await waitForAddresses(lab, 'lb1');
      const second = await startBalancer(lab, design, 'lb2');
      await waitUntil('lb2 in reserve', async () =>
        /\(endpoints4\) Entering BACKUP STATE/.test(second.log()) ? true : null,
      );
      expect(await waitUntil('traffic', requestRoute(lab, V4))).toBe('a router');
      expect(await waitUntil('traffic', requestRoute(lab, V6))).toBe('a router');

      await first.stopHaproxy();
      await waitForAddresses(lab, 'lb2');
      expect(await waitUntil('traffic', requestRoute(lab, V4))).toBe('a router');
      expect(await waitUntil('traffic', requestRoute(lab, V6))).toBe('a router');

      // It returns as backup and does not take the addresses back.
      first.startHaproxy();
      const countBackupStates = () => [...first.log().matchAll(/\(endpoints[46]\) Entering BACKUP STATE/g)].length;
      await waitUntil('lb1 in reserve', async () => (countBackupStates() >= 4 ? true : null));
      expect(await waitForAddresses(lab, 'lb2')).toBe('lb2');

      await lab.run('lb2', 'ip link set lan0 down');
      await waitUntil('both addresses on lb1', async () => {
        const { all } = await lab.run('lb1', `ip -o addr show to ${V4}; ip -o addr show to ${V6}`);
        return all.split('\n').length === 2 ? true : null;
      });
      expect(await waitUntil('traffic', requestRoute(lab, V4))).toBe('a router');
      expect(await waitUntil('traffic', requestRoute(lab, V6))).toBe('a router');
      await second.stopKeepalived();
    },
  );
});
