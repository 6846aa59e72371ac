import { diagnosticRule, type Symptom } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { hasConnectionFailure, listServingHosts, statusCommand } from './pools.ts';

/**
 * Check results that no API server gives to a TLS request for /readyz: its own are 200 and 500; L4CON means a closed
 * port.
 */
const FOREIGN_RESULT = /^(?:L6\w+|L7RSP|L7STS\/?4\d\d)/;

/** The load balancer marks an API member DOWN that does serve: its health check requests something else. */
export const apiHealthCheckWrong = diagnosticRule(
  'api-health-check-wrong',
  'balancer',
  (evidence) => {
    const serving = listServingHosts(evidence, 6443);
    const configured = findWrongChecks(evidence);
    const down = evidence.pools.filter(
      ({ pool, name, status }) => pool === 'api' && /^DOWN/.test(status) && serving.includes(name),
    );
    const fromPools = down.flatMap((member) => {
      const isReady = evidence.ready.includes(member.name);
      // A check without a connection requested nothing: its address or port is wrong, which another rule reports.
      if (hasConnectionFailure(member) || (!isReady && !FOREIGN_RESULT.test(member.check))) return [];
      const { name, balancer, status, check } = member;
      const symptom = `api/${name} on ${balancer}: ${[status, check].join(' ').trim()}; ${name}:6443 ${isReady ? '/readyz 200' : 'open'}`;
      return [{ likelihood: 'certain' as const, subject: name, symptom, command: statusCommand(member) }];
    });
    return [...fromPools, ...configured];
  },
  true,
);

/**
 * Checks in the load balancer's file that request something the API does not answer without a login, or without TLS.
 */
function findWrongChecks({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text }) => {
    const wrong =
      kind === 'haproxy' ? text.split(/^(?=\S)/m).flatMap((section) => findWrongCheckLine(section) ?? []) : [];
    return wrong.map((line) => {
      const command = `ssh ${host} grep -nE 'httpchk|:6443' ${path}`;
      return { likelihood: 'certain', subject: host, symptom: `${path} on ${host}: ${line}`, command };
    });
  });
}

/** Finds the line of an API section that configures a wrong check; null if none does. */
function findWrongCheckLine(section: string): string | null {
  const httpCheck = /^\s*option\s+httpchk(?:\s+(?:[A-Z]+\s+)?(\S+).*)?$/m.exec(section);
  const members = [...section.matchAll(/^\s*server\s.*:6443\b.*$/gm)].map(([line]) => line.trim());
  // It sends an SSL 3.0 hello, which no current server answers (configuration manual, "option ssl-hello-chk").
  const sslHello = /^\s*option\s+ssl-hello-chk\b.*$/m.exec(section);
  if (sslHello !== null && members.length > 0) return sslHello[0].trim();
  if (httpCheck === null || members.length === 0) return null;
  const isForeign = httpCheck[1] !== undefined && !/^\/(?:readyz|healthz|livez)(?:\?|$)/.test(httpCheck[1]);
  if (isForeign) return httpCheck[0].trim();
  return members.find((line) => /\scheck\b(?!-)/.test(line) && !/\s(?:check-ssl|ssl)\b/.test(line)) ?? null;
}
