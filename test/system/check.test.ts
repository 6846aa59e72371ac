import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { BootServerConfig } from '../../src/host/boot-server/boot-config.ts';
import { createDebianHost, createSingleHostDesign, testOnDebian } from '../support/debian-host.ts';
import { exampleImages } from '../support/example-design.ts';
import { exampleDocument } from '../support/example-document.ts';
import { waitUntil } from '../support/lab.ts';
import { getBuiltProgram, wizardExecutable } from '../support/rehearsal-run.ts';

/** Returns the same design as `createSingleHostDesign`, as a user writes it. */
function renderDesign(): string {
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

interface JsonCheck {
  readonly id: string;
  readonly subject: string | null;
  readonly result: string;
  readonly evidence: string | null;
  readonly command: string | null;
}

testOnDebian()(
  'check finds no failure in a site that install.sh set up, and then reports each thing that is broken',
  async () => {
    const design = createSingleHostDesign();
    const { lab, shell, put } = await createDebianHost(design);
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
    writeFileSync(path('design.yaml'), renderDesign());
    // The names of the images come from an installer.
    put('openshift-install', `#!/bin/sh\n${renderInstaller()}`, 0o755);
    const stop = lab.start(
      'host',
      ['env', process.execPath, getBuiltProgram('boot-server'), path('boot-server.json')],
      'boot-server.log',
    );
    await waitUntil('the boot server', async () =>
      readFileSync(path('boot.json'), 'utf8').includes('listening') ? true : null,
    );

    const check = async (...argv: readonly string[]) => {
      const command = [process.execPath, wizardExecutable, 'check', path('design.yaml'), '--json', ...argv];
      const { exitCode, all } = await lab.run('host', command.map((word) => `'${word}'`).join(' '));
      const { checks } = JSON.parse(all) as { readonly checks: readonly JsonCheck[] };
      return { exitCode, checks, failures: checks.filter(({ result }) => result === 'failed') };
    };
    const listFailures = async () => {
      const found = await Promise.all(['dns', 'load-balancer', 'boot-files'].map((phase) => check('--phase', phase)));
      return found.flatMap(({ failures: wrong }) => wrong.map(({ id, subject }) => `${id} ${subject}`));
    };

    // keepalived takes the virtual addresses some seconds after its start.
    await waitUntil('the virtual addresses', async () =>
      (await shell('ip -br addr')).all.includes('172.16.0.110/') ? true : null,
    );
    const all = await check();
    expect(all.checks.length).toBeGreaterThanOrEqual(60);
    for (const { id, command } of all.checks.filter(({ subject }) => subject !== null))
      expect(command, id).not.toBe('');
    // The name server does not forward public names here, and this machine uses another resolver.
    const expectedFailures = ['dns-upstream', 'resolver-servers', 'dns-resolver'];
    expect((await listFailures()).filter((each) => !expectedFailures.includes(each.split(' ')[0] ?? ''))).toEqual([]);
    const names = all.checks.filter(({ id }) => /^dns-(?:api|api-int|apps-wildcard|nodes|reverse)$/.test(id));
    expect(new Set(names.map(({ result }) => result))).toEqual(new Set(['ok']));

    // Removes a record, and adds a forbidden wildcard, which answers for the bootstrap node as its record did.
    const zones = await shell('ls /var/lib/bind');
    const file = zones.all.split('\n').find((name) => name.includes('example.localdomain'));
    const zoneChange = await shell(
      `sed -i "/^m2/d; s/^bs[.]ocp45/*.ocp45/" /var/lib/bind/${file}; systemctl restart named`,
    );
    expect(zoneChange.exitCode, zoneChange.all).toBe(0);
    // A load balancer without the bootstrap, and a boot script of another machine.
    const haproxy = readFileSync(path('bastion/etc/haproxy/haproxy.cfg'), 'utf8');
    put('bastion/etc/haproxy/haproxy.cfg', haproxy.replaceAll(/^.*server bs .*\n/gm, ''), 0o644);
    expect(
      (await shell('cp /tmp/lab/bastion/etc/haproxy/haproxy.cfg /etc/haproxy/; systemctl restart haproxy')).exitCode,
    ).toBe(0);
    const scripts = design.nodes.map(({ mac }) =>
      path(`bastion/var/www/upi-wizard/ipxe/${mac.replaceAll(':', '-')}.ipxe`),
    );
    writeFileSync(scripts[1] ?? '', readFileSync(scripts[0] ?? '', 'utf8'));
    const found = await waitUntil('what is broken', async () => {
      const failures = await listFailures();
      return failures.some((each) => each.startsWith('lb-bootstrap-present')) ? failures : null;
    });
    expect(found.filter((each) => !expectedFailures.includes(each.split(' ')[0] ?? ''))).toEqual([
      'dns-nodes m2.ocp45.example.localdomain',
      'dns-no-cluster-wildcard *.ocp45.example.localdomain',
      'lb-bootstrap-present bastion api',
      'lb-members bastion api',
      'lb-members bastion machine-config',
      'lb-bootstrap-present bastion machine-config',
      `ipxe-nodes ${design.nodes[1]?.name}`,
    ]);
    expect((await check('--only', 'lb-bootstrap-present')).exitCode).toBe(4);
    // As text: the failure, and results that are ok only on demand.
    const print = async (...argv: readonly string[]) => {
      const command = [process.execPath, wizardExecutable, 'check', path('design.yaml'), '--phase', 'dns', ...argv];
      return (await lab.run('host', command.map((word) => `'${word}'`).join(' '))).all;
    };
    const [short, long] = [await print(), await print('--all')];
    expect(short).toContain('m2.ocp45.example.localdomain');
    expect(short).not.toMatch(/^OK$/m);
    expect(short).toContain('Checks that are ok are listed with --all.');
    expect(long).toMatch(/^OK$/m);

    // A name server that is down is one finding. Its names are unknown.
    expect((await shell('systemctl stop named')).exitCode).toBe(0);
    const dnsChecks = await check('--phase', 'dns');
    expect(dnsChecks.failures.map(({ id }) => id)).toEqual(['dns-server']);
    expect(dnsChecks.checks.find(({ id }) => id === 'dns-api')).toMatchObject({ result: 'unknown' });
    await stop();
  },
);

/** Returns the data that openshift-install prints about its images, as far as the wizard reads it. */
function renderInstaller(): string {
  const { release, kernel, initramfs, rootfs } = exampleImages;
  const createArtifact = (name: string | null) => ({ location: `https://mirror.example/${name}`, sha256: '' });
  const formats = {
    pxe: { kernel: createArtifact(kernel), initramfs: createArtifact(initramfs), rootfs: createArtifact(rootfs) },
  };
  const stream = { architectures: { x86_64: { artifacts: { metal: { release, formats } } } } };
  return `case "$1" in version) echo "openshift-install 4.18.1"; echo "release architecture amd64" ;; *) echo '${JSON.stringify(stream)}' ;; esac\n`;
}
