import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { redact } from '../../platform/redact.ts';
import { sanitize } from '../../platform/sanitize.ts';
import type { SshTarget } from './ssh-target.ts';

const words = () => catalogue().bastion;

interface ProgramResult {
  readonly exitCode?: number;
  readonly stderr?: unknown;
  readonly code?: string;
}

/** Whether this is the result of a program. */
export function isProgramResult(result: unknown): result is ProgramResult {
  return typeof result === 'object' && result !== null;
}

/** Why ssh or a copy over it failed, by remedy. */
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

/** Messages of ssh on standard error, which are English in any locale, by failure. */
const FAILURE_PATTERNS: readonly (readonly [RegExp, SshFailure])[] = [
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

/** Whether the ssh program is missing: nothing was run. */
export function isSshMissing(result: unknown): boolean {
  return (
    isProgramResult(result) && typeof result.stderr === 'string' && /^setsid: failed to execute/m.test(result.stderr)
  );
}

/** The host that a message of ssh names, if any; it may be a jump host. */
const NAMED_HOST = /^\S+@([\w.:-]+): Permission denied|host key is known for \[?([\w.:-]+)/;

/** Creates the error for a failed ssh: its message and a remedy. */
export function createSshError(
  target: Pick<SshTarget, 'host'>,
  result: unknown,
  title: string = words().ssh.title(target.host),
): UserErrorException {
  const { stderr, code } = isProgramResult(result) ? result : {};
  const output = sanitize(redact(typeof stderr === 'string' ? stderr : String(result)), 2000).trim();
  const lines = output
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^@+|^Warning: Permanently added/.test(line));
  const [pattern, knownKind] = FAILURE_PATTERNS.find(([pattern]) => pattern.test(output)) ?? [];
  const kind: SshFailure = code === 'ENOENT' ? 'missing' : (knownKind ?? 'other');
  // When a jump host refused, the last message of ssh only says that its connection was closed.
  const matchingLine = pattern && lines.find((line) => pattern.test(line));
  const [, deniedHost, unknownHost] = NAMED_HOST.exec(lines.find((line) => NAMED_HOST.test(line)) ?? '') ?? [];
  const where = deniedHost ?? unknownHost ?? target.host;
  return new UserErrorException({
    code: `ssh-${kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    title,
    cause: matchingLine ?? lines.at(-1) ?? words().ssh.noMessage,
    remedy: words().ssh.kinds[kind](where),
  });
}
