import { Box } from 'ink';
import type { ReactNode } from 'react';
import type { Finding } from '../../../src/checks/check.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { markCommand, wrapProse } from '../../../src/i18n/prose.ts';
import type { StepId } from '../../../src/steps/contract.ts';
import { Gap, Label, Row } from '../../../src/ui/components/select.tsx';
import { AreaProvider, type TerminalStyle, useArea, useTerminalStyle } from '../../../src/ui/terminal-style.tsx';
import { getOpenPrompt, type StepRun } from '../../../src/wizard/live/step-run.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { computeBodyRows, describeStep, useBodyArea, WithAside } from '../aside.tsx';
import type { Screen } from '../bindings.ts';
import { countParagraphRows, Paragraph } from '../text.tsx';
import { getView, LIVE_STEPS, type StepKeys, stepBindings } from './step-bindings.ts';
import {
  collectNotes,
  fitNotes,
  getErrorNotes,
  getFindingNotes,
  getInstructionNotes,
  getLastValidDesignNote,
  type NoteLine,
  StateLine,
  wrapState,
} from './step-lines.tsx';
import { QuestionView } from './step-question.tsx';

/** The parts of a step's screen that differ from step to step. */
export interface StepPage<View> extends StepKeys<View> {
  /** The middle of the screen: the list or grid of the step. */
  readonly Body: (props: { readonly view: View; readonly run: StepRun; readonly now: number }) => ReactNode;
  /** The body shows the instructions for manual work: they are not repeated under it. */
  readonly hasOwnInstructions?: boolean;
  /** Maximum lines of findings under the body, if the body itself shows the problems. */
  readonly maxNotes?: number;
  /** Whether the body shows this finding: `maxNotes` applies only if it shows all of them. */
  readonly isInBody?: (finding: Finding) => boolean;
  /** Its list needs the whole width of a narrow terminal. */
  readonly isWide?: boolean;
  /** Columns that the body can use; by default, those of an 80-column terminal. */
  readonly neededColumns?: (view: View, run: StepRun, now: number, style: TerminalStyle) => number;
  /** Rows of the complete body at this width: in a high window, the rest is free for the long help below it. */
  readonly neededRows?: (view: View, run: StepRun, now: number, style: TerminalStyle, columns: number) => number;
  /** The body is prose that wraps: it needs no minimum width. */
  readonly wraps?: boolean;
  /** The meaning of an unbound key. */
  readonly onText?: Screen['onText'];
  /** Further paragraphs of the help page (Ctrl-G). */
  readonly help?: () => readonly string[];
}

/** Creates the screen of a step: intro, state line, body, notes on problems, and what Enter does. */
export function createStepScreen<View>(page: StepPage<View>): Screen {
  return {
    id: page.id,
    breadcrumb: () => catalogue().screens.places.step(getStepTitle(page.id)),
    bindings: (state) => stepBindings(page, state),
    help: (state) => [
      getIntro(page.id, state),
      // Text that does not fit under the list appears here in full.
      ...getErrorNotes(state.runs[page.id]).map(({ text }) => text),
      ...(state.runs[page.id].probe?.findings ?? []).flatMap((finding) =>
        getFindingNotes(finding).map(({ text }) => text),
      ),
      ...(page.hasOwnInstructions ? [] : getInstructionNotes(state.runs[page.id]).map(({ text }) => text)),
      ...getOwnCommands(page, state.runs[page.id]).map(markCommand),
      ...(page.help?.() ?? []),
    ],
    isWide: page.isWide ?? false,
    onText: (state, event) =>
      getOpenPrompt(state.runs[page.id])?.input ? { type: 'step/type', event } : (page.onText?.(state, event) ?? null),
    draw: (state) => <StepView page={page} state={state} />,
  };
}

function getStepTitle(id: StepId): string {
  return catalogue().steps.titles[id];
}

/** Returns the intro of the step, for the topology of the planned cluster. */
function getIntro(id: StepId, { design, inForce }: WizardState): string {
  const { intros, introsSingle } = catalogue().steps;
  const single: Partial<typeof intros> = introsSingle;
  return (design ?? inForce?.design)?.topology === 'single-node' ? (single[id] ?? intros[id]) : intros[id];
}

