import { type Diagnosis, diagnose, isUnsettled } from '../../diagnosis/causes/diagnose.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Page, StepContext } from '../contract.ts';
import { gatherEvidence, type Outlook } from './gather.ts';
import type { OnUnread } from './log-lines.ts';
import { ocLines } from './oc.ts';
import { diagnosisLines } from './text.ts';

export { diagnoseBundle } from './bundle.ts';
export { ocLines } from './oc.ts';
export { diagnosisLines } from './text.ts';

const words = () => catalogue().diagnose;

/** HAProxy calls a member UP after two checks, ten seconds apart; a firewall that reloads is back sooner. */
const SETTLES_IN = 30 * SECOND;
const MOST_LOOKS = 4;

/**
 * Looks at everything and says what is wrong, the most likely cause first. What may pass in seconds is looked at until two looks agree. Changes
 * nothing.
 * @param context only with `isOnline` time servers on the internet are asked
 * @param report takes a line when it takes longer
 * @param reportUnread takes a line for each machine whose journal cannot be read
 * @throws the reason of the signal when it is aborted
 */
export async function diagnoseNow(
  context: Outlook,
  report: (line: string) => void = () => undefined,
  reportUnread = report,
): Promise<Diagnosis[]> {
  const told = new Set<string>();
  const onUnread: OnUnread = (host, why) => {
    const line = words().journals.unread(host, sanitizeLine(why, 200));
    if (!told.has(line)) reportUnread(line);
    told.add(line);
  };
  let before = diagnose(await gatherEvidence(context, onUnread));
  if (!isUnsettled(before)) return doable(context, before);
  report(words().secondLook(SETTLES_IN / SECOND));
  for (let looks = 2; ; looks += 1) {
    await context.clock.sleep(SETTLES_IN, context.signal);
    const evidence = await gatherEvidence(context, onUnread);
    const [seen, confirmed] = [diagnose(evidence), diagnose(evidence, before)];
    // What came only now needs a look after it as well: dropped, it would be as if nothing were wrong.
    if (seen.length === confirmed.length || looks >= MOST_LOOKS) return doable(context, confirmed);
    before = seen;
  }
}

/** Where other hands than a person's are at the machines, what is to be done there is done by them. */
function doable({ hands }: Outlook, found: readonly Diagnosis[]): Diagnosis[] {
  return found.map((each) => {
    const command = hands.repairing?.(each.rule) ?? null;
    return command === null ? each : { ...each, whatToDo: words().repaired(each.whatToDo, command) };
  });
}

/** The same as a page of the wizard. */
export async function diagnosisPage(context: StepContext): Promise<Page> {
  const unread: string[] = [];
  const found = await diagnoseNow(context, undefined, (line) => void unread.push(line));
  const rest = found.length === 0 ? [] : ocLines(context);
  return {
    title: words().title(found.length),
    lines: [...diagnosisLines(found, false), ...(unread.length === 0 ? [] : ['', ...unread]), ...rest],
  };
}
