import { expect, test } from 'vitest';
import { generateFiles } from '../../../../src/artifacts/generate.ts';
import type { HostOs } from '../../../../src/design/choices.ts';
import { runGrub } from '../../../../src/rehearsal/world/machines/boot-programs.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../../../support/example-design.ts';

const BASE = 'http://172.16.0.101:8080';

/** Creates a machine, and a bastion with all files that are generated for it. */
function createMachine(os: HostOs, mac: string, missing = '') {
  const site = exampleSite();
  const design = exampleSite({
    nodes: site.nodes.map((node) => ({ ...node, secureBoot: node.name === 'm1' })),
    services: { ...site.services, bastion: { ...site.services.bastion, os } },
  });
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages, previous: null } as const;
  const { files } = generateFiles({ ...input, design });
  const printed: string[] = [];
  return {
    printed,
    mac,
    readFile: (path: string) => files.find((file) => file.host === 'bastion' && file.path === path)?.content ?? null,
    fetch: async (url: string) => (url.endsWith(missing) && missing !== '' ? null : Buffer.from('x')),
    print: (line: string) => printed.push(line),
  };
}

test.each(['rhel9', 'rhel8', 'debian'] as const)(
  'the generated files boot a machine into its kernel: %s',
  async (os) => {
    const kernelArguments = await runGrub(createMachine(os, '00:50:56:96:37:c8'));
    expect(kernelArguments).toEqual([
      `coreos.live.rootfs_url=${BASE}/images/${exampleImages.rootfs}`,
      'coreos.inst.install_dev=/dev/sda',
      `coreos.inst.ignition_url=${BASE}/ignition/master.ign`,
    ]);
  },
);

test('a machine without its own file, or without its initramfs, prints an error and boots nothing', async () => {
  const unknownMachine = createMachine('rhel9', '00:50:56:00:00:01');
  expect(await runGrub(unknownMachine)).toBeNull();
  expect(unknownMachine.printed).toEqual(['GRUB: no configuration for this machine; it waits at its prompt']);
  const withoutInitramfs = createMachine('rhel9', '00:50:56:96:37:c8', exampleImages.initramfs);
  expect(await runGrub(withoutInitramfs)).toBeNull();
  expect(withoutInitramfs.printed[0]).toContain(`file \`/images/${exampleImages.initramfs}' not found`);
});
