import { type RunnerHost, runOnHost } from '../../../host/host-run.ts';
import type { StepContext } from '../../contract.ts';
import type { HostEvent } from './events.ts';
import { retryOverLostConnection } from './follow.ts';
import { type HostPlan, parseHostPlan } from './records.ts';

/**
 * Whether a host is as it was before the run: the same changes would be made. Packages stay.
 * @param before the changes that were planned then; null if they are not known: then some change has to be pending
 */
export async function isHostRestored(
  context: Pick<StepContext, 'clock' | 'signal'>,
  runner: RunnerHost,
  before: HostPlan | null,
  onEvent: (event: HostEvent) => void,
): Promise<boolean> {
  const { signal } = context;
  const after = parseHostPlan(
    await retryOverLostConnection(context, onEvent, () => runOnHost(runner, ['plan'], { signal })),
  );
  const serializeChanges = ({ changes }: HostPlan) => JSON.stringify(changes.filter(({ kind }) => kind !== 'package'));
  return before === null
    ? !after.isUnconfirmed && after.changes.length > 0
    : serializeChanges(after) === serializeChanges(before);
}
