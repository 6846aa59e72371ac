import type { KubeObject } from '../../openshift/object.ts';
import { type Edit, isJsonObject, objectName } from '../edit.ts';
import {
  createMergePatch,
  deriveFieldState,
  type FieldState,
  formatPath,
  getValueAtPath,
  isEmptyValue,
  restoreField,
} from './field-change.ts';
import type { PendingField, PendingRestore, PendingText } from './log-line.ts';
import { applyPatches, hashText, parseYamlMapping, restoreYamlFields } from './text-patch.ts';
import { extractContent, getTextAtPath } from './undo-record.ts';

/**
 * The effect of undo on one object. `same`: none, it is already as before. `back`: it is restored. `changed`: others
 * changed what we wrote, so you decide. `gone`: it does not exist any more. `remade`: another object has its name now.
 * `stays`: we created it, and undo keeps it.
 */
type RestoreState = 'same' | 'back' | 'changed' | 'gone' | 'remade' | 'stays';

/** One object with its previous content, what we wrote, and its current content. */
export interface RestorePlan {
  readonly pending: PendingRestore;
  readonly state: RestoreState;
  /** The content as it is now; null where there is no object. */
  readonly now: unknown;
  /** The content that undo gives it; null where undo deletes it. */
  readonly wanted: unknown;
}

/**
 * Plans what undo does with the object of the record.
 * @param isAll overwrites what others changed, too
 */
export function planRestore(pending: PendingRestore, current: KubeObject | null, isAll = false): RestorePlan {
  if (current === null) return { pending, state: pending.uid === null ? 'same' : 'gone', now: null, wanted: null };
  const now = extractContent(current);
  if (pending.making === 'stays') return { pending, state: 'stays', now, wanted: now };
  if (pending.uid !== null && pending.uid !== (current.metadata.uid ?? ''))
    return { pending, state: 'remade', now, wanted: now };
  const restored = restoreContent(pending, now, isAll);
  const isEmpty = pending.uid === null && isEmptyValue(withoutOperatorFields(restored));
  // A part of an object that was created as a whole is of no use: undo deletes all of it, or nothing.
  const mustKeepWhole = pending.making === 'whole' && !isEmpty;
  const wanted = isEmpty || (mustKeepWhole && isAll) ? null : mustKeepWhole ? now : restored;
  const isChanged = !isAll && (mustKeepWhole || isChangedByOthers(pending, now));
  const isSame = wanted !== null && Object.keys(createMergePatch(now, wanted)).length === 0;
  return { pending, state: isChanged && !isEmpty ? 'changed' : isSame ? 'same' : 'back', now, wanted };
}

/** Creates the edit that restores the object. Fields that others changed stay, unless `isAll` is set. */
export function restoreEdit(pending: PendingRestore, isAll: boolean): Edit {
  const { kind, namespace, name } = pending;
  const content = (current: KubeObject) => planRestore(pending, current, isAll).wanted;
  return {
    kind,
    namespace,
    name,
    patch: (current) => createMergePatch(extractContent(current), content(current)),
    isRemoval: (current) => content(current) === null,
  };
}

/** An object for you to compare: the fields that we wrote, as they were, as we wrote them and as they are. */
export interface ObjectComparison {
  readonly object: string;
  readonly state: RestoreState;
  /** The move created it, and undo deletes it. */
  readonly isDeleted: boolean;
  readonly fields: readonly {
    readonly path: string;
    readonly state: FieldState;
    /** JSON; null where the field did not exist, or does not now. */
    readonly before: string | null;
    readonly ours: string | null;
    readonly now: string | null;
  }[];
}

/** Compares the object field by field. */
export function compareObject({ pending, state, now, wanted }: RestorePlan): ObjectComparison {
  const compareFields = (fields: readonly PendingField[], value: unknown, prefix: string) =>
    fields.map((field) => ({
      path: `${prefix}${formatPath(field.path)}`,
      state: deriveFieldState(value, field),
      before: toJson(field.before),
      ours: toJson(field.ours.at(-1)),
      now: toJson(getValueAtPath(value, field.path)),
    }));
  const within = pending.texts.flatMap(({ path, fields }) =>
    compareFields(fields, parseYamlMapping(getTextAtPath(now, path)), `${path.at(-1) ?? ''}: `),
  );
  const isDeleted = pending.uid === null && state === 'back' && wanted === null;
  return {
    object: objectName(pending),
    state,
    isDeleted,
    fields: [...compareFields(pending.fields, now, ''), ...within],
  };
}

function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Whether others changed what we wrote. */
function isChangedByOthers({ fields, texts }: PendingRestore, now: unknown): boolean {
  const isChanged = (value: unknown) => (field: PendingField) => deriveFieldState(value, field) === 'changed';
  return (
    fields.some(isChanged(now)) ||
    texts.some((text) => {
      const found = getTextAtPath(now, text.path);
      return findExactText(text, found) === undefined && text.fields.some(isChanged(parseYamlMapping(found)));
    })
  );
}

function restoreContent({ fields, texts }: PendingRestore, now: unknown, isAll: boolean): unknown {
  const isDue = (state: FieldState) => state === 'ours' || (isAll && state === 'changed');
  const due = fields.filter((field) => isDue(deriveFieldState(now, field)));
  const restored = due.reduce<unknown>(restorePendingField, now);
  return texts.reduce<unknown>((content, text) => {
    const found = getTextAtPath(content, text.path);
    const exact = findExactText(text, found);
    const { path, depth } = text;
    if (exact !== undefined) return restoreField(content, { path, depth, before: exact ?? undefined });
    if (found === undefined) return content;
    const yaml = parseYamlMapping(found);
    const dueWithin = text.fields.filter((field) => isDue(deriveFieldState(yaml, field)));
    if (dueWithin.length === 0) return content;
    const restoredText = restoreYamlFields(found, dueWithin);
    const isEmpty = !text.wasThere && isEmptyYaml(restoredText);
    return restoreField(content, { path, depth, before: isEmpty ? undefined : restoredText });
  }, restored);
}

const restorePendingField = (value: unknown, field: PendingField) => restoreField(value, field);

/**
 * The previous text, byte for byte, if ours is unchanged since; null where there was none; undefined if others changed
 * it.
 */
function findExactText({ patches, wasThere }: PendingText, found: string | undefined): string | null | undefined {
  if (found === undefined) return wasThere ? undefined : null;
  const hash = hashText(found);
  if (wasThere && patches[0]?.to === hash) return found;
  const from = patches.findLastIndex((way) => way.from === hash);
  if (from < 0) return undefined;
  const text = applyPatches(found, patches.slice(0, from + 1));
  return text === null ? undefined : wasThere ? text : null;
}

/** A text with a comment is not empty: others wrote it. */
function isEmptyYaml(text: string): boolean {
  return !text.includes('#') && isEmptyValue(parseYamlMapping(text));
}

/**
 * Drops the fields that operators fill in on their own: labels, and in a pool its rendered configuration
 * (machine-config-operator).
 */
function withoutOperatorFields(content: unknown): unknown {
  if (!isJsonObject(content)) return content;
  const { metadata: _labels, ...own } = content;
  const spec = getValueAtPath(own, ['spec']);
  if (!isJsonObject(spec)) return own;
  const { configuration: _rendered, ...rest } = spec;
  return { ...own, spec: rest };
}
