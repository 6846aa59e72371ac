import { catalogue } from '../../../i18n/catalogue.ts';
import type { Confirmation } from '../../contract.ts';
import type { HostChange } from './follow.ts';
import type { ProbedHost } from './run-hosts.ts';

const words = () => catalogue().hosts;

/** Maximum number of diff lines. The install directory has the whole file. */
const MAX_DIFF_LINES = 12;
const CHANGE_KINDS = ['package', 'file', 'service', 'firewall', 'selinux'] as const;

/** A line about a host. A diff line is truncated if it is too long; any other is wrapped. */
export interface HostLine {
  readonly text: string;
  readonly isDiff: boolean;
}

const createTextLine = (text: string): HostLine => ({ text, isDiff: false });

/** Converts a line for a question: a page wraps and colours the lines of a diff by their signs. */
export const toConfirmationLine = ({ text, isDiff }: HostLine): Confirmation['lines'][number] =>
  isDiff ? { diffLine: text.slice(DIFF_INDENT.length) } : text;

const DIFF_INDENT = '      ';

/** Formats the status of a host below its name: errors, the last run, and that nothing would change. */
export function formatHostStatus(
  { name, address, plan, run, problem }: ProbedHost,
  action: 'plan' | 'undo',
): HostLine[] {
  const lines = [words().head(name, address)];
  if (problem !== null) lines.push(`  ${problem.title}: ${problem.cause}`, `  ${problem.remedy}`);
  if (run?.isRunning) lines.push(`  ${words().running}`);
  if (run?.outcome === 'open' && run.secondsLeft !== null) lines.push(`  ${words().reverts(run.secondsLeft)}`);
  else if (plan?.isUnconfirmed && run?.outcome !== 'open') lines.push(`  ${words().neverConfirmed}`);
  if (plan !== null && plan.changes.length === 0)
    lines.push(`  ${action === 'undo' ? words().nothingToUndo : words().unchanged}`);
  return lines.map(createTextLine);
}

/** Formats the changes by kind, files with their diffs, and the packages that an undo leaves. */
export function formatHostChanges(plan: ProbedHost['plan']): HostLine[] {
  if (plan === null) return [];
  const packageLines =
    plan.remainingPackages.length === 0
      ? []
      : [createTextLine(words().packagesStay(plan.remainingPackages.join(', ')))];
  return [...CHANGE_KINDS.flatMap((kind) => formatKind(kind, plan.changes)), ...packageLines];
}

function formatKind(kind: HostChange['kind'], changes: readonly HostChange[]): HostLine[] {
  const kindChanges = changes.filter((change) => change.kind === kind);
  if (kindChanges.length === 0) return [];
  const title = words().kinds[kind];
  if (kind === 'package')
    return [createTextLine(`  ${title}: ${kindChanges.map(({ subject }) => subject).join(', ')}`)];
  return [createTextLine(`  ${title}`), ...kindChanges.flatMap(formatChange)];
}

function formatChange({ subject, mode, diff }: HostChange): HostLine[] {
  const line = createTextLine(`    ${mode === null ? subject : words().file(subject, words().changeModes[mode])}`);
  // The diff of a new file would be its whole text.
  if (mode === 'new' || mode === 'remove' || diff.length === 0) return [line];
  const diffLines = diff
    .slice(0, MAX_DIFF_LINES)
    .map((text): HostLine => ({ text: `${DIFF_INDENT}${text}`, isDiff: true }));
  const rest = diff.length - MAX_DIFF_LINES;
  return [line, ...diffLines, ...(rest > 0 ? [createTextLine(`      ${words().diffMore(rest)}`)] : [])];
}
