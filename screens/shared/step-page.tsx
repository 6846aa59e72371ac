import { Box } from 'ink';
import type { ReactNode } from 'react';
import type { Finding } from '../../src/diagnosis/finding.ts';
import type { StepId } from '../../src/steps/contract.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { inProse, proseLines } from '../../src/text/command-lines.ts';
import { widthOf, wrapBeside, wrapLines } from '../../src/text/width.ts';
import { Gap, Label, Row } from '../../src/ui/components/label.tsx';
import { Confirm } from '../../src/ui/components/notices.tsx';
import { Spinner } from '../../src/ui/components/progress.tsx';
import { TextField } from '../../src/ui/components/text-field.tsx';
import { AreaProvider, useArea, useLook } from '../../src/ui/look.tsx';
import type { Tone } from '../../src/ui/theme.ts';
import { errorsOf, SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';
import { openQuestion, type StepRun, stopOf, troubleOf } from '../../src/wizard/step-run.ts';
import type { TextFieldState } from '../../src/wizard/text-field.ts';
import { changeLines } from './changes.ts';
import type { Screen } from './screen.ts';
import { StateLine, stateLines } from './state-line.tsx';
import { actionOf, type StepKeys, stepBindings, viewOf } from './step-bindings.ts';
import { Paragraph, paragraphRows } from './text.tsx';

const words = () => catalogue().screens.step;

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
  if (run.phase === 'asking') return <Question page={page} run={run} />;
  const notes = [...lastGoodNote(state), ...notesOf(state, page, run)].flatMap((note) =>
    proseLines(note.text, area.columns).map(
      ({ text, isCommand }): Line => ({
        text,
        tone: isCommand ? 'accent' : (note.tone ?? 'text'),
        isCommand,
        isWanted: isCommand && note.isWanted === true,
      }),
    ),
  );
  const intro = introOf(page.id, state);
  // In a small window the list comes first: the text around it gives way.
  const introRows = paragraphRows(intro, area.columns, area.rows < FEW_ROWS ? 1 : 2);
  const stateOfRun = stateLines(run, state.now, { ...look, ...area }, area.rows < STANDARD_ROWS ? 1 : 2);
  const head = introRows + stateOfRun.length;
  // A command that is cut is of no use: the list gives way to it.
  const commandRows = notes.findLastIndex(({ isWanted }) => isWanted) + 1;
  const wanted = Math.max(mostNotes(page, run), Math.min(commandRows + 1, area.rows - head - 2 - FEWEST_BODY));
  const most = Math.min(wanted, Math.max(2, area.rows - head - 2 - (commandRows > 0 ? FEWEST_BODY : LEAST_BODY)));
  const noteRows = notes.length === 0 ? 0 : Math.min(most, notes.length) + 1;
  const room = Math.max(1, area.rows - head - 1 - noteRows);
  const { Body } = page;
  const view = viewOf(page, run);
  return (
    <>
      <Paragraph text={intro} tone="dim" height={introRows} />
      <StateLine run={run} now={state.now} lines={stateOfRun} />
      <Gap />
      <Box height={room} flexShrink={0} flexDirection="column" overflow="hidden">
        <AreaProvider area={{ columns: area.columns, rows: room }}>
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
    </>
  );
}

function mostNotes<View>({ mostNotes: most = MOST_NOTES, isInBody }: StepPage<View>, { probe }: StepRun): number {
  return isInBody === undefined || probe?.findings.every(isInBody) ? most : MOST_NOTES;
}

/** Points to the help page for what does not fit, and never cuts silently; a command that has not room to its end is left to it. */
function fitted(notes: readonly Line[], most: number): readonly Line[] {
  if (notes.length <= most) return notes;
  let end = most - 1;
  while (notes[end - 1]?.isCommand && notes[end - 1]?.text.endsWith('\\')) end -= 1;
  return [...notes.slice(0, end), { text: words().moreNotes, tone: 'accent', isCommand: false, isWanted: false }];
}

