import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { generate } from '../../src/artifacts/generate.ts';
import type { Design, HostOs } from '../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../support/example-design.ts';
import { type Lab, openLab, until } from '../support/lab.ts';
import { testInNamespace } from '../support/namespace.ts';
import { requireProgram, testWith } from '../support/programs.ts';

const SHELL_KINDS = new Set(['host-script', 'firewall', 'selinux', 'env', 'coreos-installer']);
const SCRIPT = 'root/upi-wizard/install.sh';

function siteOn(os: HostOs, dhcp: 'isc-dhcpd' | 'kea'): Design {
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

/** One machine that does everything. */
function oneHost(): Design {
  const host = { name: 'bastion', ip: ['172.16.0.101'], os: 'debian' as const };
  const { services } = exampleSite();
  return exampleSite({
    services: {
      ...services,
      bastion: host,
      boot: { kind: 'ipxe', httpPort: 8088 },
      dns: { ...services.dns, servers: [host] },
      dhcp: { kind: 'isc-dhcpd', server: 'bastion' },
      loadBalancer: { kind: 'haproxy', servers: [host] },
    },
  });
}

function filesOf(design: Design) {
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages, previous: null } as const;
  return generate({ ...input, design }).files;
}

testWith('shellcheck')('shellcheck has nothing to say about any shell file', async () => {
  const systems = ['rhel8', 'rhel9', 'rhel10', 'debian'] as const;
  const designs = [...systems.map((os) => siteOn(os, os === 'rhel10' ? 'kea' : 'isc-dhcpd')), oneHost()];
  const all = designs.flatMap(filesOf).filter(({ kind }) => SHELL_KINDS.has(kind));
  expect(all.filter(({ kind }) => kind === 'host-script')).toHaveLength(17);
  expect(new Set(all.map(({ kind }) => kind))).toContain('env');
  const byContent = new Map(all.map(({ file, content }) => [content, file]));
  for (const [content, file] of byContent) {
    // Directives and the first line of the file say which shell it is for.
    const { exitCode, stdout } = await execa(requireProgram('shellcheck'), ['-'], { input: content, reject: false });
    expect({ exitCode, stdout }, file).toEqual({ exitCode: 0, stdout: '' });
  }
});

/**
 * Starts, reloads and stops the real programs, as the units of Debian do; the packages are those of this machine. A unit is
 * enabled when its link is there, and active when its process is.
 */
const SYSTEMCTL = `
unit="\${*: -1}" pid="/run/units/$unit" wants="/etc/systemd/system/multi-user.target.wants/$unit.service"
launch() {
    case "$unit" in
        named) mkdir -p /run/named && chown bind /run/named; exec named -f -c /etc/bind/named.conf -u bind ;;
        haproxy) mkdir -p /run/haproxy; exec haproxy -W -f /etc/haproxy/haproxy.cfg ;;
        keepalived) exec keepalived -n -l -f /etc/keepalived/keepalived.conf ;;
        isc-dhcp-server) mkdir -p /var/lib/dhcp; touch /var/lib/dhcp/dhcpd.leases
            exec dhcpd -4 -f -d -cf /etc/dhcp/dhcpd.conf -lf /var/lib/dhcp/dhcpd.leases -pf /run/dhcpd.pid lan0 ;;
        tftpd-hpa) exec in.tftpd --foreground --listen --secure /srv/tftp ;;
        nginx) exec nginx -g 'daemon off;' ;;
        *) exec sleep infinity ;;
    esac
}
active() { [[ -e "$pid" ]] && kill -0 "$(cat "$pid")" 2>/dev/null && [[ "$(ps -o stat= -p "$(cat "$pid")")" != Z* ]]; }
start() {
    mkdir -p /run/units
    (launch) >"/run/units/$unit.log" 2>&1 &
    echo $! >"$pid"
    sleep 0.7
    active || { echo "Job for $unit.service failed." >&2; cat "/run/units/$unit.log" >&2; return 1; }
}
stop() { if active; then kill "$(cat "$pid")"; while active; do sleep 0.05; done; fi; }
case "$1" in
    is-active) active ;;
    is-enabled) [[ -L "$wants" ]] ;;
    enable) mkdir -p "$(dirname "$wants")"; ln -s "/lib/systemd/system/$unit.service" "$wants" ;;
    disable) rm "$wants" ;;
    start) start ;;
    stop) stop ;;
    restart) stop; start ;;
    try-restart) if active; then stop; start; fi ;;
    reload-or-restart)
        if ! active; then start; exit; fi
        echo "$unit" >>/run/reloaded
        case "$unit" in
            named | keepalived) kill -HUP "$(cat "$pid")" ;;
            haproxy) haproxy -c -q -f /etc/haproxy/haproxy.cfg && kill -USR2 "$(cat "$pid")" ;;
            *) stop; start ;;
        esac ;;
    daemon-reload) ;;
    *) echo "systemctl $*?" >&2; exit 9 ;;
esac
`;

const isRoot = process.getuid?.() === 0;
const HAS_OVERLAY =
  'mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/m && mount -t overlay o -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/m';
const canChange = isRoot && spawnSync('unshare', ['--mount', 'bash', '-c', HAS_OVERLAY]).status === 0;

