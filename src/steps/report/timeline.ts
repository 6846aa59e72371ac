import type { TimelineRow } from '../../artifacts/timeline.ts';
import { BOOTSTRAP_STAGES } from '../../checks/bootstrap/evidence.ts';
import { getStageMinutes } from '../../checks/bootstrap/stages.ts';
import { runsEtcd } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MOVE_NAMES, USUAL_MINUTES } from '../../infra/moves.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import type { JournalLine } from '../../session/journal-line.ts';
import type { StepContext } from '../contract.ts';
import { findOperatorsStart, readPowerOnTimes } from '../shared/machines/node-facts.ts';
import { USUAL_WAITS } from '../wait-progress.ts';

const words = () => catalogue().report.timeline;
const formatTime = (time: number) => new Date(time).toISOString();
type TimelineSource = Pick<StepContext, 'design' | 'stepState'>;
type Line<Type> = Extract<JournalLine, { readonly type: Type }>;

/**
 * Derives the timeline of the installation from what the wizard recorded and the cluster reports: machines from
 * power-on to Ready, stages of the bootstrap, operators, approvals, infra moves and sessions of the wizard. Entries
 * that never began are missing.
 * @param installedAt when the cluster was complete (ms since the epoch); null before that, or unknown
 * @param lines the lines of the journal, oldest first, in the time of the site
 */
export function deriveTimeline(
  source: TimelineSource,
  installedAt: number | null,
  lines: readonly JournalLine[],
): TimelineRow[] {
  const endLinesById = new Map(lines.flatMap((line) => (line.type === 'ended' ? [[line.id, line] as const] : [])));
  return [
    ...listMachineRows(source, lines, endLinesById),
    ...listBootstrapRows(source),
    ...listOperatorRows(source, installedAt),
    ...listApprovalRows(lines),
    ...listMoveRows(source, lines, endLinesById),
    ...listSessionRows(lines),
  ];
}

function listMachineRows(
  source: TimelineSource,
  lines: readonly JournalLine[],
  ends: ReadonlyMap<string, Line<'ended'>>,
): TimelineRow[] {
  const { design, stepState } = source;
  const { bootstrap, join } = USUAL_WAITS;
  const powerOnTimes = readPowerOnTimes(source);
  const readyTimes = stepState.get('ready-at') ?? {};
  const completeAt = stepState.get('bootstrap-progress')?.stages.complete?.doneAt ?? null;
  const removal = lines.findLast((line) => line.type === 'begun' && line.step === 'bootstrap-removal');
  const reinstalledTimes = stepState.get('installed-anew') ?? {};
  const removedAt = removal?.type === 'begun' ? (ends.get(removal.id)?.at ?? null) : null;
  return design.nodes.flatMap(({ name, role }): TimelineRow[] => {
    const reinstalledAt = reinstalledTimes[name];
    const startedAt = powerOnTimes[name] ?? reinstalledAt;
    if (startedAt === undefined) return [];
    const isBootstrap = role === 'bootstrap';
    // The old Node object may report when the lost machine became Ready, before the reinstallation.
    const readyAt = (readyTimes[name] ?? 0) >= (reinstalledAt ?? 0) ? readyTimes[name] : undefined;
    const isAfterBootstrap = reinstalledAt !== undefined || (completeAt !== null && startedAt >= completeAt);
    const usual =
      design.topology === 'single-node' || isBootstrap
        ? null
        : reinstalledAt === undefined && runsEtcd({ role })
          ? bootstrap
          : isAfterBootstrap
            ? join
            : ([bootstrap[0] + join[0], bootstrap[1] + join[1]] as const);
    const endedAt = isBootstrap ? removedAt : readyAt === undefined ? null : formatTime(readyAt);
    const note = isBootstrap
      ? endedAt === null
        ? ''
        : words().untilRemoved
      : endedAt === null
        ? words().neverReady
        : words().untilReady;
    return [
      {
        group: 'machines',
        name: reinstalledAt === undefined ? name : words().replaced(name),
        segments: [{ startedAt: formatTime(startedAt), endedAt, outcome: endedAt === null ? 'open' : 'done' }],
        usual,
        note,
      },
    ];
  });
}

function listBootstrapRows({ design, stepState }: TimelineSource): TimelineRow[] {
  const stages = stepState.get('bootstrap-progress')?.stages ?? {};
  const titles =
    design.topology === 'single-node' ? catalogue().steps.bootstrap.inPlace.stages : catalogue().steps.bootstrap.stages;
  return BOOTSTRAP_STAGES.flatMap((stage): TimelineRow[] => {
    const { startedAt = null, doneAt = null } = stages[stage] ?? {};
    if (startedAt === null) return [];
    return [
      {
        group: 'bootstrap',
        name: titles[stage],
        segments: [
          {
            startedAt: formatTime(startedAt),
            endedAt: doneAt === null ? null : formatTime(doneAt),
            outcome: doneAt === null ? 'open' : 'done',
          },
        ],
        usual: getStageMinutes(stage, design),
        note: '',
      },
    ];
  });
}

