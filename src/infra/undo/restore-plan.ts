import type { KubeObject } from '../../openshift/object.ts';
import { computeSha256 } from '../../platform/text.ts';
import { type Edit, formatObjectName, isJsonObject } from '../edit.ts';
import {
  applyPatches,
  createMergePatch,
  deriveFieldState,
  type FieldState,
  formatFieldPath,
  getValueAtPath,
  isEmptyValue,
  parseYamlMapping,
  restoreField,
  restoreYamlFields,
} from './field-change.ts';
import type { PendingField, PendingRestore, PendingText } from './undo-log.ts';
import { extractContent, getTextAtPath } from './undo-log.ts';

/**
 * The effect of undo on one object. `same`: none, it is already as before. `restore`: undo restores it. `changed`:
 * others changed what we wrote, so you decide. `deleted`: it does not exist any more. `recreated`: another object has
 * its name now. `retained`: we created it, and undo keeps it.
 */
type RestoreState = 'same' | 'restore' | 'changed' | 'deleted' | 'recreated' | 'retained';

/** The undo of one object: its content now, and the content that undo gives it. */
export interface RestorePlan {
  readonly pendingRestore: PendingRestore;
  readonly state: RestoreState;
  /** The content as it is now; null where there is no object. */
  readonly currentContent: unknown;
  /** The content that undo gives it; null where undo deletes it. */
  readonly targetContent: unknown;
}

/**
 * Plans what undo does with the object of the record.
 * @param shouldOverwrite whether undo also overwrites what others changed
 */
export function planRestore(
  pendingRestore: PendingRestore,
  current: KubeObject | null,
  shouldOverwrite = false,
): RestorePlan {
  if (current === null)
    return {
      pendingRestore,
      state: pendingRestore.uid === null ? 'same' : 'deleted',
      currentContent: null,
      targetContent: null,
    };
  const currentContent = extractContent(current);
  if (pendingRestore.making === 'stays')
    return { pendingRestore, state: 'retained', currentContent, targetContent: currentContent };
  if (pendingRestore.uid !== null && pendingRestore.uid !== (current.metadata.uid ?? ''))
    return { pendingRestore, state: 'recreated', currentContent, targetContent: currentContent };
  const restoredContent = restoreContent(pendingRestore, currentContent, shouldOverwrite);
  const isEmpty = pendingRestore.uid === null && isEmptyValue(omitOperatorFields(restoredContent));
  // Part of an object that a move created is of no use: undo deletes the object, or keeps it with what others wrote.
  const hasForeignContent = pendingRestore.making === 'whole' && !isEmpty;
  const targetContent =
    isEmpty || (hasForeignContent && shouldOverwrite) ? null : hasForeignContent ? currentContent : restoredContent;
  const isChanged = !shouldOverwrite && (hasForeignContent || isChangedByOthers(pendingRestore, currentContent));
  const isSame = targetContent !== null && Object.keys(createMergePatch(currentContent, targetContent)).length === 0;
  return {
    pendingRestore,
    state: isChanged && !isEmpty ? 'changed' : isSame ? 'same' : 'restore',
    currentContent,
    targetContent,
  };
}

/** Creates the edit that restores the object. Fields that others changed stay, unless `shouldOverwrite` is set. */
export function createRestoreEdit(pendingRestore: PendingRestore, shouldOverwrite: boolean): Edit {
  const { kind, namespace, name } = pendingRestore;
  const deriveContent = (current: KubeObject) => planRestore(pendingRestore, current, shouldOverwrite).targetContent;
  return {
    kind,
    namespace,
    name,
    patch: (current) => createMergePatch(extractContent(current), deriveContent(current)),
    isRemoval: (current) => deriveContent(current) === null,
  };
}

/** An object for the user to compare: each field that upi-wizard wrote: before the move, as written, and now. */
export interface ObjectComparison {
  readonly object: string;
  readonly state: RestoreState;
  /** The move created it, and undo deletes it. */
  readonly willBeDeleted: boolean;
  readonly fields: readonly {
    readonly path: string;
    readonly state: FieldState;
    /** JSON; null where the field did not exist, or does not now. */
    readonly before: string | null;
    readonly written: string | null;
    readonly current: string | null;
  }[];
}

