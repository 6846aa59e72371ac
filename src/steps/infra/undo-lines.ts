import type { Compared } from '../../moves/before/give-back.ts';
import type { MoveChange } from '../../moves/edit.ts';
import type { MoveName } from '../../moves/table.ts';
import { catalogue } from '../../text/catalogue.ts';
import { diffLines } from '../../text/diff.ts';
import { changedThing } from '../../text/host-file.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Brief } from '../contract.ts';
import { hasWork, NO_CONSENT, type UndoConsent, type UndoPlan } from './undo.ts';

const words = () => catalogue().live.infra;

/** What a terminal of 80 columns has room for. */
const LINE = 78;

/**
 * What undoing a move does, object by object: what each field is now, and what it was before our first write.
 * @param consent what was agreed to; what others changed is told as it will be
 */
export function undoLines(plan: UndoPlan, consent: UndoConsent = NO_CONSENT): string[] {
  const isGiven = plan.to === 'before' || plan.to === 'defaults';
  return [
    ...linesOf(plan, consent),
    ...(isGiven && hasWork(plan) ? [catalogue().moves.each[plan.move].notBack ?? []].flat() : []),
  ];
}

function linesOf(plan: UndoPlan, consent: UndoConsent): string[] {
  switch (plan.to) {
    case 'before':
      return plan.objects.flatMap((object) => objectLines(object, consent.overwrites(plan.move, object.object)));
    case 'defaults':
      return [words().undo.unrecorded, ...plan.changes.flatMap(changeLines)];
    case 'files':
      return plan.changes.flatMap(changeLines);
    case 'foreign':
      return [catalogue().steps.infra.foreign(plan.move)];
    case 'born':
      return [catalogue().steps.infra.born(plan.move, plan.sets)];
  }
}

function objectLines({ object, state, isDeleted, fields }: Compared, isOverwritten: boolean): string[] {
  const { states, field, unset, deleted } = words().undo;
  // All of it is ours: its fields one by one tell nothing more.
  if (isDeleted) return [sanitizeLine(`${object}: ${deleted}`, 2000)];
  const head = `${object}: ${states[state === 'changed' && isOverwritten ? 'overwritten' : state]}`;
  const lines = fields.flatMap((one) => {
    const parts = field[one.state](one.path, one.before ?? unset, one.now ?? unset, one.ours ?? unset);
    const whole = `  ${parts.join(' ')}`;
    // A long path or value takes lines of its own.
    return whole.length <= LINE ? [whole] : parts.map((part, index) => `${index === 0 ? '  ' : '      '}${part}`);
  });
  return (state === 'back' || state === 'changed' ? [head, ...lines] : [head]).map((line) => sanitizeLine(line, 2000));
}

function changeLines(change: MoveChange): string[] {
  const { before, after } = change;
  const head = before === null ? words().added : after === null ? words().removed : words().changed;
  const sign = { same: '  ', added: '+ ', removed: '- ' } as const;
  const lines = diffLines(before, after).map(({ kind, text }) => `${sign[kind]}${text}`);
  return [head(changedThing(change)), ...lines].map((line) => sanitizeLine(line, 2000));
}

/** What a screen has somebody undo: a move, and what was agreed to beyond giving back what was there. */
const SUBJECT = /^(\S+?)(?: (overwrite|defaults))?$/;

/** The move and the consent of a subject: `router`, `router overwrite`, `router defaults`. */
export function undoOf(subject: string): { readonly name: string; readonly consent: UndoConsent } {
  const [, name = subject, more] = SUBJECT.exec(subject) ?? [];
  return { name, consent: { toDefaults: more === 'defaults', overwrites: () => more === 'overwrite' } };
}

/** What a person reads before agreeing to it. @param above the moves that are undone first */
export function briefOf(subject: string, plan: UndoPlan | null, above: readonly MoveName[] = []): Brief {
  const { name, consent } = undoOf(subject);
  const move = name as MoveName;
  const { questions, keys } = catalogue().screens.infra;
  const lines = plan === null ? [] : undoLines(plan, consent);
  const isChanged = plan?.to === 'before' && plan.objects.some(({ state }) => state === 'changed');
  const isOpen = isChanged && !consent.overwrites(move, '');
  const isUnknown = plan?.to === 'defaults' && !consent.toDefaults;
  const question = consent.toDefaults
    ? questions.defaults(name)
    : consent.overwrites(move, '')
      ? questions.overwrite(name)
      : questions.undo(name);
  const whyNot = catalogue().steps.infra.undoFirst(above.join(', '));
  if (above.length > 0) return { question, lines: [whyNot, '', ...lines], whyNot, instead: [] };
  return {
    question,
    lines,
    instead: [
      ...(isOpen ? [{ key: 'overwrite', label: keys.overwrite, subject: `${name} overwrite` } as const] : []),
      ...(isUnknown ? [{ key: 'defaults', label: keys.defaults, subject: `${name} defaults` } as const] : []),
    ],
  };
}
