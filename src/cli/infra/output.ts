import type { Finding } from '../../checks/check.ts';
import type { Design } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { separateCommands, splitProse } from '../../i18n/prose.ts';
import { formatChangedObject } from '../../i18n/user-error.ts';
import type { InfraContext } from '../../infra/context.ts';
import type { MoveChange } from '../../infra/edit.ts';
import {
  describeEffects,
  explainMoveState,
  type ObservedMove,
  selectStartableMoves,
  summarizePlan,
  summarizeUndo,
} from '../../infra/moves.ts';
import { formatMoveEvent, type MoveEvent } from '../../infra/run.ts';
import { listUndoneObjects, type UndoPlan } from '../../infra/undo/undo-move.ts';
import { formatTimeOfDay, MINUTE } from '../../platform/clock.ts';
import { DIFF_SIGNS, diffLines } from '../../platform/diff.ts';
import { sanitize, sanitizeLine } from '../../platform/sanitize.ts';
import { fitToWidth, getDisplayWidth, wrapBeside, wrapLines } from '../../platform/text.ts';
import { MOVE_STATUS } from '../../rows/status.ts';
import type { Span, StyledLine } from '../shared/colours.ts';
import type { ProcessIo } from '../shared/process-io.ts';
import { createHeadingCells, createStatusSpan, formatTableLines, getLineColumns } from '../shared/table.ts';

const words = () => catalogue().clusterCommands.infra;

/** The result of a command about infra moves. */
export interface InfraOutcome {
  readonly moves: readonly ObservedMove[];
  /** False for exit code 4. */
  readonly isSuccessful: boolean;
  /** The line below the table, for people. Missing: none. */
  readonly summary?: string;
}

/** Terminal access for messages and questions. */
export type DialogIo = Pick<ProcessIo, 'ask' | 'stderr' | 'redraw' | 'columns'>;

/** Confirmations that options give in advance. */
export interface ApplyConsent {
  readonly assumeYes: boolean;
  readonly overridesGitOps: boolean;
}

/** Creates a printer that shows events line by line. */
export function createEventPrinter(io: DialogIo, clock: InfraContext['clock']) {
  const waitLine = createWaitLine(io, () => clock.now());
  return (event: MoveEvent) => {
    if (event.type === 'waiting') return waitLine.show(event);
    waitLine.clear();
    if (event.type === 'began' && event.doing === 'apply')
      for (const manualStep of event.manualSteps) printLine(io, manualStep);
    const line = formatMoveEvent(event);
    if (line !== null) printLine(io, `${formatTimeOfDay(clock.now())} ${line}`);
    if (event.type === 'blocked')
      printLine(
        io,
        event.doing === 'apply' ? words().stopped(event.move, event.why) : words().undoBlocked(event.move, event.why),
      );
    // A failure during undo ends the command, which then reports it.
    if (event.type === 'failed' && event.doing === 'apply')
      printLine(io, words().stopped(event.move, `${event.userError.title}: ${event.userError.cause}`));
  };
}

/** Prints a sanitized line to stderr. */
export function printLine(io: Pick<DialogIo, 'stderr'>, line: string): void {
  io.stderr(`${sanitizeLine(line)}\n`);
}

/**
 * Returns a move in the JSON output, which has no state `moving`: a move whose rollout is not finished counts as
 * needed.
 */
export function toMoveJson(move: ObservedMove, design: Design) {
  const { name, state, why, changes, preflightFindings = [] } = move;
  const { restarts, outage, knownLater } = describeEffects(move, design);
  return {
    name,
    state: state === 'moving' ? 'needed' : state,
    why,
    changes: changes.map(({ object, before, after, managers = [] }) => ({ object, before, after, managers })),
    preflight: preflightFindings,
    ...(state === 'needed' ? { restarts, outage, knownLater } : { restarts: [], outage: null, knownLater: [] }),
  };
}

