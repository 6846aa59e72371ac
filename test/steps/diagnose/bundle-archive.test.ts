import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { tarOf } from '../../../src/bastion/tar.ts';
import { type FoundFile, readArchive, type Share } from '../../../src/bastion/untar.ts';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { type Entry, packed, tarball } from '../../support/archive.ts';
import { exampleSite } from '../../support/example-design.ts';
import { journal, NOW, PULL, packedBundles, ROOT } from './packed-bundles.ts';

// How the files of a bundle are read, whatever the archive is like.

const LIMITS = { taken: 100_000, unpacked: 10_000_000, entries: 1000 };
const design = exampleSite();
const { dir, file, bundle } = packedBundles();

test('of an archive that was cut, what came before is read, and that it was cut is told', async () => {
  const noise = Array.from({ length: 40_000 }, (_, index) => `${(index * 7919) % 10_007}`).join(' ');
  const whole = {
    'bootstrap/journals/release-image.log': journal('release-image', PULL),
    'bootstrap/journals/kubelet.log': noise,
  };
  const { found, isCut } = await diagnoseBundle(
    bundle(whole, (bytes) => bytes.subarray(0, bytes.length - 3000)),
    design,
    NOW,
  );
  expect({ rules: found.map(({ rule }) => rule), isCut }).toEqual({ rules: ['pull-secret-rejected'], isCut: true });
});

test('a hostile archive: nothing outside of it, no link, no device, no name that leads a terminal astray, and no size that fills the memory', async () => {
  const log = Buffer.from(journal('release-image-download.sh', PULL));
  const evil = 'bootstrap/journals/\u001b]0;x\u0007$(touch x).log';
  const entries: readonly Entry[] = [
    { path: `${ROOT}/`, type: '5' },
    { path: `../${ROOT}/bootstrap/journals/a.log`, content: log },
    { path: `/${ROOT}/bootstrap/journals/b.log`, content: log },
    { path: `${ROOT}/x/../../bootstrap/journals/c.log`, content: log },
    { path: `${ROOT}/bootstrap/journals/d.log`, type: '2', link: '/etc/shadow' },
    { path: `${ROOT}/bootstrap/journals/e.log`, type: '1', link: '/etc/shadow' },
    { path: `${ROOT}/bootstrap/journals/f.log`, type: '3' },
    { path: `${ROOT}/${evil}`, content: log },
    { path: `${ROOT}/bootstrap/journals/huge.log`, size: 2 ** 50 },
  ];
  writeFileSync(file(), gzipSync(tarball(entries)));
  const { found, files, isCut } = await diagnoseBundle(file(), null, NOW);
  expect({ rules: found.map(({ rule }) => rule), files, isCut }).toEqual({
    rules: ['pull-secret-rejected'],
    files: 2,
    isCut: true,
  });
  expect(found[0]?.seeInBundle).toBe(null);
  expect(JSON.stringify(found)).not.toMatch(/\\u001b|\\u0007/);
});

test('what is packed with something else is told with the program that unpacks it; a name is one word of that command', async () => {
  const words: readonly (readonly [string, string])[] = [
    ['fd377a585a00', 'xz -dk'],
    ['425a6839', 'bunzip2 -k'],
    ['28b52ffd', 'zstd -dk'],
    ['504b0304', 'unzip -d bundle'],
    ['377abcaf271c', '7z x -obundle'],
  ];
  for (const [magic, command] of words) {
    const odd = join(dir(), 'my bundle; touch x');
    writeFileSync(odd, Buffer.concat([Buffer.from(magic, 'hex'), Buffer.alloc(2000)]));
    await expect(diagnoseBundle(odd, null, NOW)).rejects.toMatchObject({
      trouble: { cause: expect.stringContaining(`${command} '${odd}'`) },
    });
  }
});

