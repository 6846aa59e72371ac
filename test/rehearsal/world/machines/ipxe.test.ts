import { expect, test } from 'vitest';
import { type IpxeMachine, runIpxe } from '../../../../src/rehearsal/world/machines/boot-programs.ts';
import { exampleSite, generateFileText } from '../../../support/example-design.ts';

const BASE = 'http://172.16.0.101:8080';

function createMachine(files: Record<string, string>, overrides: Partial<IpxeMachine> = {}) {
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
    ...overrides,
  };
  return { subject, printed, fetched };
}

const createServedFiles = () => {
  const image = (name: string) => [`${BASE}/images/rhcos-418.94.202410090804-0-${name}`, 'x'];
  return Object.fromEntries([
    [`${BASE}/boot.ipxe`, generateFileText(exampleSite(), 'bastion/var/www/upi-wizard/boot.ipxe')],
    [
      `${BASE}/ipxe/00-50-56-96-37-c8.ipxe`,
      generateFileText(exampleSite(), 'bastion/var/www/upi-wizard/ipxe/00-50-56-96-37-c8.ipxe'),
    ],
    image('live-kernel-x86_64'),
    image('live-initramfs.x86_64.img'),
  ]);
};

test('the generated scripts boot a machine with its own kernel arguments', async () => {
  const { subject } = createMachine(createServedFiles());
  const outcome = await runIpxe(subject, `${BASE}/boot.ipxe`);
  expect(outcome).toMatchObject({ kind: 'boot' });
  const kernelArguments = outcome.kind === 'boot' ? outcome.kernelArguments : [];
  expect(kernelArguments).toContain(`coreos.inst.ignition_url=${BASE}/ignition/master.ign`);
  expect(kernelArguments).toContain('coreos.inst.install_dev=/dev/sda');
});

test('a machine without its own script waits at the menu and starts its disk', async () => {
  const files = createServedFiles();
  delete files[`${BASE}/ipxe/00-50-56-96-37-c8.ipxe`];
  const { subject } = createMachine(files);
  expect(await runIpxe(subject, `${BASE}/boot.ipxe`)).toEqual({ kind: 'local' });
});

test('a machine that is installed starts its disk, and is installed again when its menu entry is chosen', async () => {
  const ownScript = `${BASE}/ipxe/00-50-56-96-37-c8.ipxe`;
  const files = createServedFiles();
  files[`${ownScript}?again`] = files[ownScript] ?? '';
  files[ownScript] = generateFileText(exampleSite(), 'bastion/var/www/upi-wizard/installed.ipxe');
  const { subject } = createMachine(files);
  expect(await runIpxe(subject, `${BASE}/boot.ipxe`)).toEqual({ kind: 'local' });
  const boot = files[`${BASE}/boot.ipxe`] ?? '';
  files[`${BASE}/boot.ipxe`] = boot.replace('--default local', '--default install');
  expect(await runIpxe(subject, `${BASE}/boot.ipxe`)).toMatchObject({ kind: 'boot' });
});

test('a machine names its missing image and waits at the menu, with either firmware', async () => {
  for (const platform of ['efi', 'pcbios'] as const) {
    const files = createServedFiles();
    const kernel = Object.keys(files).find((url) => url.includes('live-kernel'));
    delete files[kernel ?? ''];
    const { subject, fetched } = createMachine(files, { platform });
    expect(await runIpxe(subject, `${BASE}/boot.ipxe`)).toEqual({ kind: 'local' });
    expect(fetched.at(-1)).toBe(kernel);
  }
});

test('a script that is no script, a missing image and a UEFI kernel without its initrd fail as they do with the real iPXE', async () => {
  const url = `${BASE}/x`;
  const run = (text: string, extraFiles: Record<string, string> = {}) => {
    const { subject, printed } = createMachine({ [url]: text, ...extraFiles });
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

test('conditions are evaluated from left to right', async () => {
  const url = `${BASE}/x`;
  const { subject, printed } = createMachine({
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

test('a machine that is stopped asks again until it may go on, and one that only asks reports its answers', async () => {
  let verdict = 'stop';
  const files = createServedFiles();
  const { subject, fetched, printed } = createMachine(files);
  const run = runIpxe(
    {
      ...subject,
      fetch: async (url) => {
        if (!/\/(?:machine|questions)\?/.test(url)) return subject.fetch(url);
        fetched.push(url);
        if (url.includes('&id=')) verdict = 'go';
        const questions = `imgfetch --timeout 1 --name answer ${BASE}/boot.ipxe?head && set answer ok || set answer x
imgfetch --name answer \${base}/questions?mac=x&id=script&answer=\${answer} ||`;
        return Buffer.from(`#!ipxe\n${url.includes('/questions') ? questions : `set verdict ${verdict}`}\n`);
      },
      wait: async () => {
        verdict = verdict === 'stop' ? 'scout' : verdict;
      },
    },
    `${BASE}/boot.ipxe`,
  );
  expect(await run).toMatchObject({ kind: 'boot' });
  expect(fetched.filter((url) => url.includes('/machine?')).length).toBe(3);
  expect(fetched.find((url) => url.includes('&id='))).toMatch(/answer=x$/);
  expect(printed.join()).not.toContain('command not found');
});