/** Creates the row from `findOperatorsStart` to the end of the installation, as the cluster recorded it. */
function listOperatorRows(source: TimelineSource, installedAt: number | null): TimelineRow[] {
  const startedAt = findOperatorsStart(source);
  if (startedAt === null) return [];
  return [
    {
      group: 'operators',
      name: words().operators,
      segments: [
        {
          startedAt: formatTime(startedAt),
          endedAt: installedAt === null ? null : formatTime(Math.max(startedAt, installedAt)),
          outcome: installedAt === null ? 'open' : 'done',
        },
      ],
      usual: USUAL_WAITS.operators,
      note: '',
    },
  ];
}

function listApprovalRows(lines: readonly JournalLine[]): TimelineRow[] {
  const approvals = lines.filter((line): line is Line<'begun'> => line.type === 'begun' && line.action === 'approve');
  if (approvals.length === 0) return [];
  return [
    {
      group: 'approvals',
      name: words().approvals,
      segments: approvals.map(({ at }) => ({ startedAt: at, endedAt: at, outcome: 'done' as const })),
      usual: null,
      note: words().approved(approvals.length),
    },
  ];
}

/** Lists a row for each application of a move and for each undo. Repeated attempts of the same kind share a row. */
function listMoveRows(
  { stepState }: TimelineSource,
  lines: readonly JournalLine[],
  ends: ReadonlyMap<string, Line<'ended'>>,
): TimelineRow[] {
  const begunLines = lines.filter((line): line is Line<'begun'> => line.type === 'begun' && line.step === 'infra');
  const rows = MOVE_NAMES.flatMap((name): TimelineRow[] => {
    const attempts: { isUndo: boolean; segments: TimelineRow['segments'] }[] = [];
    for (const { id, at, action, subject } of begunLines) {
      const isUndo = action === 'undo';
      if (subject !== name || !(isUndo || action === 'apply' || action === 'apply-one')) continue;
      const end = ends.get(id);
      const outcome =
        end === undefined ? ('open' as const) : end.outcome === 'done' ? ('done' as const) : ('failed' as const);
      const segment = { startedAt: at, endedAt: end?.at ?? null, outcome };
      const lastAttempt = attempts.at(-1);
      if (lastAttempt?.isUndo !== isUndo) attempts.push({ isUndo, segments: [segment] });
      // The step records a line for its run, and the move records one within it: only one of them counts.
      else if (!lastAttempt.segments.some(({ endedAt }) => (endedAt ?? '9') >= (segment.endedAt ?? '9')))
        lastAttempt.segments = [...lastAttempt.segments, segment];
    }
    return attempts.map(({ isUndo, segments }, index) => {
      const isReapplied = attempts.slice(0, index).some((earlier) => !earlier.isUndo);
      const isLastApplication = !isUndo && attempts.slice(index + 1).every((later) => later.isUndo);
      const traffic = isLastApplication ? stepState.get('traffic')?.[name] : undefined;
      const note = [
        ...(traffic === undefined ? [] : [words().failedRequests(traffic.failed, traffic.requests)]),
        ...(segments.some(({ outcome }) => outcome === 'open') ? [words().interrupted] : []),
      ].join('; ');
      return {
        group: 'moves',
        name: isUndo ? words().undoneMove(name) : isReapplied ? words().appliedAgain(name) : name,
        segments,
        usual: isUndo ? null : USUAL_MINUTES[name],
        note,
      };
    });
  });
  return rows.sort((a, b) => (a.segments[0]?.startedAt ?? '').localeCompare(b.segments[0]?.startedAt ?? ''));
}

/** Lists a row for each user: when the wizard was open. A killed session ends with its last event. */
function listSessionRows(lines: readonly JournalLine[]): TimelineRow[] {
  const sessionsByUser = new Map<
    string,
    { startedAt: string; endedAt: string | null; outcome: 'done' | 'failed' | 'open' }[]
  >();
  lines.forEach((line, index) => {
    if (line.type !== 'opened') return;
    const laterLines = lines.slice(index + 1);
    const endIndex = laterLines.findIndex(({ type }) => type === 'opened' || type === 'left');
    const end = endIndex < 0 ? null : (laterLines[endIndex] ?? null);
    const lastEvent = laterLines.slice(0, Math.max(endIndex, 0)).at(-1) ?? line;
    const isKilled = end?.type === 'opened';
    const name = words().runBy(line.user, line.from);
    const session = {
      startedAt: line.at,
      endedAt: end === null ? null : isKilled ? lastEvent.at : end.at,
      outcome: end === null ? ('open' as const) : isKilled ? ('failed' as const) : ('done' as const),
    };
    sessionsByUser.set(name, [...(sessionsByUser.get(name) ?? []), session]);
  });
  return [...sessionsByUser].map(([name, segments]) => ({
    group: 'sessions',
    name: sanitizeLine(name, 80),
    segments,
    usual: null,
    note: words().sessions(segments.length, segments.filter(({ outcome }) => outcome === 'failed').length),
  }));
}
