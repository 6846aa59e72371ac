import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { parseImageSources } from '../../src/artifacts/boot/images.ts';
import {
  listDownloads,
  renderExportedDownloadScript,
  renderPrepareFetchScript,
} from '../../src/artifacts/downloads.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { runFetchScript } from '../../src/installer/fetch-script.ts';
import { checkImages } from '../../src/installer/images.ts';
import { eventually } from '../support/eventually.ts';
import { createAuthority } from '../support/kube-server.ts';
import { testWith } from '../support/programs.ts';

// The real curl, tar, sha256sum and gpg against a server that has the names and the layout of Red Hat's mirror.

const test = testWith('curl', 'tar', 'sha256sum', 'gpg', 'shellcheck', 'dash');
const CLIENTS = '/pub/openshift-v4/x86_64/clients/ocp/4.18.11';
const RHCOS = '/pub/openshift-v4/x86_64/dependencies/rhcos/4.5/latest';
const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');

let dir: string;
let home: string;
let server: Server;
let requestedPaths: string[];
let lines: string[];
const files = new Map<string, Buffer>();
/** Delays the second half of every file until it resolves. */
let hold: Promise<unknown> | null;

async function sendInHalves(body: Buffer, response: ServerResponse): Promise<void> {
  const half = Math.ceil(body.length / 2);
  response.writeHead(200, { 'content-length': body.length }).write(body.subarray(0, half));
  await hold;
  response.end(body.subarray(half));
}
const savedEnv = { HOME: process.env.HOME, RELEASE_KEY: process.env.RELEASE_KEY };

