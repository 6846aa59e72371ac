import type { Finding } from '../../diagnosis/finding.ts';
import { failing } from '../../steps/hosts/setup/checks.ts';
import { changeLines, type HostLine, standingLines } from '../../steps/hosts/setup/lines.ts';
import type { SeenHost } from '../../steps/hosts/setup/look.ts';
import { catalogue } from '../../text/catalogue.ts';
import { cutLine, wrappedLine } from '../shared/live-io.ts';

const words = () => catalogue().hosts;

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

function hostText({ checks, ...host }: CheckedHost, columns: number, what: 'plan' | 'undo'): string {
  const wrong = failing(checks ?? []);
  const checked = [
    ...wrong.map(({ title, cause }) => words().checkWrong(title, cause)),
    ...(checks !== undefined && wrong.length === 0 ? [words().checksFine(checks.length)] : []),
  ].map((text): HostLine => ({ text, isDiff: false }));
  return [...standingLines(host, what), ...checked, ...changeLines(host.plan)]
    .map(({ text, isDiff }) => (isDiff ? `${cutLine(text, columns)}\n` : wrappedLine(text, columns)))
    .join('');
}
