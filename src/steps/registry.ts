import { bootStep } from './boot/index.ts';
import { bootstrapStep } from './bootstrap/index.ts';
import { bootstrapRemovalStep } from './bootstrap-removal/index.ts';
import { certificatesStep } from './certificates/index.ts';
import { type AnyStep, anyStep, type StepId } from './contract.ts';
import { generateStep } from './generate/index.ts';
import { hostsStep } from './hosts/index.ts';
import { infraStep } from './infra/index.ts';
import { operatorsStep } from './operators/index.ts';
import { prepareStep } from './prepare/index.ts';
import { reportStep } from './report/index.ts';

/** Every step, by its id; their order is STEP_IDS. */
export const STEPS = {
  generate: anyStep(generateStep),
  hosts: anyStep(hostsStep),
  prepare: anyStep(prepareStep),
  boot: anyStep(bootStep),
  bootstrap: anyStep(bootstrapStep),
  'bootstrap-removal': anyStep(bootstrapRemovalStep),
  certificates: anyStep(certificatesStep),
  operators: anyStep(operatorsStep),
  infra: anyStep(infraStep),
  report: anyStep(reportStep),
} satisfies Readonly<Record<StepId, AnyStep>>;

type ViewOf<One> = One extends AnyStep<infer View> ? View : never;
/** The ids of the steps that have this view. */
export type StepWith<View> = StepId & { [Id in StepId]: ViewOf<(typeof STEPS)[Id]> extends View ? Id : never }[StepId];
