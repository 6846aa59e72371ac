import { catalogue } from '../../i18n/catalogue.ts';
import { formatChangedObject } from '../../i18n/user-error.ts';
import { diffLines } from '../../platform/diff.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { MoveChange } from '../edit.ts';
import type { ObjectComparison } from './restore-plan.ts';
import { hasChanges, RECORDED_ONLY_CONSENT, type UndoConsent, type UndoPlan } from './undo-move.ts';

const words = () => catalogue().clusterCommands.infra;

/** Maximum width of a line, in columns, on a terminal of 80 columns. */
const LINE_WIDTH = 78;

/**
 * Renders the effect of undoing a move, object by object: the current value of each field, and the one before the
 * wizard's first write.
 * @param consent the consent so far; fields that others changed are shown accordingly
 */
export function renderUndoPlan(plan: UndoPlan, consent: UndoConsent = RECORDED_ONLY_CONSENT): string[] {
  const isRestored = plan.kind === 'before' || plan.kind === 'defaults';
  return [
    ...renderPlan(plan, consent),
    ...(isRestored && hasChanges(plan) ? [catalogue().moves.byName[plan.move].undoLimits ?? []].flat() : []),
  ];
}

function renderPlan(plan: UndoPlan, consent: UndoConsent): string[] {
  switch (plan.kind) {
    case 'before':
      return plan.objects.flatMap((object) => renderObject(object, consent.shouldOverwrite(plan.move, object.object)));
    case 'defaults':
      return [words().undo.notRecorded, ...plan.changes.flatMap(renderChange)];
    case 'files':
      return plan.changes.flatMap(renderChange);
    case 'foreign':
      return [catalogue().steps.infra.foreign(plan.move)];
    case 'inherited':
      return [catalogue().steps.infra.inherited(plan.move, plan.sets)];
  }
}

function renderObject({ object, state, isDeleted, fields }: ObjectComparison, isOverwritten: boolean): string[] {
  const { states, field, unset, deleted } = words().undo;
  // The wizard created the whole object: its individual fields add no information.
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

function renderChange(change: MoveChange): string[] {
  const { before, after } = change;
  const head = before === null ? words().added : after === null ? words().removed : words().changed;
  const sign = { same: '  ', added: '+ ', removed: '- ' } as const;
  const lines = diffLines(before, after).map(({ kind, text }) => `${sign[kind]}${text}`);
  return [head(formatChangedObject(change)), ...lines].map((line) => sanitizeLine(line, 2000));
}
