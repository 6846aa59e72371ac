import { USUAL } from '../../../src/diagnosis/boot/timeline.ts';
import type { BootView } from '../../../src/steps/shared/machines/boot-watch.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { timeOfDay } from '../../../src/text/time-of-day.ts';
import { wrapLines } from '../../../src/text/width.ts';

const words = () => catalogue().screens.boot.timeline;

/**
 * What one machine showed, what comes next, and why it may not have come:
 *
 *     m1: on 12:00, address 12:01, TFTP 12:01, boot script 12:02
 *     Next: kernel, usually within 2 min; waited 12 min
 *     Likely: A file that machines boot with is missing (rule boot-file-missing; ! proves it)
 *
 * @param now ms; null when nobody looks any more: all files are fetched, and a node may still not have joined, which goes on being told, without
 * a cause, since ports are not seen any more either. Of the bootstrap it is not told: it goes once it has done its work.
 */
export function timelineLines(
  { name, role, takenBy, timeline: { seen, next }, likely }: BootView['nodes'][number],
  now: number | null,
  columns: number,
): string[] {
  const { signs } = catalogue().steps.boot;
  const told = seen.map(({ sign, at }) => words().sign(signs[sign], at === null ? null : timeOfDay(at)));
  const isOver = now === null && role === 'bootstrap';
  return [
    ...(told.length === 0 ? [] : [words().seen(name, told)]),
    ...(takenBy === null || now === null ? [] : [words().taken(takenBy)]),
    ...(next === null || isOver ? [] : [nextLine(next, now)]),
    ...(likely === null || now === null ? [] : [words().likely(catalogue().diagnosis.causes[likely].title, likely)]),
  ].flatMap((line) => wrapLines(line, columns));
}

function nextLine({ sign, since }: NonNullable<BootView['nodes'][number]['timeline']['next']>, now: number | null) {
  const name = catalogue().steps.boot.signs[sign];
  const { usual } = USUAL[sign];
  if (since === null) return words().next(name, usual, null);
  if (now === null) return words().nextAfter(name, usual, timeOfDay(since));
  return words().next(name, usual, catalogue().screens.age(now - since));
}
