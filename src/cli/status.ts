import type { OperatorWait } from '../checks/operator-waits.ts';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { wrapCommand, wrapProse } from '../i18n/prose.ts';
import { type UserError, UserErrorException } from '../i18n/user-error.ts';
import { type Clock, formatTimeOfDay, SECOND } from '../platform/clock.ts';
import { limitHeapGrowth } from '../platform/memory.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import { wrapLines } from '../platform/text.ts';
import { probeStatus, type StatusDocument, type StatusProbe } from '../steps/status.ts';
import type { Arguments } from './commands.ts';
import { type ClusterTarget, formatRehearsalLine, withClusterTarget } from './shared/cluster-target.ts';
import {
  detectOutputTheme,
  formatStyledLine,
  type Span,
  type StyledLine,
  truncateStyledLine,
} from './shared/colours.ts';
import type { CommandContext } from './shared/context.ts';
import { writeLines } from './shared/io.ts';
import { InterruptedError, type ProcessIo, truncateLine } from './shared/process-io.ts';
import {
  createStatusSpan,
  formatLabelledLine,
  formatTableLines,
  getLineColumns,
  wrapLabelledLine,
} from './shared/table.ts';
import { openWatchScreen, type WatchScreen } from './watch-screen.ts';

const statusWords = () => catalogue().clusterCommands.status;
/** Maximum numbers of operators and names, so that everything fits on a screen of 24 lines; the rest are counted. */
const MAX_OPERATORS = 8;
const MAX_NAMES = 6;

type ShownTarget = Pick<ClusterTarget, 'session'>;

/** Formats the status: at most one screen, problems first. */
function formatStatus(
  { status, waits, nodeProblems, isNotInstalled }: StatusProbe,
  io: Pick<ProcessIo, 'columns' | 'style'>,
  { session }: ShownTarget,
): StyledLine[] {
  const columns = getLineColumns(io);
  const { stage, api } = status;
  const [infraLine, infraCommand] = formatInfraJob(status, session?.context.dir ?? '');
  const stageLine = formatLabelledLine(
    statusWords().stage(stage === null ? statusWords().unknown : statusWords().stages[stage]),
  );
  if (isNotInstalled) return [stageLine, formatLabelledLine(statusWords().noApi)];
  const lines: readonly StyledLine[] = [
    stageLine,
    ...wrapLabelledLine(
      statusWords().api(statusWords().apiStates[api.state], sanitizeLine(api.detail)),
      columns,
      api.state === 'up' ? 'ok' : 'error',
    ),
    ...formatVersion(status.clusterVersion),
    ...formatNodes(status.nodes, nodeProblems),
    formatRequests(status.requests),
    ...(infraLine === undefined ? [] : [formatLabelledLine(infraLine)]),
  ];
  return [
    ...lines.map((line) => truncateStyledLine(line, columns)),
    // A command to copy is never cut.
    ...(infraCommand === undefined ? [] : wrapCommand(infraCommand, columns, '    ').map((text) => [{ text }])),
    ...formatOperators(status.operators, waits, columns, io.style),
  ];
}

function formatVersion(version: StatusDocument['clusterVersion']): StyledLine[] {
  if (version === null) return [formatLabelledLine(statusWords().noVersion)];
  const { done, total } = version;
  const state = version.failing
    ? statusWords().versionStates.failing
    : version.progressing
      ? statusWords().versionStates.progressing
      : version.available
        ? statusWords().versionStates.available
        : statusWords().versionStates.starting;
  const progress = done !== null && total !== null && total > 0 ? `${statusWords().percent(done, total)}  ` : '';
  const text = statusWords().version(version.version, state, `${progress}${sanitizeLine(version.message)}`);
  return [formatLabelledLine(text, version.failing ? 'error' : version.available ? 'ok' : 'accent')];
}

