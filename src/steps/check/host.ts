import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignitionPath, WEB_ROOT, WORK_DIR } from '../../artifacts/shared/generator.ts';
import { findJob } from '../../host/jobs/job-status.ts';
import { readProgramOutput } from '../../host/programs.ts';
import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { checkPointerIgnition, classifyIgnitionDifference, findIgnitionExpiry } from '../../installer/ignition.ts';
import { findProgram } from '../../installer/programs.ts';
import { SECOND } from '../../platform/clock.ts';
import { sanitize, sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { computeSha256 } from '../../platform/text.ts';
import * as z from '../../platform/zod.ts';
import { probeText } from '../../probes/http-probe.ts';
import { parseRouteLines } from '../../probes/local-network-probe.ts';
import { isOnLink } from '../../probes/neighbour-probe.ts';
import type { ProbeAnswer, ProbeQuery } from '../../probes/probe-types.ts';
import type { StepContext } from '../contract.ts';
import { resolveSshTarget } from '../shared/hosts/host-command.ts';
import { BOOT_SERVER_JOB } from '../shared/machines/boot-server-job.ts';
import { workspace } from '../shared/workspace.ts';
import { NETWORK_STATE_COMMAND, parseNetworkState } from './host-network-state.ts';

const words = () => catalogue().diagnosis.site.details;

/** Timeout of the local probe, in real milliseconds. */
const LOCAL_TIMEOUT_MS = 10_000;
/** Seconds since 1970 (Documentation/ABI/testing/rtc-cdev of Linux). */
const HARDWARE_CLOCK = '/sys/class/rtc/rtc0/since_epoch';

/**
 * Reads everything with one login: time, default routes, network state, whether sudo needs a password, and what the
 * generated scripts would change (`--dry-run`). Changes nothing and never prompts.
 */
const PROBE_COMMAND = `LC_ALL=C; export LC_ALL
echo "time $(date +%s%N)"
ip -4 -o route show default 2>/dev/null | sed "s/^/route /"
root=; [ "$(id -u)" = 0 ] || root="sudo -n"
if $root true 2>/dev/null; then echo "root yes"; else
  command -v sudo >/dev/null || echo "sudo none"
  echo "root no"; exit 0
fi
for part in firewall selinux; do
  file=${WORK_DIR}/$part.sh
  if $root test -e $file; then
    if output=$($root bash $file --dry-run 2>&1); then echo "$part there"; echo "$output" | grep '^Would' | sed "s/^/$part /"; else echo "$part broken"; fi
  else
    echo "$part absent"
  fi
done
${NETWORK_STATE_COMMAND}
exit 0`;

/**
 * Probes a service host over SSH, with this user's keys, known hosts and configuration. This machine itself is probed
 * locally, if the wizard runs as root.
 */
export async function probeHost(
  context: Pick<StepContext, 'resolveEndpoint' | 'clock' | 'programDirectories' | 'manualActions' | 'signal'>,
  { name, address, isSelf }: ProbeQuery<'host'>,
): Promise<ProbeAnswer<'host'>> {
  const { clock, programDirectories, manualActions, signal } = context;
  if (isSelf) {
    if (process.getuid?.() !== 0) return { state: 'unknown', detail: words().needsLocalRoot };
    const output = await readProgramOutput('sh', ['-c', PROBE_COMMAND], LOCAL_TIMEOUT_MS);
    return output === null
      ? { state: 'unknown', detail: words().noUsableAnswer }
      : parseProbeOutput(output, { offsetMs: 0 });
  }
  if (!manualActions.canLogIn) return await probeHostByFiles(context, name);
  const program = await findProgram('ssh', programDirectories);
  if (program === null) return { state: 'unknown', detail: words().noSsh };
  const target = resolveSshTarget(context, address);
  const sentAt = clock.now();
  let clockOffset: ClockOffset = { offsetMs: null };
  const onLine = (line: string) => {
    const [, nanoseconds] = /^time (\d{15,20})$/.exec(line) ?? [];
    if (nanoseconds === undefined) return;
    // The host read its clock at some moment between `sentAt` and now. A login may take seconds, and so may reading the
    // answer under load: take the midpoint, and half of the interval as uncertainty.
    const uncertaintyMs = (clock.now() - sentAt) / 2;
    clockOffset = {
      offsetMs: Math.round(Number(nanoseconds) / 1e6 - sentAt - uncertaintyMs),
      uncertaintyMs: Math.round(uncertaintyMs),
    };
  };
  try {
    const command = PROBE_COMMAND;
    const { stdout } = await runOverSsh({ program, target, command, signal, onLine, maxBytes: MAX_OUTPUT_BYTES });
    return parseProbeOutput(stdout, clockOffset);
  } catch (error) {
    if (!(error instanceof UserErrorException)) throw error;
    if (isLocalFailure(error.userError.cause, address)) return { state: 'unknown', detail: error.userError.cause };
    return { state: 'refused', detail: error.userError.cause, remedy: error.userError.remedy };
  }
}

/**
 * Probes a host that accepts no login by reading its files as root. If a script exists, install.sh has run it: nothing
 * is left to change.
 */
async function probeHostByFiles(
  { manualActions, clock }: Pick<StepContext, 'manualActions' | 'clock'>,
  name: string,
): Promise<ProbeAnswer<'host'>> {
  const startedAt = clock.now();
  const seconds = await manualActions.readFile(name, HARDWARE_CLOCK);
  if (seconds === null) return { state: 'unknown', detail: words().noUsableAnswer };
  const [minLag, maxLag] = [startedAt - Number(seconds) * 1000 - 1000, clock.now() - Number(seconds) * 1000];
  const readScriptState = async (script: string) =>
    (await manualActions.readFile(name, `${WORK_DIR}/${script}.sh`)) === null ? ('absent' as const) : [];
  return {
    state: 'known',
    // The clock shows whole seconds, and reading it takes time: only a difference beyond both counts.
    offsetMs: minLag > 0 ? -minLag : maxLag < 0 ? -maxLag : 0,
    isRoot: true,
    hasSudo: true,
    firewall: await readScriptState('firewall'),
    selinux: await readScriptState('selinux'),
  };
}

/**
 * Whether the error message of ssh describes a failure of this machine (or of a jump host) before the login. For a host
 * in a network of this machine, "No route to host" means that its firewall rejects, or that it does not answer ARP.
 */
function isLocalFailure(message: string, address: string): boolean {
  if (/No route to host/.test(message)) return !isOnLink(address);
  const localError = /Network is unreachable|Cannot assign requested address|Could not resolve hostname/;
  return (
    localError.test(message) ||
    /connect to .*: (?:Permission denied|Operation not permitted|Invalid argument)/.test(message)
  );
}

type ClockOffset = Pick<Extract<ProbeAnswer<'host'>, { readonly state: 'known' }>, 'offsetMs' | 'uncertaintyMs'>;

function parseProbeOutput(output: string, clockOffset: ClockOffset): ProbeAnswer<'host'> {
  const lines = output.split('\n');
  const parsePart = (name: string): readonly string[] | 'absent' | 'broken' | null => {
    if (lines.includes(`${name} absent`)) return 'absent';
    if (lines.includes(`${name} broken`)) return 'broken';
    if (!lines.includes(`${name} there`)) return null;
    return lines
      .filter((line) => line.startsWith(`${name} Would`))
      .map((line) => sanitizeLine(line.slice(name.length + 1), 160));
  };
  const networkState = parseNetworkState(lines);
  return {
    state: 'known',
    ...clockOffset,
    defaultRoutes: parseRouteLines(lines),
    isRoot: lines.includes('root yes'),
    hasSudo: !lines.includes('sudo none'),
    firewall: parsePart('firewall'),
    selinux: parsePart('selinux'),
    ...(networkState === null ? {} : { networkState: networkState }),
  };
}

/** Limit for one file (bytes); upi-wizard writes no larger configuration file. */
const MAX_FILE_BYTES = 512 * 1024;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/**
 * Reads the configuration files of a service host: locally if it is this machine, else with one SSH login, or one by
 * one where no login is accepted.
 */
export async function readHostTexts(
  context: Pick<StepContext, 'resolveEndpoint' | 'programDirectories' | 'manualActions' | 'signal'>,
  { name, address, isSelf, paths }: ProbeQuery<'files'>,
): Promise<ProbeAnswer<'files'>> {
  const { programDirectories, manualActions, signal } = context;
  if (!manualActions.canLogIn)
    return toFilesAnswer(await Promise.all(paths.map((path) => manualActions.readFile(name, path))));
  if (isSelf) return toFilesAnswer(await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => null))));
  const program = await findProgram('ssh', programDirectories);
  if (program === null) return { state: 'unknown', detail: words().noSsh };
  const target = resolveSshTarget(context, address);
  try {
    const command = buildReadCommand(paths);
    const { stdout } = await runOverSsh({ program, target, command, signal, maxBytes: MAX_OUTPUT_BYTES });
    const linesByIndex = new Map(stdout.split('\n').map((line) => [line.slice(0, line.indexOf(' ')), line]));
    return toFilesAnswer(paths.map((_, index) => decodeLine(linesByIndex.get(String(index)))));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UserErrorException)) throw error;
    return { state: 'unknown', detail: error.userError.cause };
  }
}

