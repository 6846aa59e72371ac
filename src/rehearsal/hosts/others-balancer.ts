import type { Design } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import type { BoundListener } from './balancer.ts';

/** What a load balancer that other people run does for a cluster: what its owners were told (network-notes.md). Empty: there is none. */
export function othersListeners(design: Design): BoundListener[] {
  const { endpoints, services, topology, nodes } = design;
  if (services.loadBalancer.kind !== 'external' || topology === 'single-node') return [];
  const control = nodesWithRole(design, 'bootstrap', 'control-plane');
  const compute = nodes.filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane');
  const routers = compute.length > 0 ? compute : nodesWithRole(design, 'control-plane');
  const listen = (addresses: readonly string[], port: number, to: Design['nodes']) =>
    addresses.map(
      (address): BoundListener => ({
        ...{
          name: `others-${port}`,
          address,
          port,
          mode: 'tcp',
          isStats: false,
          hasLegends: false,
          isHttpCheck: false,
          idleLimit: null,
        },
        members: to.map(({ name, ip }) => {
          return { name, address: ip[0] ?? '', port, isBackup: false, isTlsCheck: false };
        }),
      }),
    );
  const api = [...new Set([...endpoints.api, ...endpoints.apiInt])];
  return [
    ...listen(api, 6443, control),
    ...listen(endpoints.apiInt, 22623, control),
    ...listen(endpoints.ingress, 443, routers),
    ...listen(endpoints.ingress, 80, routers),
  ];
}
