import { bootStep } from './boot.ts';
import { bootstrapStep } from './bootstrap.ts';
import { bootstrapRemovalStep } from './bootstrap-removal.ts';
import { certificatesStep } from './certificates/index.ts';
import { type AnyStep, type StepId, toAnyStep } from './contract.ts';
import { generateStep } from './generate.ts';
import { hostsStep } from './hosts/index.ts';
import { infraStep } from './infra.ts';
import { operatorsStep } from './operators.ts';
import { prepareStep } from './prepare/index.ts';
import { reportStep } from './report.ts';

/** Every step, by its id; their order is STEP_IDS. */
export const STEPS = {
  generate: toAnyStep(generateStep),
  hosts: toAnyStep(hostsStep),
  prepare: toAnyStep(prepareStep),
  boot: toAnyStep(bootStep),
  bootstrap: toAnyStep(bootstrapStep),
  'bootstrap-removal': toAnyStep(bootstrapRemovalStep),
  certificates: toAnyStep(certificatesStep),
  operators: toAnyStep(operatorsStep),
  infra: toAnyStep(infraStep),
  report: toAnyStep(reportStep),
} satisfies Readonly<Record<StepId, AnyStep>>;

type ViewOf<StepType> = StepType extends AnyStep<infer View> ? View : never;
/** The ids of the steps that have this view. */
export type StepIdWithView<View> = StepId &
  { [Id in StepId]: ViewOf<(typeof STEPS)[Id]> extends View ? Id : never }[StepId];
