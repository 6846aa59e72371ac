import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type ArchiveFile, createTar, type Excerpt, readArchive } from '../../../src/host/tar.ts';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { type ArchiveEntry, createRawTar, createTarGz } from '../../support/archive.ts';
import { exampleSite } from '../../support/example-design.ts';
import { journal, NOW, PULL_ERROR, ROOT, setUpBundleFixture } from './bundle-fixture.ts';

// How the files of a bundle are read from each kind of archive.

const LIMITS = { contentBytes: 100_000, unpackedBytes: 10_000_000, entryCount: 1000 };
const design = exampleSite();
const { dir, file, packBundle: bundle } = setUpBundleFixture();

test('a truncated archive is read up to its end and reported as cut', async () => {
  const noise = Array.from({ length: 40_000 }, (_, index) => `${(index * 7919) % 10_007}`).join(' ');
  const files = {
    'bootstrap/journals/release-image.log': journal('release-image', PULL_ERROR),
    'bootstrap/journals/kubelet.log': noise,
  };
  const { findings, isCut } = await diagnoseBundle(
    bundle(files, (bytes) => bytes.subarray(0, bytes.length - 3000)),
    design,
    NOW,
  );
  expect({ rules: findings.map(({ rule }) => rule), isCut }).toEqual({ rules: ['pull-secret-rejected'], isCut: true });
});

test('a hostile archive: nothing outside of it, no link, no device, no name with control characters, and no size that fills the memory', async () => {
  const log = Buffer.from(journal('release-image-download.sh', PULL_ERROR));
  const evil = 'bootstrap/journals/\u001b]0;x\u0007$(touch x).log';
  const entries: readonly ArchiveEntry[] = [
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
  writeFileSync(file(), gzipSync(createRawTar(entries)));
  const { findings, fileCount, isCut } = await diagnoseBundle(file(), null, NOW);
  expect({ rules: findings.map(({ rule }) => rule), fileCount, isCut }).toEqual({
    rules: ['pull-secret-rejected'],
    fileCount: 2,
    isCut: true,
  });
  expect(findings[0]?.bundleCommand).toBe(null);
  expect(JSON.stringify(findings)).not.toMatch(/\\u001b|\\u0007/);
});

test('another format is an error with the command that unpacks it; the file name is quoted in it', async () => {
  const formats: readonly (readonly [string, string])[] = [
    ['fd377a585a00', 'xz -dk'],
    ['425a6839', 'bunzip2 -k'],
    ['28b52ffd', 'zstd -dk'],
    ['504b0304', 'unzip -d bundle'],
    ['377abcaf271c', '7z x -obundle'],
  ];
  for (const [magic, command] of formats) {
    const archive = join(dir(), 'my bundle; touch x');
    writeFileSync(archive, Buffer.concat([Buffer.from(magic, 'hex'), Buffer.alloc(2000)]));
    await expect(diagnoseBundle(archive, null, NOW)).rejects.toMatchObject({
      userError: { cause: expect.stringContaining(`${command} '${archive}'`) },
    });
  }
});

test('an unpacked bundle is read like its archive, without its links; a directory that only contains an archive is an error', async () => {
  const unpackedDir = join(dir(), 'unpacked');
  const write = (path: string, text: string) => {
    mkdirSync(join(unpackedDir, dirname(path)), { recursive: true });
    writeFileSync(join(unpackedDir, path), text);
  };
  write(`${ROOT}/bootstrap/journals/kubelet.log`, '');
  writeFileSync(join(dir(), 'elsewhere.log'), journal('release-image-download.sh', PULL_ERROR));
  symlinkSync(join(dir(), 'elsewhere.log'), join(unpackedDir, ROOT, 'bootstrap/journals/release-image.log'));
  symlinkSync(unpackedDir, join(unpackedDir, ROOT, 'bootstrap/journals/again'));
  expect(await diagnoseBundle(unpackedDir, null, NOW)).toMatchObject({ findings: [], fileCount: 1, isCut: false });
  write(`${ROOT}/bootstrap/journals/crio.log`, journal('release-image-download.sh', PULL_ERROR));
  const { findings } = await diagnoseBundle(unpackedDir, null, NOW);
  expect(findings[0]).toMatchObject({
    rule: 'pull-secret-rejected',
    bundleCommand: expect.stringMatching(/^grep -nF 'Error: init[^']+' \S+\/bootstrap\/journals\/crio\.log$/),
  });
  const parentDir = join(dir(), 'above');
  mkdirSync(parentDir);
  writeFileSync(join(parentDir, 'log-bundle-20261122120000.tar.gz'), '');
  await expect(diagnoseBundle(parentDir, null, NOW)).rejects.toMatchObject({
    userError: { cause: expect.stringContaining('above/log-bundle-20261122120000.tar.gz') },
  });
});

test('a compressed file of a bundle is unpacked; one that is damaged or too large is reported as cut', async () => {
  const path = 'host_service_logs/masters/kubelet_service.log.gz';
  const log = gzipSync(journal('kubenswrapper', ...Array.from({ length: 5 }, () => PULL_ERROR)));
  const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024));
  for (const [content, rules, isCut] of [
    [log, ['pull-secret-rejected'], false],
    [log.subarray(0, 40), [], true],
    [bomb, [], true],
  ] as const) {
    writeFileSync(file(), createTarGz({ [`must-gather/${path}`]: content }));
    const result = await diagnoseBundle(file(), null, NOW);
    expect({ rules: result.findings.map(({ rule }) => rule), isCut: result.isCut }).toEqual({ rules, isCut });
  }
});