/** Lines under the body; the first finding with its cause and remedy fits at 80 columns. */
const MOST_NOTES = 8;
const LEAST_BODY = 6;
/** Where a person has to type something, which is shown whole. */
const FEWEST_BODY = 3;
const FEW_ROWS = 14;
/** The rows that a terminal of 24 lines leaves, with a line or two to spare. */
const STANDARD_ROWS = 18;

/** A text under the body; what a person types stands in backticks, and is `isWanted` where it has to be in sight. */
interface Note {
  readonly text: string;
  readonly tone?: Tone;
  readonly isWanted?: boolean;
}

/** A line of it. What a person types stays whole whatever the width. */
interface Line {
  readonly text: string;
  readonly tone: Tone;
  readonly isCommand: boolean;
  readonly isWanted: boolean;
}

/** While the answers as typed have errors, nothing that runs uses them. */
function lastGoodNote({ design, inForce, problems }: WizardState): Note[] {
  if (design !== null || inForce === null) return [];
  return [{ text: words().lastGood(errorsOf(problems).length), tone: 'warn' }];
}

/** The text under the body: a key that did nothing, what went wrong, the findings, what to do. */
function notesOf(
  state: WizardState,
  { id, hasOwnInstructions = false }: { readonly id: StepId; readonly hasOwnInstructions?: boolean },
  run: StepRun,
): Note[] {
  const instructions = hasOwnInstructions ? [] : byHand(run);
  const notes: Note[] = [];
  if (state.notice) notes.push({ text: state.notice.text, tone: 'warn' });
  const stop = stopOf(run);
  if (stop !== null) notes.push({ text: words().stops[stop], tone: 'warn' });
  notes.push(...troubleLines(run));
  // A person's remaining task comes before the findings that follow from it.
  if (run.phase === 'watching') notes.push(...instructions);
  // What was found beside a step that is done does not hide that it is.
  if (run.phase === 'done') notes.push(...sentenceOf(state, id, run, instructions));
  const findings = run.probe?.findings ?? [];
  for (const [index, finding] of findings.entries()) notes.push(...findingLines(finding, index === 0));
  // A notice is about a key or about the session: what the step says stays beside it.
  const isNoticeOnly = notes.length === (state.notice ? 1 : 0);
  return isNoticeOnly ? [...notes, ...sentenceOf(state, id, run, instructions)] : notes;
}

/** What Enter does now, or how long the wait usually is. */
function sentenceOf(state: WizardState, id: StepId, run: StepRun, instructions: readonly Note[]): Note[] {
  if (run.phase === 'done')
    return [{ text: id === SCREEN_IDS.at(-1) ? endOf(state) : words().pressEnterDone, tone: 'ok' }];
  if (run.phase === 'ready') return [...instructions, { text: actionOf(id, run).sentence, tone: 'accent' }];
  if (run.phase === 'watching' || run.phase === 'applying') {
    const all: Partial<Record<StepId, string>> = catalogue().steps.usual;
    const usual = all[id];
    const said = [
      ...(run.phase === 'watching' ? [words().waiting] : []),
      ...(usual === undefined ? [] : [words().usual(usual, state.welcome.rehearsal?.speed ?? 1)]),
    ];
    return said.length === 0 ? [] : [{ text: said.join(' '), tone: 'dim' }];
  }
  return [];
}

function endOf({ welcome }: WizardState): string {
  return welcome.rehearsal === null ? words().pressEnterEnd : words().pressEnterRehearsed;
}

function troubleLines(run: StepRun): Note[] {
  const trouble = troubleOf(run);
  if (!trouble) return [];
  return [
    { text: `${trouble.title}: ${trouble.cause}`, tone: 'error' },
    { text: trouble.whatToDo, isWanted: true },
  ];
}

