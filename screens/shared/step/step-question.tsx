import { Box } from 'ink';
import type { StepId } from '../../../src/steps/contract.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { proseLines } from '../../../src/text/command-lines.ts';
import { widthOf } from '../../../src/text/width.ts';
import { Gap, Label, Row } from '../../../src/ui/components/label.tsx';
import { Confirm, proseTone } from '../../../src/ui/components/notices.tsx';
import { Spinner } from '../../../src/ui/components/progress.tsx';
import { TextField } from '../../../src/ui/components/text-field.tsx';
import { useArea } from '../../../src/ui/look.tsx';
import type { StepRun } from '../../../src/wizard/live/step-run.ts';
import type { TextFieldState } from '../../../src/wizard/typing/text-field.ts';
import { changeLines } from './changes.ts';
import { type StepKeys, viewOf } from './step-bindings.ts';

const titleOf = (id: StepId): string => catalogue().steps.titles[id];
const words = () => catalogue().screens.step;

/** What is asked before a step acts, in place of its body. */
export function Question<View>({
  page,
  run,
}: {
  readonly page: StepKeys<View>;
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
    const details = brief.lines.flatMap((line) => hanging(line, columns).map(proseTone));
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
  if (typed !== null)
    return (
      <TypedQuestion
        {...{ question, typed: typed.field }}
        details={[run.plan?.typed?.why ?? '']}
        label={words().wordHere(typed.words[0] ?? '')}
      />
    );
  const changes = action === 'apply' ? (run.plan?.changes ?? []) : [];
  // Removed lines begin with a dash, as a list does: they stand under their heading, apart from the question.
  const lines = changeLines(changes, columns - INDENT.length).map((line) => ({
    ...line,
    text: `${INDENT}${line.text}`,
  }));
  const details = lines.length > 0 ? [words().changes, ...lines] : [];
  return <Confirm question={question} details={details} top={run.top} />;
}

/** What continues a line stands under its start, behind the sign of a list. */
function hanging(line: string, columns: number) {
  const [head = ''] = /^ *(?:[~!=+-] )?/.exec(line) ?? [];
  return proseLines(line.slice(head.length), columns, head);
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
  const all = [props.question, '', ...props.details].flatMap((line) => hanging(line, area.columns));
  const room = Math.max(1, area.rows - 2);
  // What does not fit is counted, never cut without a word.
  const left = all.length - room + 1;
  const more = { text: catalogue().ui.notShown(left), isCommand: false };
  const lines = all.length <= room ? all : [...all.slice(0, room - 1), more];
  return (
    <>
      {lines.map(({ text, isCommand }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label isBold={index === 0} tone={isCommand ? 'accent' : 'text'}>
            {text}
          </Label>
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
