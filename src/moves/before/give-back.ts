import type { KubeObject } from '../../objects/object.ts';
import { type Edit, isFields, objectName } from '../edit.ts';
import { type FieldState, isBare, patchBetween, pathName, stateOf, valueAt, withFieldBack } from './field.ts';
import type { Kept, KeptField, KeptText } from './line.ts';
import { contentOf, textIn } from './record.ts';
import { hashOf, walkBack } from './text.ts';
import { withFieldsBack, yamlOf } from './yaml.ts';

/**
 * What giving back does to one object. `same`: nothing, it has all of it. `back`: it gets what it had. `changed`: somebody
 * else changed what we wrote, so a person decides. `gone`: it is not there any more. `remade`: another object has its name
 * now. `stays`: we made it, and it is not taken back.
 */
export type BackState = 'same' | 'back' | 'changed' | 'gone' | 'remade' | 'stays';

/** One object with what it had, what we wrote and what it has. */
export interface Back {
  readonly kept: Kept;
  readonly state: BackState;
  /** The content that we found; null where there is no object. */
  readonly now: unknown;
  /** The content that it gets; null where it is deleted. */
  readonly wanted: unknown;
}

/** How the object of the record is, and what giving back makes of it. @param isAll overwrites what others changed, too */
export function backOf(kept: Kept, current: KubeObject | null, isAll = false): Back {
  if (current === null) return { kept, state: kept.uid === null ? 'same' : 'gone', now: null, wanted: null };
  const now = contentOf(current);
  if (kept.making === 'stays') return { kept, state: 'stays', now, wanted: now };
  if (kept.uid !== null && kept.uid !== (current.metadata.uid ?? ''))
    return { kept, state: 'remade', now, wanted: now };
  const left = contentBack(kept, now, isAll);
  const isNothing = kept.uid === null && isBare(withoutFilled(left));
  // A part of an object that is made whole is of no use to anybody: all of it goes, or nothing.
  const isKeptWhole = kept.making === 'whole' && !isNothing;
  const wanted = isNothing || (isKeptWhole && isAll) ? null : isKeptWhole ? now : left;
  const isChanged = !isAll && (isKeptWhole || isChangedIn(kept, now));
  const isSame = wanted !== null && Object.keys(patchBetween(now, wanted)).length === 0;
  return { kept, state: isChanged && !isNothing ? 'changed' : isSame ? 'same' : 'back', now, wanted };
}

/** The edit that gives the object back what it had. Fields that others changed stay, unless they are to go as well. */
export function backEdit(kept: Kept, isAll: boolean): Edit {
  const { kind, namespace, name } = kept;
  const content = (current: KubeObject) => backOf(kept, current, isAll).wanted;
  return {
    kind,
    namespace,
    name,
    patch: (current) => patchBetween(contentOf(current), content(current)),
    isRemoval: (current) => content(current) === null,
  };
}

/** What a person compares: the fields that we wrote, as they were, as we wrote them and as they are. */
export interface Compared {
  readonly object: string;
  readonly state: BackState;
  /** The move made it, and giving back deletes it. */
  readonly isDeleted: boolean;
  readonly fields: readonly {
    readonly path: string;
    readonly state: FieldState;
    /** JSON; null where the field was not there, or is not. */
    readonly before: string | null;
    readonly ours: string | null;
    readonly now: string | null;
  }[];
}

/** The object for a person to compare, field by field. */
export function compared({ kept, state, now, wanted }: Back): Compared {
  const of = (fields: readonly KeptField[], value: unknown, at: string) =>
    fields.map((field) => ({
      path: `${at}${pathName(field.path)}`,
      state: stateOf(value, field),
      before: jsonOf(field.before),
      ours: jsonOf(field.ours.at(-1)),
      now: jsonOf(valueAt(value, field.path)),
    }));
  const within = kept.texts.flatMap(({ path, fields }) =>
    of(fields, yamlOf(textIn(now, path)), `${path.at(-1) ?? ''}: `),
  );
  const isDeleted = kept.uid === null && state === 'back' && wanted === null;
  return { object: objectName(kept), state, isDeleted, fields: [...of(kept.fields, now, ''), ...within] };
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Whether somebody else changed what we wrote. */
function isChangedIn({ fields, texts }: Kept, now: unknown): boolean {
  const isChanged = (value: unknown) => (field: KeptField) => stateOf(value, field) === 'changed';
  return (
    fields.some(isChanged(now)) ||
    texts.some((text) => {
      const found = textIn(now, text.path);
      return exactText(text, found) === undefined && text.fields.some(isChanged(yamlOf(found)));
    })
  );
}

function contentBack({ fields, texts }: Kept, now: unknown, isAll: boolean): unknown {
  const isDue = (state: FieldState) => state === 'ours' || (isAll && state === 'changed');
  const due = fields.filter((field) => isDue(stateOf(now, field)));
  const back = due.reduce<unknown>(withOneBack, now);
  return texts.reduce<unknown>((content, text) => {
    const found = textIn(content, text.path);
    const exact = exactText(text, found);
    const { path, depth } = text;
    if (exact !== undefined) return withFieldBack(content, { path, depth, before: exact ?? undefined });
    if (found === undefined) return content;
    const yaml = yamlOf(found);
    const dueWithin = text.fields.filter((field) => isDue(stateOf(yaml, field)));
    if (dueWithin.length === 0) return content;
    const left = withFieldsBack(found, dueWithin);
    const isNothing = !text.wasThere && isNothingIn(left);
    return withFieldBack(content, { path, depth, before: isNothing ? undefined : left });
  }, back);
}

const withOneBack = (value: unknown, field: KeptField) => withFieldBack(value, field);

/** The text of before, to the byte, where nobody changed ours since; null where there was none; undefined where somebody did. */
function exactText({ ways, wasThere }: KeptText, found: string | undefined): string | null | undefined {
  if (found === undefined) return wasThere ? undefined : null;
  const hash = hashOf(found);
  if (wasThere && ways[0]?.to === hash) return found;
  const from = ways.findLastIndex((way) => way.from === hash);
  if (from < 0) return undefined;
  const text = walkBack(found, ways.slice(0, from + 1));
  return text === null ? undefined : wasThere ? text : null;
}

/** A comment that somebody wrote is something. */
function isNothingIn(text: string): boolean {
  return !text.includes('#') && isBare(yamlOf(text));
}

/** Without what operators fill in by themselves: labels, and in a pool its rendered configuration (machine-config-operator). */
function withoutFilled(content: unknown): unknown {
  if (!isFields(content)) return content;
  const { metadata: _labels, ...own } = content;
  const spec = valueAt(own, ['spec']);
  if (!isFields(spec)) return own;
  const { configuration: _rendered, ...rest } = spec;
  return { ...own, spec: rest };
}
