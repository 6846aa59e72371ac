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
export const STEPS: Readonly<Record<StepId, AnyStep>> = {
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
};
