import type { ServiceHost } from '../design/model.ts';
import { catalogue, isYesAnswer } from '../i18n/catalogue.ts';
import { runWithAuditLog } from '../session/audit-log.ts';
import type { StepContext } from '../steps/contract.ts';
import { applyToHost, undoOnHost } from '../steps/hosts/setup/apply.ts';
import {
  type HostAction,
  isSuccessful,
  listEditedFiles,
  needsAction,
  type ProbedHost,
  probeHosts,
  runOnHosts,
} from '../steps/hosts/setup/run-hosts.ts';
import { formatHosts } from './host-output.ts';
import type { ProcessIo } from './shared/process-io.ts';

const words = () => catalogue().hosts;

/** Confirmations that options give in advance. */
export interface HostConsent {
  readonly assumeYes: boolean;
  /** Also overwrite files that were changed on the host. */
  readonly canOverwrite: boolean;
  /** All hosts in parallel; otherwise one after the other, stopping at the first failure. */
  readonly isParallel: boolean;
  /** Seconds after which unconfirmed changes are reverted. Null or undefined: the default period. */
  readonly revertAfterSeconds?: number | null;
}

type ActionExitCode = 0 | 4 | 5;
type DialogIo = Pick<ProcessIo, 'ask' | 'stderr' | 'columns'>;

/**
 * Shows the planned changes, asks for confirmation (also for each edited file), and applies them.
 * @returns 0 if every host that was due keeps its changes; 4 if a host is unreachable, the user declined or a run
 * failed; 5 if files that were changed on a host would be overwritten
 */
export async function applyHosts(
  context: StepContext,
  hosts: readonly ServiceHost[],
  io: DialogIo,
  consent: HostConsent,
): Promise<ActionExitCode> {
  const probedHosts = await probeHosts(context, hosts);
  io.stderr(formatHosts(probedHosts, io.columns));
  const exitCode = reportUnreachable(probedHosts, io);
  if (exitCode !== null) return exitCode;
  const dueHosts = probedHosts.filter(needsAction);
  if (dueHosts.length === 0) return printAndReturn(io, words().nothing, 0);
  for (const host of dueHosts) {
    const editedFiles = listEditedFiles(host);
    if (consent.assumeYes && editedFiles.length > 0 && !consent.canOverwrite)
      return printAndReturn(io, words().editedStop(editedFiles.join(', '), host.name), 5);
  }
  if (!consent.assumeYes) {
    if (!(await confirm(io, words().confirmApply(dueHosts.map(({ name }) => name).join(', ')))))
      return printAndReturn(io, words().declined, 4);
    for (const host of consent.canOverwrite ? [] : dueHosts) {
      for (const path of listEditedFiles(host)) {
        if (!(await confirm(io, words().confirmOverwrite(path, host.name))))
          return printAndReturn(io, words().declined, 5);
      }
    }
  }
  const revertOptions = consent.revertAfterSeconds === null ? {} : { revertAfterSeconds: consent.revertAfterSeconds };
  return await runOnDueHosts(context, 'set-up', dueHosts, consent, io, ({ host, plan }, onEvent) =>
    applyToHost(context, host, plan, { onEvent, ...revertOptions }),
  );
}

/**
 * Shows what an undo would restore, asks, and restores the hosts in reverse setup order.
 * @returns 0 if every host that was due is restored, else 4
 */
export async function undoHosts(
  context: StepContext,
  hosts: readonly ServiceHost[],
  io: DialogIo,
  consent: HostConsent,
): Promise<ActionExitCode> {
  const probedHosts = (await probeHosts(context, hosts, 'undo-plan')).toReversed();
  io.stderr(formatHosts(probedHosts, io.columns, 'undo'));
  const exitCode = reportUnreachable(probedHosts, io);
  if (exitCode !== null) return exitCode;
  const dueHosts = probedHosts.filter(needsAction);
  if (dueHosts.length === 0) return printAndReturn(io, words().nothing, 0);
  const overwriteHosts = new Set<string>();
  if (!consent.assumeYes && !(await confirm(io, words().confirmUndo(dueHosts.map(({ name }) => name).join(', ')))))
    return printAndReturn(io, words().declined, 4);
  for (const host of dueHosts) {
    const editedFiles = listEditedFiles(host);
    if (editedFiles.length === 0) continue;
    const isConfirmed =
      consent.canOverwrite ||
      (!consent.assumeYes && (await confirm(io, words().confirmOverwrite(editedFiles.join(', '), host.name))));
    if (isConfirmed) overwriteHosts.add(host.name);
    else io.stderr(`${words().editedStay(editedFiles.join(', '), host.name)}\n`);
  }
  return await runOnDueHosts(context, 'undo', dueHosts, consent, io, ({ host }, onEvent) =>
    undoOnHost(context, host, { onEvent, overwrites: overwriteHosts.has(host.name) }),
  );
}

/**
 * Reports unreachable hosts, which end the command before any change. Returns the exit code of the command; null if all
 * hosts are reachable.
 */
function reportUnreachable(hosts: readonly ProbedHost[], io: DialogIo): ActionExitCode | null {
  const unreachableNames = hosts.filter(({ problem }) => problem !== null).map(({ name }) => name);
  return unreachableNames.length === 0 ? null : printAndReturn(io, words().unreachable(unreachableNames.join(', ')), 4);
}

/** Acts on the hosts that are due, in the order of the list. The journal records the start and the result of each. */
async function runOnDueHosts(
  context: StepContext,
  action: 'set-up' | 'undo',
  dueHosts: readonly ProbedHost[],
  { isParallel }: HostConsent,
  io: DialogIo,
  runAction: HostAction,
): Promise<ActionExitCode> {
  const runWithJournal: HostAction = (probedHost, onEvent) =>
    runWithAuditLog(
      context,
      { step: 'hosts', action, subject: probedHost.name },
      () => runAction(probedHost, onEvent),
      (run) => (isSuccessful(run) ? null : `host-${run.kind}`),
    );
  const outcomes = await runOnHosts(context, dueHosts, isParallel, runWithJournal, (line) => io.stderr(`${line}\n`));
  return outcomes.every(({ failure }) => failure === null) ? 0 : 4;
}

async function confirm(io: DialogIo, question: string): Promise<boolean> {
  return isYesAnswer((await io.ask?.(question)) ?? '');
}

function printAndReturn<C extends ActionExitCode>(io: DialogIo, line: string, code: C): C {
  io.stderr(`${line}\n`);
  return code;
}
