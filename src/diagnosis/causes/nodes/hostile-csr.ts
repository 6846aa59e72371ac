import { shell } from '../../../text/shell-word.ts';
import { cause } from '../cause.ts';

/** The design cannot decide these, or they pass by themselves; and a name that a machine of ours got wrong has its own rules. */
const UNDECIDED: ReadonlySet<string> = new Set([
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

/** Somebody asks for a certificate that no node of the design would ask for. */
export const hostileCsr = cause('hostile-csr', 'requests', ({ design, cluster }) => {
  const short = new Set(design?.nodes.map(({ name }) => name));
  return (cluster?.requests ?? []).flatMap(({ name, node, verdict, reasons, requester }) => {
    const against = reasons.filter((reason) => !UNDECIDED.has(reason));
    const isMisnamed = against.every((reason) => reason === 'NAME_UNKNOWN') && short.has(node?.split('.')[0] ?? '');
    if (verdict !== 'refused' || against.length === 0 || isMisnamed || reasons.includes('LOCALHOST')) return [];
    const symptom = `${name} ${requester} ${node ?? ''} ${against.join(' ')}`.replace(/ +/g, ' ');
    return [
      { likelihood: 'certain' as const, subject: node ?? name, symptom, command: shell`oc describe csr ${name}` },
    ];
  });
});
