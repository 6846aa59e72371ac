import { bootStep } from './boot.ts';
import { bootstrapStep } from './bootstrap.ts';
import { bootstrapRemovalStep } from './bootstrap-removal.ts';
import { certificatesStep } from './certificates.ts';
import type { Step, StepId } from './contract.ts';
import { generateStep } from './generate.ts';
import { hostsStep } from './hosts.ts';
import { infraStep } from './infra.ts';
import { operatorsStep } from './operators.ts';
import { prepareStep } from './prepare.ts';
import { reportStep } from './report.ts';

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