test('an unpacked bundle is read as its archive is; links in it are left out, and so is a directory that only holds one', async () => {
  const place = join(dir(), 'unpacked');
  const write = (path: string, text: string) => {
    mkdirSync(join(place, dirname(path)), { recursive: true });
    writeFileSync(join(place, path), text);
  };
  write(`${ROOT}/bootstrap/journals/kubelet.log`, '');
  writeFileSync(join(dir(), 'elsewhere.log'), journal('release-image-download.sh', PULL));
  symlinkSync(join(dir(), 'elsewhere.log'), join(place, ROOT, 'bootstrap/journals/release-image.log'));
  symlinkSync(place, join(place, ROOT, 'bootstrap/journals/again'));
  expect(await diagnoseBundle(place, null, NOW)).toMatchObject({ found: [], files: 1, isCut: false });
  write(`${ROOT}/bootstrap/journals/crio.log`, journal('release-image-download.sh', PULL));
  const { found } = await diagnoseBundle(place, null, NOW);
  expect(found[0]).toMatchObject({
    rule: 'pull-secret-rejected',
    seeInBundle: expect.stringMatching(/^grep -nF 'Error: init[^']+' \S+\/bootstrap\/journals\/crio\.log$/),
  });
  const above = join(dir(), 'above');
  mkdirSync(above);
  writeFileSync(join(above, 'log-bundle-20261122120000.tar.gz'), '');
  await expect(diagnoseBundle(above, null, NOW)).rejects.toMatchObject({
    trouble: { cause: expect.stringContaining('above/log-bundle-20261122120000.tar.gz') },
  });
});

test('what is packed by itself is unpacked; one that is damaged, or grows beyond measure, is told as missing', async () => {
  const path = 'host_service_logs/masters/kubelet_service.log.gz';
  const log = gzipSync(journal('kubenswrapper', ...Array.from({ length: 5 }, () => PULL)));
  const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024));
  for (const [content, rules, isCut] of [
    [log, ['pull-secret-rejected'], false],
    [log.subarray(0, 40), [], true],
    [bomb, [], true],
  ] as const) {
    writeFileSync(file(), packed({ [`must-gather/${path}`]: content }));
    const read = await diagnoseBundle(file(), null, NOW);
    expect({ rules: read.found.map(({ rule }) => rule), isCut: read.isCut }).toEqual({ rules, isCut });
  }
});

/** All files that an archive gives, and what is said of the whole. */
async function read(limits: Partial<typeof LIMITS> = {}, share: Share = { part: 'end', most: 1000 }) {
  const files: { readonly path: string; readonly text: string; readonly isWhole: boolean }[] = [];
  const reader = {
    wanted: () => share,
    take: ({ path, content, isWhole }: FoundFile) => void files.push({ path, text: content.toString(), isWhole }),
  };
  return { files, ...(await readArchive(file(), reader, { ...LIMITS, ...limits })) };
}

test('limits: of each file its end or its beginning, of all so much, so many entries; paths that lead out are left out', async () => {
  bundle({ a: `BEGIN${'x'.repeat(5000)}END`, b: 'b'.repeat(900), c: 'c' });
  const { files } = await read();
  expect(files.map(({ text, isWhole }) => [text.length, isWhole])).toEqual([
    [1000, false],
    [900, true],
    [1, true],
  ]);
  expect(files[0]?.text.endsWith('xEND')).toBe(true);
  const [first] = (await read({}, { part: 'start', most: 7 })).files;
  expect(first).toMatchObject({ text: 'BEGINxx', isWhole: false });
  expect((await read({ taken: 1500 })).isCut).toBe(true);
  expect((await read({ unpacked: 100 })).isCut).toBe(true);
  const outside = tarOf(
    [
      { path: '../../etc/passwd', content: Buffer.from('root') },
      { path: '/etc/shadow', content: Buffer.from('root') },
      { path: 'in', content: Buffer.from('in') },
    ],
    NOW,
  );
  writeFileSync(file(), outside);
  expect((await read()).files.map(({ path }) => path)).toEqual(['in']);
});

test('what tar itself packs is read: long names, links, directories', async () => {
  const long = join(ROOT, 'control-plane/172.16.0.21/containers', `${'very-long-name-'.repeat(5)}.log`);
  mkdirSync(join(dir(), dirname(long)), { recursive: true });
  writeFileSync(join(dir(), long), 'a line');
  execFileSync('ln', ['-s', '/etc/passwd', join(dir(), ROOT, 'link.log')]);
  for (const format of ['gnu', 'pax', 'ustar']) {
    execFileSync('tar', ['-C', dir(), `--format=${format}`, '-czf', file(), ROOT]);
    expect(await read()).toEqual({ files: [{ path: long, text: 'a line', isWhole: true }], isCut: false });
  }
});
