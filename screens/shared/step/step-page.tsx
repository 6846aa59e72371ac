import { Box } from 'ink';
import type { ReactNode } from 'react';
import type { Finding } from '../../../src/diagnosis/finding.ts';
import type { StepId } from '../../../src/steps/contract.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { inProse, proseLines } from '../../../src/text/command-lines.ts';
import { Gap, Label, Row } from '../../../src/ui/components/label.tsx';
import { AreaProvider, type Look, useArea, useLook } from '../../../src/ui/look.tsx';
import { openQuestion, type StepRun } from '../../../src/wizard/live/step-run.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { rowsAbove, useBodyArea, WithAside } from '../aside.tsx';
import { stepAbout } from '../page-help.ts';
import type { Screen } from '../screen.ts';
import { Paragraph, paragraphRows } from '../text.tsx';
import { StateLine, stateLines } from './state-line.tsx';
import { LIVE, type StepKeys, stepBindings, viewOf } from './step-bindings.ts';
import { byHand, findingLines, fitted, lastGoodNote, type NoteLine, notesOf, troubleLines } from './step-notes.ts';
import { Question } from './step-question.tsx';

/** The parts that only one step's screen has; the rest is the same for all. */
export interface StepPage<View> extends StepKeys<View> {
  /** The middle of the screen: the list or grid of the step. */
  readonly Body: (props: { readonly view: View; readonly run: StepRun; readonly now: number }) => ReactNode;
  /** The body shows the person's instructions: they do not appear again under it. */
  readonly hasOwnInstructions?: boolean;
  /** Maximum number of lines for findings under the body, where the body itself shows what is wrong. */
  readonly mostNotes?: number;
  /** Whether the body shows this finding: `mostNotes` applies only where it shows them all. */
  readonly isInBody?: (finding: Finding) => boolean;
  /** Its list needs the whole width of a narrow terminal. */
  readonly isWide?: boolean;
  /** Cells that the body makes use of; those of an 80 column terminal by default. */
  readonly needed?: (view: View, run: StepRun, now: number, look: Look) => number;
  /** Rows in which a body of so many columns is whole: what a high window has left is free for the long help below it. */
  readonly neededRows?: (view: View, run: StepRun, now: number, look: Look, columns: number) => number;
  /** The body is text that goes on in the next line, and needs no width. */
  readonly wraps?: boolean;
  /** The meaning of an unbound key. */
  readonly onText?: Screen['onText'];
  /** More for the page behind Ctrl-G. */
  readonly help?: () => readonly string[];
}

/** The screen of a step: intro, state line, its own body, what is wrong, and what Enter does. */
export function stepPage<View>(page: StepPage<View>): Screen {
  return {
    id: page.id,
    place: () => catalogue().screens.places.step(titleOf(page.id)),
    bindings: (state) => stepBindings(page, state),
    help: (state) => [
      introOf(page.id, state),
      // What does not fit under the list appears here in full.
      ...troubleLines(state.runs[page.id]).map(({ text }) => text),
      ...(state.runs[page.id].probe?.findings ?? []).flatMap((finding) =>
        findingLines(finding).map(({ text }) => text),
      ),
      ...(page.hasOwnInstructions ? [] : byHand(state.runs[page.id]).map(({ text }) => text)),
      ...ownCommands(page, state.runs[page.id]).map(inProse),
      ...(page.help?.() ?? []),
    ],
    isWide: page.isWide ?? false,
    onText: (state, event) =>
      openQuestion(state.runs[page.id])?.typed ? { type: 'step/type', event } : (page.onText?.(state, event) ?? null),
    draw: (state) => <StepView page={page} state={state} />,
  };
}

function titleOf(id: StepId): string {
  return catalogue().steps.titles[id];
}

/** What the step is about, for the planned cluster. */
function introOf(id: StepId, { design, inForce }: WizardState): string {
  const { intros, introsSingle } = catalogue().steps;
  const single: Partial<typeof intros> = introsSingle;
  return (design ?? inForce?.design)?.topology === 'single-node' ? (single[id] ?? intros[id]) : intros[id];
}

