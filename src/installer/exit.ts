import { catalogue } from '../i18n/catalogue.ts';
import type { UserError } from '../i18n/user-error.ts';

const words = () => catalogue().installer;

/** A line of the installer's output. */
export interface InstallerLine {
  readonly level: string;
  readonly text: string;
}

/** The meaning of the installer's exit status. */
type InstallerExitKind =
  | 'fatal'
  | 'install-config'
  | 'infrastructure'
  | 'bootstrap'
  | 'install'
  | 'operators'
  | 'interrupted'
  | 'signal';

// openshift/installer cmd/openshift-install/command/waitfor.go.
const EXIT_KINDS: Readonly<Record<number, InstallerExitKind>> = {
  3: 'install-config',
  4: 'infrastructure',
  5: 'bootstrap',
  6: 'install',
  7: 'operators',
  8: 'interrupted',
  130: 'interrupted',
  143: 'interrupted',
};

/** The assets that needed the file, before what is wrong with it; the title names the file. */
const REJECTION_PREFIX = /^.*: invalid \\?"install-config\.yaml\\?" file: /;

/** Final messages of old versions (such as 4.5), which always exit with 1. */
const LEGACY_MESSAGES: readonly (readonly [RegExp, InstallerExitKind])[] = [
  [/invalid \\?"install-config\.yaml\\?" file/, 'install-config'],
  [/^(?:waiting for Kubernetes API|failed to wait for bootstrapping to complete): /, 'bootstrap'],
  [/^failed to initialize the cluster: /, 'install'],
];

/**
 * Explains the end of the installer; null for success.
 * @param lines its output; the cause is its last fatal message, else its first error, else its last line with text
 */
export function toExitError(
  exitCode: number | null,
  signal: string | null,
  lines: readonly InstallerLine[],
): UserError | null {
  if (exitCode === 0) return null;
  const errors = lines.filter(({ level }) => level === 'fatal' || level === 'error');
  const decisiveError = errors.findLast(({ level }) => level === 'fatal') ?? errors[0];
  const decisiveLine = decisiveError ?? lines.findLast(({ text }) => text !== '');
  const kind = classifyExit(exitCode, signal, decisiveLine?.text ?? '');
  const cause =
    decisiveLine?.text.replace(REJECTION_PREFIX, '') ??
    (signal === null ? words().noOutput : words().endedBySignal(signal));
  return { code: `installer-${kind}`, ...words().exits[kind], cause };
}

function classifyExit(exitCode: number | null, signal: string | null, message: string): InstallerExitKind {
  if (signal !== null) return signal === 'SIGINT' || signal === 'SIGTERM' ? 'interrupted' : 'signal';
  // Old versions always exit with 1: only their last line gives the reason.
  const legacyMessage = exitCode === 1 ? LEGACY_MESSAGES.find(([pattern]) => pattern.test(message)) : undefined;
  return legacyMessage?.[1] ?? EXIT_KINDS[exitCode ?? 1] ?? 'fatal';
}
