import { apiIntName, apiName, appsDomain } from '../../../design/derived-facts.ts';
import { CLOUD_RESOLVER } from '../../../design/example.ts';
import type { Design } from '../../../design/model.ts';

import { type BoundListener, createBalancer } from '../../hosts/balancer.ts';
import { type NameServer, startNameServer } from '../../hosts/name-server.ts';
import type { Zone } from '../../hosts/zone-file.ts';
import type { Endpoint } from '../network/endpoints.ts';
import type { World } from '../world.ts';

/**
 * Services of the cloud besides its machines: a name server, and load balancers that follow the cluster automatically.
 */
export interface CloudServices {
  /** Sets the open endpoints as targets of the load balancers. */
  apply(open: readonly Endpoint[]): Promise<void>;
  stop(): Promise<void>;
}

const DNS_PORT = 53;
const TTL = 60;

/** Builds the zone with the cluster's names, as the installer creates it in the cloud. */
export function buildCloudZones(design: Design): Zone[] {
  const { api, apiInt, ingress } = design.endpoints;
  const names: readonly [string, readonly string[]][] = [
    [apiName(design), api],
    [apiIntName(design), apiInt],
    [`*.${appsDomain(design)}`, ingress],
  ];
  const records = names.flatMap(([name, addresses]) => addresses.map((data) => ({ name, type: 'A', ttl: TTL, data })));
  return [{ origin: `${design.cluster.name}.${design.cluster.baseDomain}`, records }];
}

/** Creates the services. The first `apply` starts the name server. A load balancer opens a port when it has targets. */
export function createCloudServices(world: World): CloudServices {
  const { addresses, design, clock, log } = world;
  const zones = buildCloudZones(design);
  const loadBalancer = createBalancer(addresses, clock, log, async (name) => name);
  let server: NameServer | null = null;
  let appliedText = '';
  return {
    async apply(open) {
      server ??= await startNameServer(addresses.loopback(CLOUD_RESOLVER), addresses.port(DNS_PORT), () => zones);
      const listeners = buildListeners(design, open);
      const text = JSON.stringify(listeners);
      if (text === appliedText) return;
      appliedText = text;
      await loadBalancer.apply(listeners);
    },
    async stop() {
      server?.stop();
      await loadBalancer.stop();
    },
  };
}

function buildListeners({ endpoints: { api, apiInt, ingress } }: Design, open: readonly Endpoint[]): BoundListener[] {
  const ports: readonly [number, readonly string[]][] = [
    [6443, [...api, ...apiInt]],
    [22623, apiInt],
    [80, ingress],
    [443, ingress],
  ];
  return ports.flatMap(([port, listening]) => {
    const members = open
      .filter((endpoint) => endpoint.port === port)
      .map(({ address }) => ({ name: address, address, port, isBackup: false, isTlsCheck: false }));
    const defaults = { mode: 'tcp', isStats: false, hasLegends: false, isHttpCheck: false, idleLimit: null } as const;
    return listening.map((address) => ({ name: `${address}:${port}`, address, port, members, ...defaults }));
  });
}
