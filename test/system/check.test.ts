import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { BootServerConfig } from '../../src/bastion/boot/boot-config.ts';
import { debianHost, oneHost, testOnDebian } from '../support/debian-host.ts';
import { exampleImages } from '../support/example-design.ts';
import { exampleDocument } from '../support/example-document.ts';
import { until } from '../support/lab.ts';
import { built, executable } from '../support/rehearsal-run.ts';

/** The same design as `oneHost`, as a person writes it. */
function designText(): string {
  const host = { name: 'bastion', ip: '172.16.0.101', os: 'debian' };
  const document = exampleDocument() as { services: Record<string, Record<string, unknown>> };
  const { dns, loadBalancer } = document.services;
  const services = {
    ...document.services,
    bastion: host,
    boot: { kind: 'ipxe', httpPort: 8088 },
    dns: { ...dns, servers: [host] },
    dhcp: { kind: 'isc-dhcpd', server: 'bastion' },
    loadBalancer: { ...loadBalancer, servers: [host] },
  };
  return JSON.stringify({ ...document, services });
}

interface Found {
  readonly id: string;
  readonly subject: string | null;
  readonly result: string;
  readonly evidence: string | null;
  readonly command: string | null;
}

testOnDebian()(
  'check finds a site right that install.sh set up, and names each thing that is then broken',
  async () => {
    const design = oneHost();
    const { lab, shell, put } = await debianHost(design);
    const installed = await shell('/tmp/lab/bastion/root/upi-wizard/install.sh');
    expect(installed.exitCode, installed.all).toBe(0);
    const path = (name: string) => join(lab.dir, name);
    mkdirSync(path('images'));
    const { kernel, initramfs, rootfs } = exampleImages;
    for (const image of [kernel, initramfs, rootfs]) writeFileSync(path(`images/${image}`), 'image');
    for (const role of ['bootstrap', 'master', 'worker']) writeFileSync(path(`${role}.ign`), '{}');
    const config: BootServerConfig = {
      listen: { host: '0.0.0.0', port: 8088 },
      webRoot: path('bastion/var/www/upi-wizard'),
      programsDir: path('host-fs/root/var/www/upi-wizard/boot'),
      imagesDir: path('images'),
      ignition: Object.fromEntries(
        ['bootstrap', 'master', 'worker'].map((role) => [role, { file: path(`${role}.ign`), allow: [] }]),
      ),
      logFile: path('boot.log'),
      statusFile: path('boot.json'),
      clockAnchorFile: null,
    };
    writeFileSync(path('boot-server.json'), JSON.stringify(config));
    writeFileSync(path('design.yaml'), designText());
    // The names of the images are those of an installer, which says them.
    put('openshift-install', `#!/bin/sh\n${installerText()}`, 0o755);
    const stop = lab.start(
      'host',
      ['env', process.execPath, built('boot-server'), path('boot-server.json')],
      'boot-server.log',
    );
    await until('the boot server', async () =>
      readFileSync(path('boot.json'), 'utf8').includes('listening') ? true : null,
    );

    const check = async (...argv: readonly string[]) => {
      const command = [process.execPath, executable, 'check', path('design.yaml'), '--json', ...argv];
      const { exitCode, all } = await lab.run('host', command.map((word) => `'${word}'`).join(' '));
      const { checks } = JSON.parse(all) as { readonly checks: readonly Found[] };
      return { exitCode, checks, wrong: checks.filter(({ result }) => result === 'failed') };
    };
    const phases = async () => {
      const found = await Promise.all(['dns', 'load-balancer', 'boot-files'].map((phase) => check('--phase', phase)));
      return found.flatMap(({ wrong }) => wrong.map(({ id, subject }) => `${id} ${subject}`));
    };

    // keepalived takes the virtual addresses some seconds after its start.
    await until('the virtual addresses', async () =>
      (await shell('ip -br addr')).all.includes('172.16.0.110/') ? true : null,
    );
    const all = await check();
    expect(all.checks.length).toBeGreaterThanOrEqual(60);
    for (const { id, command } of all.checks.filter(({ subject }) => subject !== null))
      expect(command, id).not.toBe('');
    // Nobody forwards names of the internet here, and the resolver of this machine is another.
    const known = ['dns-upstream', 'dns-resolver'];
    expect((await phases()).filter((each) => !known.includes(each.split(' ')[0] ?? ''))).toEqual([]);
    const names = all.checks.filter(({ id }) => /^dns-(?:api|api-int|apps-wildcard|nodes|reverse)$/.test(id));
    expect(new Set(names.map(({ result }) => result))).toEqual(new Set(['ok']));

    // A person forgot a record, and put a wildcard where none may be, which answers for the bootstrap node as its record did.
    const zones = await shell('ls /var/lib/bind');
    const file = zones.all.split('\n').find((name) => name.includes('example.localdomain'));
    const broken = await shell(
      `sed -i "/^m2/d; s/^bs[.]ocp45/*.ocp45/" /var/lib/bind/${file}; systemctl restart named`,
    );
    expect(broken.exitCode, broken.all).toBe(0);
    // A balancer without the bootstrap, and a boot script of another machine.
    const haproxy = readFileSync(path('bastion/etc/haproxy/haproxy.cfg'), 'utf8');
    put('bastion/etc/haproxy/haproxy.cfg', haproxy.replaceAll(/^.*server bs .*\n/gm, ''), 0o644);
    expect(
      (await shell('cp /tmp/lab/bastion/etc/haproxy/haproxy.cfg /etc/haproxy/; systemctl restart haproxy')).exitCode,
    ).toBe(0);
    const scripts = design.nodes.map(({ mac }) =>
      path(`bastion/var/www/upi-wizard/ipxe/${mac.replaceAll(':', '-')}.ipxe`),
    );
    writeFileSync(scripts[1] ?? '', readFileSync(scripts[0] ?? '', 'utf8'));
    const found = await until('what is broken', async () => {
      const wrong = await phases();
      return wrong.some((each) => each.startsWith('lb-bootstrap-present')) ? wrong : null;
    });
    expect(found.filter((each) => !known.includes(each.split(' ')[0] ?? ''))).toEqual([
      'dns-nodes m2.ocp45.example.localdomain',
      'dns-no-cluster-wildcard *.ocp45.example.localdomain',
      'lb-members bastion api',
      'lb-members bastion machine-config',
      'lb-bootstrap-present bastion api',
      'lb-bootstrap-present bastion machine-config',
      `ipxe-nodes ${design.nodes[1]?.name}`,
    ]);
    expect((await check('--only', 'lb-bootstrap-present')).exitCode).toBe(4);

    // A name server that is gone is one finding; nothing is said of its names.
    expect((await shell('systemctl stop named')).exitCode).toBe(0);
    const silent = await check('--phase', 'dns');
    expect(silent.wrong.map(({ id }) => id)).toEqual(['dns-server']);
    expect(silent.checks.find(({ id }) => id === 'dns-api')).toMatchObject({ result: 'unknown' });
    await stop();
  },
);

/** What openshift-install prints of its images, as far as it is read. */
function installerText(): string {
  const { release, kernel, initramfs, rootfs } = exampleImages;
  const place = (name: string | null) => ({ location: `https://mirror.example/${name}`, sha256: '' });
  const formats = {
    pxe: { kernel: place(kernel), initramfs: place(initramfs), rootfs: place(rootfs) },
  };
  const stream = { architectures: { x86_64: { artifacts: { metal: { release, formats } } } } };
  return `case "$1" in version) echo "openshift-install 4.18.1"; echo "release architecture amd64" ;; *) echo '${JSON.stringify(stream)}' ;; esac\n`;
}