/**
 * Reads all files of the archive.
 * @returns the files, and the result for the whole archive
 */
async function readFiles(limits: Partial<typeof LIMITS> = {}, share: Excerpt = { part: 'end', maxBytes: 1000 }) {
  const files: { readonly path: string; readonly text: string; readonly isWhole: boolean }[] = [];
  const reader = {
    selectPart: () => share,
    onFile: ({ path, content, isComplete }: ArchiveFile) =>
      void files.push({ path, text: content.toString(), isWhole: isComplete }),
  };
  return { files, ...(await readArchive(file(), reader, { ...LIMITS, ...limits })) };
}

test('limits: the end or the start of each file, the total size and the number of entries; paths that lead out are skipped', async () => {
  bundle({ a: `BEGIN${'x'.repeat(5000)}END`, b: 'b'.repeat(900), c: 'c' });
  const { files } = await readFiles();
  expect(files.map(({ text, isWhole }) => [text.length, isWhole])).toEqual([
    [1000, false],
    [900, true],
    [1, true],
  ]);
  expect(files[0]?.text.endsWith('xEND')).toBe(true);
  const [first] = (await readFiles({}, { part: 'start', maxBytes: 7 })).files;
  expect(first).toMatchObject({ text: 'BEGINxx', isWhole: false });
  expect((await readFiles({ contentBytes: 1500 })).isCut).toBe(true);
  expect((await readFiles({ unpackedBytes: 100 })).isCut).toBe(true);
  const outside = createTar(
    [
      { path: '../../etc/passwd', content: Buffer.from('root') },
      { path: '/etc/shadow', content: Buffer.from('root') },
      { path: 'in', content: Buffer.from('in') },
    ],
    NOW,
  );
  writeFileSync(file(), outside);
  expect((await readFiles()).files.map(({ path }) => path)).toEqual(['in']);
});

test('archives of the tar program are read: long names, links, directories', async () => {
  const long = join(ROOT, 'control-plane/172.16.0.21/containers', `${'very-long-name-'.repeat(5)}.log`);
  mkdirSync(join(dir(), dirname(long)), { recursive: true });
  writeFileSync(join(dir(), long), 'a line');
  execFileSync('ln', ['-s', '/etc/passwd', join(dir(), ROOT, 'link.log')]);
  for (const format of ['gnu', 'pax', 'ustar']) {
    execFileSync('tar', ['-C', dir(), `--format=${format}`, '-czf', file(), ROOT]);
    expect(await readFiles()).toEqual({ files: [{ path: long, text: 'a line', isWhole: true }], isCut: false });
  }
});
