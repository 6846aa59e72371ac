import { existsSync } from 'node:fs';
import { serviceHosts } from '../../../design/derived-facts.ts';
import { copyOverSsh } from '../../../host/ssh.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';

import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { digestHostFiles } from './put-in-place.ts';

const words = () => catalogue().steps.hosts;
const SSH_PORT = 22;
const MEMORY_KEY = 'copied-files';

/**
 * Copies the generated files of a host to `~/upi-wizard/<host>` there, as this user. Runs nothing there.
 * @param name a service host other than the bastion
 * @throws UserErrorException `ssh-…`, or `files-missing` if nothing was generated for it
 */
export async function copyToHost(context: StepContext, name: string, report: (line: string) => void): Promise<void> {
  const { design, dir, manualActions, resolveEndpoint, signal } = context;
  const host = serviceHosts(design).find((candidate) => candidate.name === name);
  const [address] = host?.ip ?? [];
  if (!manualActions.isManual || address === undefined || name === design.services.bastion.name)
    throw new Error(`no host to copy to: ${name}`);
  const files = workspace(dir).hostFilesDir(name);
  if (!existsSync(files)) throw new UserErrorException({ code: 'files-missing', ...words().filesMissing(name) });
  report(words().copying(name, address));
  const target = resolveEndpoint(address, SSH_PORT);
  await copyOverSsh({
    dir: files,
    target: { host: target.host, port: target.port === SSH_PORT ? null : target.port, user: null, options: [] },
    remoteDir: `upi-wizard/${name}`,
    signal,
  });
  context.stepState.set(MEMORY_KEY, { ...readCopiedDigests(context), [name]: digestHostFiles(context, name) });
}

/** Whether the current generated files were copied to a host. */
export function isCopied(context: StepContext, name: string): boolean {
  return readCopiedDigests(context)[name] === digestHostFiles(context, name);
}

function readCopiedDigests(context: StepContext): Readonly<Record<string, string>> {
  return context.stepState.get(MEMORY_KEY) ?? {};
}
