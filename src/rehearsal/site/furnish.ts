import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { compiledCode } from '../../ports/environment.ts';
import type { SiteConfig } from './config.ts';
import { type SitePaths, writeAtomically } from './files.ts';
import { imageBytes, imageNames, releaseRegistry } from './images.ts';
import { releaseFacts } from './versions.ts';

const REGISTRIES = ['cloud.openshift.com', 'quay.io', 'registry.connect.redhat.com', 'registry.redhat.io'];

/** Puts what a person has brought to the site before the wizard starts: the installer, the images, the credentials. */
export function furnish(config: SiteConfig, paths: SitePaths): void {
  mkdirSync(paths.bin, { recursive: true, mode: 0o700 });
  mkdirSync(paths.images, { recursive: true, mode: 0o700 });
  const program = join(paths.bin, 'openshift-install');
  const words = [process.execPath, config.standInProgram, paths.dir].map(shellQuoted).join(' ');
  // The wizard starts it with the environment of the real program.
  const compiled = Object.entries(compiledCode()).map(([name, value]) => `export ${name}=${shellQuoted(value)}\n`);
  writeFileSync(program, `#!/bin/sh\n${compiled.join('')}exec ${words} "$@"\n`);
  chmodSync(program, 0o755);
  const { version, architecture } = config.design.openshift;
  const { rhcos } = releaseFacts(version, architecture);
  const isMixed = config.faults.includes('rhcos-mixed');
  for (const name of imageNames(rhcos)) {
    const path = join(paths.images, name);
    if (existsSync(path) || existsSync(join(paths.movedAside, name))) continue;
    writeFileSync(path, isMixed && name === rhcos.rootfs ? imageBytes(`${name} of another build`) : imageBytes(name));
  }
  if (!existsSync(paths.pullSecret)) writeAtomically(paths.pullSecret, pullSecret(config));
  if (!existsSync(paths.sshKey)) writeAtomically(paths.sshKey, publicKey(), 0o644);
}

/** Well-formed, and good for nothing anywhere: for the registries of Red Hat, and for the mirrors of the design. */
function pullSecret({ design, faults }: SiteConfig): string {
  const auth = Buffer.from('rehearsal:not-a-real-token').toString('base64');
  const mirrors = design.imageDigestSources.flatMap((source) =>
    source.mirrors.map((mirror) => mirror.split('/')[0] ?? ''),
  );
  const missing = faults.includes('pull-secret-without-registry') ? releaseRegistry(design) : null;
  const registries = [...REGISTRIES, ...mirrors].filter((name) => name !== missing);
  const auths = Object.fromEntries(registries.map((name) => [name, { auth, email: 'rehearsal@example.com' }]));
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
