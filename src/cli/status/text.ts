import type { OperatorWait } from '../../checks/operator-waits.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import type { StatusDocument } from '../../steps/status/document.ts';
import { formatTable, truncateLine } from '../shared/live-io.ts';

const words = () => catalogue().live.status;
/** Maximum numbers of operators and names, so that everything fits on a screen of 24 lines; the rest are counted. */
const MAX_OPERATORS = 8;
const MAX_NAMES = 6;

/** Formats the status as lines, each with its newline: at most one screen, problems first. */
export function formatStatus(
  status: StatusDocument,
  waits: ReadonlyMap<string, OperatorWait>,
  columns: number,
): string[] {
  const { stage, api } = status;
  const lines = [
    words().stage(stage === null ? words().unknown : words().stages[stage]),
    words().api(words().apiStates[api.state], sanitizeLine(api.detail)),
    ...formatVersion(status.clusterVersion),
    ...formatNodes(status.nodes),
    formatRequests(status.requests),
  ].map((line) => `${truncateLine(line, columns)}\n`);
  return [...lines, ...formatOperators(status.operators, waits, columns)];
}

function formatVersion(version: StatusDocument['clusterVersion']): string[] {
  if (version === null) return [words().noVersion];
  const { done, total } = version;
  const state = version.failing
    ? words().versionStates.failing
    : version.progressing
      ? words().versionStates.progressing
      : version.available
        ? words().versionStates.available
        : words().versionStates.starting;
  const progress = done !== null && total !== null && total > 0 ? `${words().percent(done, total)}  ` : '';
  return [words().version(version.version, state, `${progress}${sanitizeLine(version.message)}`)];
}

function formatNodes(nodes: StatusDocument['nodes']): string[] {
  const planned = nodes.filter(({ expected }) => expected);
  if (planned.some(({ ready }) => ready === null)) return [words().nodesUnknown(planned.length)];
  const ready = planned.filter((node) => node.ready);
  const roles = [...new Set(planned.map(({ role }) => role))].map((role) => {
    const [readyCount, plannedCount] = [ready, planned].map((list) => list.filter((node) => node.role === role).length);
    return `${role} ${readyCount}/${plannedCount}`;
  });
  // Names of the design are single labels.
  const missing = planned.filter((node) => !node.ready).map(({ name }) => name.split('.')[0] ?? name);
  const unexpected = nodes.filter(({ expected }) => !expected).map(({ name }) => name);
  return [
    words().nodes(ready.length, planned.length, roles.join(', ')),
    ...(missing.length > 0 ? [words().notReady(joinFirst(missing))] : []),
    ...(unexpected.length > 0 ? [words().unplanned(joinFirst(unexpected))] : []),
  ];
}

function joinFirst(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return `${names
    .slice(0, MAX_NAMES)
    .map((name) => sanitizeLine(name))
    .join(', ')}${rest > 0 ? ` +${rest}` : ''}`;
}

function formatRequests({ expected, refused, pending }: StatusDocument['requests']): string {
  return expected === null || refused === null || pending === null
    ? words().requestsUnknown
    : words().requests(expected, refused, pending);
}

function formatOperators(
  operators: StatusDocument['operators'],
  waits: ReadonlyMap<string, OperatorWait>,
  columns: number,
): string[] {
  if (operators === null) return [`${words().operatorsUnknown}\n`];
  if (operators.length === 0) return [`${words().noOperators}\n`];
  const notReady = operators.filter(({ available, progressing, degraded }) => !available || progressing || degraded);
  const rank = (name: string) => (waits.get(name)?.isNormal === false ? 0 : 1);
  // Operators that wait too long come first; within each group, the order stays: worst first.
  const sorted = [...notReady].sort((a, b) => rank(a.name) - rank(b.name));
  const rows = sorted.slice(0, MAX_OPERATORS).map(({ name, available, degraded, message }) => {
    const state = degraded ? 'degraded' : available ? 'progressing' : 'unavailable';
    const wait = waits.get(name);
    const safeMessage = sanitizeLine(message);
    const meaning = !wait
      ? safeMessage
      : wait.code === 'other'
        ? words().operatorMessage(wait.isNormal, safeMessage)
        : words().waitReason(wait);
    return [`  ${name}`, words().operatorStates[state], meaning];
  });
  const rest = notReady.length - rows.length;
  return [
    `${words().operators(operators.length - notReady.length, operators.length)}\n`,
    ...formatTable(rows, columns).split(/(?<=\n)/),
    ...(rest > 0 ? [`${words().more(rest)}\n`] : []),
  ];
}
