import type { KeyObject } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { reviewRequest } from '../../src/csr/request-policy.ts';
import { checkRequestKey } from '../../src/steps/certificates/key-proof.ts';
import { workspace } from '../../src/steps/shared/workspace.ts';
import { createClientRequest, createKeys, NOW, testDesign } from '../support/csr-forge.ts';
import { requireProgram, testWith } from '../support/programs.ts';
import { SSHD_HOST, startSshd } from '../support/sshd.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';

const test = testWith('sshd', 'ssh', 'ssh-keygen', 'openssl');
const PKI = '/var/lib/kubelet/pki';
const REQUESTED_AT = 1_763_700_000_000;
let fixture: StepFixture | null = null;
afterEach(() => fixture?.remove());

/** Sets up the node w1: a real sshd with a node's files, and a `journalctl` that prints the file `journal`. */
async function setUp(key = 'user') {
  const sshd = await startSshd([PKI]);
  const home = join(sshd.dir, 'home');
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
    chmodSync(join(home, path), mode);
  };
  write('bin/journalctl', `#!/bin/sh\ncat ${home}/journal\n`, 0o755);
  write('bin/sudo', '#!/bin/sh\nexit 1\n', 0o755);
  write('journal', '');
  // The test machine has no user "core": the real ssh logs in as the user that runs the test.
  const bin = join(sshd.dir, 'programs');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'ssh'),
    `#!/bin/sh\nfor word; do shift; [ "$word" = core ] && word=${userInfo().username}; set -- "$@" "$word"; done\nexec ${requireProgram('ssh')} -F none "$@"\n`,
  );
  chmodSync(join(bin, 'ssh'), 0o755);
  fixture = createStepFixture({
    resolveEndpoint: (host, port) =>
      host === '172.16.0.31' && port === 22 ? { host: SSHD_HOST, port: sshd.port } : { host: '127.0.0.1', port: 1 },
  });
  fixture.write('.upi-wizard/empty', '');
  const context = {
    ...fixture.context,
    programDirectories: [bin],
    credentials: { ...fixture.context.credentials, sshKeyFile: join(sshd.dir, `${key}.pub`) },
  };
  const node = context.design.nodes.find(({ name }) => name === 'w1');
  if (!node) throw new Error('no w1');
  const keys = createKeys();
  // The fingerprint as the CSR policy reads it from the request.
  const { fingerprint } = reviewRequest(createClientRequest({ keys }), {
    design: testDesign(),
    nodes: [],
    now: NOW,
    firstPowerOnAt: null,
  });
  if (fingerprint === null) throw new Error('no fingerprint');
  const prove = async () =>
    (await checkRequestKey(context, node, { fingerprint, requestedAt: REQUESTED_AT })).join('\n');
  return { write, prove, keys, context };
}

const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString();

test('the machine at the planned address has the key, or only the time of the request, or neither; its host key is pinned', async () => {
  const { write, prove, keys, context } = await setUp();
  expect(await prove()).toContain('Not proven: no key on the machine at 172.16.0.31');
  write(`${PKI}/kubelet-client-2026-11-21-10-00-00.pem`, pem(createKeys().privateKey));
  write(
    'journal',
    `${REQUESTED_AT / 1000 - 3600}.123456 w1 kubelet[1]: Rotating certificates\n${REQUESTED_AT / 1000 - 2}.5 w1 kubelet[1]: I1121 certificate_manager.go:356] kubernetes.io/kube-apiserver-client-kubelet: Rotating certificates\n`,
  );
  expect(await prove()).toMatch(
    /^Very likely: the kubelet at 172\.16\.0\.31 began to request[^\n]*\nA kubelet keeps the key/,
  );
  // The certificate precedes the key, as kubelet writes it.
  write(
    `${PKI}/kubelet-server-2026-11-21-10-05-00.pem`,
    `-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${pem(keys.privateKey)}`,
  );
  expect(await prove()).toMatch(/^Yes: .*\nIt is in .*kubelet-server-2026-11-21-10-05-00\.pem/);
  const pinned = join(workspace(context.dir).stateDir, 'known_hosts.w1');
  const line = readFileSync(pinned, 'utf8');
  expect(line).toMatch(/^172\.16\.0\.31 ssh-ed25519 /);
  // Another host key at the same address is reported, and nothing from that machine is trusted.
  writeFileSync(pinned, line.replace(/ssh-ed25519 \S+/, `ssh-ed25519 ${createOtherKey()}`));
  const reported = await prove();
  expect(reported).toContain('The machine could not be checked.');
  expect(reported).toContain(`remove ${pinned}`);
});

test('a key file that does not have its final name yet counts too', async () => {
  const { write, prove, keys } = await setUp();
  write(`${PKI}/kubelet-client.key.tmp`, pem(keys.privateKey));
  expect(await prove()).toMatch(/^Yes: /);
});

test('a refused login is reported with its reason', async () => {
  const { prove } = await setUp('stranger');
  expect(await prove()).toMatch(/The machine could not be checked\.\n.*Permission denied/);
});

/** Creates a well-formed Ed25519 public key for SSH. */
function createOtherKey(): string {
  const encodeField = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  return Buffer.concat([encodeField(Buffer.from('ssh-ed25519')), encodeField(Buffer.alloc(32, 7))]).toString('base64');
}