/**
 * Builds a command that prints the number of each readable file and its bytes in base64; as root if sudo needs no
 * password.
 */
function buildReadCommand(paths: readonly string[]): string {
  const commands = paths.map(
    (path, index) =>
      `$root test -f ${quoteShellArg(path)} && echo "${index} $($root head -c ${MAX_FILE_BYTES} ${quoteShellArg(path)} | base64 | tr -d '\\n')"`,
  );
  return ['root=; [ "$(id -u)" = 0 ] || ! sudo -n true 2>/dev/null || root="sudo -n"', ...commands, 'exit 0'].join(
    '\n',
  );
}

function decodeLine(line: string | undefined): string | null {
  return line === undefined ? null : Buffer.from(line.slice(line.indexOf(' ') + 1), 'base64').toString('utf8');
}

function toFilesAnswer(texts: readonly (string | null)[]): ProbeAnswer<'files'> {
  return {
    state: 'known',
    texts: texts.map((text) => (text === null ? null : sanitize(redact(text), MAX_FILE_BYTES))),
  };
}

type IgnitionFile = ProbeQuery<'ignition'>['files'][number];
type ServedContent = Pick<ProbeAnswer<'ignition'>['files'][number], 'content' | 'servedDetail'>;

/** bootstrap.ign of a large cluster is about 2 MB. */
const MAX_IGNITION_BYTES = 16 * 1024 * 1024;
const IGNITION_TIMEOUT = 3 * SECOND;

