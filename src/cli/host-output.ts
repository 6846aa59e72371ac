import type { Finding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { filterFailed } from '../steps/hosts/setup/apply.ts';
import type { HostChange } from '../steps/hosts/setup/follow.ts';
import { formatHostChanges, formatHostStatus, type HostLine } from '../steps/hosts/setup/lines.ts';
import type { ProbedHost } from '../steps/hosts/setup/run-hosts.ts';
import { truncateLine, wrapLine } from './shared/process-io.ts';

const words = () => catalogue().hosts;

/** A host and, if they were run, the results of its checks. */
export interface CheckedHost extends ProbedHost {
  readonly checks?: readonly Finding[];
}

/** Returns the JSON document of a host. */
export function toHostJson({ name, address, plan, run, problem, checks = [] }: CheckedHost) {
  return {
    name,
    address,
    state: deriveHostState({ plan, run }),
    changes: plan?.changes.map(toChangeDocument) ?? [],
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
      problem === null
        ? null
        : { code: problem.code, title: problem.title, cause: problem.cause, whatToDo: problem.remedy },
  };
}

function toChangeDocument({ kind, subject, mode, diff }: HostChange) {
  return { kind, what: subject, how: mode, diff };
}

/** Derives the state of a host. `unconfirmed`: reverted unless confirmed. `unknown`: the host could not be probed. */
function deriveHostState({ plan, run }: Pick<ProbedHost, 'plan' | 'run'>) {
  if (run?.isRunning) return 'running';
  if (plan === null) return 'unknown';
  if (run?.outcome === 'open') return 'unconfirmed';
  return plan.changes.length === 0 ? 'same' : plan.isInstalled ? 'other' : 'new';
}

/** Formats the hosts, one below the other, each with its pending changes. */
export function formatHosts(hosts: readonly CheckedHost[], columns: number, mode: 'plan' | 'undo' = 'plan'): string {
  return hosts.map((host) => formatHost(host, columns, mode)).join('\n');
}

function formatHost({ checks, ...host }: CheckedHost, columns: number, mode: 'plan' | 'undo'): string {
  const failedChecks = filterFailed(checks ?? []);
  const checkLines = [
    ...failedChecks.map(({ title, cause }) => words().checkWrong(title, cause)),
    ...(checks !== undefined && failedChecks.length === 0 ? [words().checksFine(checks.length)] : []),
  ].map((text): HostLine => ({ text, isDiff: false }));
  return [...formatHostStatus(host, mode), ...checkLines, ...formatHostChanges(host.plan)]
    .map(({ text, isDiff }) => (isDiff ? `${truncateLine(text, columns)}\n` : wrapLine(text, columns)))
    .join('');
}
