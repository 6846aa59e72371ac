import { MINUTE } from '../../../ports/clock.ts';
import { cause, failed } from '../cause.ts';

/** Who has answered machines within this time works: one look of ours that got no answer says nothing. */
const LATELY = 30 * MINUTE;

/** Nobody answers where machines fetch their scripts, images and ignition files. */
export const bootServerSilent = cause(
  'boot-server-silent',
  'boot',
  (evidence) => {
    const isAnswering = evidence.machines.some(({ lastRequest }) => evidence.now - (lastRequest?.at ?? 0) < LATELY);
    return isAnswering ? [] : failed(evidence, 'boot-server');
  },
  true,
);
