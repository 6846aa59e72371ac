import { execa } from 'execa';
import { expect } from 'vitest';
import { generateFiles } from '../../src/artifacts/generate.ts';
import type { HostOs } from '../../src/design/choices.ts';
import type { Design } from '../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../support/example-design.ts';
import { runInNamespace, testAsRoot, testInNamespace, writeHostFiles } from '../support/namespace.ts';
import { requireProgram, testWith } from '../support/programs.ts';

const MASTER = '{"ignition":{"version":"3.2.0"}}';

function createSite(os: HostOs, changes: Partial<Design> = {}): Design {
  const site = exampleSite(changes);
  return {
    ...site,
    nodes: site.nodes.map((node) => ({ ...node, secureBoot: node.name === 'm2' })),
    services: { ...site.services, bastion: { ...site.services.bastion, os } },
  };
}

function generateKind(design: Design, kind: string) {
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages, previous: null } as const;
  return generateFiles({ ...input, design }).files.filter((file) => file.kind === kind);
}

testInNamespace('nginx', 'curl')(
  'nginx accepts its file, and serves the same files to the same clients as the boot server',
  async () => {
    const web = 'bastion/var/www/upi-wizard';
    const output = await runInNamespace(
      writeHostFiles(createSite('rhel9'), {
        [`${web}/ignition/master.ign`]: MASTER,
        [`${web}/ignition/bootstrap.ign`]: 'secret',
        [`${web}/images/rootfs.img`]: '0123456789',
        [`${web}/images/.hidden`]: 'hidden',
        'request.sh': `
ask() { printf '%s ' "$1"; curl -s -o /run/body -w '%{http_code} ' "\${@:2}" "http://172.16.0.101:8080$1"; cat /run/body | head -c 40 | tr '\\n' ' '; echo; : >/run/body; }
touch /run/body
ask /boot.ipxe
ask /ipxe/00-50-56-96-37-c8.ipxe
ask /boot/grub.cfg
ask /images/rootfs.img -r 2-4
ask /images/.hidden
ask /images/
ask /
ask /etc/passwd
ask /images/../ignition/master.ign --path-as-is --interface 172.16.0.99
ask /ignition/master.ign --interface 172.16.0.21
ask /ignition/master.ign --interface 172.16.0.31
ask /ignition/bootstrap.ign --interface 172.16.0.21
`,
      }),
      `
for address in 172.16.0.101 172.16.0.21 172.16.0.31 172.16.0.99; do ip addr add $address/32 dev lo; done
host bastion bash -euc '
  chmod -R a+rX /root /var
  # In a user namespace there is nobody else to become.
  sed "1i user root;" /root/upi-wizard/nginx.conf >/run/nginx.conf
  nginx -t -c /run/nginx.conf >&2
  nginx -c /run/nginx.conf
  source $FILES/request.sh'
`,
    );
    const lines = output.split('\n').map((line) => line.split(' '));
    expect(lines.map(([path, status]) => `${path} ${status}`)).toEqual([
      '/boot.ipxe 200',
      '/ipxe/00-50-56-96-37-c8.ipxe 200',
      '/boot/grub.cfg 200',
      '/images/rootfs.img 206',
      '/images/.hidden 404',
      '/images/ 404',
      '/ 404',
      '/etc/passwd 404',
      '/images/../ignition/master.ign 403',
      '/ignition/master.ign 200',
      '/ignition/master.ign 403',
      '/ignition/bootstrap.ign 403',
    ]);
    expect(output).toContain('206 234\n');
    expect(output).toContain('/boot.ipxe 200 #!ipxe');
    expect(output).not.toContain('secret');
  },
);

