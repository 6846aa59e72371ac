import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { getMultilineString, getString } from '../../openshift/object.ts';
import { listPullSecretSecrets, registerSecrets } from '../../platform/secrets.ts';

import { resolveDesignPath } from '../shared/files/credentials.ts';
import { workspace } from '../shared/workspace.ts';

/**
 * Registers the secrets of an install directory for redaction, so that a bundle is searched for them in every form: of
 * this and earlier runs of the installer, of the design, and of the environment. Files that cannot be read are not in a
 * bundle either.
 * @param design the document as saved
 */
export async function registerInstallSecrets(
  dir: string,
  design: unknown,
  env: Readonly<Record<string, string | undefined>>,
) {
  const { archiveDir, installConfigCopy, hostFilesDir } = workspace(dir);
  const runs = [dir, ...(await readdir(archiveDir).catch(() => [])).map((name) => join(archiveDir, name))];
  const pullSecretFile = getString(design, 'credentials', 'pullSecretFile');
  const sshKeyFile = getString(design, 'credentials', 'sshKeyFile');
  const bastion = getString(design, 'services', 'bastion', 'name') ?? 'bastion';
  const configs = [
    installConfigCopy,
    ...runs.map((run) => join(run, 'install-config.yaml')),
    join(hostFilesDir(bastion), 'root', 'upi-wizard', 'install-config.yaml'),
  ];
  const secrets = await Promise.all([
    ...runs.map(async (run) => [await read(join(run, 'auth', 'kubeadmin-password'))]),
    ...runs.map(async (run) => findKubeconfigSecrets(await read(join(run, 'auth', 'kubeconfig')))),
    ...configs.map(async (file) => findInstallConfigSecrets(await read(file))),
    ...(pullSecretFile === null ? [] : [readPullSecret(resolveDesignPath(pullSecretFile, dir))]),
    ...(sshKeyFile === null ? [] : [readKeyLines(resolveDesignPath(sshKeyFile, dir).replace(/\.pub$/, ''))]),
    ...(await listPrivateKeys(dir)).map(readKeyLines),
  ]);
  const proxies = ['httpProxy', 'httpsProxy'].map((name) => getString(design, 'proxy', name));
  const addresses = [...proxies, env.HTTP_PROXY, env.HTTPS_PROXY, env.http_proxy, env.https_proxy];
  registerSecrets([...secrets.flat(), ...addresses.flatMap((address) => findUrlPasswords(address ?? ''))]);
}

const read = (file: string) => readFile(file, 'utf8').catch(() => '');

async function readPullSecret(file: string): Promise<string[]> {
  return listPullSecretSecrets(await read(file));
}

/** Lists private keys that the wizard created or imported from a file. */
async function listPrivateKeys(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((): string[] => []);
  return names.filter((name) => names.includes(`${name}.pub`)).map((name) => join(dir, name));
}

/** Returns each line of a key: a single line reveals part of it. */
async function readKeyLines(file: string): Promise<string[]> {
  return splitKeyLines(await read(file));
}

function splitKeyLines(text: string): string[] {
  if (!/PRIVATE KEY-----/.test(text)) return [];
  return text.split('\n').filter((line) => line.length >= 40 && !line.includes('-----'));
}

function findKubeconfigSecrets(text: string): string[] {
  const fields = [...text.matchAll(/^\s*-?\s*(?:token|password|client-key-data):\s*["']?([^\s"']+)/gm)];
  return fields.flatMap(([, value = '']) => [value, ...splitKeyLines(Buffer.from(value, 'base64').toString('latin1'))]);
}

function findInstallConfigSecrets(text: string): string[] {
  try {
    return listPullSecretSecrets(getMultilineString(parse(text), 'pullSecret') ?? '');
  } catch {
    return [];
  }
}

function findUrlPasswords(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password } = new URL(text);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
