import type { Diagnosis } from '../../checks/rules/diagnose.ts';
import { catalogue, withProgramName } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

const words = () => catalogue().diagnose;
const MAX_SUBJECTS = 8;

/** A diagnosis to show; for one from a bundle, `seeInBundle` shows the symptom there. */
type ShownDiagnosis = Diagnosis & { readonly seeInBundle?: string | null };

/**
 * Formats the diagnoses as lines, to be followed from the top; a line begins with as many blanks as its continuation.
 * Commands are complete.
 * @param hasLinks with the page of the documentation, which is longer than a line of a small screen
 */
export function formatDiagnoses(found: readonly ShownDiagnosis[], hasLinks = true): string[] {
  if (found.length === 0) return [words().nothing, words().nothingNext];
  return found.flatMap((each, index) => [...(index === 0 ? [] : ['']), ...formatDiagnosis(each, index + 1, hasLinks)]);
}

function formatDiagnosis(found: ShownDiagnosis, number: number, hasLinks: boolean) {
  const { rule, likelihood, title, subjects, symptom, cause, whatToDo, evidence, explained } = found;
  const { symptomLabel, causeLabel, remedyLabel, moreLabel } = words();
  const rest = evidence.slice(1).map((line) => `     ${sanitizeLine(line)}`);
  return [
    `${number}. ${words().heading(title, words().likelihoods[likelihood])}`,
    ...(subjects.length === 0 ? [] : [`   ${words().about(formatSubjects(subjects))}`]),
    `   ${symptomLabel}: ${sanitizeLine(symptom)}`,
    ...rest.slice(0, 3),
    ...(rest.length > 3 ? [`     ${words().more(rest.length - 3)}`] : []),
    `   ${causeLabel}: ${cause}`,
    `   ${remedyLabel}: ${whatToDo}`,
    ...formatConfirmation(found),
    `   ${moreLabel}: ${hasLinks ? words().inHelpAndLinks(rule) : words().inHelp(rule)}`,
    ...(hasLinks ? [`     ${explained}`] : []),
  ];
}

/** In a bundle, everyone who has it can see the symptom again; the other command needs the installation. */
function formatConfirmation({ howToBeSure, seeInBundle }: ShownDiagnosis): string[] {
  const { confirmLabel, confirmInBundleLabel, confirmOnSiteLabel } = words();
  const live = `     $ ${withProgramName(howToBeSure)}`;
  if (seeInBundle === undefined) return [`   ${confirmLabel}:`, live];
  const onSite = [`   ${confirmOnSiteLabel}:`, live];
  return seeInBundle === null ? onSite : [`   ${confirmInBundleLabel}:`, `     $ ${seeInBundle}`, ...onSite];
}

function formatSubjects(subjects: readonly string[]): string {
  const shown = subjects.slice(0, MAX_SUBJECTS).map((subject) => sanitizeLine(subject, 120));
  const rest = subjects.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` ${words().more(rest)}` : ''}`;
}
