import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Finding, formatFindings } from '../../checks/check.ts';
import { diagnose, needsSecondProbe } from '../../checks/rules/diagnose.ts';
import type { Evidence } from '../../checks/rules/evidence.ts';
import { type Diagnosis, listMatchingFaults } from '../../checks/rules/index.ts';
import { listNormalSigns, type NormalSign } from '../../checks/rules/normal-signs.ts';
import { catalogue, replaceProgramName } from '../../i18n/catalogue.ts';
import { SECOND } from '../../platform/clock.ts';
import type { SimulatedRepair } from '../../platform/manual-actions.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { Page, StepContext } from '../contract.ts';
import { readPowerOnTimes } from '../shared/machines/node-facts.ts';
import { type DiagnoseContext, gatherEvidence } from './evidence.ts';
import type { UnreadJournalCallback } from './read-logs.ts';

/**
 * Formats a hint how `oc` in another terminal connects to a simulated cluster. None before there is a cluster, and none
 * on a real site, where auth/kubeconfig is enough.
 */
export function formatKubeconfigHint({ clockAnchorFile }: Pick<StepContext, 'clockAnchorFile'>): string[] {
  const file = clockAnchorFile === null ? null : join(dirname(clockAnchorFile), 'oc-kubeconfig');
  return file === null || !existsSync(file) ? [] : ['', catalogue().diagnose.kubeconfigHint(quoteShellArg(file))];
}

const MAX_SUBJECTS = 8;
/** Maximum number of normal signs in the text; the most misleading come first. */
const MAX_SIGNS = 4;
const MAX_SIGN_LENGTH = 240;
/** Characters of evidence, about four lines, that may stand before the remedy. */
const MAX_EVIDENCE_LENGTH = 300;

/** A diagnosis to show; for one from a bundle, `bundleCommand` shows the symptom there. */
type ShownDiagnosis = Diagnosis & { readonly bundleCommand?: string | null };

/**
 * Formats the diagnoses as lines, in the order in which to work through them. The indentation of a line is also that of
 * its continuation when it is wrapped. Commands are complete.
 * @param hasLinks adds the page of the documentation, which is longer than a line of a small screen
 * @param nextText the line after the one that nothing was found
 */
export function formatDiagnoses(
  diagnoses: readonly ShownDiagnosis[],
  hasLinks = true,
  nextText = words().nothingNext,
): string[] {
  if (diagnoses.length === 0) return [words().nothing, nextText];
  return diagnoses.flatMap((diagnosis, index) => [
    ...(index === 0 ? [] : ['']),
    ...formatDiagnosis(diagnosis, index + 1, hasLinks),
  ]);
}

function formatDiagnosis(diagnosis: ShownDiagnosis, number: number, hasLinks: boolean) {
  const { rule, likelihood, title, subjects, symptom, cause, remedy, evidence, documentationUrl } = diagnosis;
  const { symptomLabel, causeLabel, remedyLabel, moreLabel } = words();
  // Another subject with the same evidence is named once, among the subjects.
  const [, symptomText] = splitSubject(symptom);
  const isRepeated = (line: string) => {
    const [subject, text] = splitSubject(line);
    return subjects.includes(subject) && text === symptomText;
  };
  const evidenceLines = evidence
    .slice(1)
    .filter((line) => !isRepeated(line))
    .map((line) => `     ${sanitizeLine(line)}`);
  const symptomLines = [
    `   ${symptomLabel}: ${sanitizeLine(symptom)}`,
    ...evidenceLines.slice(0, 3),
    ...(evidenceLines.length > 3 ? [`     ${words().more(evidenceLines.length - 3)}`] : []),
  ];
  const actionLines = [`   ${causeLabel}: ${cause}`, `   ${remedyLabel}: ${remedy}`];
  // The remedy is not searched for below a long message.
  const isLong = symptomLines.join('').length > MAX_EVIDENCE_LENGTH;
  return [
    `${number}. ${words().heading(title, words().likelihoods[likelihood])}`,
    ...(subjects.length === 0 ? [] : [`   ${words().about(formatSubjects(subjects))}`]),
    ...(isLong ? [...actionLines, ...symptomLines] : [...symptomLines, ...actionLines]),
    ...formatConfirmation(diagnosis),
    `   ${moreLabel}: ${words().inHelp(rule)}`,
    ...(hasLinks ? [`     ${documentationUrl}`] : []),
  ];
}

