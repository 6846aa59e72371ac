import type { Kind } from '../../openshift/kinds.ts';
import type { KubeObject } from '../../openshift/object.ts';
import { applyMergePatch, type CreatedObjectPolicy, type Edit } from '../edit.ts';
import { diffFields, type FieldChange, getValueAtPath } from './field-change.ts';
import { diffText, diffYaml, type TextPatch } from './text-patch.ts';

/** A YAML text inside an object, such as config.yaml in a ConfigMap, that the wizard changed. Only the changed parts are
 * recorded. */
export interface TextChange {
  readonly path: readonly string[];
  /** Whether there was a text before our write. */
  readonly wasThere: boolean;
  /** As in `FieldChange`: the number of path steps that existed. */
  readonly depth: number;
  /** From our text to the previous one, byte for byte. */
  readonly way: TextPatch;
  /** The same change field by field, for a text that others changed since. */
  readonly fields: readonly FieldChange[];
}

/** The previous state of an object, in every field that a write of ours changes. */
export interface UndoRecord {
  readonly move: string;
  readonly kind: Kind;
  readonly namespace: string | null;
  readonly name: string;
  /** Null for an object that did not exist. */
  readonly uid: string | null;
  /** Only for an object that did not exist. */
  readonly making?: CreatedObjectPolicy | undefined;
  readonly fields: readonly FieldChange[];
  readonly texts: readonly TextChange[];
}

/**
 * Captures what undo needs, before an edit is applied.
 * @param current the object as it is; null where there is none
 */
export function captureUndoRecord(move: string, edit: Edit, current: KubeObject | null): UndoRecord {
  const { kind, namespace, name, keyedLists = [], yamlFields = [], createdObjectPolicy } = edit;
  const oldContent = current === null ? undefined : extractContent(current);
  const newContent =
    current === null
      ? extractContent(edit.create?.() ?? {})
      : extractContent(applyMergePatch(current, edit.patch?.(current) ?? {}) as KubeObject);
  const changedFields = diffFields(oldContent, newContent, keyedLists);
  const isText = ({ path }: FieldChange) => yamlFields.some((text) => text.join('\n') === path.join('\n'));
  const texts = changedFields.filter(isText).map(({ path, before: oldValue, ours, depth }): TextChange => {
    const [previousText, ourText] = [String(oldValue ?? ''), String(ours ?? '')];
    const fields = diffYaml(oldValue === undefined ? undefined : previousText, ourText);
    return {
      path: path.map(String),
      wasThere: oldValue !== undefined,
      depth,
      way: diffText(ourText, previousText),
      fields,
    };
  });
  const fields = changedFields.filter((field) => !isText(field));
  const commonFields = { move, kind, namespace, name, fields, texts };
  if (current !== null) return { ...commonFields, uid: current.metadata.uid ?? '' };
  return { ...commonFields, uid: null, making: createdObjectPolicy ?? 'whole' };
}

/**
 * Extracts the part of an object that users and operators decide, without its name, its status and the fields that the
 * API adds.
 */
export function extractContent(object: object): Record<string, unknown> {
  const { apiVersion: _version, kind: _kind, status: _status, metadata, ...rest } = object as Partial<KubeObject>;
  const { labels, annotations } = metadata ?? {};
  const userMetadata = {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return Object.keys(userMetadata).length === 0 ? rest : { ...rest, metadata: userMetadata };
}

/** Identifies an object: `Node//w1`. */
export function formatObjectKey({ kind, namespace, name }: Pick<UndoRecord, 'kind' | 'namespace' | 'name'>): string {
  return [kind, namespace ?? '', name].join('/');
}

/** Returns the text that a field of an object holds; undefined where there is none. */
export function getTextAtPath(content: unknown, path: readonly string[]): string | undefined {
  const value = getValueAtPath(content, path);
  return typeof value === 'string' ? value : undefined;
}