testAsRoot('in.tftpd', 'curl')(
  'the TFTP server serves the files that its configuration names, and nothing outside',
  async () => {
    for (const os of ['debian', 'rhel9'] as const) {
      const root = os === 'debian' ? '/srv/tftp' : '/var/lib/tftpboot';
      // The same commands as in the units of the two systems.
      const start =
        os === 'debian'
          ? 'source /etc/default/tftpd-hpa; in.tftpd --listen --user root --address "172.16.0.101$TFTP_ADDRESS" ${TFTP_OPTIONS/--verbose/} $TFTP_DIRECTORY'
          : '$(sed -n "s/^ExecStart=\\(..*\\)/\\1/p" /etc/systemd/system/tftp.service.d/upi-wizard.conf | sed "s/in.tftpd/in.tftpd --listen --user root --address 172.16.0.101:69/; s/--verbose//")';
      const output = await runInNamespace(
        writeHostFiles(createSite(os), { [`bastion${root}/undionly.kpxe`]: 'program' }),
        `
ip addr add 172.16.0.101/32 dev lo
host bastion bash -euc '
  chmod -R a+rX /root /var /srv; mkdir -p /dev/shm
  ${start}
  until curl -sf --max-time 2 tftp://172.16.0.101/undionly.kpxe; do sleep 0.1; done; echo
  curl -sf tftp://172.16.0.101/${os === 'debian' ? 'grub/' : ''}grub.cfg | head -n 1
  curl -s tftp://172.16.0.101//etc/passwd || echo refused'
`,
      );
      expect(output).toMatch(/^program\n# First configuration of GRUB .*\nrefused$/);
    }
  },
);

testWith('grub-script-check')('GRUB reads its files', async () => {
  const files = [...generateKind(createSite('rhel8'), 'grub'), ...generateKind(createSite('debian'), 'grub')];
  expect(files.length).toBeGreaterThan(3);
  for (const { content } of files) {
    const { exitCode, all } = await execa(requireProgram('grub-script-check'), [], {
      input: content,
      all: true,
      reject: false,
    });
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: '' });
  }
});

testWith('chronyd')('chronyd reads its file', async () => {
  const { services } = exampleSite();
  const time = { servers: ['172.16.0.101', 'ntp.example.localdomain'] };
  const files = writeHostFiles(exampleSite({ services: { ...services, time } }));
  const argv = ['-p', '-f', `${files}/bastion/etc/chrony.conf`];
  const { exitCode, all } = await execa(requireProgram('chronyd'), argv, { all: true, reject: false });
  expect({ exitCode, all }).toMatchObject({ exitCode: 0, all: expect.stringContaining('allow 172.16.0.0/24') });
});

const isoSites = (['4.6', '4.8', '4.18'] as const).map((version) => {
  const site = exampleSite({ openshift: { version, architecture: 'x86_64', osImageStream: null } });
  const nodes = site.nodes.map((node) => ({
    ...node,
    interface: 'enp1s0',
    kernelArguments: ['console=ttyS0,115200n8'],
  }));
  return { ...site, nodes, services: { ...site.services, boot: { kind: 'iso', httpPort: 8080 } as const } };
});

testWith('shellcheck')('shellcheck reports nothing about the scripts for the ISO', async () => {
  const lone = exampleSite().nodes[1];
  const [, , newest] = isoSites;
  const single = { ...newest, topology: 'single-node', nodes: lone ? [lone] : [] } as Design;
  for (const { path, content } of [...isoSites, single].flatMap((design) =>
    generateKind(design, 'coreos-installer').slice(0, 2),
  )) {
    const { stdout } = await execa(requireProgram('shellcheck'), ['-s', 'bash', '-'], {
      input: content,
      reject: false,
    });
    expect(stdout, path).toBe('');
  }
});

testInNamespace('bash')('make-isos.sh asks coreos-installer for each node, or for those named', async () => {
  const outputs = await Promise.all(
    isoSites.slice(1).map(async (design) => {
      const files = writeHostFiles(design, {
        'bin/coreos-installer': '#!/bin/bash\nprintf "%s " "$@"; echo\n',
      });
      return runInNamespace(
        files,
        `chmod +x "$FILES/bin/coreos-installer"; export PATH="$FILES/bin:$PATH"
bash "$FILES/bastion/root/upi-wizard/make-isos.sh" live.iso /ign "$FILES/out" m1 w1 | grep -v Created`,
      );
    }),
  );
  expect(outputs[0]?.split('\n')[0]?.trim()).toMatch(
    /^iso kargs modify --append coreos\.inst\.install_dev=\/dev\/sda --append coreos\.inst\.ignition_url=http:\/\/172\.16\.0\.101:8080\/ignition\/master\.ign --append rd\.neednet=1 --append ip=enp1s0:dhcp --append console=ttyS0,115200n8 -o \S+\/m1\.iso live\.iso$/,
  );
  expect(outputs[1]?.split('\n').map((line) => line.replace(/-o \S+\//, '-o ').trim())).toEqual([
    'iso customize --dest-device /dev/sda --dest-ignition /ign/master.ign --live-karg-append rd.neednet=1 --live-karg-append ip=enp1s0:dhcp --dest-karg-append console=ttyS0,115200n8 -o m1.iso live.iso',
    'iso customize --dest-device /dev/sda --dest-ignition /ign/worker.ign --live-karg-append rd.neednet=1 --live-karg-append ip=enp1s0:dhcp --dest-karg-append console=ttyS0,115200n8 -o w1.iso live.iso',
  ]);
});