function formatNodes(nodes: StatusDocument['nodes'], nodeProblems: readonly string[]): StyledLine[] {
  const plannedNodes = nodes.filter(({ expected }) => expected);
  if (plannedNodes.some(({ ready }) => ready === null))
    return [formatLabelledLine(statusWords().nodesUnknown(plannedNodes.length))];
  const readyNodes = plannedNodes.filter((node) => node.ready);
  const roles = [...new Set(plannedNodes.map(({ role }) => role))].map((role) => {
    const [readyCount, plannedCount] = [readyNodes, plannedNodes].map(
      (list) => list.filter((node) => node.role === role).length,
    );
    return `${role} ${readyCount}/${plannedCount}`;
  });
  // Shows single labels, as the design names its nodes.
  const missingNames = plannedNodes.filter((node) => !node.ready).map(({ name }) => name.split('.')[0] ?? name);
  const unexpectedNames = nodes.filter(({ expected }) => !expected).map(({ name }) => name);
  return [
    formatLabelledLine(
      statusWords().nodes(readyNodes.length, plannedNodes.length, roles.join(', ')),
      missingNames.length === 0 && nodeProblems.length === 0 ? 'ok' : undefined,
    ),
    ...(missingNames.length > 0 ? [createWarningLine(statusWords().notReady(formatFirstNames(missingNames)))] : []),
    ...(nodeProblems.length > 0 ? [createWarningLine(statusWords().nodeProblems(formatFirstNames(nodeProblems)))] : []),
    ...(unexpectedNames.length > 0
      ? [createWarningLine(statusWords().unplanned(formatFirstNames(unexpectedNames)))]
      : []),
  ];
}

const createWarningLine = (text: string): StyledLine => [{ text, token: 'warn' }];

function formatFirstNames(names: readonly string[]): string {
  const remainingCount = names.length - MAX_NAMES;
  return `${names
    .slice(0, MAX_NAMES)
    .map((name) => sanitizeLine(name))
    .join(', ')}${remainingCount > 0 ? ` +${remainingCount}` : ''}`;
}

/** Formats the numbers of requests. Superseded requests need no action and are left out. */
function formatRequests({ expected, refused }: StatusDocument['requests']): StyledLine {
  if (expected === null || refused === null) return formatLabelledLine(statusWords().requestsUnknown);
  const token = refused > 0 ? 'warn' : expected > 0 ? 'accent' : undefined;
  return formatLabelledLine(statusWords().requests(expected, refused), token);
}

/**
 * Formats the last job that applied infra moves, and the command that follows it up; empty without one, and if it ended
 * without an error and the next step has begun. How many moves are done would take many more requests: that command
 * reads it.
 * @param dir the install directory
 */
function formatInfraJob({ infraJob: job, stage }: StatusDocument, dir: string): readonly string[] {
  if (job === null) return [];
  const { infraJob, infraJobStates, infraJobEnds } = statusWords();
  if (job.state === 'ended' && job.error === null) {
    if (stage !== 'infra') return [];
    const end = job.result === null || job.result === 'failed' ? 'done' : job.result;
    const line = infraJob(infraJobEnds[end](job.action === 'undo'));
    return [line, formatCommandLine('infra', 'plan', '--dir', sanitizeLine(dir))];
  }
  const state = job.state === 'ended' ? 'failed' : job.state;
  const line = infraJob(
    job.state === 'ended' && job.error?.code === 'move-blocked'
      ? `${job.error.title}:`
      : infraJobStates[state](job.action === 'undo', job.move ?? job.moves[0] ?? ''),
  );
  const command = {
    running: ['infra', 'job', '--follow'],
    asking: ['answer'],
    failed: ['infra', 'job'],
    died: ['infra', 'job'],
  }[state];
  return [line, formatCommandLine(...command, '--dir', sanitizeLine(dir))];
}