beforeEach(async () => {
  [dir, home] = ['upi-fetch-', 'upi-home-'].map((name) => mkdtempSync(join(tmpdir(), name))) as [string, string];
  [requestedPaths, lines] = [[], []];
  hold = null;
  files.clear();
  const authority = await createAuthority();
  server = createServer(await authority.issue('mirror.openshift.com'), (request, response) => {
    requestedPaths.push(request.url ?? '');
    const body = files.get(request.url ?? '');
    const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    if (body && Number(from) >= body.length) return void response.writeHead(416).end();
    if (body && hold) return void sendInHalves(body, response);
    response.writeHead(body ? 200 : 404, { 'content-length': body?.length ?? 0 }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const to = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(home, 'ca.pem'), authority.pem);
  writeFileSync(
    join(home, '.curlrc'),
    `cacert = "${join(home, 'ca.pem')}"\nconnect-to = "mirror.openshift.com:443:${to}"\n`,
  );
  process.env.HOME = home;
  process.env.RELEASE_KEY = join(home, 'no-key');
});
afterEach(async () => {
  for (const [name, value] of Object.entries(savedEnv)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await new Promise((resolve) => server.close(resolve));
  for (const one of [dir, home]) rmSync(one, { recursive: true, force: true });
});

/** Creates an archive with these programs, as the mirror has it. */
function createArchive(...names: readonly string[]): Buffer {
  const archiveDir = mkdtempSync(join(home, 'archive-'));
  for (const name of names) {
    writeFileSync(join(archiveDir, name), `#!/bin/sh\necho ${name}\n`);
    chmodSync(join(archiveDir, name), 0o755);
  }
  return execFileSync('tar', ['-C', archiveDir, '-cz', ...names], { maxBuffer: 1e8 });
}

function publish(base: string, contents: Readonly<Record<string, Buffer>>): string {
  for (const [name, data] of Object.entries(contents)) files.set(`${base}/${name}`, data);
  const sums = Object.entries(contents).map(([name, data]) => `${sha256(data)}  ${name}\n`);
  files.set(`${base}/sha256sum.txt`, Buffer.from(sums.join('')));
  return sums.join('');
}

const publishClients = () =>
  publish(CLIENTS, {
    'openshift-client-linux-4.18.11.tar.gz': createArchive('oc', 'kubectl', 'README.md'),
    'openshift-install-mac-4.18.11.tar.gz': createArchive('openshift-install'),
    'openshift-install-linux-4.18.11.tar.gz': createArchive('openshift-install', 'README.md'),
  });

const programs = renderPrepareFetchScript('4.18.11', 'x86_64', { includesPrograms: true, images: null });
const runScript = (script: string) =>
  runFetchScript(dir, script, (line) => lines.push(line), new AbortController().signal);

const design = (version: string) => {
  const parsed = parseDesign(renderExampleDesign({ version })).design;
  if (parsed === null) throw new Error('the example has errors');
  return parsed;
};
const runDownloads = async (script: string) => (await promisify(execFile)('dash', ['-c', script], { cwd: dir })).stdout;

describe('the script', () => {
  test('shellcheck reports nothing, for any plan', () => {
    const source = { name: 'a.img', url: 'https://mirror.example/a.img', sha256: sha256('a') };
    for (const images of [null, 'mirror', [source]] as const)
      for (const isWanted of [true, false]) {
        const script = renderPrepareFetchScript('4.18', 'x86_64', {
          includesPrograms: isWanted,
          isFips: isWanted,
          images,
        });
        execFileSync('shellcheck', ['-'], { input: script });
        expect(script).not.toContain('undefined');
      }
  });

  test('programs: fetched, compared, unpacked; no archive and no README is left', async () => {
    publishClients();
    await runScript(programs);
    expect(readdirSync(dir).sort()).toEqual(['fetch-openshift.sh', 'kubectl', 'oc', 'openshift-install']);
    expect(statSync(join(dir, 'openshift-install')).mode & 0o111).not.toBe(0);
    expect(lines.join('\n')).toContain('signature of the checksums is not checked');
  });

  test('programs of OKD: from its own release, by their whole names, and the list has no signature', async () => {
    const version = '4.20.0-okd-scos.3';
    publish(`/okd-project/okd/releases/download/${version}`, {
      [`openshift-client-linux-amd64-rhel9-${version}.tar.gz`]: createArchive('something-else'),
      [`openshift-client-linux-${version}.tar.gz`]: createArchive('oc', 'kubectl', 'README.md'),
      [`openshift-install-linux-arm64-${version}.tar.gz`]: createArchive('something-else'),
      [`openshift-install-linux-${version}.tar.gz`]: createArchive('openshift-install'),
    });
    const toServer = (script: string) => script.replaceAll('https://github.com/', 'https://mirror.openshift.com/');
    const script = renderPrepareFetchScript(version, 'x86_64', { includesPrograms: true, images: null });
    execFileSync('shellcheck', ['-'], { input: script });
    expect(script).not.toMatch(/Red Hat|gpg|undefined/);
    await runScript(toServer(script));
    expect(readdirSync(dir).sort()).toEqual(['fetch-openshift.sh', 'kubectl', 'oc', 'openshift-install']);
    const image = { name: 'scos-1-live-kernel.x86_64', url: 'https://github.com/kernel', sha256: sha256('kernel') };
    files.set('/kernel', Buffer.from('kernel'));
    const downloads = renderExportedDownloadScript(
      listDownloads(design(version), { version, stream: 'c10s', images: [image] }),
    );
    execFileSync('shellcheck', ['-'], { input: downloads });
    expect(await runDownloads(toServer(downloads))).toContain('All files are here.');
    expect(readdirSync(dir)).toContain(`openshift-client-linux-${version}.tar.gz`);
    expect(requestedPaths.filter((path) => path.endsWith('.gpg'))).toEqual([]);
  });

  test('a cluster in FIPS mode gets the installer for FIPS', async () => {
    publish(CLIENTS, {
      'openshift-client-linux-4.18.11.tar.gz': createArchive('oc', 'kubectl'),
      'openshift-client-linux-amd64-rhel9-4.18.11.tar.gz': createArchive('oc'),
      'openshift-install-linux-4.18.11.tar.gz': createArchive('openshift-install'),
      'openshift-install-rhel9-amd64.tar.gz': createArchive('openshift-install-fips'),
    });
    await runScript(
      renderPrepareFetchScript('4.18.11', 'x86_64', { includesPrograms: true, isFips: true, images: null }),
    );
    expect(readdirSync(dir).sort()).toEqual(['fetch-openshift.sh', 'kubectl', 'oc', 'openshift-install-fips']);
  });

  test('a program whose checksum differs from the list is not unpacked, and is renamed', async () => {
    publishClients();
    const name = 'openshift-install-linux-4.18.11.tar.gz';
    files.set(`${CLIENTS}/${name}`, createArchive('something-else'));
    await expect(runScript(programs)).rejects.toMatchObject({ userError: { code: 'fetch-failed' } });
    expect(readdirSync(dir).sort()).toEqual(['fetch-openshift.sh', `${name}.wrong`]);
  });

  test('with a key the list has to be signed: detached and inline signatures are accepted, other signers are not', async () => {
    const gpg = (...args: readonly string[]) =>
      execFileSync('gpg', [
        '--homedir',
        home,
        '--batch',
        '--no-autostart',
        '--pinentry-mode',
        'loopback',
        '--passphrase',
        '',
        ...args,
      ]);
    chmodSync(home, 0o700);
    // Generating keys needs the agent.
    execFileSync('gpg', [
      '--homedir',
      home,
      '--batch',
      '--passphrase',
      '',
      '--quick-generate-key',
      'release',
      'ed25519',
    ]);
    execFileSync('gpg', ['--homedir', home, '--batch', '--passphrase', '', '--quick-generate-key', 'other', 'ed25519']);
    process.env.RELEASE_KEY = join(home, 'release.asc');
    writeFileSync(process.env.RELEASE_KEY, gpg('--armor', '--export', 'release'));
    const sums = publishClients();
    const known = { version: '4.18.11', stream: null, images: [] };
    const downloads = renderExportedDownloadScript(listDownloads(design('4.18'), known));
    const sign = (kind: '--detach-sign' | '--sign', signer: string) => {
      const out = join(home, 'out.gpg');
      rmSync(out, { force: true });
      writeFileSync(join(home, 'sums'), sums);
      execFileSync('gpg', [
        '--homedir',
        home,
        '--batch',
        '--local-user',
        signer,
        '--output',
        out,
        kind,
        join(home, 'sums'),
      ]);
      files.set(`${CLIENTS}/sha256sum.txt.gpg`, readFileSync(out));
    };
    try {
      for (const kind of ['--detach-sign', '--sign'] as const) {
        sign(kind, 'release');
        await runScript(programs);
        expect(lines.at(-1)).toBe('All files are here.');
        expect(lines).toContain('The checksums are signed by Red Hat.');
        expect(await runDownloads(downloads)).toContain('Red Hat has signed sha256sum.txt.');
      }
      for (const name of ['oc', 'kubectl', 'openshift-install']) rmSync(join(dir, name));
      sign('--detach-sign', 'other');
      await expect(runScript(programs)).rejects.toMatchObject({
        userError: { cause: expect.stringContaining('not signed by Red Hat') },
      });
      expect(readdirSync(dir)).toContain('fetch-openshift.sh');
      expect(readdirSync(dir)).not.toContain('openshift-install');
      await expect(runDownloads(downloads)).rejects.toThrow('sha256sum.txt is not signed by Red Hat.');
    } finally {
      execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
    }
  });

  test('a mirror that cannot be reached is reported, with the script to run elsewhere', async () => {
    await expect(runScript(programs)).rejects.toMatchObject({
      userError: {
        cause: expect.stringContaining('Cannot fetch https://mirror.openshift.com/'),
        remedy: expect.stringContaining(join(dir, 'fetch-openshift.sh')),
      },
    });
  });
});

describe('images', () => {
  const data = {
    kernel: Buffer.from('kernel'),
    initramfs: Buffer.from('initramfs'),
    rootfs: Buffer.alloc(3_000_000, 7),
  };
  const artifact = (name: keyof typeof data) => ({
    location: `https://mirror.openshift.com/images/rhcos-418-${name}`,
    sha256: sha256(data[name]),
  });
  const pxe = { kernel: artifact('kernel'), initramfs: artifact('initramfs'), rootfs: artifact('rootfs') };
  const json = { architectures: { x86_64: { artifacts: { metal: { release: '418', formats: { pxe } } } } } };
  const sources = parseImageSources(json, 'x86_64');
  const names = sources.map(({ name }) => name);
  const states = async () => (await checkImages(join(dir, 'images'), names, sources)).map(({ state }) => state);

  test('the images that the installer names are fetched; valid ones are not fetched again, wrong ones are', async () => {
    for (const [name, bytes] of Object.entries(data)) files.set(`/images/rhcos-418-${name}`, bytes);
    const script = renderPrepareFetchScript('4.18', 'x86_64', { includesPrograms: false, images: sources });
    expect(await states()).toEqual(['missing', 'missing', 'missing']);
    await runScript(script);
    expect(await states()).toEqual(['ok', 'ok', 'ok']);
    expect(requestedPaths).toHaveLength(3);
    writeFileSync(join(dir, 'images', 'rhcos-418-rootfs'), data.rootfs.subarray(1));
    expect(await states()).toEqual(['ok', 'ok', 'wrong']);
    // The script continues with the part of an earlier attempt.
    await runScript(script);
    expect(await states()).toEqual(['ok', 'ok', 'ok']);
    expect(requestedPaths).toHaveLength(4);
  });

  test('a partial file that is already complete, which the server answers with 416, is fetched again', async () => {
    for (const [name, bytes] of Object.entries(data)) files.set(`/images/rhcos-418-${name}`, bytes);
    mkdirSync(join(dir, 'images'));
    writeFileSync(join(dir, 'images', 'rhcos-418-kernel.part'), data.kernel);
    await runScript(renderPrepareFetchScript('4.18', 'x86_64', { includesPrograms: false, images: sources }));
    expect(await states()).toEqual(['ok', 'ok', 'ok']);
  });

  test('a slow download reports its progress', async () => {
    for (const [name, bytes] of Object.entries(data)) files.set(`/images/rhcos-418-${name}`, bytes);
    hold = eventually(() => expect(lines).toContain('Fetching images/rhcos-418-rootfs 1 MB'));
    await runScript(
      renderPrepareFetchScript('4.18', 'x86_64', {
        includesPrograms: false,
        images: sources.filter(({ name }) => /rootfs/.test(name)),
      }),
    );
    await hold;
    expect(await states()).toEqual(['missing', 'missing', 'ok']);
  });

  test('without an installer that knows the images, their names come from the mirror', async () => {
    mkdirSync(join(dir, 'images'));
    publish(RHCOS, {
      'rhcos-4.5.6-x86_64-installer-kernel-x86_64': data.kernel,
      'rhcos-4.5.6-x86_64-installer-initramfs.x86_64.img': data.initramfs,
      'rhcos-4.5.6-x86_64-metal.x86_64.raw.gz': data.rootfs,
      'rhcos-4.5.6-x86_64-vmware.x86_64.ova': data.kernel,
    });
    await runScript(renderPrepareFetchScript('4.5', 'x86_64', { includesPrograms: false, images: 'mirror' }));
    expect(readdirSync(join(dir, 'images')).sort()).toEqual([
      'rhcos-4.5.6-x86_64-installer-initramfs.x86_64.img',
      'rhcos-4.5.6-x86_64-installer-kernel-x86_64',
      'rhcos-4.5.6-x86_64-metal.x86_64.raw.gz',
    ]);
  });
});

describe('the script of export downloads', () => {
  const url = 'https://mirror.openshift.com/images/rhcos-418-kernel';
  const kernel = { name: 'rhcos-418-kernel', url, sha256: sha256('kernel') };

  test('shellcheck reports nothing, for any release', () => {
    for (const version of ['4.5', '4.18', '4.18.11', '5.0'])
      for (const known of [null, { version: `${version}-okd-scos.1`, stream: null, images: [kernel] }]) {
        const script = renderExportedDownloadScript(listDownloads(design(version), known));
        execFileSync('shellcheck', ['-'], { input: script });
        expect(script).not.toMatch(/undefined|insecure| -k /);
      }
  });

  test('every file comes into one directory, compared with its checksum; a second run fetches only the lists', async () => {
    publishClients();
    files.set('/images/rhcos-418-kernel', Buffer.from('kernel'));
    // A part of an earlier run is continued.
    writeFileSync(join(dir, 'rhcos-418-kernel.part'), 'ker');
    const script = renderExportedDownloadScript(
      listDownloads(design('4.18'), { version: '4.18.11', stream: null, images: [kernel] }),
    );
    expect(await runDownloads(script)).toContain('All files are here.');
    const all = [
      'openshift-client-linux-4.18.11.tar.gz',
      'openshift-install-linux-4.18.11.tar.gz',
      'rhcos-418-kernel',
      'sha256sum.txt',
    ];
    expect(readdirSync(dir).sort()).toEqual(all);
    expect(readFileSync(join(dir, 'rhcos-418-kernel'), 'utf8')).toBe('kernel');
    requestedPaths = [];
    expect(await runDownloads(script)).toContain('Already here: rhcos-418-kernel');
    expect(requestedPaths).toEqual([`${CLIENTS}/sha256sum.txt`]);
  });

  test('without an installer the names come from the lists of the mirror', async () => {
    const stable = CLIENTS.replace('4.18.11', 'stable-4.18');
    publish(stable, {
      'openshift-client-linux-4.18.11.tar.gz': createArchive('oc'),
      'openshift-install-linux-4.18.11.tar.gz': createArchive('openshift-install'),
    });
    publish(RHCOS.replace('4.5', '4.18'), {
      'rhcos-4.18.1-x86_64-live-initramfs.x86_64.img': Buffer.from('i'),
      'rhcos-4.18.1-x86_64-live-kernel-x86_64': Buffer.from('k'),
      'rhcos-4.18.1-x86_64-live-rootfs.x86_64.img': Buffer.from('r'),
      'rhcos-4.18.1-x86_64-live.x86_64.iso': Buffer.from('iso'),
    });
    await runDownloads(renderExportedDownloadScript(listDownloads(design('4.18'), null)));
    expect(readdirSync(dir).sort()).toEqual([
      'openshift-client-linux-4.18.11.tar.gz',
      'openshift-install-linux-4.18.11.tar.gz',
      'rhcos-4.18.1-x86_64-live-initramfs.x86_64.img',
      'rhcos-4.18.1-x86_64-live-kernel-x86_64',
      'rhcos-4.18.1-x86_64-live-rootfs.x86_64.img',
      'sha256sum-rhcos.txt',
      'sha256sum.txt',
    ]);
  });

  test('a file with another checksum ends it, and is kept beside', async () => {
    publishClients();
    files.set('/images/rhcos-418-kernel', Buffer.from('another'));
    const script = renderExportedDownloadScript(
      listDownloads(design('4.18'), { version: '4.18.11', stream: null, images: [kernel] }),
    );
    await expect(runDownloads(script)).rejects.toThrow(/rhcos-418-kernel does not have the checksum/);
    expect(readdirSync(dir)).toContain('rhcos-418-kernel.wrong');
    files.set(`${CLIENTS}/sha256sum.txt`, Buffer.from('none  other.tar.gz\n'));
    await expect(runDownloads(script)).rejects.toThrow(
      /no published checksum for openshift-install-linux-4\.18\.11\.tar\.gz/,
    );
  });
});
