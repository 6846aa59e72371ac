import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect } from 'vitest';
import { renderRunnerScript } from '../../src/artifacts/hosts/install-script.ts';
import type { HostOs } from '../../src/design/choices.ts';
import type { Design } from '../../src/design/model.ts';
import {
  createDebianHost,
  createSingleHostDesign,
  generateInstallFiles,
  testOnDebian,
} from '../support/debian-host.ts';
import { exampleSite } from '../support/example-design.ts';
import { waitUntil } from '../support/lab.ts';
import { requireProgram, testWith } from '../support/programs.ts';

const SHELL_KINDS = new Set(['host-script', 'firewall', 'selinux', 'env', 'coreos-installer']);
const SCRIPT = 'root/upi-wizard/install.sh';

function createSite(os: HostOs, dhcp: 'isc-dhcpd' | 'kea'): Design {
  const { services } = exampleSite();
  const servers = services.loadBalancer.servers.map((server) => ({ ...server, os }));
  return exampleSite({
    services: {
      ...services,
      bastion: { ...services.bastion, os },
      dns: { ...services.dns, servers: services.dns.servers.map((server) => ({ ...server, os })) },
      loadBalancer: { kind: 'haproxy', servers: [...servers, { name: 'lb2', ip: ['172.16.0.113', 'fd00::113'], os }] },
      dhcp: { kind: dhcp, server: 'ns1' },
    },
  });
}

testWith('shellcheck')('shellcheck reports nothing about any shell file', async () => {
  const systems = ['rhel8', 'rhel9', 'rhel10', 'debian'] as const;
  const designs = [
    ...systems.map((os) => createSite(os, os === 'rhel10' ? 'kea' : 'isc-dhcpd')),
    createSingleHostDesign(),
  ];
  const shellFiles = designs.flatMap(generateInstallFiles).filter(({ kind }) => SHELL_KINDS.has(kind));
  expect(shellFiles.filter(({ kind }) => kind === 'host-script')).toHaveLength(17);
  expect(new Set(shellFiles.map(({ kind }) => kind))).toContain('env');
  const byContent = new Map(shellFiles.map(({ file, content }) => [content, file]));
  byContent.set(renderRunnerScript(), 'host-run.sh');
  for (const [content, file] of byContent) {
    // The directives and the first line of each file name its shell.
    const { exitCode, stdout } = await execa(requireProgram('shellcheck'), ['-'], { input: content, reject: false });
    expect({ exitCode, stdout }, file).toEqual({ exitCode: 0, stdout: '' });
  }
});

/** Lists everything that a host script can change: kind, mode, owner, time and contents. Directories have no time. */
const SNAPSHOT = `
places="/etc /root /srv /var/lib/bind /var/lib/haproxy /var/lib/tftpboot /var/lib/upi-wizard /var/www"
find $places -type d -printf "%p d %m %u:%g\\n" -o -type l -printf "%p l %l\\n" -o -type f -printf "%p f %m %u:%g %T@\\n" 2>/dev/null | sort
find $places -type f -exec md5sum {} + 2>/dev/null | sort -k 2`;

describe('install.sh on Debian, one host for everything', () => {
  testOnDebian()(
    'applies its dry run, changes nothing the second time, reverts refused files, and undoes everything',
    async () => {
      const { lab, shell, put } = await createDebianHost(createSingleHostDesign());
      const script = `/tmp/lab/bastion/${SCRIPT}`;
      const snapshot = async () => (await shell(SNAPSHOT)).all;
      const before = await snapshot();

      const dry = await shell(`${script} --dry-run`);
      expect(dry.exitCode, dry.all).toBe(0);
      expect(dry.all).toContain('Would place: /etc/bind/named.conf');
      expect(dry.all).toContain('Would run: systemctl reload-or-restart haproxy');
      expect(dry.all).toMatch(/Nothing was changed\.$/);
      expect(await snapshot()).toBe(before);

      const first = await shell(script);
      expect(first.exitCode, first.all).toBe(0);
      expect(first.all).toContain('Place: /etc/haproxy/haproxy.cfg');
      expect(first.all).toMatch(/Done\.$/);
      const installed = await snapshot();
      // The real programs answer, with the generated files.
      const dnsAnswer = await lab.run('host', 'dig +short @172.16.0.101 api.ocp45.example.localdomain');
      expect(dnsAnswer.all).toBe('172.16.0.111');
      const canConnect = async (endpoint: string) =>
        (await lab.run('host', `exec 3<>/dev/tcp/${endpoint}`)).exitCode === 0 || null;
      for (const endpoint of ['172.16.0.101/9000', '172.16.0.110/22623', '172.16.0.111/443']) {
        expect(await waitUntil(endpoint, () => canConnect(endpoint)), endpoint).toBe(true);
      }

      const second = await shell(script);
      expect(second.all.replace(/^Firewall: .*\n/m, '')).toBe('Done.');
      expect(await snapshot()).toBe(installed);

      // A file that its program refuses, next to a valid change.
      const good = readFileSync(join(lab.dir, 'bastion/etc/haproxy/haproxy.cfg'), 'utf8');
      put('bastion/etc/haproxy/haproxy.cfg', `${good}    blance source\n`, 0o644);
      put('bastion/root/upi-wizard/env.sh', '# changed too\n', 0o644);
      const refused = await shell(
        `rm -f /run/reloaded; ${script} || { code=$?; test ! -e /run/reloaded; exit $code; }`,
      );
      expect(refused.exitCode).toBe(1);
      expect(refused.all).toContain(`haproxy.cfg:${good.split('\n').length}]`);
      expect(refused.all).toContain('Refused by: haproxy -c -f /etc/haproxy/haproxy.cfg');
      expect(refused.all).toMatch(/The files are as they were before this run\.$/);
      expect(await snapshot()).toBe(installed);

      // A file that passes its check, but its service cannot start with it.
      put('bastion/root/upi-wizard/env.sh', '# changed too\n', 0o644);
      put('bastion/etc/haproxy/haproxy.cfg', good.replaceAll('bind 172.16.0.101:9000', 'bind 172.16.0.101:53'), 0o644);
      const failed = await shell(`systemctl stop haproxy; ${script}`);
      expect(failed.exitCode, failed.all).toBe(1);
      expect(await snapshot()).toBe(installed);
      expect(await waitUntil('port 443', () => canConnect('172.16.0.111/443'))).toBe(true);

      const undone = await shell(`${script} --undo`);
      expect(undone.exitCode, undone.all).toBe(0);
      expect(undone.all).toMatch(/This host is as it was before the first run; packages stay installed\.$/);
      expect(await snapshot()).toBe(before);
      expect(
        (await shell('cd /run/units; for unit in *; do systemctl is-active $unit && exit 1; done; true')).exitCode,
      ).toBe(0);
      expect((await shell(`${script} --undo`)).all).toBe('Nothing to undo: this host is as it was.');
      expect(await snapshot()).toBe(before);
    },
  );
});
