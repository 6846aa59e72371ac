import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { wrapLines } from '../src/platform/width.ts';
import type { InfraView, SeenMove } from '../src/steps/infra/index.ts';
import { isUndoOffered } from '../src/steps/infra/move-predicates.ts';
import { Label, Row } from '../src/ui/components/label.tsx';
import type { Status } from '../src/ui/components/status-mark.tsx';
import { getStatusTone, statusText } from '../src/ui/components/status-mark.tsx';
import { measureUncutTable, Table, type TableRow, tableHeight } from '../src/ui/components/table.tsx';
import { LogView } from '../src/ui/components/text-views.tsx';
import type { Binding } from '../src/ui/keys/keymap.ts';
import { AreaProvider, type TerminalStyle, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import type { Intent } from '../src/wizard/intents.ts';
import type { StepRun } from '../src/wizard/live/step-run.ts';
import { scrollBindings } from './shared/bindings.ts';
import { lastRender } from './shared/last-render.ts';
import { renderChanges } from './shared/step/changes.ts';
import { createStepScreen } from './shared/step/step-page.tsx';

const words = () => catalogue().screens.infra;
const STATUS: Readonly<Record<SeenMove['state'], Status>> = {
  done: 'ok',
  needed: 'pending',
  moving: 'running',
  blocked: 'warning',
  absent: 'skipped',
  failed: 'failed',
};

/** The moves in order; the selected one's changes under them. */
export const infraScreen = createStepScreen<InfraView>({
  id: 'infra',
  isWide: true,
  rowCount: ({ moves }) => moves.length,
  bindings({ moves }, row) {
    const selected = moves[Math.min(row, moves.length - 1)];
    if (selected === undefined) return [];
    return [
      ...answerOf(selected),
      ...(isUndoOffered(selected) ? [undoOf(selected)] : []),
      ...scrollBindings(renderChanges(selected.changes, lastRender.columns).length, CHANGES_PAGE),
    ];
  },
  commands: ({ moves, remedies = {} }, row) => commandsOf(moves[Math.min(row, moves.length - 1)], remedies),
  script: ({ moves, remedies = {} }) =>
    moves.flatMap((move) => {
      const own = commandsOf(move, remedies);
      return own.length === 0 ? [] : [move.name, ...own.map((command) => `  ${command}`)];
    }),
  getQuestion: ({ moves }, subject) => ({
    question: words().questions.make(subject),
    details: moves.flatMap(({ name, changes }) => (name === subject ? changes.map(({ object }) => object) : [])),
  }),
  needed: ({ moves }, run, _now, look) =>
    measureUncutTable(
      columns(),
      moves.map((move) => rowOf(move, run, look)),
    ),
  neededRows: movesHeight,
  Body: ({ view, run }) => <Moves view={view} run={run} />,
});

const undoOf = ({ name }: SeenMove): Binding<Intent> => ({
  keys: [SHORTCUTS.undo],
  label: catalogue().screens.keys.undo,
  intent: { type: 'step/ask', action: 'undo', subject: name },
});

function commandsOf(move: SeenMove | undefined, remedies: NonNullable<InfraView['remedies']>): readonly string[] {
  const command = move && remedies[move.name];
  return command === undefined ? [] : [command];
}

/** The answers that decide whether its pod finds a node, or the move that is in its way, or that it lacks. */
function answerOf({ pending }: SeenMove): Binding<Intent>[] {
  const own = pending && OURS[pending.cause];
  if (own)
    return [{ keys: [SHORTCUTS.unblockPod], label: words().keys[own.label], intent: { type: 'step/ask', ...own.act } }];
  const place = pending && ANSWERS[pending.cause];
  if (!place) return [];
  const label = place.screen === 'nodes' ? catalogue().screens.keys.addNodes : words().keys.routers;
  return [{ keys: [SHORTCUTS.edit], label, intent: { type: 'screen/go', ...place } }];
}

type PendingCause = NonNullable<SeenMove['pending']>['cause'];
const NODES = { screen: 'nodes', field: 'nodes' } as const;
const ANSWERS: Readonly<Record<PendingCause, { screen: 'nodes' | 'services'; field: string } | null>> = {
  ports: { screen: 'services', field: 'infra.routerReplicas' },
  size: NODES,
  apart: NODES,
  ...({ volume: null, claim: null, cordoned: null, taint: null, selector: null, other: null } as const),
  ...({ 'own-taint': null, unlabelled: null, budget: null } as const),
};
/** What a move of ours does about it. */
const OURS: Readonly<
  Partial<Record<PendingCause, { label: 'untaint' | 'label'; act: Pick<Asking, 'action' | 'subject'> }>>
> = {
  'own-taint': { label: 'untaint', act: { action: 'undo', subject: 'taint' } },
  unlabelled: { label: 'label', act: { action: 'apply-one', subject: 'label' } },
};
type Asking = Extract<Intent, { type: 'step/ask' }>;

const columns = () => [
  { id: 'move', title: words().columns.move, min: 10, max: 20 },
  { id: 'state', title: words().columns.state, min: 14, max: 16 },
  { id: 'why', title: words().columns.why, min: 20, max: 100 },
];

/** How a move stands: what this act has just begun or done counts more than the last look, and than its reason. */
function standingOf(
  { name, state, why }: SeenMove,
  run: StepRun,
): { state: SeenMove['state']; said: string | null; why: string } {
  const isUndo = run.phase === 'applying' && run.attempt.action === 'undo';
  const part = run.phase === 'applying' ? run.parts[name] : undefined;
  if (part?.state === 'begun')
    return {
      state: 'moving',
      said: isUndo ? words().undoState : null,
      why: part.detail ?? (state === 'moving' ? why : ''),
    };
  if (part?.state === 'done') {
    const now = isUndo ? 'needed' : 'done';
    return { state: now, said: null, why: part.detail ?? (state === now ? why : '') };
  }
  // What the moves before it have set in motion holds it up only until its turn comes.
  const isDue = run.phase === 'applying' && !isUndo && run.plan?.changes.some(({ object }) => object === name);
  return isDue && state === 'blocked' ? { state: 'needed', said: words().queued, why: '' } : { state, said: null, why };
}

function rowOf(move: SeenMove, run: StepRun, look: TerminalStyle): TableRow {
  const { name } = move;
  const { state, said, why } = standingOf(move, run);
  const status = STATUS[state];
  return {
    id: name,
    cells: {
      move: name,
      state: statusText(status, look, said ?? catalogue().moves.states[state]),
      why: why || catalogue().moves.byName[name].does,
    },
    tones: { state: getStatusTone(status) },
  };
}

interface MovesProps {
  readonly view: InfraView;
  readonly run: StepRun;
}

/** So many lines of what has happened are in sight. */
const MOST_TOLD = 6;
/** A page on in a small window skips none of the changes. */
const CHANGES_PAGE = 3;
/** The titles, a move, its counter and what is cut of it: while a person reads on below. */
const LEAST_LIST = 5;

/** What stands on the page: the list, and what has happened or what the selected move changes. */
function partsOf(view: InfraView, run: StepRun, width: number, look: TerminalStyle) {
  const selected = view.moves[Math.min(run.row, view.moves.length - 1)];
  const listed = { columns: columns(), rows: view.moves.map((move) => rowOf(move, run, look)), selected: run.row };
  // While moves are made, the newest is last.
  const told = run.phase === 'applying' ? run.lines : [];
  const past = told.slice(-MOST_TOLD).flatMap((line) => wrapLines(line, width));
  const changes = past.length > 0 ? [] : (selected?.changes ?? []);
  return {
    listed,
    past,
    lines: [...past.map((text) => ({ text })), ...renderChanges(changes, width)],
    traffic: view.traffic ? wrapLines(view.traffic, width) : [],
  };
}

/** The rows in which all of it is whole. */
function movesHeight(view: InfraView, run: StepRun, _now: number, look: TerminalStyle, width: number): number {
  const { listed, lines, traffic } = partsOf(view, run, width, look);
  return tableHeight(listed, width) + traffic.length + 1 + lines.length;
}

function Moves({ view, run }: MovesProps) {
  const area = useArea();
  const look = useTerminalStyle();
  lastRender.columns = area.columns;
  const { listed, past, lines, traffic } = partsOf(view, run, area.columns, look);
  // The list scrolls; half of the page is for what the selected move changes, and more while a person reads on in it.
  const half = run.top > 0 ? Math.max(0, area.rows - LEAST_LIST) : Math.floor(area.rows / 2);
  const forChanges = lines.length === 0 ? 0 : Math.min(lines.length + 1, half);
  const height = Math.min(tableHeight(listed, area.columns), Math.max(2, area.rows - forChanges - traffic.length));
  const room = Math.max(0, area.rows - height - traffic.length - 1);
  // Of what has happened, the newest is in sight.
  const last = Math.max(0, lines.length - room);
  const top = past.length > 0 ? last : Math.min(run.top, last);
  const seen = last > 0 && past.length === 0 ? words().lineRange(top + 1, top + room, lines.length) : '';
  return (
    <>
      <Table {...listed} height={height} empty="" />
      {traffic.map((line) => (
        <Row key={line}>
          <Label tone="dim">{line}</Label>
        </Row>
      ))}
      <Row>
        <Label tone="dim">{seen}</Label>
      </Row>
      <AreaProvider area={{ columns: area.columns, rows: room }}>
        <LogView lines={lines} top={top} empty="" />
      </AreaProvider>
    </>
  );
}
