import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SshTarget } from '../../../bastion/ssh/ssh-target.ts';
import { findProgram } from '../../../installer/find.ts';
import { catalogue } from '../../../text/catalogue.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';

const words = () => catalogue().steps.bootstrap.inside;
const SSH_PORT = 22;

/** An ssh that logs in as core, and the file with the host key that it trusts. */
export interface CoreLogin {
  readonly program: string;
  readonly target: SshTarget;
  /**
   * The login succeeded: pins its host key. Until then a key counts for one login only, because the live
   * system that writes the disk has another one at the same address.
   */
  pin(): Promise<void>;
}

/** The file that pins the host key of a machine. @param name `known_hosts`, or one of its own */
export function pinnedFile({ dir }: Pick<StepContext, 'dir'>, name: string): string {
  return join(workspace(dir).state, name);
}

/**
 * How to log in as core with the private half of the design's key, or in words why that is not possible.
 * @param address of the design; the file pins the host key under it
 */
export async function coreLogin(
  context: Pick<StepContext, 'dir' | 'reach' | 'credentials' | 'programPath'>,
  address: string,
  knownHosts: string,
): Promise<CoreLogin | string> {
  const { reach, credentials, programPath } = context;
  const publicKey = credentials.sshKeyFile ?? '';
  const key = publicKey.replace(/\.pub$/, '');
  if (key === publicKey || !existsSync(key)) return words().noKey(publicKey);
  const program = await findProgram('ssh', programPath);
  if (program === null) return words().noProgram;
  const pinned = pinnedFile(context, knownHosts);
  const isPinned = existsSync(pinned);
  const file = isPinned ? pinned : `${pinned}.untried`;
  if (!isPinned) await rm(file, { force: true });
  const { host, port } = reach(address, SSH_PORT);
  const options = [
    ...['-i', key, '-o', 'IdentitiesOnly=yes', '-o', 'StrictHostKeyChecking=accept-new', '-o', 'HashKnownHosts=no'],
    // The host key is pinned here, under the host's address in the design, and nowhere else.
    ...['-o', `UserKnownHostsFile=${sshWord(file)}`],
    ...['-o', 'GlobalKnownHostsFile=none', '-o', `HostKeyAlias=${address}`, '-o', 'CheckHostIP=no'],
  ];
  return {
    program,
    target: { host, port: port === SSH_PORT ? null : port, user: 'core', options },
    async pin() {
      if (!isPinned) await rename(file, pinned).catch(() => undefined);
    },
  };
}

/** A file name as a value of an ssh option: blanks separate, and % is special. */
function sshWord(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}
