import type { Diagnosis } from '../../diagnosis/causes/diagnose.ts';
import { asStarted, catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';

const words = () => catalogue().diagnose;
const MOST_SUBJECTS = 8;

/** Of a bundle, `seeInBundle` shows it there. */
type Found = Diagnosis & { readonly seeInBundle?: string | null };

/**
 * The findings for a person to follow from the top, as lines; a line begins with as many blanks as its continuation. Commands are whole.
 * @param hasLinks with the page of the documentation, which is longer than a line of a small screen
 */
export function diagnosisLines(found: readonly Found[], hasLinks = true): string[] {
  if (found.length === 0) return [words().nothing, words().nothingNext];
  return found.flatMap((each, index) => [...(index === 0 ? [] : ['']), ...linesOf(each, index + 1, hasLinks)]);
}

function linesOf(found: Found, number: number, hasLinks: boolean) {
  const { rule, likelihood, title, subjects, symptom, cause, whatToDo, evidence, explained } = found;
  const { symptomLabel, causeLabel, doLabel, moreLabel } = words();
  const rest = evidence.slice(1).map((line) => `     ${sanitizeLine(line)}`);
  return [
    `${number}. ${words().heading(title, words().likelihoods[likelihood])}`,
    ...(subjects.length === 0 ? [] : [`   ${words().about(listed(subjects))}`]),
    `   ${symptomLabel}: ${sanitizeLine(symptom)}`,
    ...rest.slice(0, 3),
    ...(rest.length > 3 ? [`     ${words().more(rest.length - 3)}`] : []),
    `   ${causeLabel}: ${cause}`,
    `   ${doLabel}: ${whatToDo}`,
    ...sureLines(found),
    `   ${moreLabel}: ${hasLinks ? words().explained(rule) : words().inHelp(rule)}`,
    ...(hasLinks ? [`     ${explained}`] : []),
  ];
}

/** In a bundle what was seen can be seen again by everybody who has it; the rest wants the installation. */
function sureLines({ howToBeSure, seeInBundle }: Found): string[] {
  const { sureLabel, inBundleLabel, thereLabel } = words();
  const live = `     $ ${asStarted(howToBeSure)}`;
  if (seeInBundle === undefined) return [`   ${sureLabel}:`, live];
  const there = [`   ${thereLabel}:`, live];
  return seeInBundle === null ? there : [`   ${inBundleLabel}:`, `     $ ${seeInBundle}`, ...there];
}

function listed(subjects: readonly string[]): string {
  const shown = subjects.slice(0, MOST_SUBJECTS).map((subject) => sanitizeLine(subject, 120));
  const rest = subjects.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` ${words().more(rest)}` : ''}`;
}
