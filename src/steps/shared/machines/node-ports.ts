import { tcpProbe } from '../../../bastion/probes/probes.ts';
import type { DesignNode } from '../../../design/model.ts';
import type { TimelineEvidence } from '../../../diagnosis/boot/timeline.ts';
import { SECOND } from '../../../ports/clock.ts';
import { hasCome } from '../../../ports/waiting.ts';
import type { StepContext } from '../../contract.ts';

type Ports = TimelineEvidence['ports'];

const EVERY = 15 * SECOND;
const TIMEOUT = 3 * SECOND;

/**
 * The ports that an installed machine opens, sshd first, then the machine config server of the bootstrap node or the kubelet of
 * another one; with the time of the look that first saw each. A look runs beside the caller, and the next call has its answer.
 */
export function openPorts(context: StepContext, { name, role, ip }: DesignNode): Ports {
  const { recollection, clock, reach } = context;
  const before = recollection.nodePorts.get(name) ?? { ports: [], nextAt: 0 };
  const [address] = ip;
  if (address !== undefined && hasCome(clock, before.nextAt, EVERY)) {
    recollection.nodePorts.set(name, { ...before, nextAt: clock.now() + EVERY });
    void look(address);
  }
  return before.ports;

  async function look(at: string): Promise<void> {
    const wanted = role === 'bootstrap' ? ([22, 22623] as const) : ([22, 10250] as const);
    const found = await Promise.all(
      wanted.map(async (port): Promise<Ports> => {
        const { state } = await tcpProbe(reach, clock, at, port, TIMEOUT);
        if (state !== 'open') return [];
        return [before.ports.find((known) => known.port === port) ?? { port, since: clock.now() }];
      }),
    );
    recollection.nodePorts.set(name, { ports: found.flat(), nextAt: clock.now() + EVERY });
  }
}
