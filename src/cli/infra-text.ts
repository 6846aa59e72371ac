import type { SeenMove } from '../steps/infra/index.ts';
import { catalogue } from '../text/catalogue.ts';
import { diffLines } from '../text/diff.ts';
import { sanitize, sanitizeLine } from '../text/sanitize.ts';
import { tableText } from './live-io.ts';

const words = () => catalogue().live.infra;

/** A move of the outer interface, which has no `moving`: written and not settled is still needed. */
export function moveJson({ name, state, why, changes }: SeenMove) {
  return {
    name,
    state: state === 'moving' ? 'needed' : state,
    why,
    changes: changes.map(({ object, before, after }) => ({ object, before, after })),
  };
}

/** The moves as a table, one line each, with what each waits for. */
export function movesText(moves: readonly SeenMove[], columns: number): string {
  const { move, state, why } = words().columns;
  const rows = moves.map((one) => [one.name, catalogue().moves.states[one.state], sanitizeLine(one.why)]);
  return tableText([[move, state, why], ...rows], columns);
}

/** What the moves would change, object by object, as diffs. */
export function planText(moves: readonly SeenMove[]): string {
  const sign = { same: '  ', added: '+ ', removed: '- ' } as const;
  return moves
    .flatMap(({ changes }) => changes)
    .map(({ object, before, after }) => {
      const head = before === null ? words().added : after === null ? words().removed : words().changed;
      const lines = diffLines(before, after).map(({ kind, text }) => `${sign[kind]}${sanitizeLine(text, 2000)}\n`);
      return `\n${head(sanitize(object, 500))}\n${lines.join('')}`;
    })
    .join('');
}
