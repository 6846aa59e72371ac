import type { Kind } from '../../objects/kinds.ts';
import type { KubeObject } from '../../objects/object.ts';
import { type Edit, type Making, merged } from '../edit.ts';
import { changedFields, type Field, valueAt } from './field.ts';
import { type WayBack, wayBetween } from './text.ts';
import { changedWithin } from './yaml.ts';

/** A YAML text within an object that a write of ours changed. Of the text itself only what we touch is kept. */
export interface TextField {
  readonly path: readonly string[];
  /** Whether there was a text before. */
  readonly wasThere: boolean;
  /** As of a field: so many steps of the path were there. */
  readonly depth: number;
  /** From our text to the one before, to the byte. */
  readonly way: WayBack;
  /** The same, field by field: for a text that somebody else changed since. */
  readonly fields: readonly Field[];
}

/** What an object had before a write of ours, in every field that the write changes. */
export interface Before {
  readonly move: string;
  readonly kind: Kind;
  readonly namespace: string | null;
  readonly name: string;
  /** Null for an object that was not there. */
  readonly uid: string | null;
  /** Only for an object that was not there. */
  readonly making?: Making | undefined;
  readonly fields: readonly Field[];
  readonly texts: readonly TextField[];
}

/**
 * What is written down before an edit.
 * @param current the object as it is; null where there is none
 */
export function beforeOf(move: string, edit: Edit, current: KubeObject | null): Before {
  const { kind, namespace, name, entries = [], yaml = [], making } = edit;
  const before = current === null ? undefined : contentOf(current);
  const after =
    current === null
      ? contentOf(edit.create?.() ?? {})
      : contentOf(merged(current, edit.patch?.(current) ?? {}) as KubeObject);
  const changed = changedFields(before, after, entries);
  const isText = ({ path }: Field) => yaml.some((text) => text.join('\n') === path.join('\n'));
  const texts = changed.filter(isText).map(({ path, before: old, ours, depth }): TextField => {
    const [was, is] = [String(old ?? ''), String(ours ?? '')];
    const fields = changedWithin(old === undefined ? undefined : was, is);
    return { path: path.map(String), wasThere: old !== undefined, depth, way: wayBetween(is, was), fields };
  });
  const fields = changed.filter((field) => !isText(field));
  const rest = { move, kind, namespace, name, fields, texts };
  if (current !== null) return { ...rest, uid: current.metadata.uid ?? '' };
  return { ...rest, uid: null, making: making ?? 'whole' };
}

/** The part of an object that a person or an operator decides: without its name, its state and what the API adds. */
export function contentOf(object: object): Record<string, unknown> {
  const { apiVersion: _version, kind: _kind, status: _status, metadata, ...rest } = object as Partial<KubeObject>;
  const { labels, annotations } = metadata ?? {};
  const own = { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
  return Object.keys(own).length === 0 ? rest : { ...rest, metadata: own };
}

/** Tells objects apart: `Node//w1`. */
export function objectKey({ kind, namespace, name }: Pick<Before, 'kind' | 'namespace' | 'name'>): string {
  return [kind, namespace ?? '', name].join('/');
}

/** The text that a field of an object holds; undefined where there is none. */
export function textIn(content: unknown, path: readonly string[]): string | undefined {
  const found = valueAt(content, path);
  return typeof found === 'string' ? found : undefined;
}
