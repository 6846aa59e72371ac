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