/** Commands are indented in a plan. */
function byHand(run: StepRun): Note[] {
  return (run.plan?.instructions ?? []).map((text): Note => {
    return text.startsWith('  ') ? { text: inProse(text.trim()), isWanted: true } : { text, tone: 'dim' };
  });
}

/** What a person types for the selected row, where that is not what the plan says. */
function ownCommands<View>(page: StepPage<View>, run: StepRun): readonly string[] {
  const view = viewOf(page, run);
  return view === null ? [] : (page.commands?.(view, run.row) ?? []);
}

/** @param isFirst what it says to type is in sight */
function findingLines({ severity, title, cause, whatToDo, command }: Finding, isFirst = false): Note[] {
  const tone = severity === 'fatal' ? 'error' : severity === 'warning' ? 'warn' : 'dim';
  return [
    { text: title, tone },
    { text: `  ${words().becauseFirst}: ${cause}` },
    { text: `  ${words().doThis}: ${whatToDo}`, isWanted: isFirst },
    ...(command === undefined ? [] : [{ text: inProse(command), isWanted: isFirst }]),
  ];
}

function Question<View>({
  page,
  run,
}: {
  readonly page: StepPage<View>;
  readonly run: Extract<StepRun, { phase: 'asking' }>;
}) {
  const { columns } = useArea();
  const { action, subject, typed, brief } = run.question;
  const view = viewOf(page, run);
  if (action === 'apply-one' && subject !== null && page.questionOf && view !== null) {
    const asked = page.questionOf(view, subject);
    return typed === null ? (
      <Confirm {...asked} top={run.top} />
    ) : (
      <TypedQuestion {...asked} typed={typed.field} label={words().typeHere} />
    );
  }
  if (brief === 'reading') return <Spinner label={words().looking} />;
  if (brief) {
    // What continues a line stands under its start.
    const details = brief.lines.flatMap((line) => {
      const [head = ''] = /^ *(?:[~!=+-] )?/.exec(line) ?? [];
      return wrapBeside(head, line.slice(head.length), columns);
    });
    return <Confirm question={brief.question} details={details} top={run.top} />;
  }
  if (action === 'override' && typed !== null) {
    const closed = run.probe?.overridable ?? [];
    const shown = closed.slice(0, MOST_CLOSED).map(({ title, cause }) => words().overridden(title, cause));
    const rest = closed.length - shown.length;
    return (
      <TypedQuestion
        question={words().question.override(titleOf(page.id))}
        details={[words().overrideWhy, '', ...shown, ...(rest > 0 ? [words().overriddenMore(rest)] : [])]}
        typed={typed.field}
        label={words().reasonHere}
      />
    );
  }
  const question = words().question[action](subject ?? titleOf(page.id));
  const changes = action === 'apply' ? (run.plan?.changes ?? []) : [];
  // Removed lines begin with a dash, as a list does: they stand under their heading, apart from the question.
  const lines = changeLines(changes, columns - INDENT.length).map((line) => ({
    ...line,
    text: `${INDENT}${line.text}`,
  }));
  const details = lines.length > 0 ? [words().changes, ...lines] : [];
  return <Confirm question={question} details={details} top={run.top} />;
}

const INDENT = '  ';
/** So many failed checks are read before a reason is typed; the page itself lists all. */
const MOST_CLOSED = 4;

/** A question that a person answers by typing a word. */
function TypedQuestion(props: {
  readonly question: string;
  readonly details: readonly string[];
  readonly typed: TextFieldState;
  readonly label: string;
}) {
  const area = useArea();
  const lines = [props.question, '', ...props.details].flatMap((line) => wrapLines(line, area.columns));
  return (
    <>
      {lines.slice(0, Math.max(1, area.rows - 2)).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label isBold={index === 0}>{line}</Label>
        </Row>
      ))}
      <Gap />
      <Box height={1} flexShrink={0}>
        <Label tone="accent">{props.label}</Label>
        <TextField state={props.typed} width={Math.max(4, area.columns - widthOf(props.label))} isFocused />
      </Box>
    </>
  );
}
