import { bootStep } from './boot/index.ts';
import { bootstrapStep } from './bootstrap/index.ts';
import { bootstrapRemovalStep } from './bootstrap-removal/index.ts';
import { certificatesStep } from './certificates/index.ts';
import type { Step, StepId } from './contract.ts';
import { generateStep } from './generate/index.ts';
import { hostsStep } from './hosts/index.ts';
import { infraStep } from './infra/index.ts';
import { operatorsStep } from './operators/index.ts';
import { prepareStep } from './prepare/index.ts';
import { reportStep } from './report/index.ts';

/** Every step, by its id; their order is STEP_IDS. */
export const STEPS = {
  generate: generateStep,
  hosts: hostsStep,
  prepare: prepareStep,
  boot: bootStep,
  bootstrap: bootstrapStep,
  'bootstrap-removal': bootstrapRemovalStep,
  certificates: certificatesStep,
  operators: operatorsStep,
  infra: infraStep,
  report: reportStep,
} as unknown as Readonly<Record<StepId, Step>>;
