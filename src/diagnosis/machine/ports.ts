import { catalogue } from '../../text/catalogue.ts';
import { type Rule, worded } from '../rule.ts';
import { type MachineEvidence, type PortInUse, SERVICES, type Service } from './evidence.ts';

const words = () => catalogue().diagnosis.machine;

/** The ports that the services of an installation have, and of which service each is. */
export const SERVICE_PORTS: readonly Pick<
  PortInUse & { readonly service: Service },
  'protocol' | 'port' | 'service'
>[] = [
  { protocol: 'udp', port: 53, service: 'dns' },
  { protocol: 'tcp', port: 53, service: 'dns' },
  { protocol: 'udp', port: 67, service: 'dhcp' },
  { protocol: 'udp', port: 69, service: 'tftp' },
  { protocol: 'tcp', port: 80, service: 'load-balancer' },
  { protocol: 'tcp', port: 443, service: 'load-balancer' },
  { protocol: 'tcp', port: 6443, service: 'load-balancer' },
  { protocol: 'tcp', port: 22_623, service: 'load-balancer' },
];

/** Programs that have a port for a service besides those that we look for: systemd's sockets, and our own boot server. */
const ALSO: Readonly<Partial<Record<Service, readonly string[]>>> = {
  tftp: ['systemd', 'tftpd'],
  web: ['node', 'upi-wizard'],
};

/**
 * Somebody else has a port that a service needs: only where this machine has the service by the design is it more than a note.
 * Loopback does not count (systemd-resolved has port 53 there, and named has it elsewhere).
 */
export const ports: Rule<MachineEvidence, 'ports'> = {
  code: 'ports',
  severity: 'note',
  judge({ ports: inUse, duties, httpPort }) {
    const own = words().ports;
    const wanted = [...SERVICE_PORTS, { protocol: 'tcp', port: httpPort, service: 'web' } as const];
    const busy = wanted.flatMap(({ protocol, port, service }) => {
      const found = inUse.find((each) => each.port === port && each.protocol === protocol);
      return found === undefined ? [] : [{ ...found, service }];
    });
    if (busy.length === 0) return [worded({ state: 'ok', detail: own.free }, own)];
    return busy.map(({ protocol, port, owner, service }) => {
      const subject = `${protocol.toUpperCase()} ${port}`;
      const detail = owner === null ? own.unseenOwner : own.owner(owner.program, owner.pid);
      const command = `ss -l${protocol === 'tcp' ? 't' : 'u'}np sport = :${port}`;
      const isRight = owner !== null && [...SERVICES[service], ...(ALSO[service] ?? [])].includes(owner.program);
      if (isRight) return worded({ state: 'ok', subject, detail, command }, { ...own, title: own.right });
      // Who has it shows to root alone; it may well be the right one.
      const state = owner === null ? 'unknown' : 'failed';
      const serves = duties?.serves.includes(service) ?? false;
      return { ...worded({ state, subject, command, severity: serves ? 'warning' : 'note' }, own), cause: detail };
    });
  },
};
