import { floodAfter } from '../../cluster/csr/flood.ts';
import type { Judgement } from '../../cluster/csr/judgement.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import type { StepContext } from '../contract.ts';

const words = () => catalogue().findings;

/** That it is over is told for this long. */
const TOLD_FOR = 10 * MINUTE;

/**
 * That nothing is approved by itself because there are too many requests, since when; afterwards that it goes on.
 * @param requests all, judged; null when they could not be read, which ends no flood
 */
export function floodFindings(
  context: Pick<StepContext, 'design' | 'clock' | 'recollection'>,
  requests: readonly Judgement[] | null,
): Finding[] {
  const now = context.clock.now();
  const before = context.recollection.flood;
  const flood = requests === null ? before : floodAfter(before, requests, { design: context.design, now });
  if (flood === null) return [];
  context.recollection.flood = flood;
  const { since, until, pending, limit } = flood;
  const about = { code: 'request-flood', subject: null };
  if (until === null) {
    const { title, cause, whatToDo } = words().flood;
    return [{ ...about, severity: 'warning', title: title(timeOfDay(since)), cause: cause(pending, limit), whatToDo }];
  }
  if (now - until > TOLD_FOR) return [];
  const { title, cause, whatToDo } = words().floodOver;
  const told = { title: title(timeOfDay(until)), cause: cause(timeOfDay(since)), whatToDo };
  return [{ ...about, severity: 'note', ...told }];
}
