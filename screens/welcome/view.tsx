import type { Finding } from '../../src/diagnosis/finding.ts';
import type { Page } from '../../src/steps/contract.ts';
import { machineLines, verdictOf } from '../../src/steps/doctor/lines.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { LETTERS } from '../../src/text/letters.ts';
import { sanitizeLine } from '../../src/text/sanitize.ts';
import { Gap, Label, Row } from '../../src/ui/components/label.tsx';
import { Notice } from '../../src/ui/components/notices.tsx';
import { Spinner } from '../../src/ui/components/progress.tsx';
import { Select, type SelectItem } from '../../src/ui/components/select.tsx';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import { useArea } from '../../src/ui/look.tsx';
import { getAt } from '../../src/wizard/design/document.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import { type Installation, type Notice as NoticeText, SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';
import type { KeyEvent } from '../../src/wizard/typing/key-event.ts';
import { commonBindings, jumpBy, listBindings } from '../shared/bindings.ts';
import { Paragraph, paragraphRows } from '../shared/text.tsx';
import { NEEDS, WelcomeNeeds } from './needs.tsx';

const words = () => catalogue().screens.welcome;

/** The part of the state that the welcome shows. */
export type WelcomeFacts = Pick<WizardState, 'welcome' | 'document' | 'reached'>;

interface Choice extends SelectItem {
  readonly intent: Intent;
}

const restart = (): Choice => ({
  value: 'restart',
  label: words().restart,
  hint: words().restartHint,
  intent: { type: 'screen/go', screen: 'cluster' },
});

/** The choices that go on with this installation, or begin it. */
function ownChoices(state: WelcomeFacts): Choice[] {
  // A session left on the welcome goes on at the first page.
  const at = SCREEN_IDS[Math.max(state.reached, 1)] ?? 'cluster';
  const cluster = `${String(getAt(state.document, 'cluster.name') ?? '')}.${String(getAt(state.document, 'cluster.baseDomain') ?? '')}`;
  if (!hasBegun(state))
    return [
      {
        value: 'fresh',
        // In a rehearsal that is not the new installation that stands below.
        label: state.welcome.rehearsal === null ? words().fresh : words().freshRehearsal,
        hint: words().freshHint,
        intent: { type: 'screen/go', screen: 'cluster' },
      },
    ];
  return [
    {
      value: 'resume',
      label: words().resume(catalogue().screens.rail[at]),
      hint: words().resumeHint(cluster),
      intent: { type: 'screen/go', screen: at },
    },
    ...(at === 'cluster' ? [] : [restart()]),
  ];
}

const hasBegun = ({ welcome, reached }: WelcomeFacts) => welcome.isResumed || reached > 0;

/** A new installation or rehearsal, each in a directory of its own. */
function newChoices(state: WelcomeFacts): Choice[] {
  const { rehearsal, around } = state.welcome;
  const others = around?.others ?? [];
  const hasRehearsed = rehearsal !== null || others.some(({ isRehearsal }) => isRehearsal);
  const { rehearse, rehearseHint, rehearseAgain, rehearseAgainHint, fresh, anotherHint } = words();
  return [
    ...(hasBegun(state) || rehearsal !== null
      ? [{ value: 'new', label: fresh, hint: anotherHint, intent: { type: 'welcome/new' } as const }]
      : []),
    {
      value: 'rehearse',
      label: hasRehearsed ? rehearseAgain : rehearse,
      hint: hasRehearsed ? rehearseAgainHint : rehearseHint,
      intent: { type: 'welcome/rehearse' },
    },
  ];
}

/** Another installation, by the short name of its cluster. */
function otherChoice({ dir, cluster, screen, isFinished, isRehearsal }: Installation): Choice {
  const { open, resume, hint, finished, rehearsal } = words().other;
  const name = cluster.split('.')[0] || basename(dir);
  const place = isFinished ? finished : catalogue().screens.rail[screen];
  return {
    value: dir,
    label: isFinished ? open(name) : resume(name),
    hint: hint(isRehearsal ? rehearsal(place) : place, sanitizeLine(dir, 200)),
    intent: { type: 'welcome/open', dir },
  };
}

/** The last part of a path. */
function basename(dir: string): string {
  return sanitizeLine(dir.split('/').at(-1) ?? dir, 60);
}

