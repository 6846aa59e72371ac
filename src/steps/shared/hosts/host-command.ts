import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Evidence } from '../../../checks/rules/evidence.ts';
import { describeDifference, isConfigKind } from '../../../checks/site/hosts.ts';
import { isLocalHost } from '../../../checks/site/site.ts';
import { listServiceHosts } from '../../../design/derived-facts.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { listLocalAddresses } from '../../../host/local-machine.ts';
import { readProgramOutput } from '../../../host/programs.ts';
import { copyOverSsh, runOverSsh, type SshTarget } from '../../../host/ssh.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { toUserError, UserErrorException } from '../../../i18n/user-error.ts';
import { findProgram } from '../../../installer/programs.ts';
import { SECOND } from '../../../platform/clock.ts';
import { limitConcurrency } from '../../../platform/concurrency.ts';
import { quoteShellArg } from '../../../platform/shell-quoting.ts';
import { formatUrlHost } from '../../../platform/text.ts';
import type { StepContext } from '../../contract.ts';
import { generateStage } from '../files/stage-output.ts';
import { workspace } from '../workspace.ts';
import { getCurrentStage } from './current-stage.ts';
import { computeHostFilesDigest } from './host-file-records.ts';

const words = () => catalogue().steps.boot.probe;

const SSH_PORT = 22;
const MAX_BYTES = 2 * 1024 * 1024;

/** Real milliseconds, for a command on this machine. */
const LOCAL_TIMEOUT_MS = 10_000;

/** How long the output of a command stays valid (ms of the clock): several probes run the same command. */
const CACHE_PERIOD = 60 * SECOND;

/** The output of a command, or the reason why it could not run. */
type CommandOutput = { readonly text: string } | { readonly reason: string };

/** Returns what the commands of a diagnosis depend on: which hosts are this machine, and whether all are simulated. */
export function describeHostAccess({
  dir,
  manualActions: { canInstallHostFiles, canLogIn },
}: Pick<StepContext, 'dir' | 'manualActions'>): Pick<Evidence, 'localAddresses' | 'simulatedDir'> {
  return {
    ...(canLogIn ? { localAddresses: listLocalAddresses() } : {}),
    simulatedDir: canInstallHostFiles ? dir : null,
  };
}

/** Resolves where ssh finds a host of the site. The login follows the user's ssh configuration. */
export function resolveSshTarget(
  { resolveEndpoint }: Pick<StepContext, 'resolveEndpoint'>,
  address: string,
): SshTarget {
  const { host, port } = resolveEndpoint(address, SSH_PORT);
  return { host, port: port === SSH_PORT ? null : port, user: null, options: [] };
}

/**
 * Runs a read-only command on a service host: here, or over SSH with the user's keys, known hosts and configuration.
 * Never prompts.
 */
export async function runHostCommand(context: StepContext, host: ServiceHost, command: string): Promise<CommandOutput> {
  if (isLocalHost({ localAddresses: listLocalAddresses() }, host)) {
    const text = await readProgramOutput('sh', ['-c', command], LOCAL_TIMEOUT_MS);
    return text === null ? { reason: words().localTimeout } : { text };
  }
  const program = await findProgram('ssh', context.programDirectories);
  if (program === null) return { reason: words().noSsh };
  const target = resolveSshTarget(context, host.ip[0]);
  try {
    const { stdout } = await runOverSsh({ program, target, command, signal: context.signal, maxBytes: MAX_BYTES });
    return { text: stdout };
  } catch (error) {
    context.signal.throwIfAborted();
    return { reason: toUserError(error).cause };
  }
}

/**
 * Reads a file of a service host: through the manual actions, else from the local disk, else over SSH. What was read
 * over SSH is valid for a minute.
 * @param name the host's short name
 * @returns null if it cannot be read from here, or does not exist
 */
export async function readHostFile(context: StepContext, name: string, path: string): Promise<string | null> {
  const text = await context.manualActions.readFile(name, path);
  const host = listServiceHosts(context.design).find((candidate) => candidate.name === name);
  if (text !== null || !context.manualActions.canLogIn || host === undefined) return text;
  if (isLocalHost({ localAddresses: listLocalAddresses() }, host))
    return await readFile(path, 'utf8').catch(() => null);
  const file = quoteShellArg(path);
  // Another user can read files of root if sudo allows it.
  return await readCommandOutput(
    context,
    host,
    `if test -r ${file}; then cat ${file}; else sudo -n cat ${file}; fi 2>/dev/null`,
  );
}

/** SSH connections at a time: sshd drops some when more than ten log in at once (MaxStartups, sshd_config(5)). */
const MAX_CONNECTIONS = 4;

/** A file on a host that differs from the generated one. */
interface ChangedFile {
  readonly path: string;
  readonly difference: string;
}

