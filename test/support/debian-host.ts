import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { generateFiles } from '../../src/artifacts/generate.ts';
import type { Design, ServiceHost } from '../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite } from './example-design.ts';
import { type Lab, openLab } from './lab.ts';
import { testInNamespace } from './namespace.ts';

/** Creates the documented site with one Debian machine for all services. */
export function createSingleHostDesign(): Design {
  const host: ServiceHost = { name: 'bastion', ip: ['172.16.0.101'], os: 'debian' };
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

/** Generates the files of the first stage. */
export function generateInstallFiles(design: Design) {
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages, previous: null } as const;
  return generateFiles({ ...input, design }).files;
}

/**
 * A systemctl that starts, reloads and stops the real programs, as the units of Debian do, with the packages of this
 * machine. A unit is enabled when its link exists, and active while its process runs.
 */
const SYSTEMCTL = `
for word in "$@"; do [[ "$word" == -* ]] || unit="$word"; done
pid="/run/units/$unit" wants="/etc/systemd/system/multi-user.target.wants/$unit.service"
launch() {
    case "$unit" in
        named) mkdir -p /run/named && chown bind /run/named; exec named -f -c /etc/bind/named.conf -u bind ;;
        haproxy) mkdir -p /run/haproxy; exec haproxy -W -f /etc/haproxy/haproxy.cfg ;;
        keepalived) exec keepalived -n -l -f /etc/keepalived/keepalived.conf ;;
        isc-dhcp-server) mkdir -p /var/lib/dhcp; rm -f /run/dhcpd.pid; touch /var/lib/dhcp/dhcpd.leases
            exec dhcpd -4 -f -d -cf /etc/dhcp/dhcpd.conf -lf /var/lib/dhcp/dhcpd.leases -pf /run/dhcpd.pid lan0 ;;
        kea-dhcp4-server) mkdir -p /run/kea /run/lock/kea /var/lib/kea; exec kea-dhcp4 -c /etc/kea/kea-dhcp4.conf ;;
        tftpd-hpa) exec in.tftpd --foreground --listen --secure /srv/tftp ;;
        nginx) exec nginx -g 'daemon off;' ;;
        *) exec sleep infinity ;;
    esac
}
active() {
    local process state
    [[ -e "$pid" ]] && read -r process <"$pid" && read -r state 2>/dev/null <"/proc/$process/stat" && [[ "$state" != *") Z "* ]]
}
start() {
    if active; then return; fi
    mkdir -p /run/units
    # Emptied before the loop below reads it: the process in the background may be slower, and the last start succeeded.
    : >"/run/units/$unit.log"
    (launch) >"/run/units/$unit.log" 2>&1 &
    echo $! >"$pid"
    # HAProxy says when its worker has bound its ports; the others end at once if they cannot start.
    if [[ "$unit" == haproxy ]]; then
        while active && ! grep -q 'Loading success' "/run/units/$unit.log"; do sleep 0.05; done
    else
        sleep 0.7
    fi
    active || { echo "Job for $unit.service failed." >&2; cat "/run/units/$unit.log" >&2; return 1; }
}
stop() { if active; then kill "$(cat "$pid")"; while active; do sleep 0.05; done; fi; }
case "$1" in
    is-active)
        state=inactive
        if active; then state=active; fi
        [[ " $* " == *" --quiet "* ]] || echo "$state"
        [[ "$state" == active ]] ;;
    is-enabled)
        state=disabled
        [[ ! -L "$wants" ]] || state=enabled
        [[ " $* " == *" --quiet "* ]] || echo "$state"
        [[ "$state" == enabled ]] ;;
    enable)
        mkdir -p "$(dirname "$wants")"; ln -sf "/lib/systemd/system/$unit.service" "$wants"
        [[ " $* " != *" --now "* ]] || start ;;
    disable)
        rm -f "$wants"
        [[ " $* " != *" --now "* ]] || stop ;;
    start) start ;;
    stop) stop ;;
    restart) stop; start ;;
    try-restart) if active; then stop; start; fi ;;
    reload | reload-or-restart)
        if ! active; then start; exit; fi
        echo "$unit" >>/run/reloaded
        case "$unit" in
            named | keepalived) kill -HUP "$(cat "$pid")" ;;
            haproxy) haproxy -c -q -f /etc/haproxy/haproxy.cfg && kill -USR2 "$(cat "$pid")" ;;
            *) stop; start ;;
        esac ;;
    show) echo LoadState=loaded; if active; then echo ActiveState=active; else echo ActiveState=inactive; fi ;;
    daemon-reload) ;;
    *) echo "systemctl $*?" >&2; exit 9 ;;
esac
`;

