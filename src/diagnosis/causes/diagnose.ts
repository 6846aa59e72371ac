import { catalogue } from '../../text/catalogue.ts';
import { type Clue, LIKELIHOODS, type Likelihood, PAGES } from './cause.ts';
import type { Evidence } from './evidence.ts';
import { CAUSES, type CauseId, type CauseWords } from './index.ts';

/** A cause that was found, in the form of the outer interface and with what it is about. */
export interface Diagnosis {
  readonly rule: CauseId;
  readonly likelihood: Likelihood;
  readonly title: string;
  /** Nodes, names, hosts; empty: the whole site. */
  readonly subjects: readonly string[];
  readonly symptom: string;
  readonly cause: string;
  readonly howToBeSure: string;
  readonly whatToDo: string;
  /** Everything that shows it, as raw as it came. */
  readonly evidence: readonly string[];
  /** A page of the documentation. */
  readonly explained: string;
}

/** Lines of evidence that are told of one cause. */
const MOST_EVIDENCE = 12;

/** The causes that the evidence shows, the most likely first. @param before what an earlier look found: what passes in seconds counts when it was there already */
export function diagnose(evidence: Evidence, before?: readonly Diagnosis[]): Diagnosis[] {
  const found = CAUSES.flatMap(({ id, page, isFleeting, find }): Diagnosis[] => {
    const clues = sorted(find(evidence));
    const [first] = clues;
    if (first === undefined || (isFleeting && before !== undefined && !before.some(({ rule }) => rule === id)))
      return [];
    const words: CauseWords = catalogue().diagnosis.causes[id];
    return [
      {
        rule: id,
        likelihood: first.likelihood,
        ...words,
        subjects: [...new Set(clues.map(({ subject }) => subject).filter((subject) => subject !== ''))],
        symptom: first.symptom,
        howToBeSure: first.command,
        evidence: [...new Set(clues.map(({ symptom }) => symptom))].slice(0, MOST_EVIDENCE),
        explained: PAGES[page],
      },
    ];
  });
  return found.sort((a, b) => LIKELIHOODS.indexOf(a.likelihood) - LIKELIHOODS.indexOf(b.likelihood));
}

/** Whether a second look is needed: something was found that may pass in seconds. */
export function isUnsettled(found: readonly Diagnosis[]): boolean {
  return found.some(({ rule }) => CAUSES.some(({ id, isFleeting }) => isFleeting && id === rule));
}

function sorted(clues: readonly Clue[]): Clue[] {
  return clues.toSorted((a, b) => LIKELIHOODS.indexOf(a.likelihood) - LIKELIHOODS.indexOf(b.likelihood));
}
