import { type Clue, cause } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { haproxySections, lineClue } from './haproxy-file.ts';
import { routersOn } from './member-unreachable.ts';
import { statusCommand } from './pools.ts';

/** Answers to a check over HTTP that no connection stands behind. */
const ANSWERED = /^\*?\s*(?:L7STS|L7RSP|L7TOUT|L6)/;

/**
 * The load balancer asks routers for something that they do not answer: on 80 and 443 a router knows routes only, and answers 503 to
 * any other name. Its own health is at /healthz/ready on port 1936.
 */
export const ingressHealthCheckWrong = cause('ingress-health-check-wrong', 'balancer', (evidence) => {
  const seen = down(evidence);
  return seen.length > 0 ? seen : configured(evidence);
});

function down(evidence: Evidence): Clue[] {
  const running = routersOn(evidence);
  return evidence.pools
    .filter(({ pool, status, check, name }) => {
      return pool.startsWith('ingress-') && /^DOWN/.test(status) && ANSWERED.test(check) && running.includes(name);
    })
    .map((member) => ({
      likelihood: 'certain',
      subject: member.name,
      symptom: `${member.pool}/${member.name} on ${member.balancer}: ${member.status} ${member.check}; a router runs there`,
      command: statusCommand(member),
    }));
}

/** A check over HTTP of the port itself, whatever its answer is compared with. */
function configured(evidence: Evidence): Clue[] {
  return haproxySections(evidence).flatMap((section) => {
    const check = section.lines.find((line) => /^option (?:httpchk|ssl-hello-chk)\b/.test(line));
    const members = section.lines.filter((line) => /^server \S+ \S+:(?:443|80)\b.* check\b(?!-)/.test(line));
    const isElsewhere = section.lines.some((line) => /\bport 1936\b/.test(line));
    // Who expects the 503, or names a route, has thought of it.
    const isKnown = section.lines.some(
      (line) => /^http-check (?:expect|send)\b/.test(line) || /httpchk.*[Hh]ost/.test(line),
    );
    if (check === undefined || members.length === 0 || isElsewhere || isKnown) return [];
    return [lineClue(section, check, 'likely')];
  });
}
