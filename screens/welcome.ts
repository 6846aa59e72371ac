import type { Finding } from '../src/checks/check.ts';
import type { InstallerStatus } from '../src/checks/machine/programs.ts';
import { getAt } from '../src/design/paths.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { formatDate, formatDateAndTime } from '../src/platform/clock.ts';
import { sanitizeLine } from '../src/platform/sanitize.ts';
import { fitToWidth, getDisplayWidth, splitGraphemes, truncate, truncateMiddle } from '../src/platform/text.ts';
import type { Binding } from '../src/rows/bindings.ts';
import {
  createRow,
  EMPTY_ROW,
  fitRows,
  getGlyphs,
  type PageRow,
  type Tone,
  type Viewport,
} from '../src/rows/page-rows.ts';
import { createSpinnerRow } from '../src/rows/progress.ts';
import { createSelectRows, type SelectItem } from '../src/rows/select.ts';
import { createNoticeRows, createParagraphRows } from '../src/rows/text.ts';
import type { Page } from '../src/steps/contract.ts';
import { formatFindings, formatVerdict } from '../src/steps/doctor-lines.ts';
import type { Intent } from '../src/wizard/intents.ts';
import {
  getScreenIndex,
  type Installation,
  type MachineOverview,
  type Notice as NoticeText,
  type RehearsalPace,
  SCREEN_IDS,
  type ScreenId,
  type WizardState,
} from '../src/wizard/state.ts';
import type { KeyEvent } from '../src/wizard/text-input.ts';
import {
  createCommonBindings,
  createListBindings,
  createReviewBindings,
  getJumpDistance,
  type Screen,
} from './shared/bindings.ts';
import { withStepOverview } from './shared/step-overview.ts';

const requirementWords = () => catalogue().screens.welcome.requirements;

/**
 * A requirement of an installation, with its status on this machine. `unverified`: this machine cannot check it.
 */
interface Requirement {
  readonly state: 'ok' | 'wrong' | 'unverified';
  readonly need: string;
  readonly detail: string;
}

/** Minutes of an installation without pauses. */
const INSTALLATION_MINUTES = 120;

/**
 * Lists the requirements of an installation, with their status on this machine.
 * @param overview null before the first probe
 * @param rehearsal it simulates the site, and needs no oc; null: none
 */
export function listRequirements(
  overview: MachineOverview | null,
  rehearsal: Pick<RehearsalPace, 'speed'> | null = null,
): readonly Requirement[] {
  const { tools, credentials, services, machines, machine, time } = requirementWords();
  const findings = overview?.findings ?? [];
  const filterByCode = (code: string) => findings.filter((finding) => finding.code === code);
  const createUncheckedRequirement = (need: string, detail: string): Requirement => ({
    state: 'unverified',
    need,
    detail,
  });
  return [
    overview?.installer
      ? describeTools(overview.installer, haveAllPassed(filterByCode('oc')), rehearsal !== null)
      : { state: 'unverified', need: tools.need, detail: requirementWords().checking },
    createCheckedRequirement(
      credentials.need,
      overview,
      describeCredentials(filterByCode('pull-secret'), filterByCode('ssh-key')),
    ),
    createUncheckedRequirement(services.need, rehearsal ? services.rehearsed : services.text),
    createUncheckedRequirement(machines.need, rehearsal ? machines.rehearsed : machines.text),
    createCheckedRequirement(machine.need, overview, describeMachine(findings)),
    createUncheckedRequirement(
      time.need,
      rehearsal && rehearsal.speed > 1 ? time.rehearsed(Math.ceil(INSTALLATION_MINUTES / rehearsal.speed)) : time.text,
    ),
  ];
}

function createCheckedRequirement(
  need: string,
  overview: MachineOverview | null,
  { isOk, detail }: { readonly isOk: boolean; readonly detail: string },
): Requirement {
  return overview === null
    ? { state: 'unverified', need, detail: requirementWords().checking }
    : { state: isOk ? 'ok' : 'wrong', need, detail };
}

