import type { Design, ServiceHost } from '../../design/model.ts';
import { addressRecords, pointerRecords } from '../dns/records.ts';
import { unique } from '../network/addresses.ts';

/** What a host has to answer once it is set up: names where it is a name server, ports where it is a load balancer. */
export function answersOf(design: Design, host: ServiceHost) {
  const { dns, loadBalancer } = design.services;
  const serves = (servers: readonly ServiceHost[]) => servers.some(({ name }) => name === host.name);
  return {
    service_answers_address: host.ip[0],
    service_answers_names: serves(dns.servers) ? names(design) : [],
    service_answers_listens: serves(loadBalancer.servers) ? listens(design) : [],
  };
}

interface Name {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'PTR';
  readonly answers: readonly string[];
}

/** Every record of the zones, with all that has to come back; a wildcard by a name that it covers. */
function names(design: Design): Name[] {
  const forward = addressRecords(design).flatMap(({ records }) => records);
  const asked = [
    ...forward.map(({ name, type, address }) => ({ name: name.replace(/^\*/, 'test'), type, answer: address })),
    ...pointerRecords(design).map(({ owner, name }) => ({ name: owner, type: 'PTR' as const, answer: `${name}.` })),
  ];
  const keys = unique(asked.map(({ name, type }) => `${type} ${name}`));
  return keys.flatMap((key) => {
    const own = asked.filter(({ name, type }) => `${type} ${name}` === key);
    const [first] = own;
    return first === undefined
      ? []
      : [{ name: first.name, type: first.type, answers: unique(own.map(({ answer }) => answer)) }];
  });
}

/** The ports of the endpoints. */
function listens({ endpoints, topology }: Design): { host: string; port: number }[] {
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
