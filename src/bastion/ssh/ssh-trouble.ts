import { catalogue } from '../../text/catalogue.ts';
import { redact } from '../../text/redact.ts';
import { sanitize } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { SshTarget } from './ssh-target.ts';

const words = () => catalogue().bastion;

interface Ended {
  readonly exitCode?: number;
  readonly stderr?: unknown;
  readonly code?: string;
}

/** Whether this is how a program ended. */
export function hasExitCode(result: unknown): result is Ended {
  return typeof result === 'object' && result !== null;
}

/** Why ssh or a copy over it failed, by what has to be done about it. */
type SshFailure =
  | 'hostKeyUnknown'
  | 'hostKeyChanged'
  | 'login'
  | 'refused'
  | 'unreachable'
  | 'name'
  | 'full'
  | 'missing'
  | 'other';

/** What ssh says on standard error, in its own English whatever the locale is, by what has to be done about it. */
const KINDS: readonly (readonly [RegExp, SshFailure])[] = [
  [/^setsid: failed to execute/m, 'missing'],
  [/connect to .*: (?:Permission denied|Operation not permitted|Invalid argument)/, 'unreachable'],
  [/REMOTE HOST IDENTIFICATION HAS CHANGED/, 'hostKeyChanged'],
  [/Host key verification failed|No .* host key is known/, 'hostKeyUnknown'],
  [/Permission denied|Too many authentication failures/, 'login'],
  [/Connection refused/, 'refused'],
  [/timed out|No route to host|Network is unreachable/, 'unreachable'],
  [/Could not resolve hostname/, 'name'],
  [/No space left on device|Disk quota exceeded/, 'full'],
];

/** ssh itself is not there: nothing was run. */
export function isMissing(result: unknown): boolean {
  return hasExitCode(result) && typeof result.stderr === 'string' && /^setsid: failed to execute/m.test(result.stderr);
}

/** The host that a line of ssh is about, where it names one: a jump host on the way, too. */
const NAMED = /^\S+@([\w.:-]+): Permission denied|host key is known for \[?([\w.:-]+)/;

/** What ssh said, with what to do about it. */
export function sshTrouble(
  target: Pick<SshTarget, 'host'>,
  result: unknown,
  title: string = words().ssh.title(target.host),
): TroubleError {
  const { stderr, code } = hasExitCode(result) ? result : {};
  const said = sanitize(redact(typeof stderr === 'string' ? stderr : String(result)), 2000).trim();
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !/^@+|^Warning: Permanently added/.test(line));
  const [pattern, known] = KINDS.find(([pattern]) => pattern.test(said)) ?? [];
  const kind: SshFailure = code === 'ENOENT' ? 'missing' : (known ?? 'other');
  // Where a jump host refused, ssh only says at last that its line was closed.
  const telling = pattern && lines.find((line) => pattern.test(line));
  const [, refusing, unknown] = NAMED.exec(lines.find((line) => NAMED.test(line)) ?? '') ?? [];
  const where = refusing ?? unknown ?? target.host;
  return new TroubleError({
    code: `ssh-${kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    title,
    cause: telling ?? lines.at(-1) ?? words().ssh.silent,
    whatToDo: words().ssh.kinds[kind](where),
  });
}
