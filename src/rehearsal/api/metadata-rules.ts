import type { ResourceKind } from './kinds/kind.ts';
import { getList, getString, isRecord, type KubeObject, type NewObject } from './objects.ts';
import { type FieldProblem, invalidValue, requiredValue, unsupportedValue } from './status.ts';

// Rules and wording: k8s.io/apimachinery/pkg/util/validation and k8s.io/kubernetes/pkg/apis/core/validation.
const LABEL = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelPattern = new RegExp(`^${LABEL}$`);
const subdomainPattern = new RegExp(`^${SUBDOMAIN}$`);
const qualifiedPattern = new RegExp(`^${QUALIFIED_NAME}$`);

const labelRule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL}')`;
const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const qualifiedRule = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}')`;

/** Returns the problems of an object's name, labels and annotations, and of a node's taints. */
export function validateMetadata(kind: ResourceKind, object: NewObject | KubeObject): FieldProblem[] {
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
  if (name.length > 253) return [invalidValue('metadata.name', name, 'must be no more than 253 characters')];
  // A few kinds allow more (RBAC allows colons); none of them is served here.
  return subdomainPattern.test(name) ? [] : [invalidValue('metadata.name', name, subdomainRule)];
}

function validateKey(field: string, key: string): FieldProblem[] {
  const [prefix, name, ...more] = key.includes('/') ? key.split('/') : [undefined, key];
  if (more.length > 0) {
    const detail = `a qualified name ${qualifiedRule.replace(/^name part /, '')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
    return [invalidValue(field, key, detail)];
  }
  if (prefix !== undefined && !subdomainPattern.test(prefix))
    return [invalidValue(field, key, `prefix part ${subdomainRule}`)];
  if (!name) return [invalidValue(field, key, 'name part must be non-empty')];
  if (name.length > 63) return [invalidValue(field, key, 'name part must be no more than 63 characters')];
  return qualifiedPattern.test(name) ? [] : [invalidValue(field, key, qualifiedRule)];
}

function validateLabelValue(field: string, value: string): FieldProblem[] {
  if (value.length > 63) return [invalidValue(field, value, 'must be no more than 63 characters')];
  return labelPattern.test(value) ? [] : [invalidValue(field, value, labelRule)];
}

const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateTaints(node: NewObject | KubeObject): FieldProblem[] {
  const identities = new Set<string>();
  return getList(node, 'spec', 'taints')
    .filter(isRecord)
    .flatMap((taint, index) => {
      const field = `metadata.taints[${index}]`;
      const [key, effect] = [getString(taint, 'key'), getString(taint, 'effect')];
      const identity = `${key}:${effect}`;
      const isDuplicate = identities.has(identity);
      identities.add(identity);
      return [
        ...validateKey(`${field}.key`, key),
        ...validateLabelValue(`${field}.value`, getString(taint, 'value')),
        ...(TAINT_EFFECTS.includes(effect)
          ? []
          : [unsupportedValue(`${field}.effect`, effect, TAINT_EFFECTS.toSorted())]),
        ...(isDuplicate ? [invalidValue(field, taint, 'taints must be unique by key and effect pair')] : []),
      ];
    });
}