const isRoot = process.getuid?.() === 0;
const HAS_OVERLAY =
  'mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/m && mount -t overlay o -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/m';
const canMountOverlay = isRoot && spawnSync('unshare', ['--mount', 'bash', '-c', HAS_OVERLAY]).status === 0;

/** Creates a Debian machine on a disposable overlay over this machine, which stays unchanged. */
export async function createDebianHost(design: Design): Promise<DebianMachine> {
  const lab = await openLab();
  const shell = await addDebianMachine(lab, 'host', '172.16.0.101');
  const put = (file: string, text: string, mode: number) => {
    mkdirSync(dirname(join(lab.dir, file)), { recursive: true });
    writeFileSync(join(lab.dir, file), text);
    chmodSync(join(lab.dir, file), mode);
  };
  for (const { file, content, mode } of generateInstallFiles(design)) put(file, content, Number.parseInt(mode, 8));
  put('stand-ins/systemctl', `#!/bin/bash\n${SYSTEMCTL}`, 0o755);
  put('stand-ins/journalctl', '#!/bin/bash\ncat "/run/units/${*: -1}.log"\n', 0o755);
  // A package that this machine does not have is only recorded; its service then does nothing.
  put('stand-ins/dpkg', '#!/bin/bash\ngrep -qsx -- "$2" /run/packages || exec /usr/bin/dpkg "$@"\n', 0o755);
  put('stand-ins/apt-get', '#!/bin/bash\nprintf "%s\\n" "$@" >>/run/packages\n', 0o755);
  return { lab, shell, put };
}

/**
 * Adds such a machine without files to a lab and returns its shell. The directory `stand-ins` of the lab must exist
 * before the first script runs.
 */
export async function addDebianMachine(lab: Lab, name: string, address: string): Promise<DebianMachine['shell']> {
  await lab.addMachine(name, [`${address}/24`]);
  const fs = `"$LAB/${name}-fs"`;
  const result = await lab.run(
    null,
    `mkdir ${fs}; mount -t tmpfs tmpfs ${fs}; cd ${fs}; mkdir upper work root
     mount -t overlay overlay -o lowerdir=/,upperdir=${fs}/upper,workdir=${fs}/work root
     mount -t proc proc root/proc; mount --rbind /dev root/dev; for empty in run tmp root var/lib/apt/lists; do mount -t tmpfs tmpfs root/$empty; done
     mkdir root/tmp/lab; mount --bind "$LAB" root/tmp/lab
     rm -rf root/etc/keepalived root/etc/systemd/system/multi-user.target.wants; mkdir root/etc/systemd/system/multi-user.target.wants`,
  );
  expect(result).toEqual({ exitCode: 0, all: '' });
  return (script) => lab.run(name, `exec chroot ${fs}/root env ${MACHINE_ENV} bash -euc '${script}' 2>&1`);
}

/** The search path of a machine: the stand-ins first. */
export const MACHINE_ENV = 'PATH=/tmp/lab/stand-ins:/usr/sbin:/usr/bin:/sbin:/bin';

export interface DebianMachine {
  readonly lab: Lab;
  /** Runs a script (without single quotes) on the machine. */
  readonly shell: (script: string) => ReturnType<Lab['run']>;
  readonly put: (file: string, text: string, mode: number) => void;
}

const PROGRAMS = ['nsenter', 'named', 'named-checkconf', 'haproxy', 'keepalived', 'dhcpd', 'in.tftpd', 'dig', 'chroot'];

/** `test` with such a machine; skipped, with the reason in its name, if it cannot be created. */
export function testOnDebian(...programs: readonly string[]) {
  if (canMountOverlay) return testInNamespace(...PROGRAMS, ...programs);
  return (name: string, _body: () => unknown) => test.skip(`${name} (needs root and overlay mounts)`, () => {});
}
