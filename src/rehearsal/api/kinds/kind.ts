import type { KubeObject } from '../objects.ts';
import type { Schema } from './schema.ts';

/** One kind of object that the API serves. */
export interface ResourceKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** The namespace of the operator that installs the kind: served while it exists. Undefined: always served. */
  readonly operatorNamespace?: string;
  /** Served through a CustomResourceDefinition: pruned, validated by its schema, without strategic merge patch. */
  readonly isCustom: boolean;
  readonly subresources: readonly Subresource[];
  /** Whether metadata.generation counts the changes of the specification. */
  readonly hasGeneration: boolean;
  readonly schema: Schema;
  readonly columns: readonly Column[];
}

export type Subresource = 'status' | 'approval' | 'scale';

/** A column that the server prints when a client asks for a Table. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly format?: 'name';
  /** 0: always shown; 1: only in the wide output. */
  readonly priority?: 0 | 1;
  readonly description?: string;
  /** @param now milliseconds since the epoch, for ages */
  readonly value: (object: KubeObject, now: number) => string | number | null;
}
