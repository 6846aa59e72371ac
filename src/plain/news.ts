import type { Finding } from '../diagnosis/finding.ts';
import { catalogue } from '../text/catalogue.ts';
import { changedThing } from '../text/host-file.ts';
import { type StepRun, stopOf, troubleOf } from '../wizard/live/step-run.ts';
import { isStep, type WizardState } from '../wizard/state.ts';
import { clusterNews } from './cluster-news.ts';
import type { PlainFace } from './face.ts';
import { findingLines, instructionLines, toldLines } from './told-lines.ts';

const words = () => catalogue().plain;

/** How many planned changes are said; the others are counted, and shown on demand. */
const SHOWN_CHANGES = 12;

/** What has been said about the step on the screen, so that nothing is said twice. */
export interface Told {
  readonly state: WizardState | null;
  readonly findings: ReadonlySet<string>;
  readonly summary: string | null;
}

export const NOTHING_TOLD: Told = { state: null, findings: new Set(), summary: null };

/** What a person does not know yet: a new screen with its introduction, and what happened on it since the last time. */
export function newsSince(told: Told, state: WizardState, face: PlainFace): { lines: string[]; told: Told } {
  const before = told.state;
  const { screens } = state;
  const isNewScreen = before?.screen !== state.screen;
  const lines: string[] = [];
  if (isNewScreen) {
    lines.push('', words().heading(screens.indexOf(state.screen) + 1, screens.length, face.title(state)));
    lines.push(...face.intro(state));
  }
  if (state.notice && state.notice !== before?.notice) lines.push(words().notice(state.notice.kind, state.notice.text));
  let { findings, summary } = told;
  if (isStep(state.screen)) {
    const run = state.runs[state.screen];
    const known = isNewScreen ? null : (before?.runs[state.screen] ?? null);
    if (isNewScreen) {
      findings = new Set();
      summary = null;
    }
    if (run !== known) {
      const fresh = (run.probe?.findings ?? []).filter((finding) => !findings.has(keyOf(finding)));
      lines.push(...runNews(known, run), ...summaryNews(known, run, summary, state.now), ...planNews(known, run));
      const news = clusterNews(state.screen, known?.probe?.view, run.probe?.view);
      lines.push(...news.map((line) => words().doing(line)), ...fresh.flatMap(findingLines));
      if (!isLooking(run)) summary = run.probe?.summary ?? summary;
      findings = new Set([...findings, ...fresh.map(keyOf)]);
    }
  }
  return { lines, told: { state, findings, summary } };
}

const keyOf = ({ title, cause }: Finding) => `${title}\n${cause}`;

/** What is known of a step that is looked at anew is what was so the last time. */
const isLooking = ({ phase }: StepRun) => phase === 'looking' || phase === 'unknown';

function runNews(before: StepRun | null, run: StepRun): string[] {
  const lines: string[] = [];
  if (isLooking(run) && before === null) lines.push(words().doing(words().looking));
  if (run.phase === 'applying' && before?.phase !== 'applying') lines.push(words().doing(words().begun));
  for (const line of newLines(before, run)) lines.push(words().doing(line));
  const trouble = troubleOf(run);
  if (trouble && trouble.cause !== (before && troubleOf(before)?.cause)) {
    lines.push(
      words().finding('error', `${trouble.title}: ${trouble.cause}`),
      ...toldLines(words().whatToDo(trouble.whatToDo)),
    );
  }
  const stop = stopOf(run);
  if (stop !== null && stop !== (before && stopOf(before))) lines.push(words().stops[stop]);
  return lines;
}

function summaryNews(before: StepRun | null, run: StepRun, told: string | null, now: number): string[] {
  const { probe, appliedAt } = run;
  if (probe === null || isLooking(run)) return [];
  if (run.phase === 'done') return before?.phase === 'done' ? [] : [words().isDone(probe.summary)];
  if (probe.summary === told) return [];
  return [appliedAt === null ? words().doing(probe.summary) : words().now(Math.max(0, now - appliedAt), probe.summary)];
}

/** The lines that were reported since; the oldest may have been dropped meanwhile. */
function newLines(before: StepRun | null, { lines }: StepRun): readonly string[] {
  if (before === null || before.lines === lines) return [];
  const last = before.lines.at(-1);
  const at = last === undefined ? -1 : lines.lastIndexOf(last);
  return lines.slice(at + 1);
}

function planNews(before: StepRun | null, { phase, plan }: StepRun): string[] {
  const known = before?.phase === phase ? before.plan : null;
  if (phase !== 'ready' || plan === null || JSON.stringify(plan) === JSON.stringify(known)) return [];
  const { changes, instructions } = plan;
  return [
    ...changes.slice(0, SHOWN_CHANGES).map((change) => words().plan(changedThing(change), change.what)),
    ...(changes.length > SHOWN_CHANGES ? [words().more(changes.length - SHOWN_CHANGES)] : []),
    ...instructionLines(instructions),
  ];
}
