import type { Design } from '../../design/model.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import { effectsOf } from '../../moves/effects.ts';
import type { SeenMove } from '../../steps/infra/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { commandsApart, proseParts } from '../../text/command-lines.ts';
import { diffLines } from '../../text/diff.ts';
import { changedThing } from '../../text/host-file.ts';
import { sanitize, sanitizeLine } from '../../text/sanitize.ts';
import { tableText } from '../shared/live-io.ts';

const words = () => catalogue().live.infra;

/** A move of the outer interface, which has no `moving`: written and not settled is still needed. */
export function moveJson({ name, state, why, changes, preflight = [] }: SeenMove, design: Design) {
  return {
    name,
    state: state === 'moving' ? 'needed' : state,
    why,
    changes: changes.map(({ object, before, after, managers = [] }) => ({ object, before, after, managers })),
    preflight,
    ...(state === 'needed' ? effectsOf(name, design) : { restarts: [], outage: null, knownLater: [] }),
  };
}

/** The moves as a table, one line each, with what each waits for. */
export function movesText(moves: readonly SeenMove[], columns: number): string {
  const { move, state, why } = words().columns;
  const told = moves.map((one) => ({ ...one, parts: proseParts(sanitizeLine(one.why, 2000)) }));
  const rows = told.map(({ name, state: found, parts }) => [
    name,
    catalogue().moves.states[found],
    parts.map(({ text }) => text).join(' '),
  ]);
  // A cell may be cut: what is to be typed stands below, whole.
  const commands = told.flatMap(({ name, parts }) => {
    const own = parts.filter(({ isCommand }) => isCommand).map(({ text }) => `    ${text}\n`);
    return own.length === 0 ? [] : [`${words().toType(name)}\n`, ...own];
  });
  return [tableText([[move, state, why], ...rows], columns), ...commands].join('');
}

/** What the moves would change and cause, move by move and object by object, as diffs. */
export function planText(moves: readonly SeenMove[], design: Design): string {
  return moves
    .filter(({ state }) => state === 'needed')
    .map(({ name, changes, says = [], preflight = [] }) => {
      const { restarts, outage, knownLater } = effectsOf(name, design);
      const lines = [
        words().planned(name, catalogue().moves.each[name].title),
        ...(restarts.length > 0 ? restarts.map(words().restarts) : [words().restartsNothing]),
        words().outage(outage),
        ...knownLater.map(words().knownLater),
        ...says.map((said) => words().says(sanitizeLine(said, 2000))),
        ...preflight.map(preflightText),
      ];
      return `\n${commandsApart(lines.map((line) => `${line}\n`).join(''))}${changesText(changes)}`;
    })
    .join('');
}

function changesText(changes: SeenMove['changes']): string {
  return changes.map(changeText).join('');
}

function preflightText({ state, title, cause, whatToDo }: Finding): string {
  const { ok, wrong, unknown } = words().preflight;
  const said = sanitizeLine(cause === '' ? title : `${title}: ${cause}`);
  if (state === 'ok') return ok(said);
  return state === 'unknown' ? unknown(said) : wrong(said, whatToDo);
}

function changeText(change: SeenMove['changes'][number]): string {
  const { before, after, managers = [], copyOf } = change;
  const sign = { same: '  ', added: '+ ', removed: '- ' } as const;
  const copied = (of: string) => (name: string) => words().copied(name, sanitizeLine(of, 500));
  const isNew = copyOf === undefined ? words().added : copied(copyOf.object);
  const head = before === null ? isNew : after === null ? words().removed : words().changed;
  // Of a copy the differences count.
  const lines = diffLines(before ?? copyOf?.text ?? null, after).map(
    ({ kind, text }) => `${sign[kind]}${sanitizeLine(text, 2000)}\n`,
  );
  const owners = managers.map(
    ({ name, isGitOps }) => `${(isGitOps ? words().gitOps : words().managed)(sanitizeLine(name, 100))}\n`,
  );
  return `\n${head(sanitize(changedThing(change), 500))}\n${owners.join('')}${lines.join('')}`;
}