function describeCredentials(pullSecrets: readonly Finding[], sshKeys: readonly Finding[]) {
  const { ok, noPullSecret, noSshKey, neither } = requirementWords().credentials;
  const [hasPullSecret, hasSshKey] = [haveAllPassed(pullSecrets), haveAllPassed(sshKeys)];
  if (!hasSshKey) return { isOk: false, detail: hasPullSecret ? noSshKey : neither };
  if (!hasPullSecret) return { isOk: false, detail: noPullSecret };
  // The cause of a passed check is the file of the pull secret, or the note that none is needed.
  const { notNeeded } = catalogue().diagnosis.machine['pull-secret'];
  return { isOk: true, detail: pullSecrets.some(({ cause }) => cause === notNeeded) ? notNeeded : ok };
}

function describeTools(installer: InstallerStatus, hasOc: boolean, isRehearsal: boolean): Requirement {
  const { need, missing, wrong, withoutOc, rehearsedWithoutOc } = requirementWords().tools;
  switch (installer.fault) {
    case 'missing':
      return { state: 'wrong', need, detail: missing };
    case 'version':
    case 'architecture':
      return { state: 'wrong', need, detail: wrong };
    case 'architecture-unknown':
    case null: {
      const version = installer.version ?? installer.file;
      if (hasOc) return { state: 'ok', need, detail: version };
      return isRehearsal
        ? { state: 'ok', need, detail: rehearsedWithoutOc(version) }
        : { state: 'wrong', need, detail: withoutOc };
    }
  }
}

/** Codes of findings that other requirements already report. */
const REPORTED_CODES = ['openshift-install', 'oc', 'pull-secret', 'ssh-key'];

function describeMachine(findings: readonly Finding[]) {
  const { ok, wrong } = requirementWords().machine;
  const [firstProblem, ...otherProblems] = findings.filter(
    ({ code, state, severity }) => state === 'failed' && severity !== 'note' && !REPORTED_CODES.includes(code),
  );
  if (firstProblem === undefined) return { isOk: true, detail: ok };
  return { isOk: false, detail: otherProblems.length === 0 ? firstProblem.title : wrong(otherProblems.length + 1) };
}

/** Whether there are findings, and all of them are ok. */
const haveAllPassed = (findings: readonly Finding[]) =>
  findings.length > 0 && findings.every(({ state }) => state === 'ok');

const TONES: Readonly<Record<Requirement['state'], Tone>> = { ok: 'ok', wrong: 'warn', unverified: 'muted' };

/** The requirements, one row each. */
function requirementRows({ overview, rehearsal }: WizardState['welcome'], viewport: Viewport): PageRow[] {
  const { ok, warning, skipped, ellipsis } = getGlyphs(viewport);
  const marks: Readonly<Record<Requirement['state'], string>> = { ok, wrong: warning, unverified: skipped };
  const markColumns = Math.max(...Object.values(marks).map(getDisplayWidth));
  const requirements = listRequirements(overview, rehearsal);
  const nameColumns = Math.max(...requirements.map(({ need }) => getDisplayWidth(need)));
  return requirements.map(({ state, need, detail }) => ({
    segments: [
      { text: `${fitToWidth(marks[state], markColumns, '')} `, tone: TONES[state] },
      { text: `${fitToWidth(need, nameColumns, '')}   ` },
      {
        text: truncate(detail, Math.max(0, viewport.columns - markColumns - nameColumns - 4), ellipsis),
        tone: TONES[state],
      },
    ],
  }));
}

/** The part of the state that the welcome screen shows. */
type WelcomeState = Pick<WizardState, 'welcome' | 'document' | 'furthestScreenIndex'>;

interface WelcomeChoice extends SelectItem {
  readonly intent: Intent;
}

const createRestartChoice = (): WelcomeChoice => ({
  value: 'restart',
  label: words().restart,
  hint: words().restartHint,
  intent: { type: 'screen/go', screen: 'cluster' },
});

/** The choices to resume this installation, or to start it. */
function listCurrentChoices(state: WelcomeState): WelcomeChoice[] {
  // A session that was left on the welcome screen resumes at the first page.
  const resumeScreen = SCREEN_IDS[Math.max(state.furthestScreenIndex, 1)] ?? 'cluster';
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
    ...(resumeScreen === 'cluster' ? [] : [createRestartChoice()]),
  ];
}

