import { urlHost } from '../../../text/url-host.ts';
import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { isPool, POOL_PORTS, statusCommand } from './pools.ts';

/** Who answers on 6443 speaks plain HTTP: the load balancer works in HTTP mode, or sends to another port. */
export const balancerHttpMode = cause(
  'balancer-http-mode',
  'balancer',
  (evidence) => {
    const { api, design } = evidence;
    const address = design?.endpoints.api[0] ?? 'API';
    const command = `curl -sI http://${urlHost(address)}:6443/`;
    const seen = [...inFiles(evidence), ...inPools(evidence)];
    if (seen.length > 0) return seen;
    if (api?.code === 'cluster-not-tls') return [{ likelihood: 'certain', subject: '', symptom: api.line, command }];
    if (api?.isUp) return [];
    return clueOfLines(told(evidence, /server gave HTTP response to HTTPS client/, 3).slice(-1), 'likely', command);
  },
  true,
);

/** Sections with members on ports of TLS that work in HTTP mode, by themselves or by their defaults. */
function inFiles({ files }: Evidence): Clue[] {
  return files.flatMap(({ host, kind, path, text }) => {
    if (kind !== 'haproxy') return [];
    const sections = text.split(/^(?=\S)/m);
    const modeOf = (section: string) => /^\s*mode\s+(\S+)/m.exec(section)?.[1];
    const defaults = modeOf(sections.find((section) => section.startsWith('defaults')) ?? '');
    return sections.flatMap((section): Clue[] => {
      const name = /^(?:listen|backend)\s+(\S+)/.exec(section)?.[1];
      const isTls = /^\s*server\s+\S+\s+\S+:(?:6443|22623|443)\b/m.test(section);
      // HTTP is no default of HAProxy itself (configuration manual, 4.2 "mode").
      if (name === undefined || !isTls || (modeOf(section) ?? defaults) !== 'http') return [];
      const symptom = `${path} on ${host}: ${name}: mode http`;
      return [{ likelihood: 'certain', subject: host, symptom, command: `ssh ${host} grep -n mode ${path}` }];
    });
  });
}

/** Pools of TLS ports that say of themselves that they work in HTTP mode. */
function inPools({ pools }: Evidence): Clue[] {
  const wrong = pools.filter(({ pool, mode }) => isPool(pool) && POOL_PORTS[pool] !== 80 && mode === 'http');
  const first = new Map(wrong.toReversed().map((member) => [`${member.balancer} ${member.pool}`, member]));
  return [...first.values()].map((member) => ({
    likelihood: 'certain',
    subject: member.balancer,
    symptom: `${member.pool} on ${member.balancer}: mode http`,
    command: statusCommand(member),
  }));
}
