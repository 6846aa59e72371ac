import { at, type KubeObject, textAt } from './objects.ts';
import { badRequest } from './status.ts';

export type Selector = (object: KubeObject) => boolean;

/**
 * A label selector as kubectl writes it: `a=b,c!=d,e,!f,g in (h,i),j notin (k)`.
 * @throws StatusError 400 when it cannot be parsed
 */
export function labelSelector(text: string): Selector {
  const requirements = splitOutsideParentheses(text).map(requirement);
  return ({ metadata }) => requirements.every((holds) => holds(metadata.labels ?? {}));
}

/**
 * A field selector: metadata.name, metadata.namespace, and the few fields that Kubernetes supports for some kinds.
 * @throws StatusError 400 for a field that no kind supports
 */
export function fieldSelector(text: string): Selector {
  const tests = text.split(',').filter(Boolean).map(fieldTest);
  return (object) => tests.every((holds) => holds(object));
}

const FIELDS = new Set([
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

function fieldTest(term: string): Selector {
  const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(term);
  const [, field = '', operator, value = ''] = match ?? [];
  if (!match) throw badRequest(`invalid field selector: '${term}'; can't understand '${term}'`);
  if (!FIELDS.has(field)) throw badRequest(`field label not supported: ${field}`);
  const path = field.split('.');
  const read = (object: KubeObject) => {
    const found = at(object, ...path);
    return typeof found === 'boolean' ? String(found) : textAt(object, ...path);
  };
  return operator === '!=' ? (object) => read(object) !== value : (object) => read(object) === value;
}

type Labels = Readonly<Record<string, string>>;

function requirement(term: string): (labels: Labels) => boolean {
  const among = /^\s*([^\s=!(),]+)\s+(in|notin)\s+\(([^()]*)\)\s*$/.exec(term);
  if (among) {
    const [, key = '', operator, list = ''] = among;
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
  if (!existence) throw badRequest(`unable to parse requirement: found '${term.trim()}'`);
  const [, not, key = ''] = existence;
  return not ? (labels) => !Object.hasOwn(labels, key) : (labels) => Object.hasOwn(labels, key);
}

function splitOutsideParentheses(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter(Boolean);
}
