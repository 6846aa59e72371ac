import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';

/**
 * Reasons that the design cannot decide, or that pass on their own. A wrong name of one of our machines has its own
 * rules.
 */
const INCONCLUSIVE: ReadonlySet<string> = new Set([
  'DUPLICATE_KEYS',
  'NODE_EXISTS',
  'FLOOD',
  'TIME',
  'LOCALHOST',
  'TERMINAL',
  'CHANGED',
  'NODE_MISSING',
  'NODE_ADDRESS',
]);

/** A CSR (certificate signing request) that no node of the design would create. */
export const unexpectedCsr = diagnosticRule('hostile-csr', 'requests', ({ design, cluster }) => {
  const short = new Set(design?.nodes.map(({ name }) => name));
  return (cluster?.requests ?? []).flatMap(({ name, node, verdict, reasons, requester }) => {
    const against = reasons.filter((reason) => !INCONCLUSIVE.has(reason));
    const isMisnamed = against.every((reason) => reason === 'NAME_UNKNOWN') && short.has(node?.split('.')[0] ?? '');
    if (verdict !== 'refused' || against.length === 0 || isMisnamed || reasons.includes('LOCALHOST')) return [];
    const symptom = `${name} ${requester} ${node ?? ''} ${against.join(' ')}`.replace(/ +/g, ' ');
    return [
      {
        likelihood: 'certain' as const,
        subject: node ?? name,
        symptom,
        command: shellCommand`oc describe csr ${name}`,
      },
    ];
  });
});
