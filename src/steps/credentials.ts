import { readFile } from 'node:fs/promises';
import type { CredentialTexts } from '../artifacts/files.ts';
import type { StepContext } from './contract.ts';

/** Reads the credential files of the design; null where one is not named or not there. */
export async function readCredentials(context: Pick<StepContext, 'credentials'>): Promise<CredentialTexts> {
  const { pullSecretFile, sshKeyFile, trustBundleFile } = context.credentials;
  const [pullSecret, sshKey, trustBundle] = await Promise.all(
    [pullSecretFile, sshKeyFile, trustBundleFile].map(readOrNull),
  );
  return { pullSecret: pullSecret ?? null, sshKey: sshKey ?? null, trustBundle: trustBundle ?? null };
}

async function readOrNull(path: string | null): Promise<string | null> {
  if (path === null) return null;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
