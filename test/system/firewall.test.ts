import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { balancerPairDesign, generateFileText } from '../support/example-design.ts';
import { openLab, testInLab, waitUntil } from '../support/lab.ts';

// firewalld and its bus change users, which needs more than the root of a namespace.
const asRoot = testInLab('firewalld', 'firewall-cmd', 'dbus-daemon', 'nft');

asRoot('firewall.sh opens what firewalld does not have open yet, once, and closes it again', async () => {
  const lab = await openLab();
  await lab.addMachine('lb1', ['172.16.0.112/24', 'fd00:16::112/64']);
  const text = generateFileText(balancerPairDesign('rhel9'), 'lb1/root/upi-wizard/firewall.sh');
  writeFileSync(join(lab.dir, 'firewall.sh'), text);
  const setup = await lab.run(
    'lb1',
    `mount -t tmpfs tmpfs /etc/firewalld; mount -t tmpfs tmpfs /var/lib; mkdir -p /run/dbus
     mkdir /etc/firewalld/zones /etc/firewalld/services /etc/firewalld/policies
     dbus-daemon --system --fork`,
  );
  expect(setup).toEqual({ exitCode: 0, all: '' });
  lab.start('lb1', ['firewalld', '--nofork', '--nopid'], 'firewalld.log');
  const state = () => lab.run('lb1', 'firewall-cmd --state').then(({ all }) => (all === 'running' ? true : null));
  await waitUntil('firewalld runs', state);
  const runScript = (...args: readonly string[]) => lab.run('lb1', `bash "$LAB/firewall.sh" ${args.join(' ')}`);
  const listRules = async () => (await lab.run('lb1', 'nft list ruleset | grep -E "22623|6443|9000|vrrp"')).all;
  // A port that was already open is not ours.
  expect((await lab.run('lb1', 'firewall-cmd --quiet --permanent --add-port=443/tcp')).exitCode).toBe(0);

  const dry = await runScript('--dry-run');
  expect(dry.exitCode, dry.all).toBe(0);
  expect(dry.all).toContain('Would open: public port=6443/tcp');
  expect(await listRules()).toBe('');

  const first = await runScript();
  expect(first.exitCode, first.all).toBe(0);
  expect(first.all).not.toContain('port=443/tcp');
  const open = await listRules();
  expect(open).toContain('tcp dport 6443 accept');
  expect(open).toContain('ip saddr 172.16.0.0/24 tcp dport 22623 accept');
  expect(open).toContain('ip6 saddr fd00:16::/64 tcp dport 22623 accept');
  expect(open).toMatch(/ip saddr 172\.16\.0\.113 .*vrrp/);
  expect(open).toMatch(/ip6 saddr fd00:16::113 .*vrrp/);
  expect(open).not.toContain('192.168.124.0/24 tcp dport 22623');

  expect(await runScript()).toEqual({ exitCode: 0, all: '' });
  const undoResult = await runScript('--undo');
  expect(undoResult.exitCode, undoResult.all).toBe(0);
  expect(await listRules()).toBe('');
  expect((await lab.run('lb1', 'firewall-cmd --permanent --list-ports')).all).toBe('443/tcp');
  expect(await runScript('--undo')).toEqual({ exitCode: 0, all: '' });
  expect(readFileSync(join(lab.dir, 'firewalld.log'), 'utf8')).not.toContain('ERROR');
});
