import { cause } from '../cause.ts';
import { haproxySections, isOfCluster, lineClue } from './haproxy-file.ts';

/**
 * Members of a pool that nobody checks count as UP for ever (configuration manual, 5.2 "check"): while one is off or restarts, each
 * so many connections go to it.
 */
export const membersUnchecked = cause('balancer-members-unchecked', 'balancer', (evidence) =>
  haproxySections(evidence)
    .filter(isOfCluster)
    .flatMap((section) => {
      const members = section.lines.filter((line) => /^server \S+ \S+:(?:6443|22623|443|80)\b/.test(line));
      const isChecked = section.lines.some(
        (line) => /^(?:server|default-server)\b.* check(?: |$)/.test(line) || /^default-server check\b/.test(line),
      );
      const [first] = members;
      return members.length < 2 || isChecked || first === undefined ? [] : [lineClue(section, first, 'likely')];
    }),
);
