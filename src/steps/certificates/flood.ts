import { type Flood, floodAfter } from '../../cluster/csr/flood.ts';
import type { Judgement } from '../../cluster/csr/judgement.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import type { StepContext } from '../contract.ts';

const words = () => catalogue().findings;

/** That it is over is told for this long. */
const TOLD_FOR = 10 * MINUTE;

// By install directory. Not in the session: a flood that nobody watched is told when it is seen.
const floods = new Map<string, Flood>();

/** The flood of this install directory as it was seen last; null when none was. */
export function floodOf({ dir }: Pick<StepContext, 'dir'>): Flood | null {
  return floods.get(dir) ?? null;
}

/**
 * That nothing is approved by itself because there are too many requests, since when; afterwards that it goes on.
 * @param requests all, judged; null when they could not be read, which ends no flood
 */
export function floodFindings(
  context: Pick<StepContext, 'dir' | 'design' | 'clock'>,
  requests: readonly Judgement[] | null,
): Finding[] {
  const now = context.clock.now();
  const before = floodOf(context);
  const flood = requests === null ? before : floodAfter(before, requests, { design: context.design, now });
  if (flood === null) return [];
  floods.set(context.dir, flood);
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
