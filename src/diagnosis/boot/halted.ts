import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { BootEvidence, MachineEvidence } from './evidence.ts';

/**
 * How long after a stage the next one usually comes, in minutes, and how long nobody calls late: the root file system has a
 * gigabyte, and firmware tries its other devices first.
 */
const NEXT = {
  lease: { usual: 1, late: 15 },
  script: { usual: 1, late: 10 },
  kernel: { usual: 2, late: 10 },
  rootfs: { usual: 3, late: 10 },
} as const;

type Halting = keyof typeof NEXT;

/** A machine came so far, was refused nothing, and the next thing did not happen: the first one that is missing says why. */
export const halted: Rule<BootEvidence, 'boot-halted'> = {
  code: 'boot-halted',
  severity: 'warning',
  judge: ({ machines, now, boot }) =>
    boot === 'iso'
      ? []
      : machines.flatMap(({ name, stage, awaitedSince, poweredOnAt, lastRequest }) => {
          const since = lastRequest?.at ?? awaitedSince;
          if (!isHalting(stage) || poweredOnAt === null || since === null) return [];
          // An answer that says no is the cause itself.
          if ((lastRequest?.status ?? 0) >= 400) return [];
          const { usual, late } = NEXT[stage];
          const waited = Math.floor((now - since) / MINUTE);
          if (waited < late) return [];
          const { title, cause, whatToDo } = catalogue().diagnosis.boot['boot-halted'];
          return [
            {
              subject: name,
              title: title(name, stage),
              cause: cause(stage, waited, usual),
              whatToDo: whatToDo[stage](name),
            },
          ];
        }),
};

function isHalting(stage: MachineEvidence['stage']): stage is Halting {
  return stage in NEXT;
}
