import { Box } from 'ink';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { wrapProse } from '../../../src/i18n/prose.ts';
import { displayWidth } from '../../../src/platform/text.ts';
import type { StepId } from '../../../src/steps/contract.ts';
import { Confirm, Spinner, toTextLine } from '../../../src/ui/components/notices.tsx';
import { Gap, Label, Row } from '../../../src/ui/components/select.tsx';
import { TextField } from '../../../src/ui/components/text-field.tsx';
import { useArea } from '../../../src/ui/terminal-style.tsx';
import type { StepRun } from '../../../src/wizard/live/step-run.ts';
import type { TextFieldState } from '../../../src/wizard/typing.ts';
import { renderChanges } from './changes.ts';
import { getView, type StepKeys } from './step-bindings.ts';

const getStepTitle = (id: StepId): string => catalogue().steps.titles[id];
const words = () => catalogue().screens.step;

/** Renders the question before a step acts, in place of the step's body. */
export function QuestionView<View>({
  page,
  run,
}: {
  readonly page: StepKeys<View>;
  readonly run: Extract<StepRun, { phase: 'asking' }>;
}) {
  const { columns } = useArea();
  const { action, subject, input, confirmation } = run.prompt;
  const view = getView(page, run);
  if (action === 'apply-one' && subject !== null && page.getQuestion && view !== null) {
    const partQuestion = page.getQuestion(view, subject);
    return input === null ? (
      <Confirm {...partQuestion} top={run.top} />
    ) : (
      <TypedQuestion {...partQuestion} typed={input.field} label={words().nodePrompt} />
    );
  }
  if (confirmation === 'reading') return <Spinner label={words().probing} />;
  if (confirmation) {
    const details = confirmation.lines.flatMap((line) => wrapListItem(line, columns).map(toTextLine));
    return <Confirm question={confirmation.question} details={details} top={run.top} />;
  }
  if (action === 'override' && input !== null) {
    const blockingChecks = run.probe?.overridable ?? [];
    const shown = blockingChecks
      .slice(0, MAX_LISTED_CHECKS)
      .map(({ title, cause }) => words().overridden(title, cause));
    const rest = blockingChecks.length - shown.length;
    return (
      <TypedQuestion
        question={words().question.override(getStepTitle(page.id))}
        details={[words().overrideWhy, '', ...shown, ...(rest > 0 ? [words().overriddenMore(rest)] : [])]}
        typed={input.field}
        label={words().reasonPrompt}
      />
    );
  }
  const question = words().question[action](subject ?? getStepTitle(page.id));
  if (input !== null)
    return (
      <TypedQuestion
        {...{ question, typed: input.field }}
        details={[run.plan?.typedConfirmation?.reason ?? '']}
        label={words().wordPrompt(input.words[0] ?? '')}
      />
    );
  const changes = action === 'apply' ? (run.plan?.changes ?? []) : [];
  // Removed lines begin with a dash, like list items: they are indented under their heading, apart from the question.
  const lines = renderChanges(changes, columns - INDENT.length).map((line) => ({
    ...line,
    text: `${INDENT}${line.text}`,
  }));
  const details = lines.length > 0 ? [words().changes, ...lines] : [];
  return <Confirm question={question} details={details} top={run.top} />;
}

/** Wraps a line: continuation lines align with the start of the text, after the list marker. */
function wrapListItem(line: string, columns: number) {
  const [head = ''] = /^ *(?:[~!=+-] )?/.exec(line) ?? [];
  return wrapProse(line.slice(head.length), columns, head);
}

const INDENT = '  ';
/** Failed checks listed above the reason field; the page itself lists all of them. */
const MAX_LISTED_CHECKS = 4;

/** Renders a question that is answered by typing a word. */
function TypedQuestion(props: {
  readonly question: string;
  readonly details: readonly string[];
  readonly typed: TextFieldState;
  readonly label: string;
}) {
  const area = useArea();
  const all = [props.question, '', ...props.details].flatMap((line) => wrapListItem(line, area.columns));
  const visibleRows = Math.max(1, area.rows - 2);
  // Lines that do not fit are counted, never dropped silently.
  const hiddenCount = all.length - visibleRows + 1;
  const more = { text: catalogue().ui.notShown(hiddenCount), isCommand: false };
  const lines = all.length <= visibleRows ? all : [...all.slice(0, visibleRows - 1), more];
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
        <TextField state={props.typed} width={Math.max(4, area.columns - displayWidth(props.label))} isFocused />
      </Box>
    </>
  );
}
