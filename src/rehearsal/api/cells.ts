import type { Column } from './kinds/kind.ts';
import { at, isRecord, type JsonRecord, type KubeObject, listAt, textAt } from './objects.ts';

/** What Kubernetes prints for a value that is not there. */
export const NONE = '<none>';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span in the short form of k8s.io/apimachinery/pkg/util/duration: `45s`, `5m30s`, `25m`, `3h20m`, `2d4h`. */
export function humanDuration(ms: number): string {
  if (ms < 0) return ms < -SECOND ? '<invalid>' : '0s';
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < 10 * MINUTE) return twoUnits(ms, MINUTE, 'm', SECOND, 's');
  if (ms < 3 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return twoUnits(ms, HOUR, 'h', MINUTE, 'm');
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 8 * DAY) return twoUnits(ms, DAY, 'd', HOUR, 'h');
  if (ms < 2 * 365 * DAY) return `${Math.floor(ms / DAY)}d`;
  return twoUnits(ms, 365 * DAY, 'y', DAY, 'd');
}

function twoUnits(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small);
  return `${Math.floor(ms / big)}${bigName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}

/** How long ago a time of an object was, or `<unknown>` where it has none. */
export function since(time: string, now: number): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? '<unknown>' : humanDuration(now - ms);
}

/** The condition of a type, or an empty record. */
export function conditionOf(object: KubeObject, type: string): JsonRecord {
  const found = listAt(object, 'status', 'conditions').find((item) => isRecord(item) && item.type === type);
  return isRecord(found) ? found : {};
}

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  value: ({ metadata }) => metadata.name,
};

export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  value: ({ metadata }, now) => since(metadata.creationTimestamp, now),
};

/** A column that shows the text or number at a path. */
export function path(name: string, ...keys: readonly string[]): Column {
  return {
    name,
    type: 'string',
    value: (object) => {
      const found = at(object, ...keys);
      return typeof found === 'string' || typeof found === 'number' ? found : '';
    },
  };
}

/** The same, only in the wide output, with `<none>` where there is nothing. */
export function widePath(name: string, ...keys: readonly string[]): Column {
  return wide({ name, type: 'string', value: (object) => textAt(object, ...keys) || NONE });
}

export function wide(column: Column): Column {
  return { ...column, priority: 1 };
}

/** A column that shows one field of one condition. */
export function conditionColumn(name: string, type: string, field: 'status' | 'message' = 'status'): Column {
  return { name, type: 'string', value: (object) => textAt(conditionOf(object, type), field) };
}

export function text(name: string, value: (object: KubeObject) => string): Column {
  return { name, type: 'string', value };
}

export function number(name: string, ...keys: readonly string[]): Column {
  return { name, type: 'integer', value: (object) => Number(at(object, ...keys) ?? 0) };
}
