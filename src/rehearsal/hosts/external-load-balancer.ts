import { nodesWithRole } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import type { BoundListener } from './balancer.ts';

/**
 * Lists the listeners of an external load balancer, as network-notes.md specifies them to its owners; empty: there is
 * none.
 */
export function listExternalListeners(design: Design): BoundListener[] {
  const { endpoints, services, topology, nodes } = design;
  if (services.loadBalancer.kind !== 'external' || topology === 'single-node') return [];
  const control = nodesWithRole(design, 'bootstrap', 'control-plane');
  const compute = nodes.filter(({ role }) => role !== 'bootstrap' && role !== 'control-plane');
  const routers = compute.length > 0 ? compute : nodesWithRole(design, 'control-plane');
  const createListeners = (addresses: readonly string[], port: number, targets: Design['nodes']) =>
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
        members: targets.map(({ name, ip }) => {
          return { name, address: ip[0] ?? '', port, isBackup: false, isTlsCheck: false };
        }),
      }),
    );
  const api = [...new Set([...endpoints.api, ...endpoints.apiInt])];
  return [
    ...createListeners(api, 6443, control),
    ...createListeners(endpoints.apiInt, 22623, control),
    ...createListeners(endpoints.ingress, 443, routers),
    ...createListeners(endpoints.ingress, 80, routers),
  ];
}
