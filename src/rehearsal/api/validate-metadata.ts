import type { ResourceKind } from './kinds.ts';
import { getList, getString, isRecord, type NewObject } from './objects.ts';
import { type FieldProblem, invalidValue, requiredValue, unsupportedValue } from './status.ts';

const LABEL = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const qualifiedNamePattern = new RegExp(`^${QUALIFIED_NAME}$`);

const labelRule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL}')`;
const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const qualifiedNameRule = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}')`;

/**
 * Returns the problems of an object's name, labels and annotations, and of a node's taints. Rules and wording:
 * k8s.io/apimachinery/pkg/util/validation and k8s.io/kubernetes/pkg/apis/core/validation.
 */
export function validateMetadata(kind: ResourceKind, object: NewObject): FieldProblem[] {
  const { name, generateName, labels = {}, annotations = {} } = object.metadata;
  return [
    ...(name === undefined && !generateName
      ? [requiredValue('metadata.name', 'name or generateName is required')]
      : []),
    ...(name === undefined ? [] : validateName(name)),
    ...Object.entries(labels).flatMap(([key, value]) => [
      ...validateKey('metadata.labels', key),
      ...validateLabelValue('metadata.labels', value),
    ]),
    ...Object.keys(annotations).flatMap((key) => validateKey('metadata.annotations', key)),
    ...(kind.kind === 'Node' && !kind.isCustom ? validateTaints(object) : []),
  ];
}

function validateName(name: string): FieldProblem[] {
  return subdomainPattern.test(name) ? [] : [invalidValue('metadata.name', name, subdomainRule)];
}

function validateKey(field: string, key: string): FieldProblem[] {
  const [name = '', prefix] = key.split('/').reverse();
  if (prefix !== undefined && !subdomainPattern.test(prefix))
    return [invalidValue(field, key, `prefix part ${subdomainRule}`)];
  if (name.length > 63) return [invalidValue(field, key, 'name part must be no more than 63 characters')];
  return qualifiedNamePattern.test(name) ? [] : [invalidValue(field, key, qualifiedNameRule)];
}

function validateLabelValue(field: string, value: string): FieldProblem[] {
  if (value.length > 63) return [invalidValue(field, value, 'must be no more than 63 characters')];
  return labelPattern.test(value) ? [] : [invalidValue(field, value, labelRule)];
}

const TAINT_EFFECTS = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

function validateTaints(node: NewObject): FieldProblem[] {
  const taints = getList(node, 'spec', 'taints').filter(isRecord);
  const identities = taints.map((taint) => `${getString(taint, 'key')}:${getString(taint, 'effect')}`);
  return taints.flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const effect = getString(taint, 'effect');
    const isDuplicate = identities.indexOf(identities[index] ?? '') < index;
    return [
      ...validateKey(`${field}.key`, getString(taint, 'key')),
      ...validateLabelValue(`${field}.value`, getString(taint, 'value')),
      ...(TAINT_EFFECTS.includes(effect) ? [] : [unsupportedValue(`${field}.effect`, effect, TAINT_EFFECTS)]),
      ...(isDuplicate ? [invalidValue(field, taint, 'taints must be unique by key and effect pair')] : []),
    ];
  });
}
