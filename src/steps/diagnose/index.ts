import { type Diagnosis, diagnose, needsSecondProbe } from '../../checks/rules/diagnose.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { SECOND } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import type { Page, StepContext } from '../contract.ts';
import { type DiagnoseContext, gatherEvidence } from './evidence.ts';
import { getKubeconfigHint } from './kubeconfig-hint.ts';
import type { OnUnread } from './log-lines.ts';
import { formatDiagnoses } from './text.ts';

export { diagnoseBundle } from './bundle.ts';
export { getKubeconfigHint } from './kubeconfig-hint.ts';
export { formatDiagnoses } from './text.ts';

const words = () => catalogue().diagnose;

/** HAProxy marks a member UP after two checks, ten seconds apart; a firewall that reloads is back sooner. */
const RECHECK_DELAY = 30 * SECOND;
const MAX_PROBES = 4;

/**
 * Probes everything and diagnoses what is wrong, the most likely cause first. Problems that may disappear within
 * seconds are probed until two probes agree. Changes nothing.
 * @param context only with `isOnline`, time servers on the internet are queried
 * @param report receives a line if it takes longer
 * @param reportUnread receives a line for each machine whose journal cannot be read
 * @throws the reason of the signal when it is aborted
 */
export async function diagnoseInstallation(
  context: DiagnoseContext,
  report: (line: string) => void = () => undefined,
  reportUnread = report,
): Promise<Diagnosis[]> {
  const reported = new Set<string>();
  const onUnread: OnUnread = (host, why) => {
    const line = words().journals.unread(host, sanitizeLine(why, 200));
    if (!reported.has(line)) reportUnread(line);
    reported.add(line);
  };
  let previous = diagnose(await gatherEvidence(context, onUnread));
  if (!needsSecondProbe(previous)) return withSimulatedRepairCommands(context, previous);
  report(words().recheck(RECHECK_DELAY / SECOND));
  for (let probes = 2; ; probes += 1) {
    await context.clock.sleep(RECHECK_DELAY, context.signal);
    const evidence = await gatherEvidence(context, onUnread);
    const [current, confirmed] = [diagnose(evidence), diagnose(evidence, previous)];
    // A new finding needs another probe as well: if it were dropped, nothing would seem to be wrong.
    if (current.length === confirmed.length || probes >= MAX_PROBES)
      return withSimulatedRepairCommands(context, confirmed);
    previous = current;
  }
}

/** In a rehearsal, adds the command that repairs the simulated machine or network. */
function withSimulatedRepairCommands({ manualActions }: DiagnoseContext, found: readonly Diagnosis[]): Diagnosis[] {
  return found.map((each) => {
    const command = manualActions.repairCommand?.(each.rule) ?? null;
    return command === null ? each : { ...each, whatToDo: words().rehearsalRepair(each.whatToDo, command) };
  });
}

/** Builds a page of the wizard with the same diagnosis. */
export async function buildDiagnosisPage(context: StepContext): Promise<Page> {
  const unread: string[] = [];
  const found = await diagnoseInstallation(context, undefined, (line) => void unread.push(line));
  const rest = found.length === 0 ? [] : getKubeconfigHint(context);
  return {
    title: words().title(found.length),
    lines: [...formatDiagnoses(found, false), ...(unread.length === 0 ? [] : ['', ...unread]), ...rest],
  };
}