/** Formats the moves as a table, one line each in a pipe, with the reason for their state; empty without moves. */
export function formatMoves(moves: readonly ObservedMove[], io: Pick<ProcessIo, 'columns' | 'style'>): StyledLine[] {
  if (moves.length === 0) return [];
  const { style } = io;
  const { move, state, why } = words().columns;
  const { startableMoves, stoppingMove } = selectStartableMoves(moves);
  const movesWithParts = moves.map((observedMove) => {
    const delayingMove = startableMoves.includes(observedMove) ? null : (stoppingMove?.name ?? null);
    return {
      ...observedMove,
      parts: splitProse(sanitizeLine(explainMoveState(observedMove, delayingMove), 2000)),
    };
  });
  const rows = movesWithParts.map(({ name, state: moveState, parts }): Span[] => [
    { text: name },
    createStatusSpan(MOVE_STATUS[moveState], catalogue().moves.states[moveState], style),
    { text: parts.map(({ text }) => text).join(' ') },
  ]);
  // A cell may be truncated, so the commands to type follow below, in full.
  const commands = movesWithParts.flatMap(({ name, parts }) => {
    const commandLines = parts.filter(({ isCommand }) => isCommand).map(({ text }) => `    ${text}`);
    return commandLines.length === 0 ? [] : [words().commandsHeading(name), ...commandLines];
  });
  return [
    ...formatTableLines([createHeadingCells([move, state, why]), ...rows], getLineColumns(io), style),
    ...commands.map((text): StyledLine => [{ text }]),
  ];
}

/**
 * Formats the changes of the needed moves as diffs, by move and object, with their effects.
 * @param columns width of a line: longer ones continue with their indent and sign; commands are never broken
 */
export function formatPlan(moves: readonly ObservedMove[], design: Design, columns: number): string {
  return moves
    .filter(({ state }) => state === 'needed')
    .map(({ name, changes, notes = [], preflightFindings = [] }) => {
      const { restarts, outage, knownLater } = describeEffects({ name, changes }, design);
      const lines = [
        words().planHeading(name, catalogue().moves.byName[name].title),
        words().purpose(catalogue().moves.purposes[name]),
        ...(restarts.length > 0 ? restarts.map(words().restarts) : [words().restartsNothing]),
        words().outage(outage),
        ...knownLater.map(words().knownLater),
        ...notes.map((note) => words().warning(sanitizeLine(note, 2000))),
        ...preflightFindings.map(formatPreflight),
      ];
      const text = separateCommands(lines.join('\n'))
        .split('\n')
        .flatMap((line) => wrapPlanLine(line, columns))
        .join('\n');
      return `\n${text}\n${formatChanges(changes, columns)}`;
    })
    .join('');
}

/** Wraps a line below its text, after its label; a command, which has a larger indent, is not broken. */
function wrapPlanLine(line: string, columns: number): string[] {
  const [head = ''] = /^ *(?:[a-z][a-z ]*: |! )?/.exec(line) ?? [];
  return line.startsWith('    ') ? [line] : wrapBeside(head, line.slice(head.length), columns);
}

/**
 * Formats the summary of the moves that one confirmation starts; empty if there are none.
 * @param columns width of a line
 */
export function formatSummary(startableMoves: readonly ObservedMove[], design: Design, columns: number): string {
  if (startableMoves.length === 0) return '';
  return formatSummaryLines(summarizePlan(startableMoves, design, catalogue().moves.summary.undoneBy.command), columns);
}

/** Formats the summary of what undoing these moves causes, as in the question of the screen. */
export function formatUndoSummary(plans: readonly UndoPlan[], design: Design, columns: number): string {
  return formatSummaryLines(summarizeUndo(plans.map(listUndoneObjects), design), columns);
}

