import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { imageSources } from '../../src/artifacts/boot/images.ts';
import { fetchScript } from '../../src/artifacts/installer/fetch-script.ts';
import { fetchInto } from '../../src/installer/fetch.ts';
import { imageStates } from '../../src/installer/image-sums.ts';
import { eventually } from '../support/eventually.ts';
import { createAuthority } from '../support/kube-server.ts';
import { testWith } from '../support/programs.ts';

// The real curl, tar, sha256sum and gpg against a server that has the names and the layout of Red Hat's mirror.

const test = testWith('curl', 'tar', 'sha256sum', 'gpg', 'shellcheck');
const CLIENTS = '/pub/openshift-v4/x86_64/clients/ocp/4.18.11';
const RHCOS = '/pub/openshift-v4/x86_64/dependencies/rhcos/4.5/latest';
const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');

let dir: string;
let home: string;
let server: Server;
let asked: string[];
let said: string[];
const files = new Map<string, Buffer>();
/** Holds the second half of every file back until it is over. */
let hold: Promise<unknown> | null;

async function sendInHalves(body: Buffer, response: ServerResponse): Promise<void> {
  const half = Math.ceil(body.length / 2);
  response.writeHead(200, { 'content-length': body.length }).write(body.subarray(0, half));
  await hold;
  response.end(body.subarray(half));
}
const before = { HOME: process.env.HOME, RELEASE_KEY: process.env.RELEASE_KEY };