/**
 * Compares the installer's ignition files with those that the boot server serves. Returns no contents: they hold
 * secrets.
 */
export async function probeIgnitionFiles(
  context: Pick<StepContext, 'dir' | 'resolveEndpoint' | 'clock'>,
  { files }: ProbeQuery<'ignition'>,
): Promise<ProbeAnswer<'ignition'>> {
  const { dir, clock } = context;
  const texts = await Promise.all(files.map(({ name }) => readFile(join(dir, name), 'utf8').catch(() => null)));
  const bootstrapIgnition = texts[0] ?? null;
  const expiry = bootstrapIgnition === null ? null : findIgnitionExpiry(bootstrapIgnition);
  return {
    expiresAt: expiry?.earliest ?? null,
    now: clock.now(),
    files: await Promise.all(
      files.map(async (file, index) => {
        const text = texts[index] ?? null;
        const servedContent: ServedContent =
          text === null
            ? { content: 'unknown', servedDetail: '' }
            : await probeServedFile(context, file, { text, otherFiles: listOtherTexts(files, texts, index) });
        return {
          name: file.name,
          isPresent: text !== null,
          problem: text === null ? null : findIgnitionProblem(file, text, bootstrapIgnition),
          ...servedContent,
        };
      }),
    ),
  };
}

/** Lists the texts of the other files, by name. */
function listOtherTexts(
  files: readonly IgnitionFile[],
  texts: readonly (string | null)[],
  excludedIndex: number,
): InstallerFile['otherFiles'] {
  return new Map(
    files.flatMap(({ name }, index) => (index === excludedIndex ? [] : [[name, texts[index] ?? ''] as const])),
  );
}