/** Whether the user has gone beyond the welcome screen, now or in an earlier session. */
export const hasBegun = ({ welcome, furthestScreenIndex }: WelcomeState) =>
  welcome.isResumed || furthestScreenIndex > 0;

/** Lists the choices for a new installation or rehearsal, each in its own directory. */
function listNewChoices(state: WelcomeState): WelcomeChoice[] {
  const { rehearsal, overview } = state.welcome;
  const otherInstallations = overview?.otherInstallations ?? [];
  const hasRehearsed = rehearsal !== null || otherInstallations.some(({ isRehearsal }) => isRehearsal);
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

/** Creates the choices for other installations, each labelled with the short name of its cluster. */
function createOtherChoices(
  installations: readonly Installation[],
  { columns, hasUnicode }: ListSpace,
): readonly WelcomeChoice[] {
  const { open, resume, hint, finished, rehearsal } = words().other;
  const describe = ({ screen, isFinished, isRehearsal }: Installation) => {
    const progress = isFinished ? finished : catalogue().screens.sidebar[screen];
    return isRehearsal ? rehearsal(progress) : progress;
  };
  const countDirColumns = (installation: Installation, formatTime: (savedAt: number) => string) =>
    columns - LABEL_COLUMNS - getDisplayWidth(hint(describe(installation), formatTime(installation.savedAt), ''));
  // The directory distinguishes installations of one cluster: the time of the day gives way to it, in all rows.
  const isNarrow = installations.some((each) => countDirColumns(each, formatDateAndTime) < MIN_DIRECTORY_COLUMNS);
  const formatTime = isNarrow ? formatDate : formatDateAndTime;
  return installations.map((installation) => {
    const { dir, cluster, isFinished, savedAt } = installation;
    const name = cluster.split('.')[0] || basename(dir);
    const dirColumns = Math.max(MIN_DIRECTORY_COLUMNS, countDirColumns(installation, formatTime));
    const shownDir = shortenDirectory(dir, dirColumns, getGlyphs({ hasUnicode }).ellipsis);
    return {
      value: dir,
      label: isFinished ? open(name) : resume(name),
      hint: hint(describe(installation), formatTime(savedAt), shownDir),
      intent: { type: 'welcome/open', dir },
    };
  });
}

/** The width of the list, for which directories are shortened, and whether it may have Unicode characters. */
type ListSpace = Pick<Viewport, 'columns' | 'hasUnicode'>;

/** Columns of the page at 80 columns, those of its labels, and the minimum of a directory at the end of a hint. */
const STANDARD_SPACE: ListSpace = { columns: 76, hasUnicode: true };
const LABEL_COLUMNS = 29;
const MIN_DIRECTORY_COLUMNS = 8;
const MAX_PATH_LENGTH = 4096;

/** With fewer columns, only the end of a path is shown. */
const MIN_COLUMNS_FOR_BEGINNING = 20;

/** Shortens a long path in its middle: its beginning and, even more, its end distinguish directories. */
function shortenDirectory(dir: string, columns: number, mark: string): string {
  const path = sanitizeLine(dir, MAX_PATH_LENGTH);
  if (columns >= MIN_COLUMNS_FOR_BEGINNING || getDisplayWidth(path) <= columns)
    return truncateMiddle(path, columns, mark);
  const graphemes = splitGraphemes(path);
  while (getDisplayWidth(graphemes.join('')) > columns - getDisplayWidth(mark)) graphemes.shift();
  return `${mark}${graphemes.join('')}`;
}

function basename(dir: string): string {
  return sanitizeLine(dir.split('/').at(-1) ?? dir, 60);
}

/**
 * Lists what the user can start here: this installation first. Other installations come last: they are found last, and
 * must not move a choice.
 */
export function listWelcomeChoices(state: WelcomeState, space: ListSpace = STANDARD_SPACE): WelcomeChoice[] {
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
    intent: { type: 'overlay/show', subject: 'machine', page: createMachinePage(state) },
  };
  return [
    ...listCurrentChoices(state),
    ...(rehearsal ? [] : [importChoice]),
    ...listNewChoices(state),
    machineChoice,
    // An installation that never left its welcome page has no answers yet.
    ...createOtherChoices(
      (state.welcome.overview?.otherInstallations ?? []).filter(({ screen }) => screen !== 'welcome'),
      space,
    ),
  ];
}

