import type { Finding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';

const words = () => catalogue().doctor;

/** In order of urgency. */
const GROUPS = ['needed', 'warning', 'note', 'pending', 'unknown', 'ok'] as const;
type Group = (typeof GROUPS)[number];

/** Lists the failed checks without which there is no installation. */
export function listMissing(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => getGroup(finding) === 'needed');
}

/** Summarizes in one sentence whether this machine has what an installation needs. */
export function formatVerdict(findings: readonly Finding[]): string {
  const missing = listMissing(findings).map(({ title }) => title);
  const count = findings.filter(({ state }) => state === 'ok').length;
  return missing.length === 0 ? words().ready(count) : words().missing(missing);
}

/** Formats all findings by groups; a line begins with as many blanks as its continuation. Commands are complete. */
export function formatMachineFindings(findings: readonly Finding[]): readonly string[] {
  return GROUPS.flatMap((group) => {
    const members = findings.filter((finding) => getGroup(finding) === group);
    return members.length === 0 ? [] : [words().groups[group], ...members.flatMap(formatFinding), ''];
  }).slice(0, -1);
}

function getGroup({ state, severity }: Finding): Group {
  if (state !== 'failed') return state;
  return severity === 'fatal' ? 'needed' : severity;
}

function formatFinding({ state, title, cause, remedy, command }: Finding): string[] {
  const line = `  ${words().line(title, cause)}`;
  if (state === 'ok') return [line];
  return [
    line,
    // A state that is not known needs no remedy yet: the command shows it.
    ...(remedy === '' || state === 'unknown' ? [] : [`    ${remedy}`]),
    ...(command === undefined ? [] : [`    ${words().command(command)}`]),
  ];
}
