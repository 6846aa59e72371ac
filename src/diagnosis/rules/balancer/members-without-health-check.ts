import { diagnosticRule } from '../diagnostic-rule.ts';
import { haproxySections, isClusterSection, lineSymptom } from './haproxy-file.ts';

/**
 * Pool members without a check count as UP for ever (configuration manual, 5.2 "check"). While one is off or restarts,
 * it still gets its share of the connections.
 */
export const membersWithoutHealthCheck = diagnosticRule('balancer-members-unchecked', 'balancer', (evidence) =>
  haproxySections(evidence)
    .filter(isClusterSection)
    .flatMap((section) => {
      const members = section.lines.filter((line) => /^server \S+ \S+:(?:6443|22623|443|80)\b/.test(line));
      const isChecked = section.lines.some(
        (line) => /^(?:server|default-server)\b.* check(?: |$)/.test(line) || /^default-server check\b/.test(line),
      );
      const [first] = members;
      return members.length < 2 || isChecked || first === undefined ? [] : [lineSymptom(section, first, 'likely')];
    }),
);
