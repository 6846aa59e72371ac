import { nodeFqdn } from '../../../design/names.ts';
import { formatUrlHost } from '../../../platform/url-host.ts';
import { diagnosticRule, type Symptom } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';
import { hasConnectionFailure, isPool, listServingHosts, POOL_PORTS, statusCommand } from './pools.ts';

/**
 * The load balancer gets no connection to a member that serves: the pool has another address or port, or a firewall is
 * in between.
 */
export const memberUnreachable = diagnosticRule(
  'balancer-member-unreachable',
  'balancer',
  (evidence) => [
    ...findChangedMemberLines(evidence),
    ...findWrongAddresses(evidence),
    ...findUnreachableMembers(evidence),
  ],
  true,
);

function findUnreachableMembers(evidence: Evidence): Symptom[] {
  return evidence.pools.flatMap((member) => {
    const { pool, name, status, check, balancer } = member;
    if (!isPool(pool) || !/^DOWN/.test(status) || !hasConnectionFailure(member)) return [];
    const serving =
      pool === 'api' || pool === 'machine-config'
        ? listServingHosts(evidence, POOL_PORTS[pool])
        : listRouterNodes(evidence);
    if (!serving.includes(name)) return [];
    const symptom = `${pool}/${name} on ${balancer}: ${status} ${check}; ${name}:${POOL_PORTS[pool]} serves`;
    return [{ likelihood: 'likely', subject: name, symptom, command: statusCommand(member) }];
  });
}

/** Members whose address on the status page is not that of the node of the same name. */
function findWrongAddresses({ design, pools }: Evidence): Symptom[] {
  return pools.flatMap((member): Symptom[] => {
    const { pool, name, balancer, address } = member;
    const node = design?.nodes.find((each) => each.name === name);
    if (!isPool(pool) || node === undefined || address === undefined) return [];
    const expected = node.ip.map((ip) => `${formatUrlHost(ip)}:${POOL_PORTS[pool]}`);
    if (expected.includes(address)) return [];
    const symptom = `${pool}/${name} on ${balancer}: ${address}; planned ${expected[0]}`;
    return [{ likelihood: 'certain', subject: name, symptom, command: statusCommand(member) }];
  });
}

/** Member lines with another address or port than in the generated file. */
function findChangedMemberLines({ files }: Evidence): Symptom[] {
  return files.flatMap(({ host, kind, path, text, planned }) => {
    if (kind !== 'haproxy') return [];
    const expected = new Map(
      parseMembers(planned).map(({ section, name, address }) => [`${section} ${name}`, address]),
    );
    return parseMembers(text).flatMap(({ section, name, address, line }): Symptom[] => {
      const wanted = expected.get(`${section} ${name}`);
      if (wanted === undefined || wanted === address) return [];
      const symptom = `${path} on ${host}: ${section}: ${line}; planned ${wanted}`;
      return [{ likelihood: 'certain', subject: name, symptom, command: `ssh ${host} grep -n ' server ' ${path}` }];
    });
  });
}

/** Parses the members of a haproxy.cfg, each with its section. */
export function parseMembers(text: string) {
  return text.split(/^(?=\S)/m).flatMap((part) => {
    const section = /^(?:listen|backend)\s+(\S+)/.exec(part)?.[1];
    if (section === undefined) return [];
    const lines = [...part.matchAll(/^\s*(server\s+(\S+)\s+(\S+).*)$/gm)];
    return lines.map(([, line = '', name = '', address = '']) => ({ section, name, address, line: line.trim() }));
  });
}

/** Short names of the nodes on which routers run. The API reports the pods of a lost node as Running for a while. */
export function listRouterNodes({ design, cluster }: Evidence): string[] {
  const notReady = new Set(cluster?.nodes?.filter(({ isReady }) => !isReady).map(({ name }) => name));
  const running = (cluster?.routers ?? []).filter(({ phase }) => phase === 'Running').map(({ node }) => node);
  const names = new Set(running.filter((node) => node !== null && !notReady.has(node)));
  return design?.nodes.filter((node) => names.has(nodeFqdn(design, node))).map(({ name }) => name) ?? [];
}
