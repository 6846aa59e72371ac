import { needsAttention, type OperatorState } from '../src/checks/operators.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { wrapProse } from '../src/i18n/prose.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { findEntry } from '../src/platform/table-lookup.ts';
import { wrapLines } from '../src/platform/text.ts';
import { MIN_COLUMNS_BESIDE } from '../src/rows/list-page.ts';
import { fitRows, type PageRow, type Tone, type Viewport } from '../src/rows/page-rows.ts';
import { formatStatusText, getStatusTone, type Status } from '../src/rows/status.ts';
import type { TableRow } from '../src/rows/table.ts';
import { createParagraphRows, type TextLine } from '../src/rows/text.ts';
import type { OperatorsView } from '../src/steps/operators.ts';
import type { StepRun } from '../src/wizard/live/step-run.ts';
import { describeOutage } from './shared/step/step-lines.ts';
import { createStepScreen } from './shared/step/step-page.ts';

const words = () => catalogue().screens.operators;

/**
 * The progress of the release, the operators with what each waits for, and the details of the selected one.
 *
 *     Working towards 4.18.11: 640 of 869 done
 *       Operator        State            Since   Waits for
 *     ▸ ingress         ✖ degraded       5 min   a node that can run its pods
 *       authentication  ◦ not available  5 min   the routers (ingress)
 *
 *     ingress waits for a node that can run its pods. That is not normal any more:
 */
export const operatorsScreen = createStepScreen<OperatorsView>({
  id: 'operators',
  watchesSite: true,
  mayStayIncomplete: true,
  isListFirst: true,
  fixedPart: 'head',
  maxNotes: 5,
  rowCount: ({ operators }) => operators.length,
  textToCopy: (view, row) => {
    const selectedOperator = getSelectedOperator(view, row);
    return selectedOperator === undefined ? null : selectedOperator.message || selectedOperator.name;
  },
  bindings: (view, row) => {
    const selectedOperator = getSelectedOperator(view, row);
    const createPageBinding = (
      key: 'events' | 'password' | 'authority',
      label: string,
      subject: string,
      isHidden = false,
    ) => ({
      keys: [SHORTCUTS[key]],
      label,
      isHidden,
      intent: { type: 'step/show' as const, subject },
    });
    return [
      ...(selectedOperator
        ? [createPageBinding('events', catalogue().screens.keys.events, `events/${selectedOperator.name}`)]
        : []),
      // These keys work earlier too, but are offered only once there is a console to log in to.
      createPageBinding('password', catalogue().screens.keys.password, 'password', view.consoleUrl === null),
      createPageBinding('authority', catalogue().screens.keys.authority, 'authority', view.consoleUrl === null),
    ];
  },
  tableRows: ({ operators }, _run, now, viewport) => operators.map((operator) => toTableRow(operator, now, viewport)),
  body: (view, run, now, pageViewport, rows) => {
    const selectedOperator = getSelectedOperator(view, run.row);
    return {
      list: {
        createRowsAbove: (viewport) =>
          pageViewport.rows < MIN_ROWS_WITH_MESSAGE ? [] : drawReleaseMessage(view, viewport),
        table: {
          columns: getColumns(pageViewport.columns),
          rows,
          selectedIndex: rows.length === 0 ? null : Math.min(run.row, rows.length - 1),
          emptyText: view.apiDetail === null ? words().none : describeOutage(view.apiDetail, run),
          filter: run.filter,
        },
        details: [
          {
            // While every operator is healthy and nothing stands beside the list, two lines are enough: the list keeps
            // the rows.
            renderLines: (columns) =>
              selectedOperator === undefined
                ? []
                : hasAnythingToExplain(view) || pageViewport.terminalColumns >= MIN_COLUMNS_BESIDE
                  ? renderOperatorDetails(selectedOperator, columns, now, isExplainedBelow(selectedOperator, view, run))
                  : explainHealth(selectedOperator, now),
            top: run.top,
          },
        ],
      },
    };
  },
});

