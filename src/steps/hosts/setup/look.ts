import { runOnHost } from '../../../bastion/host-run.ts';
import type { ServiceHost } from '../../../design/model.ts';
import type { Finding } from '../../../diagnosis/finding.ts';
import { findingOf } from '../../../diagnosis/finding.ts';
import { asTrouble } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import { runPlace } from './place.ts';
import { type HostPlan, parsePlan, parseStatus, type RunStatus } from './records.ts';

/** A service host as it was found. */
export interface SeenHost {
  /** As the design has it. */
  readonly host: ServiceHost;
  readonly name: string;
  readonly address: string;
  /** Null: it could not be looked at, for `trouble`. */
  readonly plan: HostPlan | null;
  readonly run: RunStatus | null;
  readonly trouble: Finding | null;
}

/** What a look asks: what an install, or its undo, would change now. */
export type LookFor = 'plan' | 'undo-plan';

/**
 * Looks at hosts, side by side: what would be changed there now, judged there by a dry run that writes nothing, and how the last
 * run stands. A host that cannot be reached is told as such, and keeps no other from being looked at.
 */
export async function lookAtHosts(
  context: StepContext,
  hosts: readonly ServiceHost[],
  what: LookFor = 'plan',
): Promise<readonly SeenHost[]> {
  return await Promise.all(
    hosts.map(async (host): Promise<SeenHost> => {
      const { name } = host;
      const known = { host, name, address: host.ip[0] };
      try {
        return { ...known, ...(await lookAt(context, name, what)), trouble: null };
      } catch (error) {
        context.signal.throwIfAborted();
        return { ...known, plan: null, run: null, trouble: { ...findingOf(asTrouble(error)), subject: name } };
      }
    }),
  );
}

async function lookAt(context: StepContext, name: string, what: LookFor) {
  const place = runPlace(context, name);
  const { signal } = context;
  const run = parseStatus(await runOnHost(place, ['status'], { signal }));
  // While files are being put in place there is nothing to compare with.
  const plan = run.isRunning ? null : parsePlan(await runOnHost(place, [what], { signal }));
  return { plan, run };
}
