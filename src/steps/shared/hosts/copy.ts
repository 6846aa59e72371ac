import { existsSync } from 'node:fs';
import { copyOverSsh } from '../../../bastion/ssh/ssh-copy.ts';
import { serviceHosts } from '../../../design/names.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { TroubleError } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { filesDigest } from './put-in-place.ts';

const words = () => catalogue().steps.hosts;
const SSH_PORT = 22;
const MEMORY = 'copied-files';

/**
 * Copies the generated files of a host to `~/upi-wizard/<host>` there, as this user. Runs nothing there.
 * @param name a service host other than the bastion
 * @throws TroubleError `ssh-…`, or `files-missing` where nothing was generated for it
 */
export async function copyToHost(context: StepContext, name: string, report: (line: string) => void): Promise<void> {
  const { design, dir, hands, reach, signal } = context;
  const host = serviceHosts(design).find((candidate) => candidate.name === name);
  const [address] = host?.ip ?? [];
  if (!hands.isPerson || address === undefined || name === design.services.bastion.name)
    throw new Error(`no host to copy to: ${name}`);
  const files = workspace(dir).filesOf(name);
  if (!existsSync(files)) throw new TroubleError({ code: 'files-missing', ...words().filesMissing(name) });
  report(words().copying(name, address));
  const target = reach(address, SSH_PORT);
  await copyOverSsh({
    dir: files,
    target: { host: target.host, port: target.port === SSH_PORT ? null : target.port, user: null, options: [] },
    remoteDir: `upi-wizard/${name}`,
    signal,
  });
  context.memory.set(MEMORY, { ...noted(context), [name]: filesDigest(context, name) });
}

/** Whether we copied the current generated files to a host. */
export function isCopied(context: StepContext, name: string): boolean {
  return noted(context)[name] === filesDigest(context, name);
}

function noted(context: StepContext): Readonly<Record<string, string>> {
  return context.memory.get(MEMORY) ?? {};
}
