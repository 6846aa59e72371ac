import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Lab } from './lab.ts';

/** Files that a machine of the test boots instead of RHCOS: a small system that installs itself as RHCOS does. */
export interface BootFiles {
  readonly kernel: string;
  readonly initramfs: string;
  /** The disk starts with BIOS and UEFI, and reports it on the serial console. */
  readonly disk: string;
}

/** Console messages of these machines. */
export const CONSOLE_MESSAGES = {
  live: 'TEST live system started',
  installed: 'TEST installed, ignition bytes:',
  refused: 'TEST not installed',
  disk: 'TEST disk started',
} as const;

const MODULES = [
  'net/core/failover',
  'drivers/net/net_failover',
  'drivers/virtio/virtio_ring',
  'drivers/virtio/virtio',
  'drivers/virtio/virtio_pci_modern_dev',
  'drivers/virtio/virtio_pci_legacy_dev',
  'drivers/virtio/virtio_pci',
  'drivers/net/virtio_net',
  'drivers/block/virtio_blk',
];

// The same steps as the live system of RHCOS: address by DHCP, root file system, ignition, disk, restart.
const INIT = `#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
exec </dev/ttyS0 >/dev/ttyS0 2>&1
echo '${CONSOLE_MESSAGES.live}'
for module in ${MODULES.map((path) => path.slice(path.lastIndexOf('/') + 1)).join(' ')}; do insmod /modules/$module.ko; done
value() { for word in $(cat /proc/cmdline); do case $word in $1=*) echo "\${word#*=}";; esac; done; }
ip link set eth0 up
udhcpc -i eth0 -s /lease -n -q
if wget -q -O /rootfs "$(value coreos.live.rootfs_url)" && wget -q -O /ignition "$(value coreos.inst.ignition_url)" \\
    && dd if=/rootfs of="$(value coreos.inst.install_dev)" && sync; then
    echo "${CONSOLE_MESSAGES.installed} $(wc -c </ignition)"
    reboot -f
fi
echo '${CONSOLE_MESSAGES.refused}'
sleep 10000
`;

const LEASE = `#!/bin/busybox sh
[ "$1" != bound ] || ip addr add "$ip/24" dev "$interface"
`;

/** Start of the partition and size of the disk, in sectors of 512 bytes. */
const PARTITION = 64;
const SECTORS = 8192;

/**
 * Builds the boot files in a directory of the lab. Needs the packages linux-image-cloud, busybox-static,
 * grub-efi-amd64-bin, mtools, dosfstools, cpio.
 */
