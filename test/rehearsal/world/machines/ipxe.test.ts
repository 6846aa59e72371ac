import { expect, test } from 'vitest';
import { type IpxeMachine, runIpxe } from '../../../../src/rehearsal/world/machines/ipxe.ts';
import { exampleSite, generated } from '../../../support/example-design.ts';

const BASE = 'http://172.16.0.101:8080';

function machine(files: Record<string, string>, over: Partial<IpxeMachine> = {}) {
  const printed: string[] = [];
  const fetched: string[] = [];
  const subject: IpxeMachine = {
    mac: '00:50:56:96:37:c8',
    platform: 'efi',
    address: '172.16.0.21',
    hostname: null,
    print: (line) => printed.push(line),
    wait: () => Promise.resolve(),
    fetch: async (url) => {
      fetched.push(url);
      const text = files[url];
      return text === undefined ? null : Buffer.from(text);
    },
    ...over,
  };
  return { subject, printed, fetched };
}

const served = () => {
  const image = (name: string) => [`${BASE}/images/rhcos-418.94.202410090804-0-${name}`, 'x'];
  return Object.fromEntries([
    [`${BASE}/boot.ipxe`, generated(exampleSite(), 'bastion/var/www/upi-wizard/boot.ipxe')],
    [
      `${BASE}/ipxe/00-50-56-96-37-c8.ipxe`,
      generated(exampleSite(), 'bastion/var/www/upi-wizard/ipxe/00-50-56-96-37-c8.ipxe'),
    ],
    image('live-kernel-x86_64'),
    image('live-initramfs.x86_64.img'),
  ]);
};

test('the generated scripts lead a machine to its own kernel arguments', async () => {
  const { subject } = machine(served());
  const outcome = await runIpxe(subject, `${BASE}/boot.ipxe`);
  expect(outcome).toMatchObject({ kind: 'boot' });
  const words = outcome.kind === 'boot' ? outcome.kernelArguments : [];
  expect(words).toContain(`coreos.inst.ignition_url=${BASE}/ignition/master.ign`);
  expect(words).toContain('coreos.inst.install_dev=/dev/sda');
});

test('a machine without a script of its own waits at the menu and starts its disk', async () => {
  const files = served();
  delete files[`${BASE}/ipxe/00-50-56-96-37-c8.ipxe`];
  const { subject } = machine(files);
  expect(await runIpxe(subject, `${BASE}/boot.ipxe`)).toEqual({ kind: 'local' });
});

test('a machine that is installed starts its disk, and installs again when a person at its menu says so', async () => {
  const own = `${BASE}/ipxe/00-50-56-96-37-c8.ipxe`;
  const files = served();
  files[`${own}?again`] = files[own] ?? '';
  files[own] = generated(exampleSite(), 'bastion/var/www/upi-wizard/installed.ipxe');
  const { subject } = machine(files);
  expect(await runIpxe(subject, `${BASE}/boot.ipxe`)).toEqual({ kind: 'local' });
  const boot = files[`${BASE}/boot.ipxe`] ?? '';
  files[`${BASE}/boot.ipxe`] = boot.replace('--default local', '--default install');
  expect(await runIpxe(subject, `${BASE}/boot.ipxe`)).toMatchObject({ kind: 'boot' });
});

test('a machine whose image is missing is told which and waits at the menu, with either firmware', async () => {
  for (const platform of ['efi', 'pcbios'] as const) {
    const files = served();
    const kernel = Object.keys(files).find((url) => url.includes('live-kernel'));
    delete files[kernel ?? ''];
    const { subject, fetched } = machine(files, { platform });
    expect(await runIpxe(subject, `${BASE}/boot.ipxe`)).toEqual({ kind: 'local' });
    expect(fetched.at(-1)).toBe(kernel);
  }
});

test('a script that is no script, a missing image and a UEFI kernel without its initrd fail as they do in life', async () => {
  const url = `${BASE}/x`;
  const run = (text: string, more: Record<string, string> = {}) => {
    const { subject, printed } = machine({ [url]: text, ...more });
    return runIpxe(subject, url).then((outcome) => ({ outcome, printed }));
  };
  expect((await run('# !ipxe\nboot')).printed.join()).toContain('Exec format error');
  expect((await run('#!ipxe\nkernel nothing\nboot')).outcome.kind).toBe('failed');
  const images = { [`${BASE}/k`]: 'k', [`${BASE}/i`]: 'i' };
  expect((await run('#!ipxe\nkernel k a=b\ninitrd i\nboot', images)).outcome).toMatchObject({ kind: 'failed' });
  expect((await run('#!ipxe\nkernel k initrd=main a=b\ninitrd --name main i\nboot', images)).outcome).toEqual({
    kind: 'boot',
    kernelArguments: ['initrd=main', 'a=b'],
  });
  expect((await run('#!ipxe\n:again\ngoto again')).outcome).toMatchObject({ kind: 'failed' });
});

test('conditions go from left to right', async () => {
  const url = `${BASE}/x`;
  const { subject, printed } = machine({
    [url]: `#!ipxe
set name \${net0/mac:hexhyp}
iseq \${name} 00-50-56-96-37-c8 && echo same || echo other
isset \${nothing} && echo set || echo unset
iseq a b && goto end ||
echo reached
:end
exit`,
  });
  expect(await runIpxe(subject, url)).toEqual({ kind: 'local' });
  expect(printed).toEqual(['same', 'unset', 'reached']);
});
