import { cause } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { servingOn, statusCommand } from './pools.ts';

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
      if (!isReady && !FOREIGN.test(member.check)) return [];
      const { name, balancer, status, check } = member;
      const symptom = `api/${name} on ${balancer}: ${[status, check].join(' ').trim()}; ${name}:6443 ${isReady ? '/readyz 200' : 'open'}`;
      return [{ likelihood: 'certain' as const, subject: name, symptom, command: statusCommand(member) }];
    });
    return [...seen, ...configured];
  },
  true,
);

/** What the file on the load balancer asks for, where it is not what the API answers without a login. */
function wrongPaths({ files }: Evidence) {
  return files.flatMap(({ host, kind, path, text }) => {
    const line = kind === 'haproxy' ? /^\s*option\s+httpchk\s+(?:[A-Z]+\s+)?(\S+).*$/m.exec(text) : null;
    if (line === null || /^\/(?:readyz|healthz|livez)(?:\?|$)/.test(line[1] ?? '')) return [];
    return [
      {
        likelihood: 'certain' as const,
        subject: host,
        symptom: `${path} on ${host}: ${line[0].trim()}`,
        command: `ssh ${host} grep -n httpchk ${path}`,
      },
    ];
  });
}
