import { STAGES, type Stage } from '../../../design/choices.ts';
import type { StepContext } from '../../contract.ts';

/** Returns the stage that was generated last: a resumed session continues from it. */
export function getCurrentStage(context: Pick<StepContext, 'stepState'>): Stage {
  return context.stepState.get('stage') ?? 'install';
}

/** Whether the current stage is this one or a later one. */
export function hasReachedStage(context: StepContext, stage: Stage): boolean {
  return STAGES.indexOf(getCurrentStage(context)) >= STAGES.indexOf(stage);
}