export async function buildBootFiles(lab: Lab): Promise<BootFiles> {
  const dir = join(lab.dir, 'boot-files');
  const [version = ''] = readdirSync('/lib/modules').filter((name) => name.endsWith('-cloud-amd64'));
  mkdirSync(join(dir, 'initramfs/bin'), { recursive: true });
  mkdirSync(join(dir, 'initramfs/modules'));
  for (const name of ['proc', 'sys', 'dev']) mkdirSync(join(dir, 'initramfs', name));
  writeFileSync(join(dir, 'initramfs/init'), INIT, { mode: 0o755 });
  writeFileSync(join(dir, 'initramfs/lease'), LEASE, { mode: 0o755 });
  writeFileSync(
    join(dir, 'early.cfg'),
    `serial --unit=0\nterminal_output serial\necho '${CONSOLE_MESSAGES.disk}'\nsleep 100000\n`,
  );
  writeFileSync(join(dir, 'disk.img'), buildBootSector());
  const script = `
cd ${dir}
cp /bin/busybox initramfs/bin/
cp ${MODULES.map((path) => `/lib/modules/${version}/kernel/${path}.ko`).join(' ')} initramfs/modules/
(cd initramfs; find . | cpio --quiet -o -H newc | gzip -1) >initramfs.img
grub-mkimage -O x86_64-efi -o disk.efi -p / -c early.cfg serial terminal echo normal sleep
truncate -s ${(SECTORS - PARTITION) * 512} partition.img
mkfs.fat -F 12 partition.img >/dev/null
mmd -i partition.img ::/EFI ::/EFI/BOOT
mcopy -i partition.img disk.efi ::/EFI/BOOT/BOOTX64.EFI
truncate -s ${SECTORS * 512} disk.img
dd if=partition.img of=disk.img bs=512 seek=${PARTITION} conv=notrunc status=none
`;
  await execa('bash', ['-euc', script], { env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin` } });
  return {
    kernel: `/boot/vmlinuz-${version}`,
    initramfs: join(dir, 'initramfs.img'),
    disk: join(dir, 'disk.img'),
  };
}

/** Boot sector for BIOS: writes its line to the first serial port and halts. It has one partition, for UEFI. */
function buildBootSector(): Buffer {
  const start = 0x7c00;
  const code = [0x31, 0xc0, 0x8e, 0xd8, 0xfc];
  const text = start + code.length + 18;
  // mov si, text; next: lodsb; test al, al; jz end; mov dx, 0x3f8; out dx, al; jmp next; end: hlt; jmp end
  code.push(0xbe, text & 255, text >> 8, 0xac, 0x84, 0xc0, 0x74, 6, 0xba, 0xf8, 3, 0xee, 0xeb, 0xf5, 0xf4, 0xeb, 0xfd);
  code.push(0x90);
  const sector = Buffer.alloc(512);
  Buffer.from(code).copy(sector);
  sector.write(`\r\n${CONSOLE_MESSAGES.disk}\r\n\0`, code.length);
  Buffer.from([0x80, 0, 2, 0, 0xef, 0, 2, 0]).copy(sector, 446);
  sector.writeUInt32LE(PARTITION, 454);
  sector.writeUInt32LE(SECTORS - PARTITION, 458);
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}

export type Firmware = 'bios' | 'uefi';

/** A machine of the lab with the output of its serial console so far. */
export interface VirtualMachine {
  console(): string;
  /** Presses keys at the serial console. */
  press(keys: string): void;
  stop(): Promise<void>;
}

export interface MachineHardware {
  readonly name: string;
  readonly mac: string;
  readonly firmware: Firmware;
  readonly disk: string;
  /** The bridge of its network. Default: that of the lab. */
  readonly bridge?: string;
  /** More options of QEMU; a later one replaces an earlier one. */
  readonly options?: readonly string[];
}

/**
 * Starts a machine in software emulation on the lab's bridge. Its firmware tries the network first and then the disk:
 * the order in which a mistake shows.
 * @param disk a file of the lab, created if it does not exist; keep it to start the machine again with what was
 * installed
 */
export async function startMachine(
  lab: Lab,
  { name, mac, firmware, disk, options = [], bridge = 'lan' }: MachineHardware,
): Promise<VirtualMachine> {
  const log = `${name}.console`;
  const socket = join(lab.dir, `${name}.keys`);
  const result = await lab.run(
    null,
    `ip tuntap add ${name} mode tap; ip link set ${name} master ${bridge} up
     [ -e "${disk}" ] || truncate -s 64M "${disk}"
     ${firmware === 'uefi' ? `[ -e "${disk}.vars" ] || cp /usr/share/OVMF/OVMF_VARS_4M.fd "${disk}.vars"` : ''}`,
  );
  if (result.exitCode !== 0) throw new Error(result.all);
  const stop = lab.start(
    null,
    [
      'qemu-system-x86_64',
      ...[
        '-machine',
        'pc,graphics=off',
        '-accel',
        'tcg',
        // The level of x86-64 that RHCOS needs.
        '-cpu',
        'Nehalem',
        '-m',
        '512',
        '-nodefaults',
        '-display',
        'none',
        '-no-user-config',
        ...options,
      ],
      '-chardev',
      `socket,id=console,path=${socket},server=on,wait=off,logfile=${join(lab.dir, log)}`,
      '-serial',
      'chardev:console',
      '-netdev',
      `tap,id=lan,ifname=${name},script=no,downscript=no`,
      '-device',
      `virtio-net-pci,netdev=lan,mac=${mac},bootindex=1${firmware === 'uefi' ? ',romfile=' : ''}`,
      '-drive',
      `if=none,id=disk,file=${disk},format=raw,cache=writeback`,
      '-device',
      'virtio-blk-pci,drive=disk,bootindex=2',
      ...(firmware === 'uefi'
        ? [
            // This firmware polls while it waits. Counted by its instructions, 32 ns each, its waits end several times
            // sooner; on a busy host its time slows down with it.
            '-icount',
            'shift=5',
            '-drive',
            'if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd',
            '-drive',
            `if=pflash,format=raw,file=${disk}.vars`,
            // Waiting for an IPv6 address that no server assigns takes minutes.
            '-fw_cfg',
            'name=opt/org.tianocore/IPv6PXESupport,string=n',
          ]
        : []),
    ],
    `${name}.log`,
  );
  return {
    console: () => readIfExists(join(lab.dir, log)),
    press(keys) {
      const connection = connect(socket, () => connection.end(keys));
      connection.on('error', () => undefined);
    },
    stop,
  };
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