/** Splits evidence into its first word, which may be its subject, and the rest. */
function splitSubject(line: string): readonly [string, string] {
  const end = line.indexOf(' ');
  return [line.slice(0, end), line.slice(end)];
}

/** Formats signs that look like faults but are normal, as lines; empty if there are none. */
export function formatNormalSigns(signs: readonly NormalSign[]): string[] {
  if (signs.length === 0) return [];
  return [
    '',
    words().normalTitle,
    ...signs
      .slice(0, MAX_SIGNS)
      .flatMap(({ line, meaning }) => [`   ${meaning}`, `     ${sanitizeLine(line, MAX_SIGN_LENGTH)}`]),
  ];
}

/**
 * Formats the commands that confirm a diagnosis: in the bundle, if it has the symptom, and on the site. A command of
 * the remedy is not repeated.
 */
function formatConfirmation({ confirmCommand, bundleCommand, remedy }: ShownDiagnosis): string[] {
  const { confirmLabel, confirmInBundleLabel, confirmOnSiteLabel } = words();
  const siteLines = remedy.includes(`\`${confirmCommand}\``)
    ? []
    : [
        `   ${bundleCommand === undefined ? confirmLabel : confirmOnSiteLabel}:`,
        `       $ ${replaceProgramName(confirmCommand)}`,
      ];
  return bundleCommand == null ? siteLines : [`   ${confirmInBundleLabel}:`, `       $ ${bundleCommand}`, ...siteLines];
}

function formatSubjects(subjects: readonly string[]): string {
  const shownSubjects = subjects.slice(0, MAX_SUBJECTS).map((subject) => sanitizeLine(subject, 120));
  const hiddenCount = subjects.length - shownSubjects.length;
  return `${shownSubjects.join(', ')}${hiddenCount > 0 ? ` ${words().more(hiddenCount)}` : ''}`;
}

export { diagnoseBundle } from './bundle.ts';

const words = () => catalogue().diagnose;

/** HAProxy marks a member UP after two checks, ten seconds apart; a firewall that reloads is back sooner. */
const RECHECK_DELAY = 30 * SECOND;
const MAX_PROBES = 4;

interface InstallationDiagnosis {
  readonly diagnoses: readonly Diagnosis[];
  readonly normalSigns: readonly NormalSign[];
  /** The line about what is waited for, or what comes next, if nothing was found. */
  readonly nextText: string;
}

/** Describes what an installation without faults waits for, or what comes next. */
export function describeNext({ cluster, machines }: Evidence): string {
  const waitingRequests = (cluster?.requests ?? []).filter(({ verdict }) => verdict === 'expected').length;
  if (waitingRequests > 0) return words().requestsWait(waitingRequests);
  if (cluster === null && machines.every(({ poweredOnAt, requests }) => poweredOnAt === null && requests.length === 0))
    return words().nothingStarted;
  const isInstalled =
    cluster?.version?.available === true && machines.every(({ role, hasJoined }) => role === 'bootstrap' || hasJoined);
  return isInstalled ? words().nothingLeft : words().nothingNext;
}

/**
 * Probes everything and diagnoses what is wrong, the most likely cause first. Problems that may disappear within
 * seconds are probed until two probes agree. Changes nothing.
 * @param context only with `isOnline`, time servers on the internet are queried
 * @param report receives a line if the diagnosis takes longer
 * @param reportUnread receives a line for each machine whose journal cannot be read
 * @throws the reason of the signal when it is aborted
 */
