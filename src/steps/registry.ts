import { bootStep } from './boot/index.ts';
import { bootstrapStep } from './bootstrap/index.ts';
import { bootstrapRemovalStep } from './bootstrap-removal/index.ts';
import { certificatesStep } from './certificates/index.ts';
import { type AnyStep, type StepId, toAnyStep } from './contract.ts';
import { generateStep } from './generate/index.ts';
import { hostsStep } from './hosts/index.ts';
import { infraStep } from './infra/index.ts';
import { operatorsStep } from './operators/index.ts';
import { prepareStep } from './prepare/index.ts';
import { reportStep } from './report/index.ts';

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

type ViewOf<One> = One extends AnyStep<infer View> ? View : never;
/** The ids of the steps that have this view. */
export type StepIdWithView<View> = StepId &
  { [Id in StepId]: ViewOf<(typeof STEPS)[Id]> extends View ? Id : never }[StepId];
