import type { Rule } from '../rule.ts';
import { configChanged, directoryAlive, directoryUsed } from './directory.ts';
import type { LaterEvidence, PrepareEvidence } from './evidence.ts';
import { ignitionExpired, ignitionExpires } from './expiry.ts';
import { imagesMissing, imagesOlder, imagesUnchecked, imagesWrong } from './images.ts';
import { installerArchitecture, installerMissing, installerVersion } from './program.ts';
import { bootFiles } from './served.ts';

/** What is wrong before a machine is switched on; `fatal` is what going on cannot put right. */
export const PREPARE: readonly Rule<PrepareEvidence>[] = [
  installerMissing,
  installerVersion,
  installerArchitecture,
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

/** The same for nodes that join a cluster which runs: no installer fetches what they boot with. */
export const PREPARE_LATER: readonly Rule<LaterEvidence>[] = [{ ...imagesMissing, severity: 'fatal' }, imagesOlder];
