import type { Finding } from '../../../src/diagnosis/finding.ts';
import type { StepId } from '../../../src/steps/contract.ts';
import { catalogue } from '../../../src/text/catalogue.ts';
import { inProse, proseParts } from '../../../src/text/command-lines.ts';
import type { Tone } from '../../../src/ui/theme.ts';
import { isPassable, type StepRun, stopOf, troubleOf } from '../../../src/wizard/live/step-run.ts';
import { errorsOf, SCREEN_IDS, type WizardState } from '../../../src/wizard/state.ts';
import { actionOf } from './step-bindings.ts';

const words = () => catalogue().screens.step;

/**
 * Points to the help page for what does not fit, and never cuts silently. A command has room to its end or is left to that page;
 * the first that has to be in sight takes the room of the sentences before it.
 */
export function fitted(notes: readonly NoteLine[], most: number): readonly NoteLine[] {
  if (notes.length <= most) return notes;
  const more: NoteLine = { text: words().moreNotes, tone: 'accent', isCommand: false, isWanted: false };
  const typed = notes.findIndex(({ isCommand, isWanted }) => isCommand && isWanted);
  const command = notes.slice(typed, typed + notes.slice(typed).findIndex((line) => !line.text.endsWith('\\')) + 1);
  const before = most - 1 - command.length;
  if (typed > before && before > 0) return [...notes.slice(0, before), more, ...command];
  let end = most - 1;
  while (notes[end - 1]?.isCommand && notes[end - 1]?.text.endsWith('\\')) end -= 1;
  return [...notes.slice(0, end), more];
}

/** A text under the body; what a person types stands in backticks, and is `isWanted` where it has to be in sight. */
export interface Note {
  readonly text: string;
  readonly tone?: Tone;
  readonly isWanted?: boolean;
}

/** A line of it. What a person types stays whole whatever the width. */
export interface NoteLine {
  readonly text: string;
  readonly tone: Tone;
  readonly isCommand: boolean;
  readonly isWanted: boolean;
}

/** While the answers as typed have errors, nothing that runs uses them. */
export function lastGoodNote({ design, inForce, problems }: WizardState): Note[] {
  if (design !== null || inForce === null) return [];
  return [{ text: words().lastGood(errorsOf(problems).length), tone: 'warn' }];
}

/** The text under the body: a key that did nothing, what went wrong, the findings, what to do. */
export function notesOf(
  state: WizardState,
  { id, hasOwnInstructions = false }: { readonly id: StepId; readonly hasOwnInstructions?: boolean },
  run: StepRun,
): Note[] {
  const instructions = hasOwnInstructions ? [] : byHand(run);
  const notes: Note[] = [];
  if (state.notice) notes.push({ text: state.notice.text, tone: 'warn', isWanted: hasCommand(state.notice.text) });
  const stop = stopOf(run);
  if (stop !== null) notes.push({ text: words().stops[stop], tone: 'warn' });
  notes.push(...troubleLines(run));
  // A person's remaining task comes before the findings that follow from it.
  if (run.phase === 'watching') notes.push(...instructions);
  // What was found beside a step that is done does not hide that it is.
  if (run.phase === 'done') notes.push(...sentenceOf(state, id, run, instructions));
  const findings = (run.probe?.findings ?? []).filter((finding) => !isStillToCome(finding, run));
  for (const [index, finding] of findings.entries()) {
    const [title, ...lines] = findingLines(finding, index === 0);
    const how: Note[] = index === 0 && isPassable(run) ? [{ text: `  ${words().howToOverride}`, tone: 'accent' }] : [];
    notes.push(...(title ? [title] : []), ...how, ...lines);
  }
  // A notice is about a key or about the session: what the step says stays beside it.
  const isNoticeOnly = notes.length === (state.notice ? 1 : 0);
  return isNoticeOnly ? [...notes, ...sentenceOf(state, id, run, instructions)] : notes;
}

/** What parts before it have set in motion holds a part up only until its turn comes: nobody has to correct that. */
function isStillToCome({ subject }: Finding, run: StepRun): boolean {
  if (run.phase !== 'applying' || subject === null || Object.keys(run.parts).length === 0) return false;
  return run.parts[subject] === undefined && (run.plan?.changes.some(({ object }) => object === subject) ?? false);
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

function endOf({ welcome, screens }: WizardState): string {
  if (welcome.rehearsal === null) return words().pressEnterEnd;
  return screens.includes('generate') ? words().pressEnterRehearsed : words().pressEnterCloud;
}

export function troubleLines(run: StepRun): Note[] {
  const trouble = troubleOf(run);
  if (!trouble) return [];
  return [
    { text: `${trouble.title}: ${trouble.cause}`, tone: 'error', isWanted: hasCommand(trouble.cause) },
    { text: trouble.whatToDo, isWanted: true },
  ];
}

/** Commands are indented in a plan. */
export function byHand(run: StepRun): Note[] {
  return (run.plan?.instructions ?? []).map((text): Note => {
    return text.startsWith('  ') ? { text: inProse(text.trim()), isWanted: true } : { text, tone: 'dim' };
  });
}

const hasCommand = (text: string) => proseParts(text).some(({ isCommand }) => isCommand);

/** @param isFirst what it says to type is in sight */
export function findingLines({ severity, title, cause, whatToDo, command }: Finding, isFirst = false): Note[] {
  const tone = severity === 'fatal' ? 'error' : severity === 'warning' ? 'warn' : 'dim';
  return [
    { text: title, tone },
    ...(cause === '' ? [] : [{ text: `  ${words().becauseFirst}: ${cause}`, isWanted: isFirst && hasCommand(cause) }]),
    ...(whatToDo === '' ? [] : [{ text: `  ${words().doThis}: ${whatToDo}`, isWanted: isFirst }]),
    ...(command === undefined ? [] : [{ text: inProse(command), isWanted: isFirst }]),
  ];
}