function StepView<View>({ page, state }: { readonly page: StepPage<View>; readonly state: WizardState }) {
  const area = useArea();
  const look = useLook();
  const run = state.runs[page.id];
  const view = viewOf(page, run);
  const own = view === null ? undefined : page.needed?.(view, run, state.now, look);
  const needed =
    own === undefined
      ? USUALLY_NEEDED
      : Math.max(page.wraps ? LEAST_TEXT : USUALLY_NEEDED, Math.ceil(own / STEP) * STEP);
  const body = useBodyArea(needed);
  const notes = [...lastGoodNote(state), ...notesOf(state, page, run)].flatMap((note) =>
    indentedLines(note.text, body.columns).map(
      ({ text, isCommand }): NoteLine => ({
        text,
        tone: isCommand ? 'accent' : (note.tone ?? 'text'),
        isCommand,
        isWanted: isCommand && note.isWanted === true,
      }),
    ),
  );
  const intro = introOf(page.id, state);
  // In a small window the list comes first: the text around it gives way.
  const stateOfRun = stateLines(run, state.now, { ...look, ...area }, STATE_ROWS);
  const isTight = area.rows < FEW_ROWS || (area.rows < STANDARD_ROWS && stateOfRun.length > 1);
  // A sentence that has no room is read on the help page.
  const introRows = isTight && paragraphRows(intro, area.columns) > 1 ? 0 : paragraphRows(intro, area.columns);
  const head = introRows + stateOfRun.length;
  // A command that is cut is of no use: the list gives way to it.
  const commandRows = notes.findLastIndex(({ isWanted }) => isWanted) + 1;
  const wanted = Math.max(mostNotes(page, run), Math.min(commandRows + 1, area.rows - head - 2 - FEWEST_BODY));
  const most = Math.min(wanted, Math.max(2, area.rows - head - 2 - (commandRows > 0 ? FEWEST_BODY : LEAST_BODY)));
  const noteRows = notes.length === 0 ? 0 : Math.min(most, notes.length) + 1;
  const all = Math.max(1, area.rows - head - 1 - noteRows);
  const whole = view === null ? undefined : page.neededRows?.(view, run, state.now, look, body.columns);
  const help = [titleOf(page.id), ...stepAbout(page.id)];
  const free = { columns: area.columns, rows: all, isAlone: area.columns === body.columns };
  // A log that a person wants whole has the page to itself.
  const mayScroll = LIVE.has(page.id) && !run.reading.isWhole;
  const above = whole === undefined && !mayScroll ? null : rowsAbove(look, free, whole, help);
  const room = above ?? all;
  if (run.phase === 'asking') return <Question page={page} run={run} />;
  const { Body } = page;
  // What changes while it waits has lines of its own, which stay short: they are written anew each time.
  return (
    <>
      <Paragraph text={intro} tone="dim" height={introRows} />
      <StateLine run={run} now={state.now} lines={stateOfRun} />
      <Gap />
      <AreaProvider area={{ columns: area.columns, rows: Math.max(1, area.rows - head - 1) }}>
        <WithAside
          state={state}
          needed={needed}
          {...(above === null ? {} : { neededRows: room + noteRows })}
          help={help}
        >
          <Box height={room} flexShrink={0} flexDirection="column" overflow="hidden">
            <AreaProvider area={{ columns: body.columns, rows: room }}>
              {view === null ? null : <Body view={view} run={run} now={state.now} />}
            </AreaProvider>
          </Box>
          {noteRows > 0 && <Gap />}
          {fitted(notes, most).map(({ text, tone }, index) => (
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

/** What continues a line stands under its start. */
function indentedLines(text: string, columns: number) {
  const [head = ''] = /^ */.exec(text) ?? [];
  return proseLines(text.slice(head.length), columns, head);
}

/** What a table of a step is made for: a terminal of 80 columns. */
const USUALLY_NEEDED = 78;
const LEAST_TEXT = 60;
/** A cell that grows by a letter moves nothing. */
const STEP = 6;

function mostNotes<View>(
  { mostNotes: most = MOST_NOTES, isInBody }: StepPage<View>,
  { probe, phase }: StepRun,
): number {
  // What has just gone wrong, and what to do about it, is read before the list.
  if (phase === 'failed') return MOST_TROUBLE;
  return isInBody === undefined || probe?.findings.every(isInBody) ? most : MOST_NOTES;
}

/** Lines under the body; the first finding with its cause and remedy fits at 80 columns. */
const MOST_NOTES = 8;
const MOST_TROUBLE = 10;
const LEAST_BODY = 6;
/** Where a person has to type something, which is shown whole. */
const FEWEST_BODY = 3;
const FEW_ROWS = 14;
/** The rows that a terminal of 24 lines leaves, with a line or two to spare. */
const STANDARD_ROWS = 18;
/** Of the state of the step: at 60 columns fewer would cut an address. */
const STATE_ROWS = 3;

/** What a person types for the selected row, where that is not what the plan says. */
function ownCommands<View>(page: StepPage<View>, run: StepRun): readonly string[] {
  const view = viewOf(page, run);
  return view === null ? [] : (page.commands?.(view, run.row, run) ?? []);
}