export async function diagnoseInstallation(
  context: DiagnoseContext,
  report: (line: string) => void = () => undefined,
  reportUnread = report,
): Promise<InstallationDiagnosis> {
  const reportedLines = new Set<string>();
  const onUnreadJournal: UnreadJournalCallback = (host, reason) => {
    const line = words().journals.unread(host, sanitizeLine(reason, 200));
    if (!reportedLines.has(line)) reportUnread(line);
    reportedLines.add(line);
  };
  const buildResult = (diagnoses: readonly Diagnosis[], evidence: Evidence): InstallationDiagnosis => ({
    diagnoses,
    normalSigns: listNormalSigns(
      evidence,
      diagnoses.map(({ rule }) => rule),
    ),
    nextText: describeNext(evidence),
  });
  const firstEvidence = await gatherEvidence(context, onUnreadJournal);
  let previousDiagnoses = diagnose(firstEvidence);
  if (!needsSecondProbe(previousDiagnoses)) return buildResult(previousDiagnoses, firstEvidence);
  report(words().recheck(RECHECK_DELAY / SECOND));
  for (let probeCount = 2; ; probeCount += 1) {
    await context.clock.sleep(RECHECK_DELAY, context.signal);
    const evidence = await gatherEvidence(context, onUnreadJournal);
    const [currentDiagnoses, confirmedDiagnoses] = [diagnose(evidence), diagnose(evidence, previousDiagnoses)];
    // A new finding needs another probe as well: if it were dropped, nothing would seem to be wrong.
    if (currentDiagnoses.length === confirmedDiagnoses.length || probeCount >= MAX_PROBES)
      return buildResult(confirmedDiagnoses, evidence);
    previousDiagnoses = currentDiagnoses;
  }
}

/**
 * Returns the repair at a machine, or by its network's owner, that the rehearsal simulates; null: none. There is
 * nothing to reboot before a machine was powered on.
 */
function findSimulatedRepair(context: RepairContext, { rule }: Diagnosis): SimulatedRepair | null {
  const repairs = listMatchingFaults(rule).flatMap((fault) => context.manualActions.findRepair?.(fault) ?? []);
  const isPoweredOn = Object.keys(readPowerOnTimes(context)).length > 0;
  return repairs.find(({ isReboot }) => isPoweredOn || !isReboot) ?? null;
}

type RepairContext = Pick<DiagnoseContext, 'manualActions' | 'stepState'>;

/** Adds the command that repairs the simulated machine or network, in a rehearsal. */
export function withRepairCommands(context: RepairContext, diagnoses: readonly Diagnosis[]): Diagnosis[] {
  return diagnoses.map((diagnosis) =>
    addRepairSentence(diagnosis, findSimulatedRepair(context, diagnosis), words().rehearsalRepair),
  );
}

/** Adds the sentence about the simulated repair of a diagnosis to its remedy; null: there is no such repair. */
const addRepairSentence = (
  diagnosis: Diagnosis,
  repair: SimulatedRepair | null,
  format: (repair: SimulatedRepair) => string,
): Diagnosis => (repair === null ? diagnosis : { ...diagnosis, remedy: `${diagnosis.remedy} ${format(repair)}` });

/** In a rehearsal, adds the keys that repair the simulated machine or network, on the page of a step. */
function withRepairKeys(context: RepairContext, diagnosis: Diagnosis): Diagnosis {
  return addRepairSentence(diagnosis, findSimulatedRepair(context, diagnosis), words().rehearsalRepairKeys);
}

/**
 * Converts the most likely diagnosis to a finding, so that the page of a step names that cause; null if there is no
 * diagnosis.
 */
export function toMostLikelyFinding(context: RepairContext, [diagnosis]: readonly Diagnosis[]): Finding | null {
  if (diagnosis === undefined) return null;
  const { rule, likelihood, title, subjects, symptom, remedy } = withRepairKeys(context, diagnosis);
  return {
    code: rule,
    state: 'failed',
    severity: 'fatal',
    likelihood,
    subject: subjects[0] ?? null,
    title: words().heading(title, words().likelihoods[likelihood]),
    cause: sanitizeLine(symptom),
    remedy,
  };
}