/** What a person can begin here: this installation first, then the others, which are known last and so push no choice away. */
export function welcomeChoices(state: WelcomeFacts): Choice[] {
  const { rehearsal } = state.welcome;
  const bringIn: Choice = {
    value: 'import',
    label: words().bringIn,
    hint: words().bringInHint,
    intent: { type: 'import/open', from: 'file' },
  };
  const machine: Choice = {
    value: 'machine',
    label: words().machine,
    hint: words().machineHint,
    intent: { type: 'overlay/show', page: machinePage(state) },
  };
  return [
    ...ownChoices(state),
    ...(rehearsal ? [] : [bringIn]),
    ...newChoices(state),
    machine,
    ...(state.welcome.around?.others ?? []).map(otherChoice),
  ];
}

/** The whole list of what this machine has and lacks. */
function machinePage({ welcome: { around } }: WelcomeFacts): Page {
  const findings = around?.findings ?? null;
  const { title } = catalogue().doctor;
  return {
    title,
    lines: findings === null ? [words().needs.looking] : [verdictOf(findings), '', ...machineLines(findings)],
  };
}

export function welcomeBindings(state: WelcomeFacts): Binding<Intent>[] {
  const choices = welcomeChoices(state);
  const move = (by: number): Intent => ({ type: 'welcome/move', by, count: choices.length });
  return [
    { keys: ['enter'], label: catalogue().screens.keys.choose, intent: choices[state.welcome.choice]?.intent ?? null },
    ...listBindings({ label: catalogue().screens.keys.row, make: move, hasTab: true }),
    {
      keys: [LETTERS.machine],
      label: catalogue().screens.keys.machine,
      intent: { type: 'overlay/show', page: machinePage(state) },
    },
    ...commonBindings({ isTyping: false }).filter(({ keys }) => !keys.includes('escape')),
  ];
}

/** A letter goes to the next choice that begins with it. */
export function welcomeText(state: WelcomeFacts, event: KeyEvent): Intent {
  const labels = welcomeChoices(state).map(({ label }) => label);
  return { type: 'welcome/move', by: jumpBy(labels, state.welcome.choice, event), count: labels.length };
}

interface WelcomeViewProps {
  readonly state: WelcomeFacts;
  /** False while the choices are not known. */
  readonly hasChoices?: boolean;
  readonly notice?: NoticeText | null;
}

/** Below this many rows, the choices and the needs are all that is shown. */
const ROOMY = 18;

/**
 *     From nothing to a running OpenShift cluster on machines …
 *
 *     ▸ New installation          starts with a worked example that you change
 *       Rehearse first            against a simulated site, in a few minutes
 *
 *     An installation needs:
 *     ! openshift-install, oc     not here: Prepare fetches them
 *     ✔ this machine              in order
 */
export function WelcomeView({ state, hasChoices = true, notice = null }: WelcomeViewProps) {
  const area = useArea();
  const { dir, rehearsal, choice, around } = state.welcome;
  const isRoomy = area.rows >= ROOMY;
  const intro = `${words().headline} ${words().subline}`;
  const advice = isUnprotected(around?.findings ?? []) ? words().advice : '';
  const rowsOf = (text: string, height: number) => (text === '' ? 0 : paragraphRows(text, area.columns, height));
  const above = isRoomy ? rowsOf(intro, 3) + 1 + (rehearsal ? 1 : 0) + rowsOf(words().directory(dir), 3) : 0;
  const below = isRoomy ? 1 + rowsOf(advice, 2) : 0;
  const told = notice === null ? 0 : paragraphRows(notice.text, area.columns - 4, NOTICE);
  const room = Math.max(3, area.rows - above - told - (isRoomy ? 2 : 1) - NEEDS - below);
  return (
    <>
      {isRoomy && (
        <>
          <Paragraph text={intro} height={3} />
          <Gap />
          {rehearsal && (
            <Row>
              <Label tone="accent">{words().rehearsal(rehearsal.speed)}</Label>
            </Row>
          )}
          {hasChoices && <Paragraph text={words().directory(dir)} tone="dim" height={3} />}
        </>
      )}
      {notice && <Notice kind={notice.kind} text={notice.text} height={NOTICE} />}
      {isRoomy && hasChoices && <Gap />}
      {hasChoices ? (
        <Select items={welcomeChoices(state)} index={choice} rows={room} />
      ) : (
        <Row>
          <Spinner label={words().opening} />
        </Row>
      )}
      <Gap />
      {isRoomy && hasChoices && (
        <Row>
          <Label isBold>{words().needs.title}</Label>
        </Row>
      )}
      {hasChoices && <WelcomeNeeds around={around} />}
      {isRoomy && advice !== '' && <Paragraph text={advice} tone="dim" />}
    </>
  );
}

/** Lines of the notice. */
const NOTICE = 3;

/** A lost connection would end the screens. */
function isUnprotected(findings: readonly Finding[]): boolean {
  return findings.some(({ code, state }) => code === 'terminal-multiplexer' && state === 'failed');
}
