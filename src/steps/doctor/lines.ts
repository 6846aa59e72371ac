import type { Finding } from '../../diagnosis/finding.ts';
import { catalogue } from '../../text/catalogue.ts';

const words = () => catalogue().doctor;

/** What is not fine first. */
const GROUPS = ['needed', 'warning', 'note', 'pending', 'unknown', 'ok'] as const;
type Group = (typeof GROUPS)[number];

/** The checks that say that something is missing without which there is no installation. */
export function lackingOf(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => groupOf(finding) === 'needed');
}

/** In one sentence: whether what an installation needs is here. */
export function verdictOf(findings: readonly Finding[]): string {
  const lacking = lackingOf(findings).map(({ title }) => title);
  const count = findings.filter(({ state }) => state === 'ok').length;
  return lacking.length === 0 ? words().ready(count) : words().lacking(lacking);
}

/** The whole list for a person, by groups; a line begins with as many blanks as its continuation. Commands are whole. */
export function machineLines(findings: readonly Finding[]): readonly string[] {
  return GROUPS.flatMap((group) => {
    const members = findings.filter((finding) => groupOf(finding) === group);
    return members.length === 0 ? [] : [words().groups[group], ...members.flatMap(linesOf), ''];
  }).slice(0, -1);
}

function groupOf({ state, severity }: Finding): Group {
  if (state !== 'failed') return state;
  return severity === 'fatal' ? 'needed' : severity;
}

function linesOf({ state, title, cause, whatToDo, command }: Finding): string[] {
  const line = `  ${words().line(title, cause)}`;
  if (state === 'ok') return [line];
  return [
    line,
    // What cannot be told needs no remedy yet: the command shows it.
    ...(whatToDo === '' || state === 'unknown' ? [] : [`    ${whatToDo}`]),
    ...(command === undefined ? [] : [`    ${words().command(command)}`]),
  ];
}
