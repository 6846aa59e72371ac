import { getField, getList, getString } from './object.ts';

/**
 * Whether a LabelSelector selects these labels (apimachinery, LabelSelectorAsSelector): a missing one selects nothing, an empty one
 * all; an operator that we do not know selects nothing.
 */
export function isSelectedBy(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (selector === null || typeof selector !== 'object' || Array.isArray(selector)) return false;
  const exact = Object.entries(Object(getField(selector, 'matchLabels') ?? {}));
  return (
    exact.every(([key, value]) => labels[key] === value) &&
    getList(selector, 'matchExpressions').every((expression) => {
      const found = labels[getString(expression, 'key') ?? ''];
      const isIn = found !== undefined && getList(expression, 'values').includes(found);
      switch (getString(expression, 'operator')) {
        case 'In':
          return isIn;
        case 'NotIn':
          return !isIn;
        case 'Exists':
          return found !== undefined;
        case 'DoesNotExist':
          return found === undefined;
        default:
          return false;
      }
    })
  );
}
