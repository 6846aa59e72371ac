import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished } from 'vitest';
import type { Design } from '../../src/design/model.ts';
import { balancerPair, exampleSite, generated, V4, V6 } from '../support/example-design.ts';
import { type Lab, openLab, testAsRoot, until } from '../support/lab.ts';
import { requireProgram } from '../support/programs.ts';

// keepalived runs check scripts, and takes configurations with them, as root alone.
testAsRoot('keepalived')('keepalived accepts its configuration without a word', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'keepalived-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const cases = [
    [exampleSite(), 'lb1'],
    [balancerPair(), 'lb1'],
    [balancerPair(), 'lb2'],
    [balancerPair('rhel9'), 'lb2'],
  ] as const;
  for (const [design, host] of cases) {
    writeFileSync(join(dir, 'keepalived.conf'), generated(design, `${host}/etc/keepalived/keepalived.conf`));
    const { exitCode, all } = await execa(requireProgram('keepalived'), ['-t', '-f', join(dir, 'keepalived.conf')], {
      all: true,
      reject: false,
    });
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: '' });
  }
});

/** A load balancer of the lab, with the files that were made for it and the programs that they are for. */
async function startBalancer(lab: Lab, design: Design, name: string) {
  const file = (path: string) => generated(design, `${name}${path}`);
  const dir = join(lab.dir, name);
  mkdirSync(dir);
  // Accounts and sockets of the real host; nothing that decides who listens where.
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

/** Which of the load balancers has the address, where it is exactly one. */
async function holder(lab: Lab, address: string): Promise<string | null> {
  const found: string[] = [];
  for (const name of ['lb1', 'lb2']) {
    const { all } = await lab.run(name, `ip -o addr show to ${address}`);
    if (all !== '') found.push(name);
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

const held = (lab: Lab, by: string) =>
  until(`both addresses on ${by}`, async () =>
    (await holder(lab, V4)) === by && (await holder(lab, V6)) === by ? by : null,
  );

/** Asks a route of an application, as a machine of the network. */
const answer = (lab: Lab, address: string) => () =>
  lab
    .run('client', `exec 3<>/dev/tcp/${address}/443; timeout 2 cat <&3`)
    .then(({ all }) => (all === 'a router' ? all : null));

describe('two load balancers', () => {
  testAsRoot('keepalived', 'haproxy')(
    'the addresses move when HAProxy or the host dies, stay where they went, and carry traffic',
    async () => {
      const lab = await openLab();
      const design = balancerPair();
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

      const one = await startBalancer(lab, design, 'lb1');
      await held(lab, 'lb1');
      const two = await startBalancer(lab, design, 'lb2');
      await until('lb2 in reserve', async () => (/\(endpoints4\) Entering BACKUP STATE/.test(two.log()) ? true : null));
      expect(await until('traffic', answer(lab, V4))).toBe('a router');
      expect(await until('traffic', answer(lab, V6))).toBe('a router');

      await one.stopHaproxy();
      await held(lab, 'lb2');
      expect(await until('traffic', answer(lab, V4))).toBe('a router');
      expect(await until('traffic', answer(lab, V6))).toBe('a router');

      // It comes back to reserve, and takes nothing away.
      one.startHaproxy();
      const backs = () => [...one.log().matchAll(/\(endpoints[46]\) Entering BACKUP STATE/g)].length;
      await until('lb1 in reserve', async () => (backs() >= 4 ? true : null));
      expect(await held(lab, 'lb2')).toBe('lb2');

      await lab.run('lb2', 'ip link set lan0 down');
      await until('both addresses on lb1', async () => {
        const { all } = await lab.run('lb1', `ip -o addr show to ${V4}; ip -o addr show to ${V6}`);
        return all.split('\n').length === 2 ? true : null;
      });
      expect(await until('traffic', answer(lab, V4))).toBe('a router');
      expect(await until('traffic', answer(lab, V6))).toBe('a router');
      await two.stopKeepalived();
    },
  );
});
