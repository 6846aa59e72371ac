import { catalogue } from '../../i18n/catalogue.ts';
import { DOC_PAGES, LIKELIHOODS, type Likelihood, type Symptom } from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';
import { DIAGNOSTIC_RULES, type DiagnosticRuleId, type DiagnosticRuleTexts } from './index.ts';

/** A fault that was found, in the form of the `--json` document, with its subjects. */
export interface Diagnosis {
  readonly rule: DiagnosticRuleId;
  readonly likelihood: Likelihood;
  readonly title: string;
  /** Nodes, names, hosts; empty for the whole site. */
  readonly subjects: readonly string[];
  readonly symptom: string;
  readonly cause: string;
  readonly howToBeSure: string;
  readonly whatToDo: string;
  /** All symptoms, as observed. */
  readonly evidence: readonly string[];
  /** The page of the OpenShift documentation. */
  readonly explained: string;
}

/** Evidence lines of one diagnosis. */
const MAX_EVIDENCE = 12;

/**
 * Diagnoses the faults that the evidence shows, the most certain first.
 * @param before an earlier diagnosis: a fault that may pass in seconds counts only if it was found then, too
 */
export function diagnose(evidence: Evidence, before?: readonly Diagnosis[]): Diagnosis[] {
  const found = DIAGNOSTIC_RULES.flatMap(({ id, page, needsConfirmation, find }): Diagnosis[] => {
    const symptoms = sortByLikelihood(find(evidence));
    const [first] = symptoms;
    if (first === undefined || (needsConfirmation && before !== undefined && !before.some(({ rule }) => rule === id)))
      return [];
    const { title, cause, remedy }: DiagnosticRuleTexts = catalogue().diagnosis.causes[id];
    return [
      {
        rule: id,
        likelihood: first.likelihood,
        title,
        cause,
        whatToDo: remedy,
        subjects: [...new Set(symptoms.map(({ subject }) => subject).filter((subject) => subject !== ''))],
        symptom: first.symptom,
        howToBeSure: first.command,
        evidence: [...new Set(symptoms.map(({ symptom }) => symptom))].slice(0, MAX_EVIDENCE),
        explained: DOC_PAGES[page],
      },
    ];
  });
  return found.sort((a, b) => LIKELIHOODS.indexOf(a.likelihood) - LIKELIHOODS.indexOf(b.likelihood));
}

/** Whether a second probe is needed: a fault was found that may pass in seconds. */
export function needsSecondProbe(found: readonly Diagnosis[]): boolean {
  return found.some(({ rule }) =>
    DIAGNOSTIC_RULES.some(({ id, needsConfirmation }) => needsConfirmation && id === rule),
  );
}

function sortByLikelihood(symptoms: readonly Symptom[]): Symptom[] {
  return symptoms.toSorted((a, b) => LIKELIHOODS.indexOf(a.likelihood) - LIKELIHOODS.indexOf(b.likelihood));
}
