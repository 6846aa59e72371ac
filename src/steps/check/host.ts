import { WORK_DIR } from '../../artifacts/shared/layout.ts';
import { askProgram } from '../../bastion/ask-program.ts';
import { isOnLink } from '../../bastion/probes/neighbour-probe.ts';
import { runOverSsh } from '../../bastion/ssh/ssh-run.ts';
import type { Answer, Question } from '../../diagnosis/site/exchange.ts';
import { findProgram } from '../../installer/find.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { sshTarget } from '../shared/hosts/run-there.ts';

const words = () => catalogue().diagnosis.site.said;

/** Real milliseconds for the same look at this machine. */
const PATIENCE = 10_000;
/** Seconds since 1970 (Documentation/ABI/testing/rtc-cdev of Linux). */
const HARDWARE_CLOCK = '/sys/class/rtc/rtc0/since_epoch';

/**
 * One login for all questions: the time there, whether sudo asks for a password, and what the generated scripts would change
 * there, by their own `--dry-run`. Nothing is changed, and nobody is asked for anything.
 */
const LOOK = `LC_ALL=C; export LC_ALL
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

/** Looks at a service host over SSH, with this user's keys, known hosts and configuration; at this machine, if we are root, by itself. */
export async function lookAtHost(
  context: Pick<StepContext, 'reach' | 'clock' | 'programPath' | 'hands' | 'signal'>,
  { name, address, isSelf }: Question<'host'>,
): Promise<Answer<'host'>> {
  const { clock, programPath, hands, signal } = context;
  if (isSelf) {
    if (process.getuid?.() !== 0) return { state: 'unseen', detail: words().notAsRoot };
    const said = await askProgram('sh', ['-c', LOOK], PATIENCE);
    return said === null ? { state: 'unseen', detail: words().noLook } : seenIn(said, 0);
  }
  if (!hands.isPerson) return await lookByHands(context, name);
  const program = await findProgram('ssh', programPath);
  if (program === null) return { state: 'unseen', detail: words().noSsh };
  const target = sshTarget(context, address);
  let offsetMs: number | null = null;
  const onLine = (line: string) => {
    const [, nanoseconds] = /^time (\d{15,20})$/.exec(line) ?? [];
    if (nanoseconds !== undefined) offsetMs = Math.round(Number(nanoseconds) / 1e6 - clock.now());
  };
  try {
    const { stdout } = await runOverSsh({ program, target, command: LOOK, signal, onLine });
    return seenIn(stdout, offsetMs);
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    if (isOfHere(error.trouble.cause, address)) return { state: 'unseen', detail: error.trouble.cause };
    return { state: 'refused', detail: error.trouble.cause, remedy: error.trouble.whatToDo };
  }
}

/** The same where somebody else's hands are on the hosts: what they read there as root. install.sh has done what its scripts would do. */
async function lookByHands(
  { hands, clock }: Pick<StepContext, 'hands' | 'clock'>,
  name: string,
): Promise<Answer<'host'>> {
  const before = clock.now();
  const seconds = await hands.readFile(name, HARDWARE_CLOCK);
  if (seconds === null) return { state: 'unseen', detail: words().noLook };
  const [since, until] = [before - Number(seconds) * 1000 - 1000, clock.now() - Number(seconds) * 1000];
  const part = async (script: string) =>
    (await hands.readFile(name, `${WORK_DIR}/${script}.sh`)) === null ? ('absent' as const) : [];
  return {
    state: 'seen',
    // Whole seconds, and the time that asking took: only what lies outside of both is off.
    offsetMs: since > 0 ? -since : until < 0 ? -until : 0,
    isRoot: true,
    hasSudo: true,
    firewall: await part('firewall'),
    selinux: await part('selinux'),
  };
}

/**
 * ssh's words for what this machine (or a jump host) could not do on the way: nobody was asked to log in. That a host of our own network
 * has no route to it is its firewall's word, or its silence.
 */
function isOfHere(said: string, address: string): boolean {
  if (/No route to host/.test(said)) return !isOnLink(address);
  const here = /Network is unreachable|Cannot assign requested address|Could not resolve hostname/;
  return here.test(said) || /connect to .*: (?:Permission denied|Operation not permitted|Invalid argument)/.test(said);
}

function seenIn(said: string, offsetMs: number | null): Answer<'host'> {
  const lines = said.split('\n');
  const part = (name: string): readonly string[] | 'absent' | 'broken' | null => {
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
    firewall: part('firewall'),
    selinux: part('selinux'),
  };
}