/** An ignition file as openshift-install wrote it, with the other files of the same run. */
interface InstallerFile {
  readonly text: string;
  readonly otherFiles: ReadonlyMap<string, string>;
}

function findIgnitionProblem(
  { name, pointsTo }: IgnitionFile,
  text: string,
  bootstrapIgnition: string | null,
): string | null {
  if (pointsTo === null) return findIgnitionExpiry(text) === null ? words().noIgnition : null;
  const role = name.replace(/\.ign$/, '');
  const [problem] = checkPointerIgnition(text, { role, expectedUrl: pointsTo, bootstrapIgnition });
  return problem === undefined ? null : `${problem.title}: ${problem.cause}`;
}

/**
 * Probes which content is served under the name of a file. The boot server of upi-wizard records which files it serves;
 * any other server is sent a request. If that server refuses, as it should, its copy of the file may be on this
 * machine.
 */
async function probeServedFile(
  context: Pick<StepContext, 'dir' | 'resolveEndpoint' | 'clock'>,
  file: IgnitionFile,
  installerFile: InstallerFile,
): Promise<ServedContent> {
  const now = context.clock.now();
  const bootServerFile = await findBootServerFile(context.dir, file.name);
  if (bootServerFile !== null) {
    const isSame = bootServerFile === join(context.dir, file.name);
    return { content: isSame ? 'same' : 'other', servedDetail: words().servedFrom(bootServerFile) };
  }
  const { text: fetchedText } = await probeText(
    context.resolveEndpoint,
    context.clock,
    file.url,
    IGNITION_TIMEOUT,
    MAX_IGNITION_BYTES,
  );
  if (fetchedText !== null) return compareServedText(fetchedText, installerFile, file.url, now);
  const copyPath = join(WEB_ROOT, ignitionPath('bootstrap'), '..', file.name);
  const isRealSite = context.resolveEndpoint(new URL(file.url).hostname, 80).host === new URL(file.url).hostname;
  const copy = isRealSite ? await readFile(copyPath, 'utf8').catch(() => null) : null;
  return copy === null
    ? { content: 'unknown', servedDetail: '' }
    : compareServedText(copy, installerFile, copyPath, now);
}

function compareServedText(
  servedText: string,
  { text, otherFiles }: InstallerFile,
  source: string,
  now: number,
): ServedContent {
  const servedDetail = words().servedAs(
    source,
    computeSha256(servedText).slice(0, 12),
    computeSha256(text).slice(0, 12),
  );
  if (servedText === text) return { content: 'same', servedDetail };
  return {
    content: 'other',
    servedDetail: `${describeDifference(servedText, text, { otherFiles, now })}; ${servedDetail}`,
  };
}

function describeDifference(...args: Parameters<typeof classifyIgnitionDifference>): string {
  const { servedInstead } = words();
  const difference = classifyIgnitionDifference(...args);
  switch (difference.kind) {
    case 'empty':
      return servedInstead.empty;
    case 'damaged':
      return servedInstead.damaged;
    case 'changed':
      return servedInstead.changed;
    case 'other-run':
      return servedInstead.otherRun;
    case 'html':
      return servedInstead.html(difference.title);
    case 'cut':
      return servedInstead.cut(difference.actualBytes, difference.expectedBytes);
    case 'role':
      return servedInstead.role(difference.name);
    case 'expired':
      return servedInstead.expired(new Date(difference.at).toISOString());
    case 'other-cluster':
      return servedInstead.otherCluster(difference.url);
  }
}

const bootConfigSchema = z.object({ ignition: z.record(z.string(), z.object({ file: z.string() })) });

/** Finds the file that our boot server serves under a name; null if the server does not run or has none. */
async function findBootServerFile(dir: string, name: string): Promise<string | null> {
  const { jobsDir, bootConfig } = workspace(dir);
  const job = await findJob(jobsDir, BOOT_SERVER_JOB).catch(() => null);
  if (job?.state !== 'running') return null;
  try {
    const { ignition } = bootConfigSchema.parse(JSON.parse(await readFile(bootConfig, 'utf8')));
    return ignition[name.replace(/\.ign$/, '')]?.file ?? null;
  } catch {
    return null;
  }
}
