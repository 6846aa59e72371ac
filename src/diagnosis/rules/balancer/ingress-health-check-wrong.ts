import { diagnosticRule, type Symptom } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { haproxySections, lineSymptom } from './haproxy-file.ts';
import { listRouterNodes } from './member-unreachable.ts';
import { statusCommand } from './pools.ts';

/** Failed check results other than a missing connection. */
const CONNECTED_RESULT = /^\*?\s*(?:L7STS|L7RSP|L7TOUT|L6)/;

/**
 * The load balancer requests something that routers do not answer: on 80 and 443 a router knows only routes, and
 * answers 503 to any other name. Its own health is at /healthz/ready on port 1936.
 */
export const ingressHealthCheckWrong = diagnosticRule('ingress-health-check-wrong', 'balancer', (evidence) => {
  const detected = findDownRouters(evidence);
  return detected.length > 0 ? detected : findConfiguredChecks(evidence);
});

function findDownRouters(evidence: Evidence): Symptom[] {
  const running = listRouterNodes(evidence);
  return evidence.pools
    .filter(({ pool, status, check, name }) => {
      return (
        pool.startsWith('ingress-') && /^DOWN/.test(status) && CONNECTED_RESULT.test(check) && running.includes(name)
      );
    })
    .map((member) => ({
      likelihood: 'certain',
      subject: member.name,
      symptom: `${member.pool}/${member.name} on ${member.balancer}: ${member.status} ${member.check}; a router runs there`,
      command: statusCommand(member),
    }));
}

/** Finds an HTTP check of the router port itself, regardless of the expected answer. */
function findConfiguredChecks(evidence: Evidence): Symptom[] {
  return haproxySections(evidence).flatMap((section) => {
    const check = section.lines.find((line) => /^option (?:httpchk|ssl-hello-chk)\b/.test(line));
    const members = section.lines.filter((line) => /^server \S+ \S+:(?:443|80)\b.* check\b(?!-)/.test(line));
    const isElsewhere = section.lines.some((line) => /\bport 1936\b/.test(line));
    // An explicit `expect` or Host header is deliberate.
    const isDeliberate = section.lines.some(
      (line) => /^http-check (?:expect|send)\b/.test(line) || /httpchk.*[Hh]ost/.test(line),
    );
    if (check === undefined || members.length === 0 || isElsewhere || isDeliberate) return [];
    return [lineSymptom(section, check, 'likely')];
  });
}
