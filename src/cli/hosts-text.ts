import type { Finding } from '../diagnosis/finding.ts';
import { failing } from '../steps/hosts/setup/checks.ts';
import type { SeenHost } from '../steps/hosts/setup/look.ts';
import type { HostChange } from '../steps/hosts/setup/records.ts';
import { catalogue } from '../text/catalogue.ts';
import { cutLine, wrappedLine } from './live-io.ts';

const words = () => catalogue().hosts;

/** Lines of a difference that are shown: a new file is as long as it is, and lies in the install directory. */
const MOST_LINES = 12;
const KINDS = ['package', 'file', 'service', 'firewall', 'selinux'] as const;

/** A host, and where they were asked, what its checks found. */
export interface CheckedHost extends SeenHost {
  readonly checks?: readonly Finding[];
}

/** A host as scripts read it. */
export function hostJson({ name, address, plan, run, trouble, checks = [] }: CheckedHost) {
  return {
    name,
    address,
    state: stateOf({ plan, run }),
    changes: plan?.changes ?? [],
    units: plan?.units ?? [],
    run: run?.id === null ? null : run,
    checks: checks.map(({ code, subject, state, title, cause }) => ({
      id: code,
      subject,
      result: state,
      title,
      evidence: cause,
    })),
    trouble:
      trouble === null
        ? null
        : { code: trouble.code, title: trouble.title, cause: trouble.cause, whatToDo: trouble.whatToDo },
  };
}

/** `unconfirmed`: what was put in place goes back by itself. `unknown`: it could not be looked at. */
function stateOf({ plan, run }: Pick<SeenHost, 'plan' | 'run'>) {
  if (run?.isRunning) return 'running';
  if (plan === null) return 'unknown';
  if (run?.outcome === 'open') return 'unconfirmed';
  return plan.changes.length === 0 ? 'same' : plan.isInstalled ? 'other' : 'new';
}

/** The hosts, one below the other, each with what would change there. */
export function hostsText(hosts: readonly CheckedHost[], columns: number, what: 'plan' | 'undo' = 'plan'): string {
  return hosts.map((host) => hostText(host, columns, what)).join('\n');
}

function hostText(
  { name, address, plan, run, trouble, checks }: CheckedHost,
  columns: number,
  what: 'plan' | 'undo',
): string {
  const lines = [words().head(name, address)];
  if (trouble !== null) lines.push(`  ${trouble.title}: ${trouble.cause}`, `  ${trouble.whatToDo}`);
  if (run?.isRunning) lines.push(`  ${words().running}`);
  if (run?.outcome === 'open' && run.secondsLeft !== null) lines.push(`  ${words().reverts(run.secondsLeft)}`);
  else if (plan?.isUnsettled && run?.outcome !== 'open') lines.push(`  ${words().unsettled}`);
  if (plan !== null && plan.changes.length === 0)
    lines.push(`  ${what === 'undo' ? words().nothingToUndo : words().same}`);
  const wrong = failing(checks ?? []);
  for (const { title, cause } of wrong) lines.push(words().checkWrong(title, cause));
  if (checks !== undefined && wrong.length === 0) lines.push(words().checksFine(checks.length));
  const stays =
    plan === null || plan.packagesThatStay.length === 0
      ? ''
      : wrappedLine(words().packagesStay(plan.packagesThatStay.join(', ')), columns);
  return `${lines.map((line) => wrappedLine(line, columns)).join('')}${changesText(plan?.changes ?? [], columns)}${stays}`;
}

/** Changes by kind, files with their differences. */
export function changesText(changes: readonly HostChange[], columns: number): string {
  return KINDS.map((kind) => {
    const own = changes.filter((change) => change.kind === kind);
    if (own.length === 0) return '';
    const title = words().kinds[kind];
    if (kind === 'package') return wrappedLine(`  ${title}: ${own.map(({ what }) => what).join(', ')}`, columns);
    return `  ${title}\n${own.map((change) => changeText(change, columns)).join('')}`;
  }).join('');
}

function changeText({ what, how, diff }: HostChange, columns: number): string {
  const line = wrappedLine(`    ${how === null ? what : words().file(what, words().hows[how])}`, columns);
  // A new file is the generated one, whole.
  if (how === 'new' || how === 'remove' || diff.length === 0) return line;
  const shown = diff.slice(0, MOST_LINES).map((text) => `${cutLine(`      ${text}`, columns)}\n`);
  const more = diff.length > MOST_LINES ? `      ${words().diffMore(diff.length - MOST_LINES)}\n` : '';
  return `${line}${shown.join('')}${more}`;
}
