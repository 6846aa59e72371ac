import { catalogue } from '../../i18n/catalogue.ts';
import { type Rule, toFinding } from '../rule.ts';
import { type MachineEvidence, type PortInUse, SERVICE_PROGRAMS, type Service } from './evidence.ts';

const words = () => catalogue().diagnosis.machine;

/** The ports that the services of an installation use, each with its service. */
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

/** Other legitimate owners of a service's port: systemd's sockets, and our own boot server. */
const OTHER_OWNERS: Readonly<Partial<Record<Service, readonly string[]>>> = {
  tftp: ['systemd', 'tftpd'],
  web: ['node', 'upi-wizard'],
};

/**
 * Another program uses a port that a service needs. It is more than a note only if this machine runs the service by the
 * design. Loopback does not count (systemd-resolved uses port 53 there, and named uses it on other addresses).
 */
export const servicePorts: Rule<MachineEvidence, 'ports'> = {
  code: 'ports',
  severity: 'note',
  evaluate({ ports: inUse, duties, httpPort }) {
    const own = words().ports;
    const wanted = [...SERVICE_PORTS, { protocol: 'tcp', port: httpPort, service: 'web' } as const];
    const busy = wanted.flatMap(({ protocol, port, service }) => {
      const found = inUse.find((each) => each.port === port && each.protocol === protocol);
      return found === undefined ? [] : [{ ...found, service }];
    });
    if (busy.length === 0) return [toFinding({ state: 'ok', detail: own.free }, own)];
    return busy.map(({ protocol, port, owner, service }) => {
      const subject = `${protocol.toUpperCase()} ${port}`;
      const detail = owner === null ? own.unknownOwner : own.owner(owner.program, owner.pid);
      const command = `ss -l${protocol === 'tcp' ? 't' : 'u'}np sport = :${port}`;
      const isExpectedOwner =
        owner !== null && [...SERVICE_PROGRAMS[service], ...(OTHER_OWNERS[service] ?? [])].includes(owner.program);
      if (isExpectedOwner) return toFinding({ state: 'ok', subject, detail, command }, { ...own, title: own.right });
      // Only root sees the owner, which may well be the expected one.
      const state = owner === null ? 'unknown' : 'failed';
      const serves = duties?.serves.includes(service) ?? false;
      return { ...toFinding({ state, subject, command, severity: serves ? 'warning' : 'note' }, own), cause: detail };
    });
  },
};
