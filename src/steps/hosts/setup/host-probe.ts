import { type Finding, findingFromError } from '../../../checks/check.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { runOnHost } from '../../../host/host-run.ts';

import { toUserError } from '../../../i18n/user-error.ts';
import type { StepContext } from '../../contract.ts';
import { type HostPlan, parseHostPlan, parseRunStatus, type RunStatus } from './records.ts';
import { locateRunner } from './runner-location.ts';

/** A service host as probed. */
export interface ProbedHost {
  /** From the design. */
  readonly host: ServiceHost;
  readonly name: string;
  readonly address: string;
  /** Null: it could not be probed, because of `problem`. */
  readonly plan: HostPlan | null;
  readonly run: RunStatus | null;
  readonly problem: Finding | null;
}

/** The plan that a probe requests: the changes of an install, or of its undo. */
export type PlanCommand = 'plan' | 'undo-plan';

/**
 * Probes hosts concurrently: the changes that would be made there now, by a dry run that writes nothing, and the state
 * of the last run. An unreachable host gets a finding, and does not keep the others from being probed.
 */
export async function probeHosts(
  context: StepContext,
  hosts: readonly ServiceHost[],
  command: PlanCommand = 'plan',
): Promise<readonly ProbedHost[]> {
  return await Promise.all(
    hosts.map(async (host): Promise<ProbedHost> => {
      const { name } = host;
      const known = { host, name, address: host.ip[0] };
      try {
        return { ...known, ...(await readPlanAndStatus(context, name, command)), problem: null };
      } catch (error) {
        context.signal.throwIfAborted();
        return { ...known, plan: null, run: null, problem: { ...findingFromError(toUserError(error)), subject: name } };
      }
    }),
  );
}

async function readPlanAndStatus(context: StepContext, name: string, command: PlanCommand) {
  const runner = locateRunner(context, name);
  const { signal } = context;
  const run = parseRunStatus(await runOnHost(runner, ['status'], { signal }));
  // While files are being put in place there is nothing to compare with.
  const plan = run.isRunning ? null : parseHostPlan(await runOnHost(runner, [command], { signal }));
  return { plan, run };
}
