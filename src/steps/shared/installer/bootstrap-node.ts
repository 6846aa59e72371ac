import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listNodesWithRole } from '../../../design/derived-facts.ts';
import { runOverSsh, type SshTarget } from '../../../host/ssh.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { toUserError, UserErrorException } from '../../../i18n/user-error.ts';
import { parseJournal, parseServiceRecord } from '../../../installer/bootstrap-services.ts';
import { findProgram } from '../../../installer/programs.ts';
import { isTimeReached, MINUTE, SECOND } from '../../../platform/clock.ts';
import { startDeadline } from '../../../platform/concurrency.ts';
import type { StepContext } from '../../contract.ts';
import type { BootstrapNodeReport, SshReadCursor } from '../../probe-cache.ts';
import { workspace } from '../workspace.ts';
import { addToLog, readInstallerLog } from './wait-for.ts';

const SSH_PORT = 22;

/** The ssh program and the target for a login as core, and a function that pins the host key. */
interface CoreLogin {
  readonly program: string;
  readonly target: SshTarget;
  /**
   * Pins the host key after a successful login. Until then a key counts for one login only: the live system that writes
   * the disk has another key at the same address.
   */
  pinHostKey(): Promise<void>;
}

/**
 * Returns the path of the file that pins the host key of a machine.
 * @param name the name of the file: `known_hosts`, or a separate one for the machine
 */
export function getHostKeyFile({ dir }: Pick<StepContext, 'dir'>, name: string): string {
  return join(workspace(dir).stateDir, name);
}

/**
 * Resolves how to log in as core with the private half of the design's key, or returns why it is not possible.
 * @param address the address of the machine in the design; its host key is pinned under this address
 * @param knownHostsName the name of the file with the pinned key
 */
export async function resolveCoreLogin(
  context: Pick<StepContext, 'dir' | 'resolveEndpoint' | 'credentials' | 'programDirectories'>,
  address: string,
  knownHostsName: string,
): Promise<CoreLogin | string> {
  const { resolveEndpoint, credentials, programDirectories } = context;
  const publicKeyFile = credentials.sshKeyFile ?? '';
  const privateKeyFile = publicKeyFile.replace(/\.pub$/, '');
  if (privateKeyFile === publicKeyFile || !existsSync(privateKeyFile)) return words().noKey(publicKeyFile);
  const program = await findProgram('ssh', programDirectories);
  if (program === null) return words().noProgram;
  const pinnedFile = getHostKeyFile(context, knownHostsName);
  const isPinned = existsSync(pinnedFile);
  const knownHostsFile = isPinned ? pinnedFile : `${pinnedFile}.untried`;
  if (!isPinned) await rm(knownHostsFile, { force: true });
  const { host, port } = resolveEndpoint(address, SSH_PORT);
  const options = [
    ...[
      '-i',
      privateKeyFile,
      '-o',
      'IdentitiesOnly=yes',
      '-o',
      'StrictHostKeyChecking=accept-new',
      '-o',
      'HashKnownHosts=no',
    ],
    // The host key is pinned here, under the host's address in the design, and nowhere else.
    ...['-o', `UserKnownHostsFile=${quoteSshValue(knownHostsFile)}`],
    ...['-o', 'GlobalKnownHostsFile=none', '-o', `HostKeyAlias=${address}`, '-o', 'CheckHostIP=no'],
  ];
  return {
    program,
    target: { host, port: port === SSH_PORT ? null : port, user: 'core', options },
    async pinHostKey() {
      if (!isPinned) await rename(knownHostsFile, pinnedFile).catch(() => undefined);
    },
  };
}

/** Quotes a file name as the value of an ssh option: blanks would separate values, and `%` begins a token. */
function quoteSshValue(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}

const words = () => catalogue().steps.bootstrap.bootstrapNode;

const READ_INTERVAL = 10 * SECOND;
/** The pause after a node refused the login. */
const RETRY_INTERVAL = MINUTE;
const MAX_INTERVAL = 30 * MINUTE;
const READ_TIMEOUT = 30 * SECOND;
const KNOWN_HOSTS = 'known_hosts';

/**
 * Returns the last known services of the bootstrap node (null: not available), and starts the next read when it is due.
 * Reads are optional: nothing waits for them. One ssh at a time reads every 10 s of the clock, and the log mentions a
 * refused login once.
 */
export function refreshBootstrapNodeReport(context: StepContext): BootstrapNodeReport | null {
  const { clock, probeCache } = context;
  probeCache.sshRead ??= { nodeServices: null, cursor: null, nextAt: 0, isRunning: false, lastFailure: null };
  const { sshRead } = probeCache;
  if (!sshRead.isRunning && isTimeReached(clock, sshRead.nextAt, MAX_INTERVAL) && !context.signal.aborted) {
    sshRead.isRunning = true;
    const startedAt = clock.now();
    void readOnce(context, sshRead).then((isOk) => {
      sshRead.isRunning = false;
      // On a fast clock, reading takes no more than a fifth of the time.
      sshRead.nextAt =
        clock.now() +
        Math.min(MAX_INTERVAL, Math.max(isOk ? READ_INTERVAL : RETRY_INTERVAL, 4 * (clock.now() - startedAt)));
    });
  }
  return sshRead.nodeServices;
}

