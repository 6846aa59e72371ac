import { nodeFqdn } from '../../../design/names.ts';
import { urlHost } from '../../../text/url-host.ts';
import { type Clue, cause } from '../cause.ts';
import type { Evidence } from '../evidence.ts';
import { isConnecting, isPool, POOL_PORTS, servingOn, statusCommand } from './pools.ts';

/** The load balancer gets no connection to a member that serves: the pool has another address or port, or a firewall is between them. */
export const memberUnreachable = cause(
  'balancer-member-unreachable',
  'balancer',
  (evidence) => [...configured(evidence), ...misplaced(evidence), ...unreached(evidence)],
  true,
);

function unreached(evidence: Evidence): Clue[] {
  return evidence.pools.flatMap((member) => {
    const { pool, name, status, check, balancer } = member;
    if (!isPool(pool) || !/^DOWN/.test(status) || !isConnecting(member)) return [];
    const serving =
      pool === 'api' || pool === 'machine-config' ? servingOn(evidence, POOL_PORTS[pool]) : routersOn(evidence);
    if (!serving.includes(name)) return [];
    const symptom = `${pool}/${name} on ${balancer}: ${status} ${check}; ${name}:${POOL_PORTS[pool]} serves`;
    return [{ likelihood: 'likely', subject: name, symptom, command: statusCommand(member) }];
  });
}

/** Members of which the load balancer itself says that they are elsewhere than the node of their name. */
function misplaced({ design, pools }: Evidence): Clue[] {
  return pools.flatMap((member): Clue[] => {
    const { pool, name, balancer, address } = member;
    const node = design?.nodes.find((each) => each.name === name);
    if (!isPool(pool) || node === undefined || address === undefined) return [];
    const places = node.ip.map((ip) => `${urlHost(ip)}:${POOL_PORTS[pool]}`);
    if (places.includes(address)) return [];
    const symptom = `${pool}/${name} on ${balancer}: ${address}; planned ${places[0]}`;
    return [{ likelihood: 'certain', subject: name, symptom, command: statusCommand(member) }];
  });
}

/** Lines of a member that the generated file has with another address or port. */
function configured({ files }: Evidence): Clue[] {
  return files.flatMap(({ host, kind, path, text, planned }) => {
    if (kind !== 'haproxy') return [];
    const right = new Map(membersIn(planned).map(({ section, name, address }) => [`${section} ${name}`, address]));
    return membersIn(text).flatMap(({ section, name, address, line }): Clue[] => {
      const wanted = right.get(`${section} ${name}`);
      if (wanted === undefined || wanted === address) return [];
      const symptom = `${path} on ${host}: ${section}: ${line}; planned ${wanted}`;
      return [{ likelihood: 'certain', subject: name, symptom, command: `ssh ${host} grep -n ' server ' ${path}` }];
    });
  });
}

/** The members in a haproxy.cfg, with the section that each is in. */
export function membersIn(text: string) {
  return text.split(/^(?=\S)/m).flatMap((part) => {
    const section = /^(?:listen|backend)\s+(\S+)/.exec(part)?.[1];
    if (section === undefined) return [];
    const lines = [...part.matchAll(/^\s*(server\s+(\S+)\s+(\S+).*)$/gm)];
    return lines.map(([, line = '', name = '', address = '']) => ({ section, name, address, line: line.trim() }));
  });
}

/** Short names of the nodes on which routers run. On a node that is gone the API calls its pods Running for a while. */
export function routersOn({ design, cluster }: Evidence): string[] {
  const gone = new Set(cluster?.nodes?.filter(({ isReady }) => !isReady).map(({ name }) => name));
  const running = (cluster?.routers ?? []).filter(({ phase }) => phase === 'Running').map(({ node }) => node);
  const names = new Set(running.filter((node) => node !== null && !gone.has(node)));
  return design?.nodes.filter((node) => names.has(nodeFqdn(design, node))).map(({ name }) => name) ?? [];
}
