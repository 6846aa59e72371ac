import type { Finding } from '../src/checks/check.ts';
import type { InstallerStatus } from '../src/checks/machine/programs.ts';
import { getAt } from '../src/design/paths.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { sanitizeLine } from '../src/platform/sanitize.ts';
import { displayWidth, padEnd } from '../src/platform/text.ts';
import type { Page } from '../src/steps/contract.ts';
import { formatMachineFindings, formatVerdict } from '../src/steps/doctor-lines.ts';
import { Notice, Spinner } from '../src/ui/components/notices.tsx';
import { Gap, Label, Row, Select, type SelectItem } from '../src/ui/components/select.tsx';
import type { Binding } from '../src/ui/keys.tsx';
import { getGlyphs, type Tone, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import type { Intent } from '../src/wizard/intents.ts';
import {
  type Installation,
  type MachineOverview,
  type Notice as NoticeText,
  SCREEN_IDS,
  type WizardState,
} from '../src/wizard/state.ts';
import type { KeyEvent } from '../src/wizard/typing.ts';
import { commonBindings, getJumpDistance, listBindings, type Screen } from './shared/bindings.ts';
import { countParagraphRows, Paragraph } from './shared/text.tsx';

const requirementWords = () => catalogue().screens.welcome.needs;

/** The number of requirements. */
const REQUIREMENT_COUNT = 6;

/**
 * A requirement of an installation, with its status on this machine. In the third state, this machine cannot check it.
 */
interface Requirement {
  readonly state: 'ok' | 'wrong' | 'unverified';
  readonly need: string;
  readonly detail: string;
}

/**
 * Lists the requirements of an installation, with their status on this machine.
 * @param overview null before the first probe
 */
export function listRequirements(overview: MachineOverview | null): readonly Requirement[] {
  const { tools, pullSecret, services, machines, machine, time } = requirementWords();
  const findings = overview?.findings ?? [];
  const withCode = (code: string) => findings.filter((finding) => finding.code === code);
  const createUnchecked = (
    { need, text }: { readonly need: string; readonly text: string },
    detail = text,
  ): Requirement => ({
    state: 'unverified',
    need,
    detail,
  });
  const programs = withCode('service-program');
  const availableCount = programs.filter(({ state }) => state === 'ok').length;
  return [
    overview?.installer
      ? describeTools(overview.installer)
      : { state: 'unverified', need: tools.need, detail: requirementWords().checking },
    createChecked(pullSecret.need, overview, {
      isOk: haveAllPassed(withCode('pull-secret')),
      detail: haveAllPassed(withCode('pull-secret')) ? pullSecret.ok : pullSecret.missing,
    }),
    createUnchecked(
      services,
      programs.length === 0 ? services.text : services.available(availableCount, programs.length),
    ),
    createUnchecked(machines),
    createChecked(machine.need, overview, describeMachine(findings)),
    createUnchecked(time),
  ];
}

function createChecked(
  need: string,
  overview: MachineOverview | null,
  { isOk, detail }: { readonly isOk: boolean; readonly detail: string },
): Requirement {
  return overview === null
    ? { state: 'unverified', need, detail: requirementWords().checking }
    : { state: isOk ? 'ok' : 'wrong', need, detail };
}

function describeTools(installer: InstallerStatus): Requirement {
  const { need, missing, wrong } = requirementWords().tools;
  switch (installer.fault) {
    case 'missing':
      return { state: 'wrong', need, detail: missing };
    case 'version':
    case 'architecture':
      return { state: 'wrong', need, detail: wrong };
    case 'architecture-unknown':
    case null:
      return { state: 'ok', need, detail: installer.version ?? installer.file };
  }
}

/** Codes of findings that the lines above already report. */
const REPORTED_CODES = ['openshift-install', 'oc', 'pull-secret'];

function describeMachine(findings: readonly Finding[]) {
  const { ok, wrong } = requirementWords().machine;
  const problems = findings.filter(
    ({ code, state, severity }) => state === 'failed' && severity !== 'note' && !REPORTED_CODES.includes(code),
  );
  return { isOk: problems.length === 0, detail: problems.length === 0 ? ok : wrong(problems.length) };
}

const haveAllPassed = (findings: readonly Finding[]) => findings.every(({ state }) => state === 'ok');

const TONES: Readonly<Record<Requirement['state'], Tone>> = { ok: 'ok', wrong: 'warn', unverified: 'dim' };

/** Renders the requirements, one line each. */
function WelcomeRequirements({ around }: { readonly around: MachineOverview | null }) {
  const { columns } = useArea();
  const { done, problem } = getGlyphs(useTerminalStyle());
  const marks: Readonly<Record<Requirement['state'], string>> = { ok: done, wrong: problem, unverified: '-' };
  const requirements = listRequirements(around);
  const nameColumns = Math.max(...requirements.map(({ need }) => displayWidth(need)));
  return requirements.map(({ state, need, detail }) => (
    <Row key={need}>
      <Label tone={TONES[state]}>{`${marks[state]} `}</Label>
      <Label>{`${padEnd(need, nameColumns, '')}  `}</Label>
      <Label tone={TONES[state]} width={Math.max(0, columns - nameColumns - 4)}>
        {detail}
      </Label>
    </Row>
  ));
}

/** The part of the state that the welcome screen shows. */
type WelcomeFacts = Pick<WizardState, 'welcome' | 'document' | 'reached'>;

interface WelcomeChoice extends SelectItem {
  readonly intent: Intent;
}

const restart = (): WelcomeChoice => ({
  value: 'restart',
  label: words().restart,
  hint: words().restartHint,
  intent: { type: 'screen/go', screen: 'cluster' },
});

/** The choices to resume this installation, or to start it. */
function listOwnChoices(state: WelcomeFacts): WelcomeChoice[] {
  // A session that was left on the welcome screen resumes at the first page.
  const resumeScreen = SCREEN_IDS[Math.max(state.reached, 1)] ?? 'cluster';
  const cluster = `${String(getAt(state.document, 'cluster.name') ?? '')}.${String(getAt(state.document, 'cluster.baseDomain') ?? '')}`;
  if (!hasBegun(state))
    return [
      {
        value: 'fresh',
        // In a rehearsal, this is not the new installation that is offered below.
        label: state.welcome.rehearsal === null ? words().fresh : words().freshRehearsal,
        hint: words().freshHint,
        intent: { type: 'screen/go', screen: 'cluster' },
      },
    ];
  return [
    {
      value: 'resume',
      label: words().resume(catalogue().screens.sidebar[resumeScreen]),
      hint: words().resumeHint(cluster),
      intent: { type: 'screen/go', screen: resumeScreen },
    },
    ...(resumeScreen === 'cluster' ? [] : [restart()]),
  ];
}

const hasBegun = ({ welcome, reached }: WelcomeFacts) => welcome.isResumed || reached > 0;

/** Lists the choices for a new installation or rehearsal, each in its own directory. */
function listNewChoices(state: WelcomeFacts): WelcomeChoice[] {
  const { rehearsal, overview } = state.welcome;
  const others = overview?.others ?? [];
  const hasRehearsed = rehearsal !== null || others.some(({ isRehearsal }) => isRehearsal);
  const { rehearse, rehearseHint, rehearseAgain, rehearseAgainHint, fresh, ownDirectoryHint } = words();
  return [
    ...(hasBegun(state) || rehearsal !== null
      ? [{ value: 'new', label: fresh, hint: ownDirectoryHint, intent: { type: 'welcome/new' } as const }]
      : []),
    {
      value: 'rehearse',
      label: hasRehearsed ? rehearseAgain : rehearse,
      hint: hasRehearsed ? rehearseAgainHint : rehearseHint,
      intent: { type: 'welcome/rehearse' },
    },
  ];
}

/** Creates the choice for another installation, labelled with the short name of its cluster. */
function createOtherChoice({ dir, cluster, screen, isFinished, isRehearsal }: Installation): WelcomeChoice {
  const { open, resume, hint, finished, rehearsal } = words().other;
  const name = cluster.split('.')[0] || basename(dir);
  const progress = isFinished ? finished : catalogue().screens.sidebar[screen];
  return {
    value: dir,
    label: isFinished ? open(name) : resume(name),
    hint: hint(isRehearsal ? rehearsal(progress) : progress, sanitizeLine(dir, 200)),
    intent: { type: 'welcome/open', dir },
  };
}

function basename(dir: string): string {
  return sanitizeLine(dir.split('/').at(-1) ?? dir, 60);
}

/**
 * Lists what the user can start here: this installation first. The others come last, because they are found last and
 * must not move a choice.
 */
export function listWelcomeChoices(state: WelcomeFacts): WelcomeChoice[] {
  const { rehearsal } = state.welcome;
  const importChoice: WelcomeChoice = {
    value: 'import',
    label: words().importExisting,
    hint: words().importExistingHint,
    intent: { type: 'import/open', from: 'file' },
  };
  const machineChoice: WelcomeChoice = {
    value: 'machine',
    label: words().machine,
    hint: words().machineHint,
    intent: { type: 'overlay/show', page: createMachinePage(state) },
  };
  return [
    ...listOwnChoices(state),
    ...(rehearsal ? [] : [importChoice]),
    ...listNewChoices(state),
    machineChoice,
    ...(state.welcome.overview?.others ?? []).map(createOtherChoice),
  ];
}

/** Creates the page with everything that this machine has and lacks. */
function createMachinePage({ welcome: { overview } }: WelcomeFacts): Page {
  const findings = overview?.findings ?? null;
  const { title } = catalogue().doctor;
  return {
    title,
    lines:
      findings === null ? [words().needs.checking] : [formatVerdict(findings), '', ...formatMachineFindings(findings)],
  };
}

/** Returns the keys of the welcome screen. */
export function welcomeBindings(state: WelcomeFacts): Binding<Intent>[] {
  const choices = listWelcomeChoices(state);
  const move = (by: number): Intent => ({ type: 'welcome/move', by, count: choices.length });
  return [
    { keys: ['enter'], label: catalogue().screens.keys.choose, intent: choices[state.welcome.choice]?.intent ?? null },
    ...listBindings({ label: catalogue().screens.keys.row, toIntent: move, hasTab: true }),
    {
      keys: [SHORTCUTS.machine],
      label: catalogue().screens.keys.machine,
      intent: { type: 'overlay/show', page: createMachinePage(state) },
    },
    ...commonBindings({ isTyping: false }).filter(({ keys }) => !keys.includes('escape')),
  ];
}

/** A letter selects the next choice that begins with it. */
function getWelcomeIntent(state: WelcomeFacts, event: KeyEvent): Intent {
  const labels = listWelcomeChoices(state).map(({ label }) => label);
  return { type: 'welcome/move', by: getJumpDistance(labels, state.welcome.choice, event), count: labels.length };
}

interface WelcomeViewProps {
  readonly state: WelcomeFacts;
  /** False until the choices are known. */
  readonly hasChoices?: boolean;
  readonly notice?: NoticeText | null;
}

/** With fewer rows, only the choices and the requirements are shown. */
const MIN_ROOMY_ROWS = 18;

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
  const { dir, rehearsal, choice, overview } = state.welcome;
  const isRoomy = area.rows >= MIN_ROOMY_ROWS;
  const intro = `${words().headline} ${words().subline}`;
  const advice = isUnprotected(overview?.findings ?? []) ? words().advice : '';
  const countRows = (text: string, height: number) =>
    text === '' ? 0 : countParagraphRows(text, area.columns, height);
  const above = isRoomy ? countRows(intro, 3) + 1 + (rehearsal ? 1 : 0) + countRows(words().directory(dir), 3) : 0;
  const below = isRoomy ? 1 + countRows(advice, 2) : 0;
  const noticeRows = notice === null ? 0 : countParagraphRows(notice.text, area.columns - 4, MAX_NOTICE_ROWS);
  const choiceRows = Math.max(3, area.rows - above - noticeRows - (isRoomy ? 2 : 1) - REQUIREMENT_COUNT - below);
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
      {notice && <Notice kind={notice.kind} text={notice.text} height={MAX_NOTICE_ROWS} />}
      {isRoomy && hasChoices && <Gap />}
      {hasChoices ? (
        <Select items={listWelcomeChoices(state)} index={choice} rows={choiceRows} />
      ) : (
        <Row>
          <Spinner label={words().openingStatus} />
        </Row>
      )}
      <Gap />
      {isRoomy && hasChoices && (
        <Row>
          <Label isBold>{words().needs.title}</Label>
        </Row>
      )}
      {hasChoices && <WelcomeRequirements around={overview} />}
      {isRoomy && advice !== '' && <Paragraph text={advice} tone="dim" />}
    </>
  );
}

/** Maximum rows of the notice. */
const MAX_NOTICE_ROWS = 3;

/** Whether a lost connection would end the wizard, because no terminal multiplexer runs. */
function isUnprotected(findings: readonly Finding[]): boolean {
  return findings.some(({ code, state }) => code === 'terminal-multiplexer' && state === 'failed');
}

const words = () => catalogue().screens.welcome;

export const welcomeScreen: Screen = {
  id: 'welcome',
  breadcrumb: () => catalogue().screens.places.welcome,
  bindings: welcomeBindings,
  onText: getWelcomeIntent,
  help: () => [`${words().headline} ${words().subline}`, words().advice, ...words().help],
  draw: (state) => <WelcomeView state={state} notice={state.notice} />,
};
