import { expect, test } from 'vitest';
import { generate } from '../../src/artifacts/generate.ts';
import type { Design } from '../../src/design/model.ts';
import { STAGES } from '../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../support/example-design.ts';
import fc from '../support/property.ts';

const input = {
  design: exampleSite(),
  stage: 'install',
  credentials: exampleCredentials,
  images: exampleImages,
  previous: null,
} as const;

test('the documented site, file by file', async () => {
  for (const { file, content } of generate(input).files)
    await expect(content).toMatchFileSnapshot(`../golden/example/${file}`);
  for (const stage of STAGES.slice(1)) {
    const haproxy = generate({ ...input, stage }).files.find(({ kind }) => kind === 'haproxy');
    await expect(haproxy?.content).toMatchFileSnapshot(`../golden/example-stages/haproxy.${stage}.cfg`);
  }
});

test('same input, same bytes; every file once, below its host', () => {
  const first = generate(input);
  expect(generate({ ...input, design: structuredClone(input.design) })).toEqual(first);
  const names = first.files.map(({ file }) => file);
  expect(new Set(names).size).toBe(names.length);
  for (const { host, path, file } of first.files) expect(file).toBe(`${host ?? 'bastion'}${path}`);
  expect(first.manifest.files.map(({ file }) => file)).toEqual(names);
});

/** Puts a text into every place of the design that ends up in a file. */
const PLACES: Record<string, (text: string) => Partial<Design>> = {
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

const hostile = fc
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

test.each(Object.entries(PLACES))('nothing breaks out of its place: %s', (_name, place) => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(() => generate({ ...input, design: exampleSite(place(text)) })).toThrow(
        expect.objectContaining({ trouble: expect.objectContaining({ code: 'unsafe-text' }) }),
      );
    }),
    { numRuns: 40 },
  );
});

/** The documented site with more infra nodes, as somebody plans them later. */
function withMoreInfra(): Design {
  const design = exampleSite();
  const [last] = design.nodes.filter(({ name }) => name === 'i3');
  if (!last) throw new Error('no i3');
  const more = [4, 5, 6].map((n) => ({ ...last, name: `i${n}`, ip: [`172.16.0.4${n}`], mac: `00:50:56:96:aa:0${n}` }));
  return { ...design, nodes: [...design.nodes, ...more] };
}

test('nodes that are added to a running cluster change what is about them, and nothing that the installation has used up', () => {
  const live = { ...input, stage: 'infra-only' } as const;
  const before = generate(live);
  const contents = new Map(before.files.map(({ file, content }) => [file, content]));
  const previous = { manifest: before.manifest, contents: (file: string) => contents.get(file) ?? null };
  const images = { ...exampleImages, rootfs: 'rhcos-newer-live-rootfs.x86_64.img' };
  const credentials = { ...exampleCredentials, sshKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOther another@key' };
  const after = generate({ ...live, design: withMoreInfra(), previous, images, credentials });
  const state = (file: string) => {
    const found = after.files.find((each) => each.file === file);
    return found === undefined ? 'gone' : contents.get(file) === found.content ? 'same' : 'changed';
  };
  const bootstrap = 'bastion/var/www/upi-wizard/ipxe/00-50-56-96-11-c2.ipxe';
  expect(state('bastion/root/upi-wizard/install-config.yaml')).toBe('same');
  expect(state(bootstrap)).toBe('same');
  // A control plane node may have to be installed anew one day: with the images that are there then.
  expect(state('bastion/var/www/upi-wizard/ipxe/00-50-56-96-37-c8.ipxe')).toBe('changed');
  for (const file of ['example.localdomain.zone', '0.16.172.in-addr.arpa.zone']) {
    const serial = (set: typeof before) => set.files.find((each) => each.file.endsWith(file))?.serial ?? 0;
    expect(serial(after)).toBe(serial(before) + 1);
  }
  const haproxy = after.files.find(({ kind }) => kind === 'haproxy')?.content ?? '';
  expect(haproxy).toMatch(/server i4 172\.16\.0\.44:443/);
  expect(haproxy).not.toMatch(/server (?:bs|w1) /);
  // Before the bootstrap is gone they are made as the design and the images are now.
  const again = generate({ ...input, previous, images });
  expect(again.files.find(({ file }) => file === bootstrap)?.content).toContain('rhcos-newer');
});