/** A Debian machine that is this one, on a copy that is thrown away: whatever is done to it, nobody sees. */
async function debianHost(design: Design): Promise<Machine> {
  const lab = await openLab();
  await lab.addMachine('host', ['172.16.0.101/24']);
  const built = await lab.run(
    null,
    `mkdir "$LAB/fs"; mount -t tmpfs tmpfs "$LAB/fs"; cd "$LAB/fs"; mkdir upper work root
     mount -t overlay overlay -o lowerdir=/,upperdir="$LAB/fs/upper",workdir="$LAB/fs/work" root
     mount -t proc proc root/proc; mount --rbind /dev root/dev; for empty in run tmp root; do mount -t tmpfs tmpfs root/$empty; done
     mkdir root/tmp/lab; mount --bind "$LAB" root/tmp/lab
     rm -rf root/etc/keepalived root/etc/systemd/system/multi-user.target.wants; mkdir root/etc/systemd/system/multi-user.target.wants`,
  );
  expect(built).toEqual({ exitCode: 0, all: '' });
  const put = (file: string, text: string, mode: number) => {
    mkdirSync(dirname(join(lab.dir, file)), { recursive: true });
    writeFileSync(join(lab.dir, file), text);
    chmodSync(join(lab.dir, file), mode);
  };
  for (const { file, content, mode } of filesOf(design)) put(file, content, Number.parseInt(mode, 8));
  put('stand-ins/systemctl', `#!/bin/bash\n${SYSTEMCTL}`, 0o755);
  put('stand-ins/journalctl', '#!/bin/bash\ncat "/run/units/${*: -1}.log"\n', 0o755);
  // A package that this machine has not is only remembered; its service then is one that does nothing.
  put('stand-ins/dpkg', '#!/bin/bash\ngrep -qsx -- "$2" /run/packages || exec /usr/bin/dpkg "$@"\n', 0o755);
  put('stand-ins/apt-get', '#!/bin/bash\nprintf "%s\\n" "$@" >>/run/packages\n', 0o755);
  const shell = (script: string) =>
    lab.run(
      'host',
      `exec chroot "$LAB/fs/root" env PATH=/tmp/lab/stand-ins:/usr/sbin:/usr/bin:/sbin:/bin bash -euc '${script}' 2>&1`,
    );
  return { lab, shell, put };
}

interface Machine {
  readonly lab: Lab;
  /** Runs a script (without single quotes) on the machine. */
  readonly shell: (script: string) => ReturnType<Lab['run']>;
  readonly put: (file: string, text: string, mode: number) => void;
}

/** Everything that a host script could touch: kind, mode, owner, time and contents; of directories no time. */
const SNAPSHOT = `
places="/etc /root /srv /var/lib/bind /var/lib/haproxy /var/lib/tftpboot /var/lib/upi-wizard /var/www"
find $places -type d -printf "%p d %m %u:%g\\n" -o -type l -printf "%p l %l\\n" -o -type f -printf "%p f %m %u:%g %T@\\n" 2>/dev/null | sort
find $places -type f -exec md5sum {} + 2>/dev/null | sort -k 2`;

const onDebian = canChange
  ? testInNamespace(
      'nsenter',
      'named',
      'named-checkconf',
      'haproxy',
      'keepalived',
      'dhcpd',
      'in.tftpd',
      'dig',
      'chroot',
    )
  : (name: string, _body: () => unknown) => test.skip(`${name} (needs root and overlay mounts)`, () => {});

describe('install.sh on Debian, one host for everything', () => {
  onDebian(
    'does what it says, nothing the second time, takes back what is refused, and leaves nothing behind',
    async () => {
      const { lab, shell, put } = await debianHost(oneHost());
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
      // The real programs answer, from the files that were made.
      const asked = await lab.run('host', 'dig +short @172.16.0.101 api.ocp45.example.localdomain');
      expect(asked.all).toBe('172.16.0.111');
      const opens = async (place: string) =>
        (await lab.run('host', `exec 3<>/dev/tcp/${place}`)).exitCode === 0 || null;
      for (const place of ['172.16.0.101/9000', '172.16.0.110/22623', '172.16.0.111/443']) {
        expect(await until(place, () => opens(place)), place).toBe(true);
      }

      const second = await shell(script);
      expect(second.all.replace(/^Firewall: .*\n/m, '')).toBe('Done.');
      expect(await snapshot()).toBe(installed);

      // A file that its program refuses, beside one that would be fine.
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

      // A file that is right for its check, and a service that cannot run with it.
      put('bastion/root/upi-wizard/env.sh', '# changed too\n', 0o644);
      put('bastion/etc/haproxy/haproxy.cfg', good.replaceAll('bind 172.16.0.101:9000', 'bind 172.16.0.101:53'), 0o644);
      const stuck = await shell(`systemctl stop haproxy; ${script}`);
      expect(stuck.exitCode, stuck.all).toBe(1);
      expect(await snapshot()).toBe(installed);
      expect(await until('port 443', () => opens('172.16.0.111/443'))).toBe(true);

      const undone = await shell(`${script} --undo`);
      expect(undone.exitCode, undone.all).toBe(0);
      expect(undone.all).toMatch(/As it was before the first run; packages stay\.$/);
      expect(await snapshot()).toBe(before);
      expect(
        (await shell('cd /run/units; for unit in *; do systemctl is-active $unit && exit 1; done; true')).exitCode,
      ).toBe(0);
      expect((await shell(`${script} --undo`)).all).toBe('Nothing to undo: this host is as it was.');
      expect(await snapshot()).toBe(before);
    },
  );
});
