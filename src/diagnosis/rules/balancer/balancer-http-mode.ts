import { formatUrlHost } from '../../../platform/url-host.ts';
import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { isPool, POOL_PORTS, statusCommand } from './pools.ts';

/** Port 6443 answers in plain HTTP: the load balancer works in HTTP mode, or forwards to another port. */
export const balancerHttpMode = diagnosticRule(
  'balancer-http-mode',
  'balancer',
  (evidence) => {
    const { api, design } = evidence;
    const address = design?.endpoints.api[0] ?? 'API';
    const command = `curl -sI http://${formatUrlHost(address)}:6443/`;
    const configured = [...findHttpModeSections(evidence), ...findHttpModePools(evidence)];
    if (configured.length > 0) return configured;
    if (api?.code === 'cluster-not-tls') return [{ likelihood: 'certain', subject: '', symptom: api.line, command }];
    if (api?.isUp) return [];
    return symptomsFromLines(
      matchLogLines(evidence, /server gave HTTP response to HTTPS client/, 3).slice(-1),
      'likely',
      command,
    );
  },
  true,
);

/** Sections with members on TLS ports that use HTTP mode, set in the section or inherited from the defaults. */
function findHttpModeSections({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text }) => {
    if (kind !== 'haproxy') return [];
    const sections = text.split(/^(?=\S)/m);
    const parseMode = (section: string) => /^\s*mode\s+(\S+)/m.exec(section)?.[1];
    const defaults = parseMode(sections.find((section) => section.startsWith('defaults')) ?? '');
    return sections.flatMap((section): Symptom[] => {
      const name = /^(?:listen|backend)\s+(\S+)/.exec(section)?.[1];
      const isTls = /^\s*server\s+\S+\s+\S+:(?:6443|22623|443)\b/m.test(section);
      // HTTP is not the default mode of HAProxy itself (configuration manual, 4.2 "mode").
      if (name === undefined || !isTls || (parseMode(section) ?? defaults) !== 'http') return [];
      const symptom = `${path} on ${host}: ${name}: mode http`;
      return [{ likelihood: 'certain', subject: host, symptom, command: `ssh ${host} grep -n mode ${path}` }];
    });
  });
}

/** Pools of TLS ports whose status page reports HTTP mode. */
function findHttpModePools({ pools }: Evidence): Symptom[] {
  const wrong = pools.filter(({ pool, mode }) => isPool(pool) && POOL_PORTS[pool] !== 80 && mode === 'http');
  const first = new Map(wrong.toReversed().map((member) => [`${member.balancer} ${member.pool}`, member]));
  return [...first.values()].map((member) => ({
    likelihood: 'certain',
    subject: member.balancer,
    symptom: `${member.pool} on ${member.balancer}: mode http`,
    command: statusCommand(member),
  }));
}
