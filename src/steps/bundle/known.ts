import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { linesAt, textAt } from '../../objects/object.ts';
import { rememberSecrets, secretsOfPullSecret } from '../../text/redact.ts';
import { designPath } from '../shared/files/credentials.ts';
import { workspace } from '../shared/workspace.ts';

/**
 * Learns the very secrets of an install directory, so that a bundle is searched for them in every form: of this run of the
 * installer and of earlier ones, of the design, and of the environment. What cannot be read is not in a bundle either.
 * @param design the document as it was saved
 */
export async function learnSecretsOf(dir: string, design: unknown, env: Readonly<Record<string, string | undefined>>) {
  const { aside, installConfigCopy, filesOf } = workspace(dir);
  const runs = [dir, ...(await readdir(aside).catch(() => [])).map((name) => join(aside, name))];
  const pullSecretFile = textAt(design, 'credentials', 'pullSecretFile');
  const sshKeyFile = textAt(design, 'credentials', 'sshKeyFile');
  const bastion = textAt(design, 'services', 'bastion', 'name') ?? 'bastion';
  const configs = [
    installConfigCopy,
    ...runs.map((run) => join(run, 'install-config.yaml')),
    join(filesOf(bastion), 'root', 'upi-wizard', 'install-config.yaml'),
  ];
  const known = await Promise.all([
    ...runs.map(async (run) => [await read(join(run, 'auth', 'kubeadmin-password'))]),
    ...runs.map(async (run) => ofKubeconfig(await read(join(run, 'auth', 'kubeconfig')))),
    ...configs.map(async (file) => ofInstallConfig(await read(file))),
    ...(pullSecretFile === null ? [] : [ofPullSecret(designPath(pullSecretFile, dir))]),
    ...(sshKeyFile === null ? [] : [ofKey(designPath(sshKeyFile, dir).replace(/\.pub$/, ''))]),
    ...(await keysBeside(dir)).map(ofKey),
  ]);
  const proxies = ['httpProxy', 'httpsProxy'].map((name) => textAt(design, 'proxy', name));
  const addresses = [...proxies, env.HTTP_PROXY, env.HTTPS_PROXY, env.http_proxy, env.https_proxy];
  rememberSecrets([...known.flat(), ...addresses.flatMap((address) => ofUrl(address ?? ''))]);
}

const read = (file: string) => readFile(file, 'utf8').catch(() => '');

async function ofPullSecret(file: string): Promise<string[]> {
  return secretsOfPullSecret(await read(file));
}

/** Private keys that the wizard made or took from a file. */
async function keysBeside(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((): string[] => []);
  return names.filter((name) => names.includes(`${name}.pub`)).map((name) => join(dir, name));
}

/** Any line of a key gives it away in part, also without the lines around it. */
async function ofKey(file: string): Promise<string[]> {
  return linesOfKey(await read(file));
}

function linesOfKey(text: string): string[] {
  if (!/PRIVATE KEY-----/.test(text)) return [];
  return text.split('\n').filter((line) => line.length >= 40 && !line.includes('-----'));
}

function ofKubeconfig(text: string): string[] {
  const fields = [...text.matchAll(/^\s*-?\s*(?:token|password|client-key-data):\s*["']?([^\s"']+)/gm)];
  return fields.flatMap(([, value = '']) => [value, ...linesOfKey(Buffer.from(value, 'base64').toString('latin1'))]);
}

function ofInstallConfig(text: string): string[] {
  try {
    return secretsOfPullSecret(linesAt(parse(text), 'pullSecret') ?? '');
  } catch {
    return [];
  }
}

function ofUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password } = new URL(text);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