const hasAnythingToExplain = ({ operators }: OperatorsView) =>
  operators.length === 0 || operators.some(({ state, wait }) => state !== 'fine' || wait !== null);

function getSelectedOperator({ operators }: OperatorsView, row: number): OperatorState | undefined {
  return operators[Math.min(row, operators.length - 1)];
}

/** Returns the columns. In a narrow list, no reason to wait that comes or goes moves them. */
const getColumns = (width: number) =>
  [
    { id: 'name', title: words().columns.name, minWidth: 16, maxWidth: width < 100 ? 24 : 40, isCutInMiddle: true },
    { id: 'state', title: words().columns.state, minWidth: 15, maxWidth: 15 },
    { id: 'since', title: words().columns.since, minWidth: 6, maxWidth: 6, priority: 2, align: 'right' as const },
    {
      id: 'waits',
      title: words().columns.waits,
      minWidth: 16,
      maxWidth: 100,
      priority: 1,
      detailRepeats: 'always' as const,
    },
  ].map((column) => ({ ...column, ignoresCells: width < 90 }));

/** From this height on, a row above the list has the message of the release. */
const MIN_ROWS_WITH_MESSAGE = 14;

/**
 * Returns the message of the ClusterVersion, always in one row, so that nothing below it moves. The state of the step
 * has its percentage, and the list what it waits for.
 */
function drawReleaseMessage({ clusterVersion }: OperatorsView, viewport: Viewport): readonly PageRow[] {
  const message = (clusterVersion?.message ?? '').replace(/( of \d+ done) \(\d+% complete\)(, waiting .*)?$/, '$1');
  return fitRows(createParagraphRows(message, viewport, { height: 1 }), 1);
}

/** Derives the mark beside the state: it shows whether the operator needs the user's attention. */
function deriveStatus(operator: OperatorState): Status {
  if (operator.state === 'fine') return 'ok';
  if (needsAttention(operator)) return operator.state === 'degraded' ? 'failed' : 'warning';
  return operator.state === 'settling' || operator.state === 'progressing' ? 'running' : 'pending';
}

/** Returns the word beside the mark: one that is degraded while that is normal only waits. */
function getStateWord({ state, wait }: OperatorState): string {
  return state === 'degraded' && wait?.isNormal === true ? words().waiting : words().states[state];
}

/** Returns the time since which an operator has its state: a healed one is healthy since its last problem ended. */
function getStateTime({ state, since, steadySince, conditions }: OperatorState): number | null {
  if (state === 'settling') return steadySince;
  if (state !== 'fine') return since;
  const times = conditions.flatMap((condition) =>
    condition.type === 'Available' || condition.type === 'Degraded' ? (condition.since ?? []) : [],
  );
  return times.length === 0 ? since : Math.max(...times);
}

function toTableRow(operator: OperatorState, now: number, viewport: Viewport): TableRow {
  const { name, wait } = operator;
  const since = getStateTime(operator);
  const status = deriveStatus(operator);
  return {
    id: name,
    cells: {
      name,
      state: formatStatusText(status, viewport, getStateWord(operator)),
      since: since === null ? '' : catalogue().screens.ageShort(now - since),
      // For an unknown wait, the operator's own message is shown.
      waits: wait?.code === 'other' ? operator.message : (wait?.waitsFor ?? ''),
    },
    tones: { state: getStatusTone(status) },
  };
}

/** Whether the first finding under the list explains this operator, alone or with others that wait for the same. */
function isExplainedBelow({ name, wait }: OperatorState, { operators }: OperatorsView, { probe }: StepRun): boolean {
  const subject = probe?.findings[0]?.subject ?? null;
  if (subject === null || wait === null) return false;
  const subjectWait = operators.find((operator) => operator.name === subject)?.wait;
  return subject === name || (wait.code !== 'other' && wait.waitsFor === subjectWait?.waitsFor);
}

