import { catalogue } from '../text/catalogue.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().diagnosis.leftOpen['left-open'];

/** What is still wrong when the wizard writes the report. */
interface OpenEvidence {
  /** Nodes of the design that are not Ready; none while that is not available. */
  readonly nodes: readonly string[];
  /** Operators that are not available, or degraded. */
  readonly operators: readonly { readonly name: string; readonly reason: string; readonly message: string }[];
}

/** What is still open, a sentence for each. */
export function openSentences({ nodes, operators }: OpenEvidence): string[] {
  return [
    ...(nodes.length > 0 ? [words().nodes(nodes.join(', '))] : []),
    ...operators.map(({ name, reason, message }) => words().operator(name, reason || message)),
  ];
}

const leftOpen: Rule<OpenEvidence> = {
  code: 'left-open',
  severity: 'note',
  judge: (evidence) =>
    openSentences(evidence).map((title) => ({ title, cause: words().cause, whatToDo: words().whatToDo })),
};

/** Findings beside the report. */
export const LEFT_OPEN: readonly Rule<OpenEvidence>[] = [leftOpen];
