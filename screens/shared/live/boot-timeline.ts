import { SIGN_MINUTES } from '../../../src/checks/boot/timeline.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { formatTimeOfDay } from '../../../src/platform/clock.ts';
import { wrapLines } from '../../../src/platform/text.ts';
import type { BootView } from '../../../src/steps/shared/machines/boot-progress.ts';

const words = () => catalogue().screens.boot.timeline;

/**
 * The boot signs of a machine, the next expected sign, and the likely cause of its absence:
 *
 *     m1: on 12:00, address 12:01, TFTP 12:01, boot script 12:02
 *     Next: kernel, usually within 2 min; waited 12 min
 *     Likely: A file that machines boot with is missing (rule boot-file-missing; ! proves it)
 *
 * @param now ms; null once probing has ended, with all files fetched. A node that has not joined is still listed, but
 * without a cause: ports are not probed any more. The bootstrap machine has no next sign then: it is removed after use.
 */
export function renderBootTimeline(
  { name, role, conflictingMac, timeline: { signs: observed, next }, likely }: BootView['nodes'][number],
  now: number | null,
  columns: number,
): string[] {
  const { signs } = catalogue().steps.boot;
  const signTexts = observed.map(({ sign, at }) => words().sign(signs[sign], at === null ? null : formatTimeOfDay(at)));
  const isOver = now === null && role === 'bootstrap';
  return [
    ...(signTexts.length === 0 ? [] : [words().observedSigns(name, signTexts)]),
    ...(conflictingMac === null || now === null ? [] : [words().addressTaken(conflictingMac)]),
    ...(next === null || isOver ? [] : [formatNextSign(next, now)]),
    ...(likely === null || now === null ? [] : [words().likely(catalogue().diagnosis.causes[likely].title, likely)]),
  ].flatMap((line) => wrapLines(line, columns));
}

function formatNextSign(
  { sign, since }: NonNullable<BootView['nodes'][number]['timeline']['next']>,
  now: number | null,
) {
  const name = catalogue().steps.boot.signs[sign];
  const { usual } = SIGN_MINUTES[sign];
  if (since === null) return words().next(name, usual, null);
  if (now === null) return words().nextAfter(name, usual, formatTimeOfDay(since));
  return words().next(name, usual, catalogue().screens.age(now - since));
}
