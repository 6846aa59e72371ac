import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { generate } from '../../src/artifacts/generate.ts';
import type { Design, HostOs } from '../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../support/example-design.ts';
import { requireProgram, testWith } from '../support/programs.ts';

function siteOn(os: HostOs, dhcp: 'isc-dhcpd' | 'kea'): Design {
  const { services } = exampleSite();
  return exampleSite({
    services: {
      ...services,
      bastion: { ...services.bastion, os },
      dns: { ...services.dns, servers: services.dns.servers.map((server) => ({ ...server, os })) },
      loadBalancer: { kind: 'haproxy', servers: services.loadBalancer.servers.map((server) => ({ ...server, os })) },
      dhcp: { kind: dhcp, server: 'ns1' },
    },
  });
}

/** One machine that does everything. */
function oneHost(): Design {
  const host = { name: 'bastion', ip: ['172.16.0.101'], os: 'debian' as const };
  const { services } = exampleSite();
  return exampleSite({
    services: {
      ...services,
      bastion: host,
      dns: { ...services.dns, servers: [host] },
      dhcp: { kind: 'isc-dhcpd', server: 'bastion' },
      loadBalancer: { kind: 'haproxy', servers: [host] },
    },
  });
}

function scripts(design: Design) {
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages, previous: null } as const;
  return generate({ ...input, design }).files.filter(({ kind }) => kind === 'host-script');
}

testWith('shellcheck')('shellcheck has nothing to say about any host script', async () => {
  const designs = [
    siteOn('rhel8', 'isc-dhcpd'),
    siteOn('rhel9', 'isc-dhcpd'),
    siteOn('rhel10', 'kea'),
    siteOn('debian', 'kea'),
    oneHost(),
  ];
  const all = designs.flatMap(scripts);
  expect(all).toHaveLength(13);
  for (const { host, content } of all) {
    const { exitCode, stdout } = await execa(requireProgram('shellcheck'), ['-s', 'bash', '-'], {
      input: content,
      reject: false,
    });
    expect({ exitCode, stdout }, host ?? '').toEqual({ exitCode: 0, stdout: '' });
  }
});

/** Runs on a host's directories that nobody else sees: it needs no more than what an ordinary user may do. */
const hasNamespaces = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

/** What the system would do is written down instead; `units` is where services are. */
const STAND_INS: Record<string, string> = {
  systemctl: `
case "$1" in
  is-enabled | is-active) grep -qx "$1 \${*: -1}" "$STATE/units" ;;
  enable) echo "is-enabled \${*: -1}" >>"$STATE/units" ;;
  start | restart | reload-or-restart) echo "is-active $2" >>"$STATE/units"; echo "$*" >>"$STATE/done" ;;
  disable) sed -i "/ \${*: -1}$/d" "$STATE/units"; echo "$*" >>"$STATE/done" ;;
esac`,
  dpkg: `grep -qx "$2" "$STATE/packages"`,
  'apt-get': `if [ "$1" = install ]; then shift 3; printf '%s\n' "$@" >>"$STATE/packages"; echo "packages $*" >>"$STATE/done"; fi`,
  'firewall-cmd': `
case "$*" in
  *--query-*) grep -qx -- "\${*: -1}" <(sed s/add/query/ "$STATE/firewall") ;;
  *--add-*) echo "\${*: -1}" >>"$STATE/firewall" ;;
  *--remove-*) sed -i "\\|^$(sed s/remove/add/ <<<"\${*: -1}")$|d" "$STATE/firewall" ;;
esac`,
};

const STORY = `
set -eu
mount -t tmpfs tmpfs /etc/bind
mount -t tmpfs tmpfs /var/lib
mkdir /var/lib/bind
echo '// theirs' >/etc/bind/named.conf
script="$FILES/root/upi-wizard/install.sh"
touch "$STATE/units" "$STATE/packages" "$STATE/firewall" "$STATE/done"
say() { echo "== $*"; }

say first; "$script"; cat "$STATE/done"; : >"$STATE/done"; sort "$STATE/firewall"
cmp "$FILES/etc/bind/named.conf" /etc/bind/named.conf
cmp "$FILES/var/lib/bind/example.localdomain.zone" /var/lib/bind/example.localdomain.zone
say second; "$script"; cat "$STATE/done"
say broken; cp "$FILES/etc/bind/named.conf" "$STATE/good"; echo 'nonsense' >>"$FILES/etc/bind/named.conf"
"$script" >/dev/null && exit 9
cat "$STATE/done"; cmp "$STATE/good" /etc/bind/named.conf
say undo; "$script" undo; cat "$STATE/done" /etc/bind/named.conf "$STATE/firewall" "$STATE/units"; ls /var/lib/bind
`;

const inNamespace = hasNamespaces ? testWith('named-checkconf') : test.skip;

inNamespace(
  'a host script installs, does nothing twice, takes back what is refused, and undoes (needs namespaces)',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'host-script-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const put = (file: string, text: string, mode: number) => {
      mkdirSync(dirname(join(dir, file)), { recursive: true });
      writeFileSync(join(dir, file), text, { mode });
    };
    const { services } = exampleSite();
    const servers = [{ name: 'ns1', ip: ['172.16.0.102'], os: 'debian' as const }];
    const design = exampleSite({
      services: { ...services, dns: { ...services.dns, servers }, dhcp: { kind: 'isc-dhcpd', server: 'bastion' } },
    });
    const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages, previous: null } as const;
    for (const { host, file, content, mode } of generate({ ...input, design }).files)
      if (host === 'ns1') put(file, content, Number.parseInt(mode, 8));
    for (const [name, body] of Object.entries(STAND_INS)) put(`bin/${name}`, `#!/bin/bash\n${body}\n`, 0o755);
    mkdirSync(join(dir, 'state'));

    const { all, exitCode } = await execa('unshare', ['-rm', 'bash', '-c', STORY], {
      env: {
        PATH: `${join(dir, 'bin')}:${process.env.PATH}:/usr/sbin:/sbin`,
        FILES: join(dir, 'ns1'),
        STATE: join(dir, 'state'),
      },
      all: true,
      reject: false,
    });
    const [first, second, broken, undo] = all.split(/^== .*$/m).slice(1);
    expect(exitCode, all).toBe(0);
    expect(first).toContain('Placed: /etc/bind/named.conf');
    expect(first).toContain('packages bind9 bind9-utils bind9-dnsutils');
    expect(first).toContain('reload-or-restart named');
    expect(first).toContain('--add-port=53/tcp\n--add-port=53/udp');
    expect(second?.replaceAll(/^(?:zone .*|OK)\n/gm, '')).toBe('\nDone.\n');
    expect(broken).toContain('Refused by: named-checkconf -z /etc/bind/named.conf');
    expect(broken).not.toContain('reload');
    expect(undo?.replaceAll(/^(?:zone .*|OK)\n/gm, '')).toBe(
      '\nAs it was before.\ndisable --quiet --now named\n// theirs',
    );
  },
);