/**
 * Renders the details of a ClusterOperator, wrapped: what it waits for, its failing pods, and its conditions, the bad
 * ones first.
 * @param isExplained whether the page shows elsewhere what the operator waits for, with the remedy
 */
function renderOperatorDetails(
  operator: OperatorState,
  columns: number,
  now: number,
  isExplained: boolean,
): TextLine[] {
  const wrapDetail = (text: string, indent: number, tone: Tone): TextLine[] =>
    text
      .split('\n')
      .flatMap((part) => wrapLines(part, Math.max(10, columns - indent)))
      .map((line) => ({ text: `${' '.repeat(indent)}${line}`, tone }));
  const sortedConditions = [...operator.conditions].sort(
    (a, b) => Number(isBadCondition(b.type, b.status)) - Number(isBadCondition(a.type, a.status)),
  );
  const conditions = sortedConditions.flatMap(({ type, status, reason, message, since }) => {
    const label = findEntry(findEntry(words().conditions, type) ?? {}, status) ?? words().otherCondition(type, status);
    const age = since === null ? '' : catalogue().screens.age(now - since);
    const shownReason = reason === 'AsExpected' ? '' : reason;
    return [
      ...wrapDetail(words().condition(label, age, shownReason), 0, isBadCondition(type, status) ? 'warn' : 'text'),
      ...(message === '' ? [] : wrapDetail(message, 4, 'muted')),
    ];
  });
  const podHeading = operator.pods.length === 0 ? [] : [{ text: words().pods, tone: 'text' as const }];
  return [
    ...(isExplained ? [] : explainState(operator, now)).flatMap(({ text, tone = 'text' }) =>
      // Commands get lines of their own.
      wrapProse(text, Math.max(10, columns)).map(
        ({ text: line, isCommand }): TextLine => ({ text: line, tone: isCommand ? 'accent' : tone }),
      ),
    ),
    ...podHeading,
    ...operator.pods.flatMap((pod) => [
      ...wrapDetail(formatPod(pod), 2, 'warn'),
      ...(pod.message === '' ? [] : wrapDetail(pod.message, 4, 'muted')),
    ]),
    ...conditions,
    ...wrapDetail(operator.stability === 'stable' ? words().stable : words().notStable, 0, 'muted'),
  ];
}

/** Explains that an operator is healthy or about to be, since when and in which version, and what it manages. */
function explainHealth(operator: OperatorState, now: number): TextLine[] {
  const { name, version } = operator;
  const since = getStateTime(operator);
  const purpose = findEntry(words().purposes, name);
  const age = since === null ? '' : catalogue().screens.age(now - since);
  return [
    operator.state === 'settling'
      ? { text: words().settling(name, age), tone: 'accent' }
      : { text: words().fine(name, version, age), tone: 'ok' },
    ...(purpose === undefined ? [] : [{ text: purpose, tone: 'muted' as const }]),
  ];
}

function explainState(operator: OperatorState, now: number): TextLine[] {
  const { name, wait, state } = operator;
  if (wait === null) return explainHealth(operator, now);
  if (state === 'fine') return [{ text: words().removed(name, wait.waitsFor) }, { text: wait.remedy }];
  if (wait.code === 'other')
    return [
      wait.isNormal
        ? { text: words().otherNormal(name), tone: 'accent' }
        : { text: words().otherLong(name), tone: 'error' },
      { text: wait.remedy },
    ];
  if (wait.isNormal) return [{ text: words().normal(name, wait.waitsFor), tone: 'accent' }];
  return [{ text: words().abnormal(name, wait.waitsFor), tone: 'error' }, { text: wait.remedy }];
}

function formatPod({ namespace, name, phase, reason, restartCount }: OperatorState['pods'][number]): string {
  return words().pod(`${namespace}/${name}`, phase, reason, restartCount);
}

function isBadCondition(type: string, status: string): boolean {
  return type === 'Available' ? status !== 'True' : type === 'Degraded' && status !== 'False';
}
