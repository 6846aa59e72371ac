import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SshTarget } from '../../../host/ssh.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { findProgram } from '../../../installer/find-program.ts';

import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';

const words = () => catalogue().steps.bootstrap.bootstrapNode;
const SSH_PORT = 22;

/** An ssh that logs in as core, and how to pin the host key that it trusts. */
export interface CoreLogin {
  readonly program: string;
  readonly target: SshTarget;
  /**
   * Pins the host key after a successful login. Until then a key counts for one login only, because the live system
   * that writes the disk has another one at the same address.
   */
  pin(): Promise<void>;
}

/**
 * The file that pins the host key of a machine.
 * @param name `known_hosts`, or a separate one
 */
export function getHostKeyFile({ dir }: Pick<StepContext, 'dir'>, name: string): string {
  return join(workspace(dir).state, name);
}

/**
 * Resolves how to log in as core with the private half of the design's key, or returns why it is not possible.
 * @param address as in the design; the file pins the host key under it
 */
export async function resolveCoreLogin(
  context: Pick<StepContext, 'dir' | 'resolveEndpoint' | 'credentials' | 'programPath'>,
  address: string,
  knownHosts: string,
): Promise<CoreLogin | string> {
  const { resolveEndpoint, credentials, programPath } = context;
  const publicKey = credentials.sshKeyFile ?? '';
  const key = publicKey.replace(/\.pub$/, '');
  if (key === publicKey || !existsSync(key)) return words().noKey(publicKey);
  const program = await findProgram('ssh', programPath);
  if (program === null) return words().noProgram;
  const pinned = getHostKeyFile(context, knownHosts);
  const isPinned = existsSync(pinned);
  const file = isPinned ? pinned : `${pinned}.untried`;
  if (!isPinned) await rm(file, { force: true });
  const { host, port } = resolveEndpoint(address, SSH_PORT);
  const options = [
    ...['-i', key, '-o', 'IdentitiesOnly=yes', '-o', 'StrictHostKeyChecking=accept-new', '-o', 'HashKnownHosts=no'],
    // The host key is pinned here, under the host's address in the design, and nowhere else.
    ...['-o', `UserKnownHostsFile=${quoteSshValue(file)}`],
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

/** Quotes a file name as the value of an ssh option: blanks separate, and % is special. */
function quoteSshValue(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}
