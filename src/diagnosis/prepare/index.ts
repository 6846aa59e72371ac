import type { Rule } from '../rule.ts';
import { bootFiles } from './boot-files.ts';
import { configChanged, directoryAlive, directoryUsed } from './directory.ts';
import type { JoinPrepareEvidence, PrepareEvidence } from './evidence.ts';
import { ignitionExpired, ignitionExpires } from './expiry.ts';
import { imagesMissing, imagesOlder, imagesUnchecked, imagesWrong } from './images.ts';
import { installerArchitecture, installerArchitectureUnknown, installerMissing, installerVersion } from './program.ts';
import { workerIgnition } from './worker-ignition.ts';

/** Rules before the first power-on; `fatal`: pressing Enter cannot correct it. */
export const PREPARE_RULES: readonly Rule<PrepareEvidence>[] = [
  installerMissing,
  installerVersion,
  installerArchitecture,
  installerArchitectureUnknown,
  imagesWrong,
  imagesMissing,
  imagesUnchecked,
  configChanged,
  directoryAlive,
  directoryUsed,
  ignitionExpired,
  ignitionExpires,
  bootFiles,
];

/**
 * Rules for nodes that join a running cluster. Missing images are fatal: without an installer, the wizard cannot fetch
 * them.
 */
export const JOIN_PREPARE_RULES: readonly Rule<JoinPrepareEvidence>[] = [
  { ...imagesMissing, severity: 'fatal' },
  imagesOlder,
  workerIgnition,
];
