import { catalogue } from '../i18n/catalogue.ts';
import { createCheckFactory } from './check.ts';

const words = () => catalogue().diagnosis.remainingIssues['left-open'];

/** Problems that remain when the wizard writes the report. */
interface OpenIssuesEvidence {
  /** Nodes of the design that are not Ready; empty if unknown. */
  readonly nodes: readonly string[];
  /** Operators that are degraded or not available. */
  readonly operators: readonly { readonly name: string; readonly reason: string; readonly message: string }[];
}

/** Describes each open issue in a sentence. */
export function describeOpenIssues({ nodes, operators }: OpenIssuesEvidence): string[] {
  return [
    ...(nodes.length > 0 ? [words().nodes(nodes.join(', '))] : []),
    ...operators.map(({ name, reason, message }) => words().operator(name, reason || message)),
  ];
}

const openIssue = createCheckFactory<OpenIssuesEvidence>('report')('left-open', 'note', (evidence) =>
  describeOpenIssues(evidence).map((title) => ({
    state: 'failed' as const,
    title,
    evidence: [words().cause],
    remedy: words().remedy,
  })),
);

/** Checks for the findings beside the report. */
export const OPEN_ISSUE_CHECKS = [openIssue];