async function readOnce(context: StepContext, sshRead: SshReadCursor): Promise<boolean> {
  try {
    // Lines are shown in the order in which they are added: first add what the installer has written so far.
    await readInstallerLog(context);
    const login = await resolveBootstrapLogin(context);
    if (typeof login === 'string') throw new Error(login);
    const { stdout } = await withTimeout(context, (signal) =>
      runOverSsh({ ...login, command: buildReadCommand(sshRead.cursor), signal }),
    );
    // A single node accepts the login in its live system as well, before it has its permanent key.
    if (context.design.topology !== 'single-node') await login.pinHostKey();
    const getPart = createPartLookup(stdout);
    sshRead.nodeServices = {
      releaseImage: parseServiceRecord(getPart('release-image')) ?? sshRead.nodeServices?.releaseImage ?? null,
      bootkube: parseServiceRecord(getPart('bootkube')) ?? sshRead.nodeServices?.bootkube ?? null,
    };
    const { lines, cursor } = parseJournal(getPart('journal'));
    sshRead.cursor = cursor ?? sshRead.cursor;
    for (const { source, line } of lines) addToLog(context, source, [line]);
    if (sshRead.lastFailure !== null) logOnChange(context, sshRead, null, words().loginWorks);
    return true;
  } catch (error) {
    if (context.signal.aborted) return false;
    const isKeyChanged = error instanceof UserErrorException && error.userError.code === 'ssh-host-key-changed';
    const cause = isKeyChanged
      ? words().hostKeyChanged(getHostKeyFile(context, KNOWN_HOSTS))
      : toUserError(error).cause;
    logOnChange(context, sshRead, cause, words().noLogin(cause));
    return false;
  }
}

/** Limits the time of a read, so that a machine that accepts the login and then hangs does not block the next read. */
async function withTimeout<Result>(
  { clock, signal }: StepContext,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeout = startDeadline(clock, READ_TIMEOUT, READ_TIMEOUT);
  try {
    return await work(AbortSignal.any([signal, timeout.signal]));
  } catch (error) {
    throw timeout.signal.aborted ? new Error(words().timeout(READ_TIMEOUT / SECOND)) : error;
  } finally {
    timeout.end();
  }
}

/** Logs the reason when it changes, and not at every read. */
function logOnChange(context: StepContext, sshRead: SshReadCursor, reason: string | null, text: string): void {
  if (sshRead.lastFailure === reason) return;
  sshRead.lastFailure = reason;
  addToLog(context, 'bootkube', [{ at: context.clock.now(), level: 'info', text }]);
}

/** Deletes everything known about the bootstrap node, its host key included: it is installed again. */
export async function forgetBootstrapNode(context: Pick<StepContext, 'dir' | 'probeCache'>): Promise<void> {
  context.probeCache.sshRead = null;
  await rm(getHostKeyFile(context, KNOWN_HOSTS), { force: true });
}

/** Resolves the login as core on the bootstrap machine, or returns why it is not possible. */
async function resolveBootstrapLogin(context: StepContext): Promise<CoreLogin | string> {
  const { design } = context;
  const machine = listNodesWithRole(design, 'bootstrap')[0] ?? listNodesWithRole(design, 'control-plane')[0];
  const address = machine?.ip[0];
  return address === undefined ? words().noMachine : await resolveCoreLogin(context, address, KNOWN_HOSTS);
}

/** Builds one short program for any shell: it prints the records, and the journal since the last read. */
function buildReadCommand(cursor: string | null): string {
  const startOption = cursor === null ? '-n 200' : `--after-cursor='${cursor}'`;
  return [
    "s=; sudo -n true 2>/dev/null && s='sudo -n'",
    'for f in release-image bootkube; do echo "@@ $f"; $s tail -c 60000 /var/log/openshift/$f.json 2>/dev/null; echo; done',
    "echo '@@ journal'",
    `$s journalctl -b --no-pager -q -o json --output-fields=_SYSTEMD_UNIT,UNIT,PRIORITY,MESSAGE -u release-image.service -u release-image-pivot.service -u node-image-pull.service -u bootkube.service ${startOption} 2>/dev/null | tail -n 400 | head -c 600000`,
  ].join('; ');
}

/** Splits the output of the command into its parts, by name. */
function createPartLookup(stdout: string): (name: string) => string {
  const parts = new Map(
    stdout.split(/^@@ /m).map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end + 1).trim()] as const;
    }),
  );
  return (name) => parts.get(name) ?? '';
}