/** Maximum number of diagnoses to print after a failure; the others may be consequences of these. */
const MAX_SHOWN_DIAGNOSES = 3;

/**
 * Diagnoses the installation after a step failed.
 * @returns the most likely cause; null if nothing was found. The first diagnoses as lines; the others are counted.
 * `repairText`: the command that repairs the first one in a rehearsal; empty: none
 */
export async function diagnoseFailure(
  context: StepContext,
): Promise<{ readonly cause: Finding | null; readonly lines: readonly string[]; readonly repairText: string }> {
  const { diagnoses } = await diagnoseInstallation(context);
  const [firstDiagnosis] = diagnoses;
  const repair = firstDiagnosis === undefined ? null : findSimulatedRepair(context, firstDiagnosis);
  const shownDiagnoses = withRepairCommands(context, diagnoses);
  const hiddenCount = diagnoses.length - MAX_SHOWN_DIAGNOSES;
  return {
    cause: toMostLikelyFinding(context, diagnoses),
    repairText: repair === null ? '' : words().rehearsalRepair(repair),
    lines: [
      '',
      words().title(diagnoses.length),
      ...formatDiagnoses(shownDiagnoses.slice(0, MAX_SHOWN_DIAGNOSES), false),
      ...(hiddenCount > 0 ? ['', words().more(hiddenCount)] : []),
    ],
  };
}

/**
 * Formats the diagnosis for a page of the wizard.
 * @param shownFindings the failed findings of the screen: while there are some, the page never says that all is well
 * @param nextText the line after the one that nothing was found
 */
export function formatDiagnosisPage(
  diagnoses: readonly Diagnosis[],
  shownFindings: readonly Finding[],
  nextText?: string,
): Page {
  return diagnoses.length === 0 && shownFindings.length > 0
    ? { title: words().title(shownFindings.length), lines: formatFindings(shownFindings, true) }
    : { title: words().title(diagnoses.length), lines: formatDiagnoses(diagnoses, false, nextText) };
}

/**
 * Diagnoses the installation, and builds a page of the wizard with the result.
 * @param shownFindings the failed findings that the screen shows
 */
export async function buildDiagnosisPage(
  context: StepContext,
  shownFindings: readonly Finding[] = [],
): Promise<{ readonly page: Page; readonly likelyCause: Finding | null }> {
  const unreadLines: string[] = [];
  const { diagnoses, normalSigns, nextText } = await diagnoseInstallation(
    context,
    undefined,
    (line) => void unreadLines.push(line),
  );
  const hintLines = diagnoses.length === 0 ? [] : formatKubeconfigHint(context);
  // The key repairs the first fault: the others may be its consequences. A reboot is the last resort.
  const repairs = diagnoses.flatMap((diagnosis) => findSimulatedRepair(context, diagnosis) ?? []);
  const repair = repairs.find(({ isReboot }) => !isReboot) ?? repairs[0];
  const isRepaired = (diagnosis: Diagnosis) =>
    repair !== undefined && findSimulatedRepair(context, diagnosis)?.id === repair.id;
  const repairedIndex = diagnoses.findIndex(isRepaired);
  const shownDiagnoses = diagnoses.map((diagnosis) =>
    repair !== undefined && isRepaired(diagnosis)
      ? addRepairSentence(diagnosis, repair, words().rehearsalRepairKey)
      : diagnosis,
  );
  const { title, lines } = formatDiagnosisPage(shownDiagnoses, shownFindings, nextText);
  const page: Page = {
    title,
    ...(repair === undefined ? {} : { simulatedRepair: repair.id }),
    ...(repairedIndex > 0 ? { repairedFinding: repairedIndex + 1 } : {}),
    lines: [
      ...lines,
      ...formatNormalSigns(normalSigns),
      ...(unreadLines.length === 0 ? [] : ['', ...unreadLines]),
      ...hintLines,
    ],
  };
  return { page, likelyCause: toMostLikelyFinding(context, diagnoses) };
}
