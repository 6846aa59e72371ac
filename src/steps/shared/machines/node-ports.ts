import type { TimelineEvidence } from '../../../checks/boot/timeline.ts';
import type { DesignNode } from '../../../design/model.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { isTimeReached, SECOND } from '../../../platform/clock.ts';
import { probeTcp } from '../../../probes/tcp-probe.ts';
import type { StepContext } from '../../contract.ts';

type NodePorts = TimelineEvidence['ports'];

const PROBE_INTERVAL = 15 * SECOND;
const TIMEOUT = 3 * SECOND;

/**
 * Returns the ports that an installed machine opens, sshd first, then the Machine Config Server of the bootstrap node
 * or the kubelet of another one; with the time of the probe that first detected each. A probe runs in the background,
 * and the next call returns its result.
 * @param startedAt ms of the clock; ports that were open before belong to an earlier start of the machine
 */
export function refreshOpenPorts(context: StepContext, { name, role, ip }: DesignNode, startedAt: number): NodePorts {
  const { probeCache, clock, resolveEndpoint } = context;
  const { ports = [], nextAt = 0 } = probeCache.nodePorts.get(name) ?? {};
  const currentPorts = ports.filter(({ since }) => since >= startedAt);
  const [address] = ip;
  if (address !== undefined && isTimeReached(clock, nextAt, PROBE_INTERVAL)) {
    probeCache.nodePorts.set(name, { ports, nextAt: clock.now() + PROBE_INTERVAL });
    void probe(address);
  }
  return currentPorts;

  async function probe(host: string): Promise<void> {
    const expectedPorts = role === 'bootstrap' ? ([22, 22623] as const) : ([22, 10250] as const);
    const results = await Promise.all(
      expectedPorts.map(async (port): Promise<NodePorts> => {
        const { state } = await probeTcp(resolveEndpoint, clock, host, port, TIMEOUT);
        if (state !== 'open') return [];
        return [currentPorts.find((entry) => entry.port === port) ?? { port, since: clock.now() }];
      }),
    );
    probeCache.nodePorts.set(name, { ports: results.flat(), nextAt: clock.now() + PROBE_INTERVAL });
  }
}

/** Ports that listen on a node: sshd and the kubelet. */
const NODE_PORTS = [22, 10250];

/** Finds a port of a node that answers, such as "172.16.0.44 port 22"; null if none does. */
export async function findOpenNodePort(
  { resolveEndpoint, clock }: Pick<StepContext, 'resolveEndpoint' | 'clock'>,
  { ip }: DesignNode,
): Promise<string | null> {
  const attempts = ip.flatMap((address) =>
    NODE_PORTS.map(async (port) => {
      const { state } = await probeTcp(resolveEndpoint, clock, address, port, TIMEOUT);
      return state === 'open' ? catalogue().bastion.probe.hostAndPort(address, port) : null;
    }),
  );
  return (await Promise.all(attempts)).find((port) => port !== null) ?? null;
}
