import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { getCompileCacheVariables } from '../../platform/environment.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { releaseFacts, type SiteConfig } from './config.ts';
import { findReleaseRegistry, getImageBytes, listImageNames, type SitePaths, writeAtomically } from './files.ts';

const REGISTRIES = ['cloud.openshift.com', 'quay.io', 'registry.connect.redhat.com', 'registry.redhat.io'];

/** Prepares the input that a user has before the wizard starts: the installer, the images, the credentials. */
export function prepareSite(config: SiteConfig, paths: SitePaths): void {
  mkdirSync(paths.bin, { recursive: true, mode: 0o700 });
  mkdirSync(paths.images, { recursive: true, mode: 0o700 });
  const program = join(paths.bin, 'openshift-install');
  const command = [process.execPath, config.standInProgram, paths.dir].map(quoteShellArg).join(' ');
  // The wizard starts the program with the environment of the real one.
  const exports = Object.entries(getCompileCacheVariables()).map(
    ([name, value]) => `export ${name}=${quoteShellArg(value)}\n`,
  );
  writeFileSync(program, `#!/bin/sh\n${exports.join('')}exec ${command} "$@"\n`);
  chmodSync(program, 0o755);
  const { version, architecture } = config.design.openshift;
  const { rhcos } = releaseFacts(version, architecture);
  const isMixed = config.faults.includes('rhcos-mixed');
  for (const name of listImageNames(rhcos)) {
    const path = join(paths.images, name);
    if (existsSync(path) || existsSync(join(paths.movedAside, name))) continue;
    writeFileSync(
      path,
      isMixed && name === rhcos.rootfs ? getImageBytes(`${name} of another build`) : getImageBytes(name),
    );
  }
  if (!existsSync(paths.pullSecret)) writeAtomically(paths.pullSecret, createPullSecret(config));
  if (!existsSync(paths.sshKey)) writeAtomically(paths.sshKey, createPublicKey(), 0o644);
}

/**
 * Creates a well-formed pull secret with invalid credentials, for the registries of Red Hat and the mirrors of the
 * design.
 */
function createPullSecret({ design, faults }: SiteConfig): string {
  const auth = Buffer.from('rehearsal:not-a-real-token').toString('base64');
  const mirrors = design.imageDigestSources.flatMap((source) =>
    source.mirrors.map((mirror) => mirror.split('/')[0] ?? ''),
  );
  const missing = faults.includes('pull-secret-without-registry') ? findReleaseRegistry(design) : null;
  const registries = [...REGISTRIES, ...mirrors].filter((name) => name !== missing);
  const auths = Object.fromEntries(registries.map((name) => [name, { auth, email: 'rehearsal@example.com' }]));
  return `${JSON.stringify({ auths })}\n`;
}

/**
 * Creates an OpenSSH public key line. Its private key is discarded, because simulated machines have no real SSH login.
 */
function createPublicKey(): string {
  const { publicKey: key } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
  const encodeField = (bytes: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(bytes.length);
    return Buffer.concat([size, bytes]);
  };
  const blob = Buffer.concat([encodeField(Buffer.from('ssh-ed25519')), encodeField(raw)]);
  return `ssh-ed25519 ${blob.toString('base64')} ${userInfo().username}@${hostname()}\n`;
}

/** Reads field 22 of /proc/<pid>/stat (start time in ticks since boot); null: no such process, or a zombie. */
export function readProcessStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name (field 2) may contain blanks and brackets: fields are counted after its closing bracket.
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /^[ZX]$/.test(state) ? null : (fields[18] ?? null);
  } catch {
    return null;
  }
}
