import { createHash, generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import type { SiteConfig } from './config.ts';
import { type SitePaths, writeAtomically } from './files.ts';
import { releaseFacts } from './versions.ts';

const IMAGE_BYTES = 48 * 1024;
const REGISTRIES = ['cloud.openshift.com', 'quay.io', 'registry.connect.redhat.com', 'registry.redhat.io'];

/** Puts what a person has brought to the site before the wizard starts: the installer, the images, the credentials. */
export function furnish(config: SiteConfig, paths: SitePaths): void {
  mkdirSync(paths.bin, { recursive: true, mode: 0o700 });
  mkdirSync(paths.images, { recursive: true, mode: 0o700 });
  const program = join(paths.bin, 'openshift-install');
  const words = [process.execPath, config.standInProgram, paths.dir].map(shellQuoted).join(' ');
  writeFileSync(program, `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(program, 0o755);
  const { kernel, initramfs, rootfs, metal } = releaseFacts(
    config.design.openshift.version,
    config.design.openshift.architecture,
  ).rhcos;
  for (const name of [kernel, initramfs, metal, ...(rootfs === null ? [] : [rootfs])]) {
    const path = join(paths.images, name);
    if (!existsSync(path)) writeFileSync(path, imageBytes(name));
  }
  if (!existsSync(paths.pullSecret)) writeAtomically(paths.pullSecret, pullSecret());
  if (!existsSync(paths.sshKey)) writeAtomically(paths.sshKey, publicKey(), 0o644);
}

/** Bytes that are always the same for the same name, so that checksums are stable. */
function imageBytes(name: string): Buffer {
  const blocks = Array.from({ length: IMAGE_BYTES / 32 }, (_, index) =>
    createHash('sha256').update(`${name} ${index}`).digest(),
  );
  return Buffer.concat(blocks);
}

/** Well-formed, and good for nothing anywhere. */
function pullSecret(): string {
  const auth = Buffer.from('rehearsal:not-a-real-token').toString('base64');
  const auths = Object.fromEntries(REGISTRIES.map((name) => [name, { auth, email: 'rehearsal@example.com' }]));
  return `${JSON.stringify({ auths })}\n`;
}

/** An OpenSSH public key line whose private half is thrown away, because nobody logs in to simulated machines. */
function publicKey(): string {
  const { publicKey: key } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
  const field = (bytes: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(bytes.length);
    return Buffer.concat([size, bytes]);
  };
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(raw)]);
  return `ssh-ed25519 ${blob.toString('base64')} ${userInfo().username}@${hostname()}\n`;
}

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
