import { type Clue, cause } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { isConnecting, servingOn, statusCommand } from './pools.ts';

/** Answers that no API server gives to a check of /readyz over TLS: 200 and 500 are its own, L4CON a port that is closed. */
const FOREIGN = /^(?:L6\w+|L7RSP|L7STS\/?4\d\d)/;

/** The load balancer calls a member of the API DOWN that serves: its check asks for something else. */
export const apiHealthCheckWrong = cause(
  'api-health-check-wrong',
  'balancer',
  (evidence) => {
    const serving = servingOn(evidence, 6443);
    const configured = wrongPaths(evidence);
    const down = evidence.pools.filter(
      ({ pool, name, status }) => pool === 'api' && /^DOWN/.test(status) && serving.includes(name),
    );
    const seen = down.flatMap((member) => {
      const isReady = evidence.ready.includes(member.name);
      // A check that got no connection asked for nothing: its address or port is wrong, and told by another rule.
      if (isConnecting(member) || (!isReady && !FOREIGN.test(member.check))) return [];
      const { name, balancer, status, check } = member;
      const symptom = `api/${name} on ${balancer}: ${[status, check].join(' ').trim()}; ${name}:6443 ${isReady ? '/readyz 200' : 'open'}`;
      return [{ likelihood: 'certain' as const, subject: name, symptom, command: statusCommand(member) }];
    });
    return [...seen, ...configured];
  },
  true,
);

/** What the file on the load balancer asks for, where the API does not answer it without a login, or not without TLS. */
function wrongPaths({ files }: Evidence): Clue[] {
  return files.flatMap(({ host, kind, path, text }) => {
    const wrong = kind === 'haproxy' ? text.split(/^(?=\S)/m).flatMap((section) => wrongIn(section) ?? []) : [];
    return wrong.map((line) => {
      const command = `ssh ${host} grep -nE 'httpchk|:6443' ${path}`;
      return { likelihood: 'certain', subject: host, symptom: `${path} on ${host}: ${line}`, command };
    });
  });
}

/** The line of a section for the API that asks for the wrong thing; null: none does. */
function wrongIn(section: string): string | null {
  const asked = /^\s*option\s+httpchk(?:\s+(?:[A-Z]+\s+)?(\S+).*)?$/m.exec(section);
  const members = [...section.matchAll(/^\s*server\s.*:6443\b.*$/gm)].map(([line]) => line.trim());
  // It greets as SSL 3.0 did, which no server of today answers (configuration manual, "option ssl-hello-chk").
  const old = /^\s*option\s+ssl-hello-chk\b.*$/m.exec(section);
  if (old !== null && members.length > 0) return old[0].trim();
  if (asked === null || members.length === 0) return null;
  const isForeign = asked[1] !== undefined && !/^\/(?:readyz|healthz|livez)(?:\?|$)/.test(asked[1]);
  if (isForeign) return asked[0].trim();
  return members.find((line) => /\scheck\b(?!-)/.test(line) && !/\s(?:check-ssl|ssl)\b/.test(line)) ?? null;
}
