import { expect, test } from 'vitest';
import { generateFiles } from '../../src/artifacts/generate.ts';
import { STAGES } from '../../src/design/choices.ts';
import type { Design } from '../../src/design/model.ts';
import { diffLines } from '../../src/platform/diff.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../support/example-design.ts';
import fc from '../support/property.ts';

const input = {
  design: exampleSite(),
  stage: 'install',
  credentials: exampleCredentials,
  images: exampleImages,
  previous: null,
} as const;

/** Compares a file with its golden file: a file that resembles `base` is kept as its differences from it. */
async function expectGolden(name: string, content: string, base: string | undefined): Promise<void> {
  if (base === undefined) return await expect(content).toMatchFileSnapshot(`../golden/example/${name}`);
  const sign = { same: ' ', added: '+', removed: '-', gap: '@' };
  const lines = diffLines(base, content, 1).map(({ kind, text }) => `${sign[kind]}${text}\n`);
  await expect(lines.join('')).toMatchFileSnapshot(`../golden/example/${name}.diff`);
}

test('the documented site, file by file: of the files that several hosts have, the first in full', async () => {
  const first = new Map<string, string>();
  for (const { file, path, content } of generateFiles(input).files) {
    await expectGolden(file, content, first.get(path));
    first.set(path, first.get(path) ?? content);
  }
  for (const stage of STAGES.slice(1)) {
    const haproxy = generateFiles({ ...input, stage }).files.find(({ kind }) => kind === 'haproxy');
    if (haproxy === undefined) throw new Error('no haproxy.cfg');
    await expectGolden(`${haproxy.file}.${stage}`, haproxy.content, first.get(haproxy.path));
  }
});

test('same input, same bytes; every file once, below its host', () => {
  const first = generateFiles(input);
  expect(generateFiles({ ...input, design: structuredClone(input.design) })).toEqual(first);
  const names = first.files.map(({ file }) => file);
  expect(new Set(names).size).toBe(names.length);
  for (const { host, path, file } of first.files) expect(file).toBe(`${host ?? 'bastion'}${path}`);
  expect(first.manifest.files.map(({ file }) => file)).toEqual(names);
});

/** Functions that put a text into each value of the design that ends up in a file. */
const INSERTIONS: Record<string, (text: string) => Partial<Design>> = {
  'cluster name': (name) => ({ cluster: { name, baseDomain: 'example.localdomain' } }),
  'base domain': (baseDomain) => ({ cluster: { name: 'ocp45', baseDomain } }),
  'node name': (name) => ({
    nodes: exampleSite().nodes.map((node, index) => (index === 1 ? { ...node, name } : node)),
  }),
  'install disk': (installDisk) => ({ nodes: exampleSite().nodes.map((node) => ({ ...node, installDisk })) }),
  'kernel argument': (text) => ({ nodes: exampleSite().nodes.map((node) => ({ ...node, kernelArguments: [text] })) }),
  'host name': (name) => ({
    services: {
      ...exampleSite().services,
      loadBalancer: { kind: 'haproxy', servers: [{ name, ip: ['172.16.0.112'], os: 'rhel9' }] },
    },
  }),
  forwarder: (text) => ({
    services: { ...exampleSite().services, dns: { ...exampleSite().services.dns, forwarders: [text] } },
  }),
  'time server': (text) => ({ services: { ...exampleSite().services, time: { servers: [text] } } }),
};

const hostileText = fc
  .tuple(
    fc.string(),
    fc.constantFrom(
      '\n',
      '"',
      "'",
      ';',
      '}',
      '{',
      '$',
      '`',
      '\\',
      '#',
      '|',
      '&',
      '<',
      '\u0000',
      '\u001b',
      '\u2028',
      'é',
    ),
    fc.string(),
  )
  .map((parts) => parts.join(''));

test.each(Object.entries(INSERTIONS))('a text that could break out of its quotes is refused: %s', (_name, insert) => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(() => generateFiles({ ...input, design: exampleSite(insert(text)) })).toThrow(
        expect.objectContaining({ userError: expect.objectContaining({ code: 'unsafe-text' }) }),
      );
    }),
    { numRuns: 40 },
  );
});

/** Returns the documented site with three more infra nodes, planned after the installation. */
function withMoreInfra(): Design {
  const design = exampleSite();
  const [last] = design.nodes.filter(({ name }) => name === 'i3');
  if (!last) throw new Error('no i3');
  const more = [4, 5, 6].map((n) => ({ ...last, name: `i${n}`, ip: [`172.16.0.4${n}`], mac: `00:50:56:96:aa:0${n}` }));
  return { ...design, nodes: [...design.nodes, ...more] };
}

test('nodes added to a running cluster change their own files, but none that the installation has consumed', () => {
  const infraOnly = { ...input, stage: 'infra-only' } as const;
  const before = generateFiles(infraOnly);
  const contents = new Map(before.files.map(({ file, content }) => [file, content]));
  const previous = { manifest: before.manifest, readContent: (file: string) => contents.get(file) ?? null };
  const images = { ...exampleImages, rootfs: 'rhcos-newer-live-rootfs.x86_64.img' };
  const credentials = { ...exampleCredentials, sshKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOther another@key' };
  const after = generateFiles({ ...infraOnly, design: withMoreInfra(), previous, images, credentials });
  const compareFile = (file: string) => {
    const found = after.files.find((each) => each.file === file);
    return found === undefined ? 'gone' : contents.get(file) === found.content ? 'same' : 'changed';
  };
  const bootstrap = 'bastion/var/www/upi-wizard/ipxe/00-50-56-96-11-c2.ipxe';
  expect(compareFile('bastion/root/upi-wizard/install-config.yaml')).toBe('same');
  expect(compareFile(bootstrap)).toBe('same');
  // A control plane node may be reinstalled later, with the images that exist then.
  expect(compareFile('bastion/var/www/upi-wizard/ipxe/00-50-56-96-37-c8.ipxe')).toBe('changed');
  for (const file of ['example.localdomain.zone', '0.16.172.in-addr.arpa.zone']) {
    const serial = (set: typeof before) => set.files.find((each) => each.file.endsWith(file))?.serial ?? 0;
    expect(serial(after)).toBe(serial(before) + 1);
  }
  const haproxy = after.files.find(({ kind }) => kind === 'haproxy')?.content ?? '';
  expect(haproxy).toMatch(/server i4 172\.16\.0\.44:443/);
  expect(haproxy).not.toMatch(/server (?:bs|w1) /);
  // Until the bootstrap node is removed, these files follow the current design and images.
  const again = generateFiles({ ...input, previous, images });
  expect(again.files.find(({ file }) => file === bootstrap)?.content).toContain('rhcos-newer');
});
