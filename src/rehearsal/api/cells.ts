import type { Column, ResourceKind } from './kinds/kinds.ts';
import { getField, getList, getString, isRecord, type JsonRecord, type KubeObject } from './objects.ts';

/** Printed by Kubernetes for a missing value. */
export const NONE = '<none>';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Returns a span in the short form of k8s.io/apimachinery/pkg/util/duration: `45s`, `5m30s`, `25m`, `3h20m`, `2d4h`.
 */
export function formatDuration(ms: number): string {
  if (ms < 0) return ms < -SECOND ? '<invalid>' : '0s';
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < 10 * MINUTE) return formatTwoUnits(ms, MINUTE, 'm', SECOND, 's');
  if (ms < 3 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return formatTwoUnits(ms, HOUR, 'h', MINUTE, 'm');
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 8 * DAY) return formatTwoUnits(ms, DAY, 'd', HOUR, 'h');
  if (ms < 2 * 365 * DAY) return `${Math.floor(ms / DAY)}d`;
  return formatTwoUnits(ms, 365 * DAY, 'y', DAY, 'd');
}

function formatTwoUnits(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small);
  return `${Math.floor(ms / big)}${bigName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}

/**
 * The age of an object's timestamp, or `<unknown>` if it has none.
 * @param now milliseconds since the epoch
 */
export function formatAge(time: string, now: number): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? '<unknown>' : formatDuration(now - ms);
}

/** Returns the condition of a type, or an empty record. */
export function getCondition(object: KubeObject, type: string): JsonRecord {
  const found = getList(object, 'status', 'conditions').find((item) => isRecord(item) && item.type === type);
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
  value: ({ metadata }, now) => formatAge(metadata.creationTimestamp, now),
};

/** Returns a column that shows the text or number at a path. */
export function pathColumn(name: string, ...keys: readonly string[]): Column {
  return {
    name,
    type: 'string',
    value: (object) => {
      const found = getField(object, ...keys);
      return typeof found === 'string' || typeof found === 'number' ? found : '';
    },
  };
}

/** As `pathColumn`, but only in the wide output, and with `<none>` for a missing value. */
export function widePathColumn(name: string, ...keys: readonly string[]): Column {
  return wideColumn({ name, type: 'string', value: (object) => getString(object, ...keys) || NONE });
}

/** Shows a column only in the wide output. */
export function wideColumn(column: Column): Column {
  return { ...column, priority: 1 };
}

/** Returns a column that shows one field of one condition. */
export function conditionColumn(name: string, type: string, field: 'status' | 'message' = 'status'): Column {
  return { name, type: 'string', value: (object) => getString(getCondition(object, type), field) };
}

/** Returns a column that shows a derived text. */
export function textColumn(name: string, value: (object: KubeObject) => string): Column {
  return { name, type: 'string', value };
}

/** Returns a column that shows the number at a path, or 0. */
export function numberColumn(name: string, ...keys: readonly string[]): Column {
  return { name, type: 'integer', value: (object) => Number(getField(object, ...keys) ?? 0) };
}

/** The part of its object that a row of a Table contains (`includeObject`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

interface TableOptions {
  readonly include: IncludeObject;
  readonly apiVersion: string;
  /** A watch sends the column definitions only once. */
  readonly hasColumns: boolean;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
}

/** Builds the `Table` (meta.k8s.io) that `kubectl get` prints. */
export function buildTable(kind: ResourceKind, objects: readonly KubeObject[], options: TableOptions): JsonRecord {
  const { include, apiVersion, hasColumns, now } = options;
  return {
    kind: 'Table',
    apiVersion,
    metadata: {},
    columnDefinitions: hasColumns
      ? kind.columns.map(({ name, type, format = '', priority = 0, description = '' }) => ({
          name,
          type,
          format,
          description,
          priority,
        }))
      : [],
    rows: objects.map((object) => ({
      cells: kind.columns.map(({ value }) => value(object, now)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : toPartialMetadata(object, apiVersion) }),
    })),
  };
}

function toPartialMetadata({ metadata }: KubeObject, apiVersion: string): JsonRecord {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata };
}