beforeEach(async () => {
  [dir, home] = ['upi-fetch-', 'upi-home-'].map((name) => mkdtempSync(join(tmpdir(), name))) as [string, string];
  [asked, said] = [[], []];
  hold = null;
  files.clear();
  const authority = await createAuthority();
  server = createServer(await authority.issue('mirror.openshift.com'), (request, response) => {
    asked.push(request.url ?? '');
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
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await new Promise((resolve) => server.close(resolve));
  for (const one of [dir, home]) rmSync(one, { recursive: true, force: true });
});

/** A program in an archive, as the mirror has it. */
function archive(...names: readonly string[]): Buffer {
  const at = mkdtempSync(join(home, 'archive-'));
  for (const name of names) {
    writeFileSync(join(at, name), `#!/bin/sh\necho ${name}\n`);
    chmodSync(join(at, name), 0o755);
  }
  return execFileSync('tar', ['-C', at, '-cz', ...names], { maxBuffer: 1e8 });
}

function publish(base: string, published: Readonly<Record<string, Buffer>>): string {
  for (const [name, data] of Object.entries(published)) files.set(`${base}/${name}`, data);
  const sums = Object.entries(published).map(([name, data]) => `${sha256(data)}  ${name}\n`);
  files.set(`${base}/sha256sum.txt`, Buffer.from(sums.join('')));
  return sums.join('');
}

const clients = () =>
  publish(CLIENTS, {
    'openshift-client-linux-4.18.11.tar.gz': archive('oc', 'kubectl', 'README.md'),
    'openshift-install-mac-4.18.11.tar.gz': archive('openshift-install'),
    'openshift-install-linux-4.18.11.tar.gz': archive('openshift-install', 'README.md'),
  });

const programs = fetchScript('4.18.11', 'x86_64', { programs: true, images: null });
const run = (script: string) => fetchInto(dir, script, (line) => said.push(line), new AbortController().signal);

describe('the script', () => {
  test('shellcheck has nothing against it, for any plan', () => {
    const source = { name: 'a.img', url: 'https://mirror.example/a.img', sha256: sha256('a') };
    for (const images of [null, 'mirror', [source]] as const)
      for (const isWanted of [true, false]) {
        const script = fetchScript('4.18', 'x86_64', { programs: isWanted, isFips: isWanted, images });
        execFileSync('shellcheck', ['-'], { input: script });
        expect(script).not.toContain('undefined');
      }
  });

  test('programs: fetched, compared, unpacked; no archive and no README is left', async () => {
    clients();
    await run(programs);
    expect(readdirSync(dir).sort()).toEqual(['fetch-openshift.sh', 'kubectl', 'oc', 'openshift-install']);
    expect(statSync(join(dir, 'openshift-install')).mode & 0o111).not.toBe(0);
    expect(said.join('\n')).toContain('signature of the checksums is not checked');
  });

  test('a cluster in FIPS mode gets the installer that makes those', async () => {
    publish(CLIENTS, {
      'openshift-client-linux-4.18.11.tar.gz': archive('oc', 'kubectl'),
      'openshift-client-linux-amd64-rhel9-4.18.11.tar.gz': archive('oc'),
      'openshift-install-linux-4.18.11.tar.gz': archive('openshift-install'),
      'openshift-install-rhel9-amd64.tar.gz': archive('openshift-install-fips'),
    });
    await run(fetchScript('4.18.11', 'x86_64', { programs: true, isFips: true, images: null }));
    expect(readdirSync(dir).sort()).toEqual(['fetch-openshift.sh', 'kubectl', 'oc', 'openshift-install-fips']);
  });

  test('a program that is not what the list says is not unpacked, and kept aside', async () => {
    clients();
    const name = 'openshift-install-linux-4.18.11.tar.gz';
    files.set(`${CLIENTS}/${name}`, archive('something-else'));
    await expect(run(programs)).rejects.toMatchObject({ trouble: { code: 'fetch-failed' } });
    expect(readdirSync(dir).sort()).toEqual(['fetch-openshift.sh', `${name}.wrong`]);
  });

  test('the list has to be signed where there is a key: signed beside it, inside of it, or by somebody else', async () => {
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
    // Keys are made with the agent.
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
    const sums = clients();
    const sign = (kind: '--detach-sign' | '--sign', who: string) => {
      const out = join(home, 'out.gpg');
      rmSync(out, { force: true });
      writeFileSync(join(home, 'sums'), sums);
      execFileSync('gpg', [
        '--homedir',
        home,
        '--batch',
        '--local-user',
        who,
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
        await run(programs);
        expect(said.at(-1)).toBe('All is there.');
        expect(said).toContain('The checksums are signed by Red Hat.');
      }
      for (const name of ['oc', 'kubectl', 'openshift-install']) rmSync(join(dir, name));
      sign('--detach-sign', 'other');
      await expect(run(programs)).rejects.toMatchObject({
        trouble: { cause: expect.stringContaining('not signed by Red Hat') },
      });
      expect(readdirSync(dir)).toEqual(['fetch-openshift.sh']);
    } finally {
      execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
    }
  });

  test('a mirror that cannot be reached is said, with the script to take elsewhere', async () => {
    await expect(run(programs)).rejects.toMatchObject({
      trouble: {
        cause: expect.stringContaining('Cannot fetch https://mirror.openshift.com/'),
        whatToDo: expect.stringContaining(join(dir, 'fetch-openshift.sh')),
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
  const sources = imageSources(json, 'x86_64');
  const names = sources.map(({ name }) => name);
  const states = async () => (await imageStates(join(dir, 'images'), names, sources)).map(({ state }) => state);

  test('what the installer names is fetched; what is there and right is not fetched again, what is wrong is', async () => {
    for (const [name, bytes] of Object.entries(data)) files.set(`/images/rhcos-418-${name}`, bytes);
    const script = fetchScript('4.18', 'x86_64', { programs: false, images: sources });
    expect(await states()).toEqual(['missing', 'missing', 'missing']);
    await run(script);
    expect(await states()).toEqual(['ok', 'ok', 'ok']);
    expect(asked).toHaveLength(3);
    writeFileSync(join(dir, 'images', 'rhcos-418-rootfs'), data.rootfs.subarray(1));
    expect(await states()).toEqual(['ok', 'ok', 'wrong']);
    // A part of an earlier try is gone on with.
    await run(script);
    expect(await states()).toEqual(['ok', 'ok', 'ok']);
    expect(asked).toHaveLength(4);
  });

  test('a part that is whole already, which the server has nothing to add to, is fetched anew', async () => {
    for (const [name, bytes] of Object.entries(data)) files.set(`/images/rhcos-418-${name}`, bytes);
    mkdirSync(join(dir, 'images'));
    writeFileSync(join(dir, 'images', 'rhcos-418-kernel.part'), data.kernel);
    await run(fetchScript('4.18', 'x86_64', { programs: false, images: sources }));
    expect(await states()).toEqual(['ok', 'ok', 'ok']);
  });

  test('a file that takes its time says how far it is', async () => {
    for (const [name, bytes] of Object.entries(data)) files.set(`/images/rhcos-418-${name}`, bytes);
    hold = eventually(() => expect(said).toContain('Fetching images/rhcos-418-rootfs 1 MB'));
    await run(
      fetchScript('4.18', 'x86_64', { programs: false, images: sources.filter(({ name }) => /rootfs/.test(name)) }),
    );
    await hold;
    expect(await states()).toEqual(['missing', 'missing', 'ok']);
  });

  test('without an installer that knows them they come by the names of the mirror', async () => {
    mkdirSync(join(dir, 'images'));
    publish(RHCOS, {
      'rhcos-4.5.6-x86_64-installer-kernel-x86_64': data.kernel,
      'rhcos-4.5.6-x86_64-installer-initramfs.x86_64.img': data.initramfs,
      'rhcos-4.5.6-x86_64-metal.x86_64.raw.gz': data.rootfs,
      'rhcos-4.5.6-x86_64-vmware.x86_64.ova': data.kernel,
    });
    await run(fetchScript('4.5', 'x86_64', { programs: false, images: 'mirror' }));
    expect(readdirSync(join(dir, 'images')).sort()).toEqual([
      'rhcos-4.5.6-x86_64-installer-initramfs.x86_64.img',
      'rhcos-4.5.6-x86_64-installer-kernel-x86_64',
      'rhcos-4.5.6-x86_64-metal.x86_64.raw.gz',
    ]);
  });
});
