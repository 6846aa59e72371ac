import type { ResourceKind } from './kinds/kind.ts';
import type { JsonRecord, KubeObject } from './objects.ts';

/** The part of its object that a row of a Table contains (`includeObject`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
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
