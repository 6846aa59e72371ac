import type { Rule } from '../rule.ts';
import { configChanged, directoryAlive, directoryUsed } from './directory.ts';
import type { LaterEvidence, PrepareEvidence } from './evidence.ts';
import { ignitionExpired, ignitionExpires } from './expiry.ts';
import { imagesMissing, imagesOlder, imagesUnchecked, imagesWrong } from './images.ts';
import { installerArchitecture, installerArchitectureUnknown, installerMissing, installerVersion } from './program.ts';
import { bootFiles } from './served.ts';
import { workerIgnition } from './worker-ignition.ts';

/** Rules before a machine is powered on; `fatal`: pressing Enter cannot correct it. */
export const PREPARE: readonly Rule<PrepareEvidence>[] = [
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

/** The same for nodes that join a running cluster: without an installer, nothing fetches what they boot from. */
export const PREPARE_LATER: readonly Rule<LaterEvidence>[] = [
  { ...imagesMissing, severity: 'fatal' },
  imagesOlder,
  workerIgnition,
];
