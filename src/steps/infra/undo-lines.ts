import { catalogue } from '../../i18n/catalogue.ts';
import { formatChangedObject } from '../../i18n/user-error.ts';
import type { MoveChange } from '../../infra/edit.ts';
import type { MoveName } from '../../infra/moves.ts';
import type { ObjectComparison } from '../../infra/undo/restore-plan.ts';
import { diffLines } from '../../platform/diff.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import type { Confirmation } from '../contract.ts';
import { hasChanges, NO_CONSENT, type UndoConsent, type UndoPlan } from './undo.ts';

const words = () => catalogue().live.infra;

/** Maximum width of a line, in columns, on a terminal of 80 columns. */
const LINE_WIDTH = 78;

/**
 * Renders the effect of undoing a move, object by object: the current value of each field, and the one before the
 * wizard's first write.
 * @param consent the consent so far; fields that others changed are shown accordingly
 */
export function undoLines(plan: UndoPlan, consent: UndoConsent = NO_CONSENT): string[] {
  const isRestored = plan.to === 'before' || plan.to === 'defaults';
  return [
    ...planLines(plan, consent),
    ...(isRestored && hasChanges(plan) ? [catalogue().moves.byName[plan.move].undoLimits ?? []].flat() : []),
  ];
}

function planLines(plan: UndoPlan, consent: UndoConsent): string[] {
  switch (plan.to) {
    case 'before':
      return plan.objects.flatMap((object) => objectLines(object, consent.overwrites(plan.move, object.object)));
    case 'defaults':
      return [words().undo.notRecorded, ...plan.changes.flatMap(changeLines)];
    case 'files':
      return plan.changes.flatMap(changeLines);
    case 'foreign':
      return [catalogue().steps.infra.foreign(plan.move)];
    case 'born':
      return [catalogue().steps.infra.inherited(plan.move, plan.sets)];
  }
}

function objectLines({ object, state, isDeleted, fields }: ObjectComparison, isOverwritten: boolean): string[] {
  const { states, field, unset, deleted } = words().undo;
  // The wizard created the whole object: its single fields add no information.
  if (isDeleted) return [sanitizeLine(`${object}: ${deleted}`, 2000)];
  const head = `${object}: ${states[state === 'changed' && isOverwritten ? 'overwritten' : state]}`;
  const lines = fields.flatMap((one) => {
    const parts = field[one.state](one.path, one.before ?? unset, one.now ?? unset, one.ours ?? unset);
    const fullLine = `  ${parts.join(' ')}`;
    // A long path or value gets its own lines.
    return fullLine.length <= LINE_WIDTH
      ? [fullLine]
      : parts.map((part, index) => `${index === 0 ? '  ' : '      '}${part}`);
  });
  return (state === 'back' || state === 'changed' ? [head, ...lines] : [head]).map((line) => sanitizeLine(line, 2000));
}

function changeLines(change: MoveChange): string[] {
  const { before, after } = change;
  const head = before === null ? words().added : after === null ? words().removed : words().changed;
  const sign = { same: '  ', added: '+ ', removed: '- ' } as const;
  const lines = diffLines(before, after).map(({ kind, text }) => `${sign[kind]}${text}`);
  return [head(formatChangedObject(change)), ...lines].map((line) => sanitizeLine(line, 2000));
}

/** The subject of an undo on a screen: a move, and the consent to more than restoring recorded fields. */
const SUBJECT = /^(\S+?)(?: (overwrite|defaults))?$/;

/** Parses the move and the consent of a subject: `router`, `router overwrite`, `router defaults`. */
export function parseUndoSubject(subject: string): { readonly name: string; readonly consent: UndoConsent } {
  const [, name = subject, more] = SUBJECT.exec(subject) ?? [];
  return { name, consent: { toDefaults: more === 'defaults', overwrites: () => more === 'overwrite' } };
}

/**
 * Creates the confirmation that the user reads before an undo. @param dependents the moves that must be undone first
 */
export function createUndoConfirmation(
  subject: string,
  plan: UndoPlan | null,
  dependents: readonly MoveName[] = [],
): Confirmation {
  const { name, consent } = parseUndoSubject(subject);
  const move = name as MoveName;
  const { questions, keys } = catalogue().screens.infra;
  const lines = plan === null ? [] : undoLines(plan, consent);
  const isChanged = plan?.to === 'before' && plan.objects.some(({ state }) => state === 'changed');
  const canOverwrite = isChanged && !consent.overwrites(move, '');
  const canChooseDefaults = plan?.to === 'defaults' && !consent.toDefaults;
  const question = consent.toDefaults
    ? questions.defaults(name)
    : consent.overwrites(move, '')
      ? questions.overwrite(name)
      : questions.undo(name);
  const blockedReason = catalogue().steps.infra.undoFirst(dependents.join(', '));
  if (dependents.length > 0) return { question, lines: [blockedReason, '', ...lines], blockedReason, alternatives: [] };
  return {
    question,
    lines,
    alternatives: [
      ...(canOverwrite ? [{ key: 'overwrite', label: keys.overwrite, subject: `${name} overwrite` } as const] : []),
      ...(canChooseDefaults ? [{ key: 'defaults', label: keys.defaults, subject: `${name} defaults` } as const] : []),
    ],
  };
}