/** Creates the page with everything that this machine has and lacks. */
function createMachinePage({ welcome: { overview } }: WelcomeState): Page {
  const findings = overview?.findings ?? null;
  const { title } = catalogue().doctor;
  return {
    title,
    lines:
      findings === null ? [words().requirements.checking] : [formatVerdict(findings), '', ...formatFindings(findings)],
  };
}

/** Returns the keys of the welcome screen. */
export function createWelcomeBindings(state: WelcomeState): Binding<Intent>[] {
  const choices = listWelcomeChoices(state);
  const move = (by: number): Intent => ({ type: 'welcome/move', by, count: choices.length });
  return [
    { keys: ['enter'], label: catalogue().screens.keys.choose, intent: choices[state.welcome.choice]?.intent ?? null },
    ...createListBindings({ label: catalogue().screens.keys.row, toIntent: move, hasTab: true }),
    {
      keys: [SHORTCUTS.checkMachine],
      label: catalogue().screens.keys.machine,
      intent: { type: 'overlay/show', subject: 'machine', page: createMachinePage(state) },
    },
    ...(state.furthestScreenIndex < getScreenIndex('review')
      ? createReviewBindings({ correctionPath: null }).map((binding) => ({ ...binding, isHidden: true }))
      : []),
    ...createCommonBindings({ isTyping: false }).filter(({ keys }) => !keys.includes('escape')),
  ];
}

/** A letter selects the next choice that begins with it. */
function getWelcomeIntent(state: WelcomeState, event: KeyEvent): Intent {
  const labels = listWelcomeChoices(state).map(({ label }) => label);
  return { type: 'welcome/move', by: getJumpDistance(labels, state.welcome.choice, event), count: labels.length };
}

interface WelcomeOptions {
  /** False until the choices are known. */
  readonly hasChoices?: boolean;
  readonly notice?: NoticeText | null;
  /** The reason why the choices are not known yet. */
  readonly status?: string;
  /** The pages of this installation. */
  readonly screens?: readonly ScreenId[];
}

/** With fewer rows, only the choices and the requirements are shown. */
const MIN_TALL_ROWS = 18;

/** Returns the rows of the welcome screen; on a wide terminal, the steps of an installation stand beside it. */
export function welcomeRows(state: WelcomeState, viewport: Viewport, options: WelcomeOptions = {}): readonly PageRow[] {
  return withStepOverview(viewport, (area) => welcomePageRows(state, area, options), options.screens);
}

/**
 * Returns the rows of the welcome page, without the steps beside it.
 *
 *     From nothing to a running OpenShift cluster on machines …
 *
 *     ▸ New installation          starts with a worked example that you change
 *       Rehearse first            against a simulated site, in a few minutes
 *
 *     An installation needs:
 *     ! openshift-install, oc     missing: Prepare gets them
 *     ✔ this machine              in order
 */