/**
 * Lists the files on a host that differ from the generated ones of the current stage. A file that cannot be read from
 * here does not count. Only of a configuration file, which has no credentials, the difference names a line.
 */
export async function listChangedFiles(context: StepContext, name: string): Promise<readonly ChangedFile[]> {
  const { files, readFromDisk } = await generateStage(context, getCurrentStage(context));
  const inTurn = limitConcurrency(MAX_CONNECTIONS);
  const changedFiles = await Promise.all(
    files.map(async ({ kind, host: owner, path, file }) => {
      const generatedText = readFromDisk(file);
      if (owner !== name || generatedText === null) return [];
      const text = await inTurn(() => readHostFile(context, name, path));
      if (text === null) return [];
      const { otherText } = hostWords();
      const difference = isConfigKind(kind)
        ? describeDifference(kind, text, generatedText)
        : // The output of a command over SSH has no newline at its end.
          text.trimEnd() === generatedText.trimEnd()
          ? null
          : otherText;
      return difference === null ? [] : { path, difference };
    }),
  );
  return changedFiles.flat();
}

/**
 * Reads the output of a read-only command on a service host, at most a minute old; null if it prints nothing, or cannot
 * run from here.
 */
export async function readCommandOutput(
  context: StepContext,
  host: ServiceHost,
  command: string,
): Promise<string | null> {
  if (!context.manualActions.canLogIn) return null;
  const { hostOutputs } = context.probeCache;
  const key = `${host.name} ${command}`;
  const now = context.clock.now();
  const cachedEntry = hostOutputs.get(key);
  if (cachedEntry !== undefined && now - cachedEntry.at < CACHE_PERIOD) return await cachedEntry.text;
  const text = runHostCommand(context, host, command).then(
    (output) => ('text' in output && output.text !== '' ? output.text : null),
    () => null,
  );
  hostOutputs.set(key, { at: now, text });
  return await text;
}

const hostWords = () => catalogue().steps.hosts;
const COPIED_FILES_KEY = 'copied-files';

/**
 * Copies the generated files of a host to `~/upi-wizard/<host>` there, as this user. Runs nothing there.
 * @param name a service host other than the bastion
 * @throws UserErrorException `ssh-…`, or `files-missing` if nothing was generated for it
 */
export async function copyToHost(context: StepContext, name: string, report: (line: string) => void): Promise<void> {
  const { design, dir, manualActions, resolveEndpoint, signal } = context;
  const host = listServiceHosts(design).find((candidate) => candidate.name === name);
  const [address] = host?.ip ?? [];
  if (!manualActions.canLogIn || address === undefined || name === design.services.bastion.name)
    throw new Error(`no host to copy to: ${name}`);
  const filesDir = workspace(dir).hostFilesDir(name);
  if (!existsSync(filesDir)) throw new UserErrorException({ code: 'files-missing', ...hostWords().filesMissing(name) });
  report(hostWords().copying(name, address));
  const target = resolveEndpoint(address, SSH_PORT);
  await copyOverSsh({
    dir: filesDir,
    target: { host: target.host, port: target.port === SSH_PORT ? null : target.port, user: null, options: [] },
    remoteDir: `upi-wizard/${name}`,
    signal,
  });
  context.stepState.set(COPIED_FILES_KEY, {
    ...readCopiedDigests(context),
    [name]: computeHostFilesDigest(context, name),
  });
}

/** Whether the current generated files were copied to a host. */
export function isCopied(context: StepContext, name: string): boolean {
  return readCopiedDigests(context)[name] === computeHostFilesDigest(context, name);
}

function readCopiedDigests(context: StepContext): Readonly<Record<string, string>> {
  return context.stepState.get(COPIED_FILES_KEY) ?? {};
}

const commandWords = () => catalogue().steps.hosts;

/** Lists the commands that put the files of a host in place, one per line; none if that is no manual action. */
export function listHostCommands(context: StepContext, name: string): string[] {
  const { manualActions, design, dir } = context;
  if (manualActions.canInstallHostFiles) return [];
  const filesDir = quoteShellArg(workspace(dir).hostFilesDir(name));
  if (name === design.services.bastion.name) return [commandWords().runHere(filesDir)];
  const address = listServiceHosts(design).find((host) => host.name === name)?.ip[0] ?? name;
  if (isCopied(context, name)) return [commandWords().runCopied(name, address)];
  return [commandWords().copy(filesDir, formatUrlHost(address)), commandWords().run(name, address)];
}

/** Lists the commands that put the files of a host in place, indented below the name of the host. */
export function listHostInstructions(context: StepContext, name: string): string[] {
  const commands = listHostCommands(context, name);
  if (commands.length === 0) return [];
  const isBastion = name === context.design.services.bastion.name;
  return [`${isBastion ? commandWords().here(name) : name}:`, ...commands.map((command) => `  ${command}`)];
}
