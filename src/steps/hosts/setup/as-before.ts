import { type RunPlace, runOnHost } from '../../../bastion/host-run.ts';
import type { StepContext } from '../../contract.ts';
import type { HostEvent } from './events.ts';
import { outlast } from './follow.ts';
import { type HostPlan, parsePlan } from './records.ts';

/**
 * Would the same be changed now as before the run? Packages stay.
 * @param before what was to be changed then; null where nobody knows: then something has to be left to change
 */
export async function isAsBefore(
  context: Pick<StepContext, 'clock' | 'signal'>,
  place: RunPlace,
  before: HostPlan | null,
  tell: (event: HostEvent) => void,
): Promise<boolean> {
  const { signal } = context;
  const after = parsePlan(await outlast(context, tell, () => runOnHost(place, ['plan'], { signal })));
  const told = ({ changes }: HostPlan) => JSON.stringify(changes.filter(({ kind }) => kind !== 'package'));
  return before === null ? !after.isUnsettled && after.changes.length > 0 : told(after) === told(before);
}