function formatOperators(
  operators: StatusDocument['operators'],
  waits: ReadonlyMap<string, OperatorWait>,
  columns: number,
  style: ProcessIo['style'],
): StyledLine[] {
  if (operators === null) return [formatLabelledLine(statusWords().operatorsUnknown)];
  if (operators.length === 0) return [formatLabelledLine(statusWords().noOperators)];
  const operatorsNotReady = operators.filter(
    ({ available, progressing, degraded }) => !available || progressing || degraded,
  );
  const getRank = (name: string) => (waits.get(name)?.isNormal === false ? 0 : 1);
  // Operators that wait too long come first; within each group, the order stays: worst first.
  const sortedOperators = [...operatorsNotReady].sort((a, b) => getRank(a.name) - getRank(b.name));
  const rows = sortedOperators.slice(0, MAX_OPERATORS).map(({ name, available, degraded, message }): Span[] => {
    const state = degraded ? 'degraded' : available ? 'progressing' : 'unavailable';
    const wait = waits.get(name);
    const safeMessage = sanitizeLine(message);
    const meaning = !wait
      ? safeMessage
      : wait.code === 'other'
        ? statusWords().operatorMessage(wait.isNormal, safeMessage)
        : statusWords().waitReason(wait);
    const status = degraded ? 'failed' : wait?.isNormal === false ? 'warning' : available ? 'running' : 'pending';
    return [
      { text: `  ${name}` },
      createStatusSpan(status, statusWords().operatorStates[state], style),
      { text: meaning },
    ];
  });
  const remainingCount = operatorsNotReady.length - rows.length;
  return [
    formatLabelledLine(
      statusWords().operators(operators.length - operatorsNotReady.length, operators.length),
      operatorsNotReady.length === 0 ? 'ok' : undefined,
    ),
    ...formatTableLines(rows, columns, style),
    ...(remainingCount > 0 ? [[{ text: statusWords().more(remainingCount) }]] : []),
  ];
}

/** Probe interval, in milliseconds of the clock. */
const PROBE_INTERVAL_MS = 3 * SECOND;

/**
 * Probes repeatedly, and shows changes: in place on a terminal, otherwise as a new block or as one JSON document per
 * line. An unavailable API is shown and does not end the loop: only the user or a signal does.
 * @returns 0 for `q`, 130 for Ctrl-C, and the code of another signal
 */
export async function watchStatus(
  clock: Clock,
  probe: (apiHealth: StatusProbe['health']) => Promise<StatusProbe>,
  io: ProcessIo,
  isJson: boolean,
  target: ShownTarget = { session: null },
): Promise<number> {
  limitHeapGrowth();
  const controller = new AbortController();
  const endWatch = (code: number) => controller.abort(new InterruptedError(code));
  io.signal.addEventListener('abort', () =>
    endWatch(io.signal.reason instanceof InterruptedError ? io.signal.reason.exitCode : 130),
  );
  const screen = !isJson && io.canRedraw ? openWatchScreen(endWatch) : null;
  const show = screen ? createScreenView(screen, io, target) : createBlockPrinter(io, isJson, target);
  let apiHealth: StatusProbe['health'];
  try {
    while (!controller.signal.aborted) {
      const result = await Promise.race([probe(apiHealth), waitForAbort(controller.signal)]);
      if (result === null) break;
      apiHealth = result.health;
      show(result);
      await clock.sleep(PROBE_INTERVAL_MS, controller.signal).catch(() => undefined);
    }
  } finally {
    screen?.close();
  }
  return controller.signal.reason instanceof InterruptedError ? controller.signal.reason.exitCode : 130;
}

