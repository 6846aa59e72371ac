import { catalogue } from '../../text/catalogue.ts';
import type { Trouble } from '../../text/trouble.ts';

const words = () => catalogue().installer;

/** A line of the installer's output. */
export interface SaidLine {
  readonly level: string;
  readonly text: string;
}

/** What the end of the installer means. */
type ExitKind =
  | 'fatal'
  | 'install-config'
  | 'infrastructure'
  | 'bootstrap'
  | 'install'
  | 'operators'
  | 'interrupted'
  | 'signal';

// openshift/installer cmd/openshift-install/command/waitfor.go.
const EXITS: Readonly<Record<number, ExitKind>> = {
  3: 'install-config',
  4: 'infrastructure',
  5: 'bootstrap',
  6: 'install',
  7: 'operators',
  8: 'interrupted',
  130: 'interrupted',
  143: 'interrupted',
};

/** Final messages of old versions (such as 4.5), which always exit with 1. */
const SAID: readonly (readonly [RegExp, ExitKind])[] = [
  [/invalid \\?"install-config\.yaml\\?" file/, 'install-config'],
  [/^(?:waiting for Kubernetes API|failed to wait for bootstrapping to complete): /, 'bootstrap'],
  [/^failed to initialize the cluster: /, 'install'],
];

/**
 * Explains how the installer ended; null for success.
 * @param lines its output; the last error becomes the cause
 */
export function explainExit(
  exitCode: number | null,
  signal: string | null,
  lines: readonly SaidLine[],
): Trouble | null {
  if (exitCode === 0) return null;
  const errors = lines.filter(({ level }) => level === 'fatal' || level === 'error');
  const last = errors.findLast(({ level }) => level === 'fatal') ?? errors[0];
  const said = last ?? lines.findLast(({ text }) => text !== '');
  const kind = exitKind(exitCode, signal, said?.text ?? '');
  const cause = said?.text ?? (signal === null ? words().noOutput : words().signalled(signal));
  return { code: `installer-${kind}`, ...words().exits[kind], cause };
}

function exitKind(exitCode: number | null, signal: string | null, said: string): ExitKind {
  if (signal !== null) return signal === 'SIGINT' || signal === 'SIGTERM' ? 'interrupted' : 'signal';
  // Old versions always exit with 1: their last line tells why.
  const told = exitCode === 1 ? SAID.find(([pattern]) => pattern.test(said)) : undefined;
  return told?.[1] ?? EXITS[exitCode ?? 1] ?? 'fatal';
}
