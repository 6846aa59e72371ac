import { CLOUD_RESOLVER } from '../../../design/example-cloud.ts';
import type { Design } from '../../../design/model.ts';
import { apiIntName, apiName, appsDomain } from '../../../design/names.ts';
import { type BoundListener, createBalancer } from '../../hosts/balancer.ts';
import { type NameServer, startNameServer } from '../../hosts/name-server.ts';
import type { Zone } from '../../hosts/zone-file.ts';
import type { Endpoint } from '../network/endpoints.ts';
import type { World } from '../world.ts';

/** What the cloud runs beside the machines: name servers and load balancers that follow the cluster by themselves. */
export interface CloudServices {
  /** Gives the balancers what listens now. */
  apply(open: readonly Endpoint[]): Promise<void>;
  stop(): Promise<void>;
}

const DNS_PORT = 53;
const TTL = 60;

/** The names of the cluster, as its installer has put them into the zones of the cloud. */
export function cloudZones(design: Design): Zone[] {
  const { api, apiInt, ingress } = design.endpoints;
  const names: readonly [string, readonly string[]][] = [
    [apiName(design), api],
    [apiIntName(design), apiInt],
    [`*.${appsDomain(design)}`, ingress],
  ];
  const records = names.flatMap(([name, addresses]) => addresses.map((data) => ({ name, type: 'A', ttl: TTL, data })));
  return [{ origin: `${design.cluster.name}.${design.cluster.baseDomain}`, records }];
}

/** Starts the name server of the network; the balancers open their ports when there is somebody behind them. */
export function createCloudServices(world: World): CloudServices {
  const { addresses, design, clock, log } = world;
  const zones = cloudZones(design);
  const balancer = createBalancer(addresses, clock, log, async (name) => name);
  let server: NameServer | null = null;
  let known = '';
  return {
    async apply(open) {
      server ??= await startNameServer(addresses.loopback(CLOUD_RESOLVER), addresses.port(DNS_PORT), () => zones);
      const listeners = listenersFor(design, open);
      const text = JSON.stringify(listeners);
      if (text === known) return;
      known = text;
      await balancer.apply(listeners);
    },
    async stop() {
      server?.stop();
      await balancer.stop();
    },
  };
}

function listenersFor({ endpoints: { api, apiInt, ingress } }: Design, open: readonly Endpoint[]): BoundListener[] {
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
    const rest = { mode: 'tcp', isStats: false, hasLegends: false, isHttpCheck: false, idleLimit: null } as const;
    return listening.map((address) => ({ name: `${address}:${port}`, address, port, members, ...rest }));
  });
}