function waitForAbort(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

/** Creates a terminal view: it draws a result that has something new, and again after a resize. */
function createScreenView(
  screen: WatchScreen,
  { env, style }: ProcessIo,
  target: ShownTarget,
): (result: StatusProbe) => void {
  const theme = detectOutputTheme(env, process.stdout);
  return (result) =>
    screen.draw(({ columns, rows }) => {
      const errorLines = [...result.userErrors, ...(result.skewWarning ? [result.skewWarning] : [])].flatMap(
        ({ title, cause, remedy }) => [
          ...wrapLines(`${title}: ${sanitizeLine(cause)}`, columns),
          ...wrapProse(remedy, columns, '  ').map(({ text }) => text),
        ],
      );
      const statusLines = [
        ...formatRehearsalLine(target.session?.context),
        ...formatStatus(result, { columns, ...(style ? { style } : {}) }, target),
      ].map((line) => formatStyledLine(truncateStyledLine(line, columns), theme));
      const maxLines = Math.max(1, rows - 2);
      // A long list of operators does not displace what is wrong, nor the command that repairs it.
      return [
        ...statusLines.slice(0, Math.max(1, maxLines - errorLines.length)),
        ...errorLines.slice(0, maxLines - 1),
        '',
        truncateLine(words().status.watchFooter(formatTimeOfDay(Date.parse(result.status.at), 'second')), columns),
      ];
    }, getComparisonKey(result));
}

/**
 * Creates a printer: if something has changed, it writes a line of JSON, or a block with its time and the changed
 * lines.
 */
function createBlockPrinter(io: ProcessIo, isJson: boolean, target: ShownTarget): (result: StatusProbe) => void {
  let previousKey = '';
  let previousLines = new Set<string>();
  return (result) => {
    const key = isJson ? getDocumentKey(result.status) : getComparisonKey(result);
    if (key === previousKey) return;
    previousKey = key;
    if (isJson) return io.stdout(formatJson(result.status, 0));
    const errorLines = result.userErrors.map(({ title, cause }) =>
      truncateLine(`${title}: ${sanitizeLine(cause)}`, getLineColumns(io)),
    );
    const statusLines = [...formatRehearsalLine(target.session?.context), ...formatStatus(result, io, target)];
    const lines = [...statusLines.map((line) => formatStyledLine(line, null)), ...errorLines];
    const changedLines = lines.filter((line) => !previousLines.has(removePadding(line)));
    previousLines = new Set(lines.map(removePadding));
    if (changedLines.length > 0)
      io.stdout(`${[result.status.at.replace(/\.\d+Z$/, 'Z'), ...changedLines].join('\n')}\n\n`);
  };
}

/** Returns the words of a line: other rows of its table change the width of a column. */
const removePadding = (line: string): string => line.replace(/ +/g, ' ');

/** Returns the key to compare documents by: it ignores timestamps of probes and error wording. */
function getDocumentKey({ api, ...comparedFields }: StatusDocument): string {
  return JSON.stringify([comparedFields, api.state], (name, value: unknown) => (name === 'at' ? undefined : value));
}

/** Returns the key to compare results by. */
function getComparisonKey({ status, waits, nodeProblems, userErrors }: StatusProbe): string {
  return JSON.stringify([getDocumentKey(status), [...waits], nodeProblems, userErrors.map(({ code }) => code)]);
}

/**
 * Creates the probe of a watch: it reads the session again each time, because a wizard changes it meanwhile. A stopped
 * site of a rehearsal replaces the errors of its API.
 */
export function createRepeatedProbe(
  target: ClusterTarget,
  shouldListMachines: boolean,
): (health: StatusProbe['health']) => Promise<StatusProbe> {
  let currentTarget = target;
  return async (health) => {
    let userError: UserError | null = null;
    try {
      currentTarget = (await target.reopen()) ?? currentTarget;
    } catch (error) {
      if (!(error instanceof UserErrorException)) throw error;
      ({ userError } = error);
    }
    const result = await probeStatus(currentTarget, { health, shouldListMachines });
    return userError === null ? result : { ...result, userErrors: [userError] };
  };
}

const words = () => catalogue().clusterCommands;

/**
 * `upi-wizard status [--watch]`: probes the cluster and compares it with the design, once, or with --watch until the
 * user ends it.
 * @returns the exit code: 4 if the API, or a part of it, did not answer (the rest is still shown); watching ends with 0
 * for `q`, and with the code of a signal
 */
export async function statusCommand(
  { options }: Arguments<'status'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo(options.watch ? 'watching' : undefined);
  // Only the JSON document lists machines.
  const shouldListMachines = options.json;
  return await withClusterTarget(
    options,
    io,
    launcher.programs,
    async (target) => {
      if (options.watch)
        return await watchStatus(
          target.clock,
          createRepeatedProbe(target, shouldListMachines),
          io,
          options.json,
          target,
        );
      const result = await probeStatus(target, { shouldListMachines });
      const { status, userErrors, skewWarning } = result;
      if (options.json) io.stdout(formatJson(status));
      else writeLines(io, [...formatRehearsalLine(target.session?.context), ...formatStatus(result, io, target)]);
      for (const { title, cause, remedy } of [...userErrors, ...(skewWarning ? [skewWarning] : [])])
        io.stderr(words().userError(title, cause, remedy));
      return userErrors.length > 0 ? 4 : 0;
    },
    { hasScreen: options.watch && io.canRedraw },
  );
}