function welcomePageRows(
  state: WelcomeState,
  viewport: Viewport,
  { hasChoices = true, notice = null, status = words().openingStatus }: WelcomeOptions,
): PageRow[] {
  const { dir, rehearsal, choice } = state.welcome;
  const isTall = viewport.rows >= MIN_TALL_ROWS;
  const choices = hasChoices ? listWelcomeChoices(state, viewport) : [];
  const usualHeadline = isTall
    ? createParagraphRows(`${words().headline} ${words().subline}`, viewport, { height: 3 })
    : [];
  // A notice moves no choice: it takes the rows of the headline.
  const noticeRows = notice
    ? createNoticeRows({ kind: notice.kind, text: notice.text, height: MAX_NOTICE_ROWS }, viewport)
    : [];
  const headline = notice ? fitRows(noticeRows, Math.max(noticeRows.length, usualHeadline.length)) : usualHeadline;
  const installationRows = [
    ...(isTall && rehearsal ? [createRow(words().rehearsal(rehearsal.speed), 'accent')] : []),
    ...(isTall && dir !== ''
      ? createParagraphRows(words().directory(dir), viewport, { tone: 'muted', height: 3 })
      : []),
  ];
  const requirements = [
    ...(isTall && hasChoices ? [createRow(words().requirements.title, 'text', true)] : []),
    ...(hasChoices ? requirementRows(state.welcome, viewport) : []),
  ];
  const advice =
    isTall && isUnprotected(state.welcome.overview?.findings ?? [])
      ? createParagraphRows(words().advice, viewport, { tone: 'muted' })
      : [];
  // The choices come first, then the advice, which the help page has too, then the gaps.
  const neededRows = createSelectRows(choices, choice, { ...viewport, rows: choices.length * 3 }).length;
  const unusedRows =
    viewport.rows -
    headline.length -
    installationRows.length -
    Math.max(MIN_CHOICE_ROWS, neededRows) -
    requirements.length;
  const hasAdvice = unusedRows >= advice.length;
  const gapRows = unusedRows - (hasAdvice ? advice.length : 0);
  const createGap = (minRows: number) => (gapRows >= minRows || !isTall ? [EMPTY_ROW] : []);
  const rowsAbove = [
    ...headline,
    ...(isTall ? createGap(3) : []),
    ...installationRows,
    ...(isTall && hasChoices ? createGap(1) : []),
  ];
  const rowsBelow = [...createGap(2), ...requirements, ...(hasAdvice ? advice : [])];
  // With few rows, the choices come first: one of them shows the requirements, too.
  const rows = Math.max(MIN_CHOICE_ROWS, viewport.rows - rowsAbove.length - (isTall ? rowsBelow.length : 0));
  const choiceRows = hasChoices
    ? createSelectRows(choices, choice, { ...viewport, rows })
    : [EMPTY_ROW, createSpinnerRow(status, viewport)];
  const freeRows = Math.max(0, viewport.rows - rowsAbove.length - choiceRows.length);
  return [...rowsAbove, ...choiceRows, ...(isTall ? rowsBelow : rowsBelow.slice(0, freeRows))];
}

/** Minimum rows of the choices, or of the state until they are known. */
const MIN_CHOICE_ROWS = 3;

/** Maximum rows of the notice. */
const MAX_NOTICE_ROWS = 3;

/** Whether a lost connection would end the wizard, because no terminal multiplexer runs. */
function isUnprotected(findings: readonly Finding[]): boolean {
  return findings.some(({ code, state }) => code === 'terminal-multiplexer' && state === 'failed');
}

const words = () => catalogue().screens.welcome;

export const welcomeScreen: Screen = {
  id: 'welcome',
  breadcrumb: () => catalogue().screens.breadcrumbs.welcome,
  bindings: (state) => [
    ...createWelcomeBindings(state),
    ...(state.past.length > 0
      ? [
          {
            keys: [SHORTCUTS.undo, 'ctrl-z'] as const,
            label: catalogue().screens.keys.undoLast,
            intent: { type: 'document/undo' } as const,
            isHidden: true,
          },
        ]
      : []),
  ],
  onText: getWelcomeIntent,
  help: () => [`${words().headline} ${words().subline}`, words().advice, ...words().help],
  rows: (state, viewport) => welcomeRows(state, viewport, { notice: state.notice, screens: state.screens }),
  intro: ({ welcome: { rehearsal, dir, overview } }) => [
    `${words().headline} ${words().subline}`,
    ...(rehearsal ? [words().rehearsal(rehearsal.speed)] : []),
    words().directory(dir),
    // The requirements follow as soon as they are known: read aloud, a list that only says "checking" is noise.
    ...(overview === null
      ? []
      : [
          words().requirements.title,
          ...listRequirements(overview, rehearsal).map(({ need, detail }) => `  ${need}: ${detail}`),
        ]),
  ],
  entries: (state) =>
    // Plain lines have room for a whole path.
    listWelcomeChoices(state, { columns: Number.POSITIVE_INFINITY, hasUnicode: true }).map(
      ({ label, hint, intent }) => ({
        label: `${label}: ${hint}`,
        intents: [intent],
      }),
    ),
};
