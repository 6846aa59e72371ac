import type { ResourceKind } from './kinds/kind.ts';
import type { JsonRecord, KubeObject } from './objects.ts';

/** What a row of a Table carries of its object (`includeObject`). */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface TableOptions {
  readonly include: IncludeObject;
  readonly apiVersion: string;
  /** A watch sends the columns only once. */
  readonly hasColumns: boolean;
  /** Milliseconds since the epoch, for ages. */
  readonly now: number;
}

/** The `Table` (meta.k8s.io) that `kubectl get` prints. */
export function tableOf(kind: ResourceKind, objects: readonly KubeObject[], options: TableOptions): JsonRecord {
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
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : partial(object, apiVersion) }),
    })),
  };
}

function partial({ metadata }: KubeObject, apiVersion: string): JsonRecord {
  return { kind: 'PartialObjectMetadata', apiVersion, metadata };
}
