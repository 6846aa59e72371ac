import { catalogue } from '../../../text/catalogue.ts';
import type { SeenHost } from './look.ts';
import type { HostChange } from './records.ts';

const words = () => catalogue().hosts;

/** Lines of a difference that are shown: a new file is as long as it is, and lies in the install directory. */
const MOST_LINES = 12;
const KINDS = ['package', 'file', 'service', 'firewall', 'selinux'] as const;

/** A line about a host. One of a difference is cut where it is too long; any other is folded. */
export interface HostLine {
  readonly text: string;
  readonly isDiff: boolean;
}

const said = (text: string): HostLine => ({ text, isDiff: false });

/** How a host stands, below its name: what cannot be seen, the last run, and that nothing would change. */
export function standingLines({ name, address, plan, run, trouble }: SeenHost, what: 'plan' | 'undo'): HostLine[] {
  const lines = [words().head(name, address)];
  if (trouble !== null) lines.push(`  ${trouble.title}: ${trouble.cause}`, `  ${trouble.whatToDo}`);
  if (run?.isRunning) lines.push(`  ${words().running}`);
  if (run?.outcome === 'open' && run.secondsLeft !== null) lines.push(`  ${words().reverts(run.secondsLeft)}`);
  else if (plan?.isUnsettled && run?.outcome !== 'open') lines.push(`  ${words().unsettled}`);
  if (plan !== null && plan.changes.length === 0)
    lines.push(`  ${what === 'undo' ? words().nothingToUndo : words().same}`);
  return lines.map(said);
}

/** What would be changed, by kind, files with their differences; and the packages that an undo leaves. */
export function changeLines(plan: SeenHost['plan']): HostLine[] {
  if (plan === null) return [];
  const stays =
    plan.packagesThatStay.length === 0 ? [] : [said(words().packagesStay(plan.packagesThatStay.join(', ')))];
  return [...KINDS.flatMap((kind) => kindLines(kind, plan.changes)), ...stays];
}

function kindLines(kind: HostChange['kind'], changes: readonly HostChange[]): HostLine[] {
  const own = changes.filter((change) => change.kind === kind);
  if (own.length === 0) return [];
  const title = words().kinds[kind];
  if (kind === 'package') return [said(`  ${title}: ${own.map(({ what }) => what).join(', ')}`)];
  return [said(`  ${title}`), ...own.flatMap(oneChange)];
}

function oneChange({ what, how, diff }: HostChange): HostLine[] {
  const line = said(`    ${how === null ? what : words().file(what, words().hows[how])}`);
  // A new file is the generated one, whole.
  if (how === 'new' || how === 'remove' || diff.length === 0) return [line];
  const shown = diff.slice(0, MOST_LINES).map((text): HostLine => ({ text: `      ${text}`, isDiff: true }));
  const rest = diff.length - MOST_LINES;
  return [line, ...shown, ...(rest > 0 ? [said(`      ${words().diffMore(rest)}`)] : [])];
}
