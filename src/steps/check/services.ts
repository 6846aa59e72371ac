import { renderLoadedAtFunction } from '../../artifacts/hosts/install-script.ts';
import { removeDuplicates } from '../../artifacts/network/addresses.ts';
import { readProgramOutput } from '../../host/programs.ts';
import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { findProgram } from '../../installer/programs.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { ProbeAnswer, ProbeQuery, ServiceProcess } from '../../probes/probe-types.ts';
import type { StepContext } from '../contract.ts';
import { resolveSshTarget } from '../shared/hosts/host-command.ts';

const words = () => catalogue().diagnosis.site.details;

/** Timeout of the local probe, in real milliseconds. */
const LOCAL_TIMEOUT_MS = 10_000;
const MAX_LINE_LENGTH = 200;

/**
 * Finds which services run on a host, and when each last read its files: over SSH, or locally as root. Changes nothing
 * on the host.
 */
export async function probeServices(
  context: Pick<StepContext, 'resolveEndpoint' | 'programDirectories' | 'manualActions' | 'signal'>,
  { address, isSelf, services }: ProbeQuery<'services'>,
): Promise<ProbeAnswer<'services'>> {
  const { programDirectories, manualActions, signal } = context;
  if (!manualActions.canLogIn) return { state: 'unknown', detail: words().hasNoLogin };
  const script = buildScript(services);
  if (isSelf) {
    if (process.getuid?.() !== 0) return { state: 'unknown', detail: words().needsLocalRoot };
    const output = await readProgramOutput('bash', ['-c', script], LOCAL_TIMEOUT_MS);
    return output === null ? { state: 'unknown', detail: words().noUsableAnswer } : parseOutput(output, services);
  }
  const program = await findProgram('ssh', programDirectories);
  if (program === null) return { state: 'unknown', detail: words().noSsh };
  const command = `root=; [ "$(id -u)" = 0 ] || root="sudo -n"; $root bash -c ${quoteShellArg(script)}`;
  try {
    const { stdout } = await runOverSsh({ program, target: resolveSshTarget(context, address), command, signal });
    return parseOutput(stdout, services);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UserErrorException)) throw error;
    return { state: 'unknown', detail: error.userError.cause };
  }
}

/**
 * Builds a script that prints `unit INDEX STATE` for each service, and `runs INDEX` if the service runs. Otherwise its
 * last lines follow as `log INDEX LINE`. Each process has the line `arguments INDEX WORDS`. Each file that exists has
 * the line `file INDEX PATH-INDEX CHANGED READ`, with the times in seconds.
 */
function buildScript(services: ProbeQuery<'services'>['services']): string {
  const parts = services.flatMap(({ unit, process: name, paths }, index) => [
    `state="$(systemctl is-active ${quoteShellArg(unit)} 2>/dev/null)"; echo "unit ${index} $state"`,
    `if [ "$(loaded_at ${quoteShellArg(name)} ${quoteShellArg(unit)} /)" = "" ]; then
  journalctl --no-pager -q -o cat -n 5 -u ${quoteShellArg(unit)} 2>/dev/null | tail -n 5 | sed "s/^/log ${index} /"
else echo "runs ${index}"; fi`,
    `for each in $(pgrep -x ${quoteShellArg(name)}); do
  if [ "$(readlink "/proc/$each/ns/net")" = "$(readlink /proc/self/ns/net)" ]; then echo "arguments ${index} $(tr '\\0' ' ' <"/proc/$each/cmdline")"; fi
done 2>/dev/null`,
    ...paths.map(
      (path, pathIndex) =>
        `if [ -e ${quoteShellArg(path)} ]; then echo "file ${index} ${pathIndex} $(stat -c %.Z ${quoteShellArg(path)}) $(loaded_at ${quoteShellArg(name)} ${quoteShellArg(unit)} ${quoteShellArg(path)})"; fi`,
    ),
  ]);
  return ['LC_ALL=C; export LC_ALL', renderLoadedAtFunction(), ...parts, 'exit 0'].join('\n');
}

function parseOutput(output: string, services: ProbeQuery<'services'>['services']): ProbeAnswer<'services'> {
  const lines = output.split('\n');
  return {
    state: 'known',
    services: services.map(({ paths }, index): ServiceProcess => {
      const unit = lines.find((line) => line.startsWith(`unit ${index} `)) ?? '';
      const log = lines.filter((line) => line.startsWith(`log ${index} `));
      const processes = lines.filter((line) => line.startsWith(`arguments ${index} `));
      return {
        isRunning: lines.includes(`runs ${index}`),
        unitState: sanitizeLine(unit.replace(/^unit \d+ /, ''), 20),
        configFiles: removeDuplicates(processes.flatMap(parseConfigFiles)).map((path) =>
          sanitizeLine(path, MAX_LINE_LENGTH),
        ),
        log: log.map((line) => sanitizeLine(redact(line.replace(/^log \d+ /, '')), MAX_LINE_LENGTH)),
        files: paths.flatMap((path, pathIndex) => {
          const line = lines.find((candidate) => candidate.startsWith(`file ${index} ${pathIndex} `));
          const [, changedText = '', readText = ''] = /^file \d+ \d+ (\d+(?:\.\d+)?)(?: (.*))?$/.exec(line ?? '') ?? [];
          if (changedText === '') return [];
          // "at least": the program may have read it later.
          const [, lowerBoundPrefix, time] = /^(at least )?(\d+(?:\.\d+)?)$/.exec(readText) ?? [];
          const isKnown = time !== undefined && (lowerBoundPrefix === undefined || Number(time) >= Number(changedText));
          const startedAtField = isKnown || time === undefined ? {} : { startedAt: Number(time) };
          return [{ path, changedAt: Number(changedText), readAt: isKnown ? Number(time) : null, ...startedAtField }];
        }),
      };
    }),
  };
}

/** The options that name a configuration file: haproxy(1), keepalived(8), dhcpd(8), kea-dhcp4(8). */
const CONFIG_OPTION = /^(?:-f|-cf|-c|--use-file)$/;

function parseConfigFiles(line: string): string[] {
  const commandWords = line.split(' ');
  return commandWords.flatMap((word, index) => {
    const [, path = CONFIG_OPTION.test(word) ? commandWords[index + 1] : undefined] =
      /^--use-file=(.+)$/.exec(word) ?? [];
    return path?.startsWith('/') === true ? [path] : [];
  });
}
