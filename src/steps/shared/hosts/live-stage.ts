import { STAGES, type Stage } from '../../../design/model.ts';
import type { StepContext } from '../../contract.ts';

/** The stage that was generated last: where a resumed session stands. */
export function liveStage(context: Pick<StepContext, 'memory'>): Stage {
  return context.memory.get('stage') ?? 'install';
}

/** True when the live stage is this one or a later one. */
export function hasReached(context: StepContext, stage: Stage): boolean {
  return STAGES.indexOf(liveStage(context)) >= STAGES.indexOf(stage);
}
