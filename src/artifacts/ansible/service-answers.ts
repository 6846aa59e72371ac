import type { Design, ServiceHost } from '../../design/model.ts';
import { addressRecords, pointerRecords } from '../dns/records.ts';
import { unique } from '../network/addresses.ts';

/**
 * Variables of the role `service_answers`: the answers that a host must give once it is set up, by name on name servers
 * and by port on load balancers.
 */
export function serviceAnswerVars(design: Design, host: ServiceHost) {
  const { dns, loadBalancer } = design.services;
  const serves = (servers: readonly ServiceHost[]) => servers.some(({ name }) => name === host.name);
  return {
    service_answers_address: host.ip[0],
    service_answers_names: serves(dns.servers) ? listExpectedRecords(design) : [],
    service_answers_listens: serves(loadBalancer.servers) ? listExpectedPorts(design) : [],
  };
}

interface ExpectedRecord {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'PTR';
  readonly answers: readonly string[];
}

/** Lists every record of the zones with all its expected answers; a wildcard is tested by a name that it covers. */
function listExpectedRecords(design: Design): ExpectedRecord[] {
  const forward = addressRecords(design).flatMap(({ records }) => records);
  const queries = [
    ...forward.map(({ name, type, address }) => ({ name: name.replace(/^\*/, 'test'), type, answer: address })),
    ...pointerRecords(design).map(({ owner, name }) => ({ name: owner, type: 'PTR' as const, answer: `${name}.` })),
  ];
  const keys = unique(queries.map(({ name, type }) => `${type} ${name}`));
  return keys.flatMap((key) => {
    const own = queries.filter(({ name, type }) => `${type} ${name}` === key);
    const [first] = own;
    return first === undefined
      ? []
      : [{ name: first.name, type: first.type, answers: unique(own.map(({ answer }) => answer)) }];
  });
}

/** Lists the ports of the endpoints. */
function listExpectedPorts({ endpoints, topology }: Design): { host: string; port: number }[] {
  // A single node has no load balancer: its own ports open when it is installed.
  if (topology === 'single-node') return [];
  const { api, apiInt, ingress } = endpoints;
  const ports: [readonly string[], readonly number[]][] = [
    [api, [6443]],
    [apiInt, [6443, 22623]],
    [ingress, [80, 443]],
  ];
  const all = ports.flatMap(([hosts, numbers]) => hosts.flatMap((host) => numbers.map((port) => `${host} ${port}`)));
  return unique(all).map((each) => {
    const [host = '', port = ''] = each.split(' ');
    return { host, port: Number(port) };
  });
}