function formatSummaryLines(lines: ReturnType<typeof summarizePlan>, columns: number): string {
  const width = Math.max(...lines.map(({ label }) => getDisplayWidth(label))) + 2;
  return lines
    .flatMap(({ label, text }) => wrapBeside(fitToWidth(label, width, ''), text, columns))
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Formats the changes of moves as diffs, each under its object.
 * @param columns width of a line
 */
export function formatChanges(changes: readonly MoveChange[], columns: number): string {
  return changes.map((change) => formatChange(change, columns)).join('');
}

function formatPreflight({ state, title, cause, remedy }: Finding): string {
  const { ok, wrong, unknown } = words().preflight;
  const summary = sanitizeLine(cause === '' ? title : `${title}: ${cause}`);
  if (state === 'ok') return ok(summary);
  return state === 'unknown' ? unknown(summary) : wrong(summary, remedy);
}

function formatChange(change: MoveChange, columns: number): string {
  const { before, after, managers = [], copyOf } = change;
  const formatCopied = (source: string) => (name: string) => words().copied(name, sanitizeLine(source, 500));
  const formatAdded = copyOf === undefined ? words().added : formatCopied(copyOf.object);
  const formatHeading = before === null ? formatAdded : after === null ? words().removed : words().changed;
  // For a copy, only the differences are shown.
  const lines = diffLines(before ?? copyOf?.text ?? null, after).flatMap(({ kind, text }) =>
    wrapDiffLine(DIFF_SIGNS[kind], sanitizeLine(text, 2000), columns),
  );
  const managerLines = managers.map(
    ({ name, isGitOps }) => `${(isGitOps ? words().gitOps : words().managed)(sanitizeLine(name, 100))}\n`,
  );
  return `\n${formatHeading(sanitize(formatChangedObject(change), 500))}\n${managerLines.join('')}${lines.map((line) => `${line}\n`).join('')}`;
}

/** Wraps a line of a diff; each of its lines has the sign, and those after the first a deeper indent. */
function wrapDiffLine(sign: string, text: string, columns: number): string[] {
  const [indent = ''] = /^ */.exec(text) ?? [];
  const head = `${sign}${indent}`;
  if (getDisplayWidth(head + text.trimStart()) <= columns) return [`${sign}${text}`];
  const width = Math.max(MIN_DIFF_COLUMNS, columns - getDisplayWidth(head) - CONTINUATION.length);
  return wrapLines(text.trimStart(), width).map((line, index) => `${head}${index === 0 ? '' : CONTINUATION}${line}`);
}

const CONTINUATION = '  ';
/** Columns that a deeply indented line of a diff keeps. */
const MIN_DIFF_COLUMNS = 20;

/** The line that shows why and since when a command waits. */
interface WaitLine {
  /** @param wait.since ms of the clock */
  show(wait: { readonly move: string; readonly why: string; readonly since: number }): void;
  /** Removes the line. Call this before any other output. */
  clear(): void;
}

/**
 * Creates a wait line. On a terminal it is redrawn, on as many rows as it needs. Other outputs get a line when the
 * reason changes, and once a minute.
 * @param now ms of the clock
 */
export function createWaitLine(
  { stderr, redraw, columns }: Pick<ProcessIo, 'stderr' | 'redraw' | 'columns'>,
  now: () => number,
): WaitLine {
  let shownRows = 0;
  let lastPrinted = { why: '', at: 0 };
  /** Returns to the first column of the first row. */
  const moveToStart = () => (shownRows > 1 ? `\r\u001b[${shownRows - 1}A` : '\r');
  return {
    show({ move, why, since }) {
      const line = sanitizeLine(words().waiting(move, now() - since, why));
      if (redraw !== undefined) {
        const rows = wrapLines(line, columns - 1);
        redraw(`${moveToStart()}${rows.join('\u001b[K\n')}\u001b[J`);
        shownRows = rows.length;
        return;
      }
      const reason = `${move} ${why}`;
      if (reason === lastPrinted.why && now() - lastPrinted.at < MINUTE) return;
      lastPrinted = { why: reason, at: now() };
      stderr(`${line}\n`);
    },
    clear() {
      if (shownRows > 0) redraw?.(`${moveToStart()}\u001b[J`);
      shownRows = 0;
    },
  };
}
