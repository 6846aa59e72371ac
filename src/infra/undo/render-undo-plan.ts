import { catalogue } from '../../i18n/catalogue.ts';
import { formatChangedObject } from '../../i18n/user-error.ts';
import { DIFF_SIGNS, diffLines } from '../../platform/diff.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { type MoveChange, toYaml } from '../edit.ts';
import type { ObjectComparison } from './restore-plan.ts';
import { hasChanges, RECORDED_ONLY_CONSENT, type UndoConsent, type UndoPlan } from './undo-move.ts';

const words = () => catalogue().clusterCommands.infra;

/** Maximum width of a line with all parts of a field, in columns, on a terminal of 80 columns. */
const LINE_WIDTH = 78;
/** Maximum length of any line, in characters. */
const MAX_LINE_LENGTH = 2000;

/**
 * Renders what undoing a move would do, as lines for the user to confirm: each object with its fields or as a diff, or
 * why nothing is undone. Below them, what undo cannot restore.
 * @param consent the consent so far; objects that others changed are shown accordingly
 */
export function renderUndoPlan(plan: UndoPlan, consent: UndoConsent = RECORDED_ONLY_CONSENT): string[] {
  switch (plan.kind) {
    case 'recorded':
      return [
        ...plan.objects.flatMap((comparison) =>
          renderObject(comparison, consent.shouldOverwrite(plan.move, comparison.object)),
        ),
        ...listUndoLimits(plan),
      ];
    case 'defaults':
      return [words().undo.notRecorded, ...plan.changes.flatMap(renderChange), ...listUndoLimits(plan)];
    case 'files':
      return plan.changes.flatMap(renderChange);
    case 'foreign':
      return [catalogue().steps.infra.foreign(plan.move)];
    case 'inherited':
      return [catalogue().steps.infra.inherited(plan.move, plan.sets)];
  }
}

/** A change with what undo does to its object; the screen shows it like a change of apply. */
interface UndoChange {
  readonly change: MoveChange & { readonly what: string };
}

/**
 * Lists what undoing a move would do, as `renderUndoPlan` does, with the changes that undo writes as texts to compare.
 * @param consent the consent so far
 */
export function listUndoLines(plan: UndoPlan, consent: UndoConsent): (string | UndoChange)[] {
  const toUndoChange = (change: MoveChange): UndoChange => ({ change: { ...change, what: '' } });
  switch (plan.kind) {
    case 'recorded':
      return [
        ...plan.objects.flatMap((comparison): (string | UndoChange)[] => {
          const { object, state, willBeDeleted, fields } = comparison;
          if (willBeDeleted || state !== 'restore')
            return renderObject(comparison, consent.shouldOverwrite(plan.move, object));
          const before = fields.map(({ path, current }) => formatFieldText(path, current)).join('');
          const after = fields.map((field) => formatFieldText(field.path, field.before)).join('');
          return [{ change: { object: sanitizeLine(object), what: words().undo.states.restore, before, after } }];
        }),
        ...listUndoLimits(plan),
      ];
    case 'defaults':
      return [words().undo.notRecorded, ...plan.changes.map(toUndoChange), ...listUndoLimits(plan)];
    case 'files':
      return plan.changes.map(toUndoChange);
    default:
      return renderUndoPlan(plan, consent);
  }
}

/** Formats a field as lines of YAML below its path; empty if it is not set. */
function formatFieldText(path: string, json: string | null): string {
  if (json === null) return '';
  const text = toYaml(JSON.parse(json)).trimEnd();
  const isBlock = /^[[{](?!\]|\})/.test(json);
  return isBlock ? `${path}:\n${text.replace(/^/gm, '  ')}\n` : `${path}: ${text}\n`;
}

/** Lists what undoing the move cannot restore; empty if undo writes nothing. */
function listUndoLimits(plan: UndoPlan): string[] {
  const { undoLimits } = catalogue().moves.byName[plan.move];
  return undoLimits !== null && hasChanges(plan) ? [undoLimits] : [];
}

/** Renders an object: the effect of undo on it and, if undo writes to it, its fields. */
function renderObject({ object, state, willBeDeleted, fields }: ObjectComparison, shouldOverwrite: boolean): string[] {
  const { states, deleted } = words().undo;
  // The move created the whole object: its individual fields add no information.
  if (willBeDeleted) return [sanitizeLine(`${object}: ${deleted}`, MAX_LINE_LENGTH)];
  const effect = states[state === 'changed' && shouldOverwrite ? 'overwritten' : state];
  const isWritten = state === 'restore' || state === 'changed';
  const lines = [`${object}: ${effect}`, ...(isWritten ? fields.flatMap(renderField) : [])];
  return lines.map((line) => sanitizeLine(line, MAX_LINE_LENGTH));
}

/**
 * Renders a field on one line. If a path or value is long: the field that undo changes as a difference in YAML, and
 * each value of another one on a line of its own.
 */
function renderField({ path, state, before, current, written }: ObjectComparison['fields'][number]): string[] {
  const { field: formatParts, unset } = words().undo;
  const parts = formatParts[state](path, before ?? unset, current ?? unset, written ?? unset);
  const line = `  ${parts.join(' ')}`;
  if (line.length <= LINE_WIDTH) return [line];
  const [head = '', ...values] = parts;
  if (state !== 'ours') return [`  ${head}`, ...values.map((value) => `      ${value}`)];
  const diff = diffLines(toYamlText(current), toYamlText(before));
  return [`  ${head}`, ...diff.map(({ kind, text }) => `      ${DIFF_SIGNS[kind]}${text}`)];
}

const toYamlText = (json: string | null) => (json === null ? null : toYaml(JSON.parse(json)).trimEnd());

/** Renders a change as a diff below the name of its object. */
function renderChange(change: MoveChange): string[] {
  const { before, after } = change;
  const formatHeading = before === null ? words().added : after === null ? words().removed : words().changed;
  const diff = diffLines(before, after).map(({ kind, text }) => `${DIFF_SIGNS[kind]}${text}`);
  return [formatHeading(formatChangedObject(change)), ...diff].map((line) => sanitizeLine(line, MAX_LINE_LENGTH));
}