function StepView<View>({ page, state }: { readonly page: StepPage<View>; readonly state: WizardState }) {
  const area = useArea();
  const style = useTerminalStyle();
  const run = state.runs[page.id];
  const view = getView(page, run);
  const own = view === null ? undefined : page.neededColumns?.(view, run, state.now, style);
  const needed =
    own === undefined
      ? DEFAULT_COLUMNS
      : Math.max(page.wraps ? MIN_TEXT_COLUMNS : DEFAULT_COLUMNS, Math.ceil(own / COLUMN_STEP) * COLUMN_STEP);
  const body = useBodyArea(needed);
  const notes = [...getLastValidDesignNote(state), ...collectNotes(state, page, run)].flatMap((note) =>
    wrapIndented(note.text, body.columns).map(
      ({ text, isCommand }): NoteLine => ({
        text,
        tone: isCommand ? 'accent' : (note.tone ?? 'text'),
        isCommand,
        isWanted: isCommand && note.isWanted === true,
      }),
    ),
  );
  const intro = getIntro(page.id, state);
  // In a small window, the list has priority over the text around it.
  const stateOfRun = wrapState(run, state.now, { ...style, ...area }, STATE_ROWS);
  const isTight = area.rows < SMALL_WINDOW_ROWS || (area.rows < STANDARD_ROWS && stateOfRun.length > 1);
  // A sentence that does not fit is on the help page.
  const introRows =
    isTight && countParagraphRows(intro, area.columns) > 1 ? 0 : countParagraphRows(intro, area.columns);
  const head = introRows + stateOfRun.length;
  // A truncated command is useless: the list gives way to it.
  const commandRows = notes.findLastIndex(({ isWanted }) => isWanted) + 1;
  const wantedRows = Math.max(
    getMaxNotes(page, run),
    Math.min(commandRows + 1, area.rows - head - 2 - MIN_BODY_ROWS_ABOVE_COMMAND),
  );
  const maxNoteRows = Math.min(
    wantedRows,
    Math.max(2, area.rows - head - 2 - (commandRows > 0 ? MIN_BODY_ROWS_ABOVE_COMMAND : MIN_BODY_ROWS)),
  );
  const noteRows = notes.length === 0 ? 0 : Math.min(maxNoteRows, notes.length) + 1;
  const freeRows = Math.max(1, area.rows - head - 1 - noteRows);
  const completeRows = view === null ? undefined : page.neededRows?.(view, run, state.now, style, body.columns);
  const help = [getStepTitle(page.id), ...describeStep(page.id)];
  const free = { columns: area.columns, rows: freeRows, isAlone: area.columns === body.columns };
  // A log that the user opened on the whole page gets no help below it.
  const mayScroll = LIVE_STEPS.has(page.id) && !run.logPosition.isFullPage;
  const rowsAboveHelp =
    completeRows === undefined && !mayScroll ? null : computeBodyRows(style, free, completeRows, help);
  const bodyRows = rowsAboveHelp ?? freeRows;
  if (run.phase === 'asking') return <QuestionView page={page} run={run} />;
  const { Body } = page;
  // The changing state has short lines of its own, because each update writes them again.
  return (
    <>
      <Paragraph text={intro} tone="dim" height={introRows} />
      <StateLine run={run} now={state.now} lines={stateOfRun} />
      <Gap />
      <AreaProvider area={{ columns: area.columns, rows: Math.max(1, area.rows - head - 1) }}>
        <WithAside
          state={state}
          needed={needed}
          {...(rowsAboveHelp === null ? {} : { neededRows: bodyRows + noteRows })}
          help={help}
        >
          <Box height={bodyRows} flexShrink={0} flexDirection="column" overflow="hidden">
            <AreaProvider area={{ columns: body.columns, rows: bodyRows }}>
              {view === null ? null : <Body view={view} run={run} now={state.now} />}
            </AreaProvider>
          </Box>
          {noteRows > 0 && <Gap />}
          {fitNotes(notes, maxNoteRows).map(({ text, tone }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
            <Row key={index}>
              <Label tone={tone}>{text}</Label>
            </Row>
          ))}
        </WithAside>
      </AreaProvider>
    </>
  );
}

/** Continuation lines align with the start of the text. */
function wrapIndented(text: string, columns: number) {
  const [head = ''] = /^ */.exec(text) ?? [];
  return wrapProse(text.slice(head.length), columns, head);
}

/** Columns that the tables of the steps are designed for: those of an 80-column terminal. */
const DEFAULT_COLUMNS = 78;
const MIN_TEXT_COLUMNS = 60;
/** Widths are rounded up to a multiple of this, so that a cell that grows by a letter moves nothing. */
const COLUMN_STEP = 6;

function getMaxNotes<View>(
  { maxNotes: limit = MAX_NOTES, isInBody }: StepPage<View>,
  { probe, phase }: StepRun,
): number {
  // After a failure, its cause and remedy come before the list.
  if (phase === 'failed') return MAX_FAILURE_NOTES;
  return isInBody === undefined || probe?.findings.every(isInBody) ? limit : MAX_NOTES;
}

/** Maximum lines under the body; the first finding with its cause and remedy fits at 80 columns. */
const MAX_NOTES = 8;
const MAX_FAILURE_NOTES = 10;
const MIN_BODY_ROWS = 6;
/** Minimum rows of the body above a command to type, which is shown in full. */
const MIN_BODY_ROWS_ABOVE_COMMAND = 3;
const SMALL_WINDOW_ROWS = 14;
/** The rows left in a 24-line terminal, with a line or two to spare. */
const STANDARD_ROWS = 18;
/** Maximum rows of the step's state: at 60 columns, fewer would truncate an address. */
const STATE_ROWS = 3;

/** Returns the commands for the selected row, if they differ from those of the plan. */
function getOwnCommands<View>(page: StepPage<View>, run: StepRun): readonly string[] {
  const view = getView(page, run);
  return view === null ? [] : (page.commands?.(view, run.row, run) ?? []);
}
