import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Rule } from '../rule.ts';
import type { BootEvidence, MachineEvidence } from './evidence.ts';

/**
 * Usual time from a stage to the next one, in minutes, and the time until which it does not count as late: the root
 * file system has a gigabyte, and firmware tries its other devices first.
 */
const NEXT_STAGE_MINUTES = {
  lease: { usual: 1, late: 15 },
  script: { usual: 1, late: 10 },
  kernel: { usual: 2, late: 10 },
  rootfs: { usual: 3, late: 10 },
} as const;

type StallableStage = keyof typeof NEXT_STAGE_MINUTES;

/**
 * A machine reached a stage, no request was refused, and the next stage did not follow: the first missing stage shows
 * why.
 */
export const bootStalled: Rule<BootEvidence, 'boot-halted'> = {
  code: 'boot-halted',
  severity: 'warning',
  evaluate: ({ machines, now, boot }) =>
    boot === 'iso'
      ? []
      : machines.flatMap(({ name, stage, awaitedSince, poweredOnAt, lastRequest }) => {
          const since = lastRequest?.at ?? awaitedSince;
          if (!isStallable(stage) || poweredOnAt === null || since === null) return [];
          // A refused request is the cause itself.
          if ((lastRequest?.status ?? 0) >= 400) return [];
          const { usual, late } = NEXT_STAGE_MINUTES[stage];
          const waited = Math.floor((now - since) / MINUTE);
          if (waited < late) return [];
          const { title, cause, remedy } = catalogue().diagnosis.boot['boot-halted'];
          return [
            {
              subject: name,
              title: title(name, stage),
              cause: cause(stage, waited, usual),
              remedy: remedy[stage](name),
            },
          ];
        }),
};

function isStallable(stage: MachineEvidence['stage']): stage is StallableStage {
  return stage in NEXT_STAGE_MINUTES;
}