/** Compares the object field by field. */
export function compareObject({ pendingRestore, state, currentContent, targetContent }: RestorePlan): ObjectComparison {
  const compareFields = (fields: readonly PendingField[], value: unknown, prefix: string) =>
    fields.map((field) => ({
      path: `${prefix}${formatFieldPath(field.path)}`,
      state: deriveFieldState(value, field),
      before: toJson(field.before),
      written: toJson(field.ours.at(-1)),
      current: toJson(getValueAtPath(value, field.path)),
    }));
  const textFields = pendingRestore.texts.flatMap(({ path, fields }) =>
    compareFields(fields, parseYamlMapping(getTextAtPath(currentContent, path)), `${path.at(-1) ?? ''}: `),
  );
  const willBeDeleted = pendingRestore.uid === null && state === 'restore' && targetContent === null;
  return {
    object: formatObjectName(pendingRestore),
    state,
    willBeDeleted,
    fields: [...compareFields(pendingRestore.fields, currentContent, ''), ...textFields],
  };
}

function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Whether others changed what we wrote. */
function isChangedByOthers({ fields, texts }: PendingRestore, currentContent: unknown): boolean {
  const isChanged = (value: unknown) => (field: PendingField) => deriveFieldState(value, field) === 'changed';
  return (
    fields.some(isChanged(currentContent)) ||
    texts.some((text) => {
      const currentText = getTextAtPath(currentContent, text.path);
      return (
        findExactText(text, currentText) === undefined && text.fields.some(isChanged(parseYamlMapping(currentText)))
      );
    })
  );
}

function restoreContent({ fields, texts }: PendingRestore, currentContent: unknown, shouldOverwrite: boolean): unknown {
  const shouldRestore = (state: FieldState) => state === 'ours' || (shouldOverwrite && state === 'changed');
  const dueFields = fields.filter((field) => shouldRestore(deriveFieldState(currentContent, field)));
  const restoredContent = dueFields.reduce<unknown>(restorePendingField, currentContent);
  return texts.reduce<unknown>((content, text) => {
    const currentText = getTextAtPath(content, text.path);
    const exactText = findExactText(text, currentText);
    const { path, depth } = text;
    if (exactText !== undefined) return restoreField(content, { path, depth, before: exactText ?? undefined });
    if (currentText === undefined) return content;
    const yaml = parseYamlMapping(currentText);
    const dueTextFields = text.fields.filter((field) => shouldRestore(deriveFieldState(yaml, field)));
    if (dueTextFields.length === 0) return content;
    const restoredText = restoreYamlFields(currentText, dueTextFields);
    const isEmpty = !text.wasThere && isEmptyYaml(restoredText);
    return restoreField(content, { path, depth, before: isEmpty ? undefined : restoredText });
  }, restoredContent);
}

const restorePendingField = (value: unknown, field: PendingField) => restoreField(value, field);

/**
 * Finds the previous text, byte for byte, if our text is unchanged; null if there was no text; undefined if others
 * changed our text.
 */
function findExactText({ patches, wasThere }: PendingText, currentText: string | undefined): string | null | undefined {
  if (currentText === undefined) return wasThere ? undefined : null;
  const hash = computeSha256(currentText);
  if (wasThere && patches[0]?.to === hash) return currentText;
  const patchIndex = patches.findLastIndex((patch) => patch.from === hash);
  if (patchIndex < 0) return undefined;
  const text = applyPatches(currentText, patches.slice(0, patchIndex + 1));
  return text === null ? undefined : wasThere ? text : null;
}

/** Whether a YAML text is empty. A text with a comment is not: others wrote it. */
function isEmptyYaml(text: string): boolean {
  return !text.includes('#') && isEmptyValue(parseYamlMapping(text));
}

/**
 * Drops the fields that operators fill in on their own: labels, and in a pool its rendered configuration
 * (machine-config-operator).
 */
function omitOperatorFields(content: unknown): unknown {
  if (!isJsonObject(content)) return content;
  const { metadata: _labels, ...fields } = content;
  const spec = getValueAtPath(fields, ['spec']);
  if (!isJsonObject(spec)) return fields;
  const { configuration: _rendered, ...rest } = spec;
  return { ...fields, spec: rest };
}
