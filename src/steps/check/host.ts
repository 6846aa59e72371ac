import { WORK_DIR } from '../../artifacts/shared/generator.ts';
import type { ProbeAnswer, ProbeQuestion } from '../../checks/site/probe-types.ts';
import { readProgramOutput } from '../../host/programs.ts';
import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { findProgram } from '../../installer/find-program.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import { isOnLink } from '../../probes/neighbour-probe.ts';
import type { StepContext } from '../contract.ts';
import { resolveSshTarget } from '../shared/hosts/host-command.ts';

const words = () => catalogue().diagnosis.site.said;

/** Timeout of the local probe, in real milliseconds. */
const LOCAL_TIMEOUT_MS = 10_000;
/** Seconds since 1970 (Documentation/ABI/testing/rtc-cdev of Linux). */
const HARDWARE_CLOCK = '/sys/class/rtc/rtc0/since_epoch';

/**
 * One login answers everything: the time there, whether sudo needs a password, and what the generated scripts would
 * change there (by their own `--dry-run`). It changes nothing and never prompts.
 */
const PROBE_COMMAND = `LC_ALL=C; export LC_ALL
echo "time $(date +%s%N)"
root=; [ "$(id -u)" = 0 ] || root="sudo -n"
if $root true 2>/dev/null; then echo "root yes"; else
  command -v sudo >/dev/null || echo "sudo none"
  echo "root no"; exit 0
fi
for part in firewall selinux; do
  file=${WORK_DIR}/$part.sh
  if $root test -e $file; then
    if said=$($root bash $file --dry-run 2>&1); then echo "$part there"; echo "$said" | grep '^Would' | sed "s/^/$part /"; else echo "$part broken"; fi
  else
    echo "$part absent"
  fi
done
exit 0`;

/**
 * Probes a service host over SSH, with this user's keys, known hosts and configuration. This machine itself is probed
 * locally, if the wizard runs as root.
 */
export async function probeHost(
  context: Pick<StepContext, 'resolveEndpoint' | 'clock' | 'programPath' | 'manualActions' | 'signal'>,
  { name, address, isSelf }: ProbeQuestion<'host'>,
): Promise<ProbeAnswer<'host'>> {
  const { clock, programPath, manualActions, signal } = context;
  if (isSelf) {
    if (process.getuid?.() !== 0) return { state: 'unseen', detail: words().needsLocalRoot };
    const output = await readProgramOutput('sh', ['-c', PROBE_COMMAND], LOCAL_TIMEOUT_MS);
    return output === null ? { state: 'unseen', detail: words().noUsableAnswer } : parseProbeOutput(output, 0);
  }
  if (!manualActions.isManual) return await probeSimulatedHost(context, name);
  const program = await findProgram('ssh', programPath);
  if (program === null) return { state: 'unseen', detail: words().noSsh };
  const target = resolveSshTarget(context, address);
  let offsetMs: number | null = null;
  const onLine = (line: string) => {
    const [, nanoseconds] = /^time (\d{15,20})$/.exec(line) ?? [];
    if (nanoseconds !== undefined) offsetMs = Math.round(Number(nanoseconds) / 1e6 - clock.now());
  };
  try {
    const { stdout } = await runOverSsh({ program, target, command: PROBE_COMMAND, signal, onLine });
    return parseProbeOutput(stdout, offsetMs);
  } catch (error) {
    if (!(error instanceof UserErrorException)) throw error;
    if (isLocalFailure(error.userError.cause, address)) return { state: 'unseen', detail: error.userError.cause };
    return { state: 'refused', detail: error.userError.cause, remedy: error.userError.remedy };
  }
}

/**
 * The same for a simulated host, whose files are read as root. A script that is there has been run by install.sh:
 * nothing is left to change.
 */
async function probeSimulatedHost(
  { manualActions, clock }: Pick<StepContext, 'manualActions' | 'clock'>,
  name: string,
): Promise<ProbeAnswer<'host'>> {
  const startedAt = clock.now();
  const seconds = await manualActions.readFile(name, HARDWARE_CLOCK);
  if (seconds === null) return { state: 'unseen', detail: words().noUsableAnswer };
  const [since, until] = [startedAt - Number(seconds) * 1000 - 1000, clock.now() - Number(seconds) * 1000];
  const readPart = async (script: string) =>
    (await manualActions.readFile(name, `${WORK_DIR}/${script}.sh`)) === null ? ('absent' as const) : [];
  return {
    state: 'seen',
    // The clock shows whole seconds, and reading it takes time: only a difference beyond both counts.
    offsetMs: since > 0 ? -since : until < 0 ? -until : 0,
    isRoot: true,
    hasSudo: true,
    firewall: await readPart('firewall'),
    selinux: await readPart('selinux'),
  };
}

/**
 * Whether the error message of ssh describes a failure of this machine (or of a jump host) before the login. "No route
 * to host" about a host of our own network comes from its firewall, or from its silence.
 */
function isLocalFailure(message: string, address: string): boolean {
  if (/No route to host/.test(message)) return !isOnLink(address);
  const here = /Network is unreachable|Cannot assign requested address|Could not resolve hostname/;
  return (
    here.test(message) || /connect to .*: (?:Permission denied|Operation not permitted|Invalid argument)/.test(message)
  );
}

function parseProbeOutput(output: string, offsetMs: number | null): ProbeAnswer<'host'> {
  const lines = output.split('\n');
  const parsePart = (name: string): readonly string[] | 'absent' | 'broken' | null => {
    if (lines.includes(`${name} absent`)) return 'absent';
    if (lines.includes(`${name} broken`)) return 'broken';
    if (!lines.includes(`${name} there`)) return null;
    return lines
      .filter((line) => line.startsWith(`${name} Would`))
      .map((line) => sanitizeLine(line.slice(name.length + 1), 160));
  };
  return {
    state: 'seen',
    offsetMs,
    isRoot: lines.includes('root yes'),
    hasSudo: !lines.includes('sudo none'),
    firewall: parsePart('firewall'),
    selinux: parsePart('selinux'),
  };
}
