import { getField, getString, type KubeObject } from './objects.ts';
import { badRequestError } from './status.ts';

export type Selector = (object: KubeObject) => boolean;

/**
 * Parses a label selector in the syntax of kubectl: `a=b,c!=d,e,!f,g in (h,i),j notin (k)`.
 * @throws StatusError 400 if it cannot be parsed
 */
export function parseLabelSelector(text: string): Selector {
  const requirements = splitOutsideParentheses(text).map(parseRequirement);
  return ({ metadata }) => requirements.every((matches) => matches(metadata.labels ?? {}));
}

/**
 * Parses a field selector: metadata.name, metadata.namespace, and the few fields that Kubernetes supports for some
 * kinds.
 * @throws StatusError 400 for a field that no kind supports
 */
export function parseFieldSelector(text: string): Selector {
  const terms = text.split(',').filter(Boolean).map(parseFieldTerm);
  return (object) => terms.every((matches) => matches(object));
}

const SUPPORTED_FIELDS = new Set([
  'metadata.name',
  'metadata.namespace',
  'spec.nodeName',
  'spec.unschedulable',
  'spec.signerName',
  'status.phase',
  'type',
  'reason',
  'involvedObject.kind',
  'involvedObject.name',
  'involvedObject.namespace',
  'involvedObject.uid',
]);

function parseFieldTerm(term: string): Selector {
  const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(term);
  const [, field = '', operator, value = ''] = match ?? [];
  if (!match) throw badRequestError(`invalid field selector: '${term}'; can't understand '${term}'`);
  if (!SUPPORTED_FIELDS.has(field)) throw badRequestError(`field label not supported: ${field}`);
  const path = field.split('.');
  const read = (object: KubeObject) => {
    const found = getField(object, ...path);
    return typeof found === 'boolean' ? String(found) : getString(object, ...path);
  };
  return operator === '!=' ? (object) => read(object) !== value : (object) => read(object) === value;
}

type Labels = Readonly<Record<string, string>>;

function parseRequirement(term: string): (labels: Labels) => boolean {
  const membership = /^\s*([^\s=!(),]+)\s+(in|notin)\s+\(([^()]*)\)\s*$/.exec(term);
  if (membership) {
    const [, key = '', operator, list = ''] = membership;
    const values = list.split(',').map((value) => value.trim());
    const isIn = (labels: Labels) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? '');
    return operator === 'in' ? isIn : (labels) => !isIn(labels);
  }
  const equality = /^\s*([^\s=!(),]+)\s*(==|=|!=)\s*([^\s=!(),]*)\s*$/.exec(term);
  if (equality) {
    const [, key = '', operator, value] = equality;
    return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
  }
  const existence = /^\s*(!?)\s*([^\s=!(),]+)\s*$/.exec(term);
  if (!existence) throw badRequestError(`unable to parse requirement: found '${term.trim()}'`);
  const [, not, key = ''] = existence;
  return not ? (labels) => !Object.hasOwn(labels, key) : (labels) => Object.hasOwn(labels, key);
}

function splitOutsideParentheses(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter(Boolean);
}
