import { isClusterError } from '../cluster/errors.ts';
import type { MoveState } from '../cluster/infra/move.ts';
import type { Move, MoveName } from '../steps/infra/index.ts';
import { catalogue } from '../text/catalogue.ts';
import { diffLines } from '../text/diff.ts';
import { sanitize, sanitizeLine } from '../text/sanitize.ts';
import { TroubleError } from '../text/trouble.ts';
import { tableText } from './live-io.ts';

const words = () => catalogue().live.infra;

/** How one move stands. */
export interface InfraMove extends MoveState {
  readonly name: MoveName;
}

/**
 * How a move stands. What keeps its plan from being made (a credential file that is not there) blocks it.
 * @throws ClusterError when the API does not answer
 */
export async function lookAtMove(move: Move): Promise<InfraMove> {
  try {
    const { state, why, changes } = await move.probe();
    return { name: move.name, state, why: why || (state === 'absent' ? words().unwanted : ''), changes };
  } catch (error) {
    if (!(error instanceof TroubleError) || isClusterError(error)) throw error;
    const { title, cause } = error.trouble;
    return { name: move.name, state: 'blocked', why: sanitizeLine(`${title}: ${cause}`), changes: [] };
  }
}

/** @throws ClusterError when the API does not answer */
export async function lookAtMoves(moves: readonly Move[]): Promise<InfraMove[]> {
  return await Promise.all(moves.map(lookAtMove));
}

/** A move of the outer interface, which knows no `moving`: what is written and not there yet is still needed. */
export function moveJson({ name, state, why, changes }: InfraMove) {
  return {
    name,
    state: state === 'moving' ? 'needed' : state,
    why,
    changes: changes.map(({ object, before, after }) => ({ object, before, after })),
  };
}

/** The moves as a table, a line each, with what each waits for. */
export function movesText(moves: readonly InfraMove[], columns: number): string {
  const { move, state, why } = words().columns;
  const rows = moves.map((one) => [one.name, words().states[one.state], sanitizeLine(one.why)]);
  return tableText([[move, state, why], ...rows], columns);
}

/** What the moves would change, object by object, as diffs. */
export function planText(moves: readonly InfraMove[]): string {
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
