import type { OperatorWait } from '../../diagnosis/operators/waits.ts';
import type { Status } from '../../steps/status/document.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { cutLine, tableText } from '../shared/live-io.ts';

const words = () => catalogue().live.status;
/** How many operators and names it shows, so that all fits on one screen of 24 lines; it counts the rest. */
const OPERATORS_SHOWN = 8;
const NAMES_SHOWN = 6;

/** The lines of the status for a person, each with its newline: one screenful, what is not fine first. */
export function statusText(status: Status, waits: ReadonlyMap<string, OperatorWait>, columns: number): string[] {
  const { stage, api } = status;
  const lines = [
    words().stage(stage === null ? words().unknown : words().stages[stage]),
    words().api(words().apiStates[api.state], sanitizeLine(api.detail)),
    ...versionLines(status.clusterVersion),
    ...nodeLines(status.nodes),
    requestLine(status.requests),
  ].map((line) => `${cutLine(line, columns)}\n`);
  return [...lines, ...operatorLines(status.operators, waits, columns)];
}

function versionLines(version: Status['clusterVersion']): string[] {
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

function nodeLines(nodes: Status['nodes']): string[] {
  const planned = nodes.filter(({ expected }) => expected);
  if (planned.some(({ ready }) => ready === null)) return [words().nodesUnknown(planned.length)];
  const ready = planned.filter((node) => node.ready);
  const roles = [...new Set(planned.map(({ role }) => role))].map((role) => {
    const [of, all] = [ready, planned].map((list) => list.filter((node) => node.role === role).length);
    return `${role} ${of}/${all}`;
  });
  // Names of the design are single labels.
  const missing = planned.filter((node) => !node.ready).map(({ name }) => name.split('.')[0] ?? name);
  const foreign = nodes.filter(({ expected }) => !expected).map(({ name }) => name);
  return [
    words().nodes(ready.length, planned.length, roles.join(', ')),
    ...(missing.length > 0 ? [words().notReady(some(missing))] : []),
    ...(foreign.length > 0 ? [words().foreign(some(foreign))] : []),
  ];
}

function some(names: readonly string[]): string {
  const rest = names.length - NAMES_SHOWN;
  return `${names
    .slice(0, NAMES_SHOWN)
    .map((name) => sanitizeLine(name))
    .join(', ')}${rest > 0 ? ` +${rest}` : ''}`;
}

function requestLine({ expected, refused, pending }: Status['requests']): string {
  return expected === null || refused === null || pending === null
    ? words().requestsUnknown
    : words().requests(expected, refused, pending);
}

function operatorLines(
  operators: Status['operators'],
  waits: ReadonlyMap<string, OperatorWait>,
  columns: number,
): string[] {
  if (operators === null) return [`${words().operatorsUnknown}\n`];
  if (operators.length === 0) return [`${words().noOperators}\n`];
  const open = operators.filter(({ available, progressing, degraded }) => !available || progressing || degraded);
  const rank = (name: string) => (waits.get(name)?.isNormal === false ? 0 : 1);
  // What waits too long comes first; within each group the worst-first order stays.
  const sorted = [...open].sort((a, b) => rank(a.name) - rank(b.name));
  const rows = sorted.slice(0, OPERATORS_SHOWN).map(({ name, available, degraded, message }) => {
    const state = degraded ? 'degraded' : available ? 'progressing' : 'unavailable';
    const wait = waits.get(name);
    const said = sanitizeLine(message);
    const meaning = !wait ? said : wait.code === 'other' ? words().says(wait.isNormal, said) : words().waits(wait);
    return [`  ${name}`, words().operatorStates[state], meaning];
  });
  const rest = open.length - rows.length;
  return [
    `${words().operators(operators.length - open.length, operators.length)}\n`,
    ...tableText(rows, columns).split(/(?<=\n)/),
    ...(rest > 0 ? [`${words().more(rest)}\n`] : []),
  ];
}
