import type { ServiceHost } from '../../../design/model.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import type { ActionTarget, Confirmation, HostOption, PreviewedAction, StepContext } from '../../contract.ts';
import { listHostsInSetupOrder } from '../../shared/hosts/host-roles.ts';
import { requireTarget } from '../../step-action.ts';
import { applyToHost, undoOnHost } from './apply.ts';
import { formatHostChanges, formatHostStatus, toConfirmationLine } from './lines.ts';
import {
  type HostAction,
  listEditedFiles,
  needsAction,
  type PlanCommand,
  type ProbedHost,
  probeHosts,
  runOnHosts,
} from './run-hosts.ts';

const words = () => catalogue().steps.hosts.remoteSetup;

/** Selection of the user on the screen: hosts, and what the user consents to for them. */
interface HostSelection {
  readonly hosts: readonly ServiceHost[];
  /** Also overwrites files that were edited since. */
  readonly overwrites: boolean;
  readonly isParallel: boolean;
}

const PLAN_COMMANDS = { 'set-up': 'plan', undo: 'undo-plan' } as const satisfies Record<PreviewedAction, PlanCommand>;

function selectHosts({ design }: StepContext, target: ActionTarget | null): HostSelection {
  const { names, options } = requireTarget(target ?? { kind: 'hosts', names: [], options: [] }, 'hosts');
  const hosts = listHostsInSetupOrder(design).filter(({ name }) => names.includes(name));
  return { hosts, overwrites: options.includes('overwrite'), isParallel: options.includes('side-by-side') };
}

/**
 * Previews what setting up hosts from here, or undoing that, would change now. Queries each of them, which changes
 * nothing.
 */
export async function previewHosts(
  context: StepContext,
  target: ActionTarget | null,
  action: PreviewedAction,
): Promise<Confirmation> {
  const { hosts, overwrites, isParallel } = selectHosts(context, target);
  const createTarget = (...options: readonly HostOption[]) =>
    ({ kind: 'hosts', names: hosts.map(({ name }) => name), options }) as const;
  const probedHosts = await probeHosts(context, hosts, PLAN_COMMANDS[action]);
  for (const host of probedHosts)
    context.probeCache.shownChanges.set(formatPlanKey(action, host.name), serializeChanges(host));
  const editedLines = probedHosts.flatMap((host) =>
    listEditedFiles(host).map((path) => words().edited(path, host.name, overwrites)),
  );
  const lines = probedHosts.flatMap((host) => [
    ...formatHostStatus(host, action === 'undo' ? 'undo' : 'plan'),
    ...formatHostChanges(host.plan),
  ]);
  const hasProblem = probedHosts.some(({ problem }) => problem !== null);
  // A plain yes would change nothing: only consent to overwrite the changes goes on.
  const needsOverwrite = action === 'set-up' && editedLines.length > 0 && !overwrites;
  const blockedReason = hasProblem ? words().notYet : needsOverwrite ? words().needsOverwrite : null;
  const hostNames = hosts.map(({ name }) => name).join(', ');
  const isActionNeeded = probedHosts.some(needsAction);
  const explanation = action === 'undo' ? words().undoNote : words().setupNote;
  return {
    question: words().question[action](hostNames),
    lines: [
      ...(hasProblem ? [words().notYet] : []),
      ...(isActionNeeded
        ? [isParallel && hosts.length > 1 ? words().inParallel : '', explanation].filter(Boolean)
        : []),
      ...editedLines,
      ...lines.map(toConfirmationLine),
    ],
    ...(blockedReason === null ? {} : { blockedReason }),
    ...(editedLines.length > 0 && overwrites ? { yesLabel: words().keys.overwriteAndRun[action] } : {}),
    ...(!hasProblem && !isActionNeeded ? { nothingToDo: words().nothingToDo[action](hostNames) } : {}),
    alternatives: [
      ...(editedLines.length > 0 && !overwrites
        ? [
            {
              key: 'overwrite',
              label: words().keys.overwrite,
              target: createTarget('overwrite', ...(isParallel ? (['side-by-side'] as const) : [])),
            } as const,
          ]
        : []),
      ...(hosts.length > 1 && !isParallel
        ? [
            {
              key: 'sideBySide',
              label: words().keys.inParallel,
              target: createTarget('side-by-side', ...(overwrites ? (['overwrite'] as const) : [])),
            } as const,
          ]
        : []),
    ],
  };
}

const formatPlanKey = (action: PreviewedAction, name: string) => `${PLAN_COMMANDS[action]} ${name}`;
const serializeChanges = ({ plan }: ProbedHost) => JSON.stringify(plan?.changes ?? null);

/**
 * Runs `install.sh` on hosts, as the command `hosts apply` does, and reports what happens there.
 * @throws UserErrorException `host-otherwise` if the changes would differ from those shown; `host-unreachable`,
 * `host-edited`: nothing was changed; `host-not-set-up` with the failure
 */
export async function setUpHosts(
  context: StepContext,
  target: ActionTarget,
  report: (line: string) => void,
): Promise<void> {
  await runOnSelection(context, target, 'set-up', report, ({ host, plan }, onEvent) =>
    applyToHost(context, host, plan, { onEvent }),
  );
}

/**
 * Restores everything on hosts as it was before the first run; the host that was set up last comes first.
 * @throws UserErrorException as `setUpHosts`, but never `host-edited`
 */
export async function undoHosts(
  context: StepContext,
  target: ActionTarget | null,
  report: (line: string) => void,
): Promise<void> {
  const { overwrites } = selectHosts(context, target);
  await runOnSelection(context, target, 'undo', report, ({ host }, onEvent) =>
    undoOnHost(context, host, { onEvent, overwrites }),
  );
}

async function runOnSelection(
  context: StepContext,
  target: ActionTarget | null,
  action: PreviewedAction,
  report: (line: string) => void,
  run: HostAction,
): Promise<void> {
  const { hosts, overwrites, isParallel } = selectHosts(context, target);
  const probedHosts = await probeHosts(context, hosts, PLAN_COMMANDS[action]);
  const probeProblem = probedHosts.find(({ problem }) => problem !== null)?.problem;
  if (probeProblem)
    throw new UserErrorException({
      code: 'host-unreachable',
      title: probeProblem.title,
      cause: probeProblem.cause,
      remedy: probeProblem.remedy,
    });
  const { shownChanges } = context.probeCache;
  const changedHost = probedHosts.find(
    (host) => (shownChanges.get(formatPlanKey(action, host.name)) ?? serializeChanges(host)) !== serializeChanges(host),
  );
  if (changedHost)
    throw new UserErrorException({ code: 'host-otherwise', ...words().changedMeanwhile(changedHost.name) });
  const editedHost =
    action === 'set-up' && !overwrites ? probedHosts.find((host) => listEditedFiles(host).length > 0) : undefined;
  if (editedHost)
    throw new UserErrorException({
      code: 'host-edited',
      ...words().editedOnHost(listEditedFiles(editedHost).join(', '), editedHost.name),
    });
  const dueHosts = probedHosts.filter(needsAction);
  if (dueHosts.length === 0) return report(words().nothing);
  const orderedHosts = action === 'undo' ? dueHosts.toReversed() : dueHosts;
  const outcomes = await runOnHosts(context, orderedHosts, isParallel, run, report);
  const failedRuns = outcomes.filter(({ failure }) => failure !== null);
  if (failedRuns.length === 0) return;
  const cause = failedRuns.map(({ name, failure }) => catalogue().hosts.hostLine(name, failure ?? '')).join(' ');
  throw new UserErrorException({ code: 'host-not-set-up', ...words().failed, cause });
}
