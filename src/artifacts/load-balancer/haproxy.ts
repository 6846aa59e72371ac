import template from '../../../templates/haproxy.cfg.eta';
import type { Design, DesignNode, ServiceHost, Stage } from '../../design/model.ts';
import { clusterDomain, nodesWithRole, serviceHostFqdn } from '../../design/names.ts';
import { urlHost } from '../../text/url-host.ts';
import { osFacts } from '../hosts/os.ts';
import { unique } from '../network/addresses.ts';
import { statsPort, statsReaders } from '../network/openings.ts';
import type { Generator } from '../shared/draft.ts';
import { render } from '../shared/render.ts';

const PATH = '/etc/haproxy/haproxy.cfg';

/**
 * How members are checked. The API must leave within 30 s of /readyz turning red: probing every 10 s, three failures to
 * become unhealthy, two successes to become healthy are the values called well-tested in openshift/installer
 * docs/dev/kube-apiserver-health-check.md. The others are plain connects every second, as in openshift-docs
 * modules/installation-load-balancing-user-infra.adoc.
 */
const API_CHECK = 'check-ssl verify none inter 10s fall 3 rise 2';
const CONNECT_CHECK = 'inter 1s';

/** What one stage sends where. The site and the steps compare with it too. */
export interface BalancerMembers {
  /** Ports 6443 and 22623. */
  readonly api: readonly DesignNode[];
  /** Ports 443 and 80. */
  readonly ingress: readonly DesignNode[];
}

/** haproxy.cfg for every load balancer. */
export const haproxy: Generator<'haproxy'> = {
  kind: 'haproxy',
  host: 'load-balancer',
  paths: [PATH],
  role: (facts) => ({ ...facts.haproxy, unit: 'haproxy' }),
  files({ design, stage }) {
    return design.services.loadBalancer.servers.map((host) => ({
      host,
      path: PATH,
      content: haproxyConfig(design, stage, host),
      check: ['haproxy', '-c', '-f', PATH],
      reload: ['systemctl', 'reload-or-restart', 'haproxy'],
    }));
  },
};

/**
 * Members by stage. Routers run on compute nodes until they are moved; where there are none, on the control plane
 * (openshift/cluster-ingress-operator pkg/operator/controller/ingress). Infra nodes join in `infra-added`, before the routers
 * move there; in `infra-only` they remain alone, if the design says so and there are any.
 */
export function balancerMembers(design: Design, stage: Stage): BalancerMembers {
  const controlPlane = nodesWithRole(design, 'control-plane');
  const bootstrap = stage === 'install' ? nodesWithRole(design, 'bootstrap') : [];
  const compute = nodesWithRole(design, 'compute', 'storage');
  const infra = nodesWithRole(design, 'infra');
  const first = compute.length > 0 ? compute : controlPlane;
  const isOnlyInfra = stage === 'infra-only' && design.infra.removeWorkersFromLoadBalancer && infra.length > 0;
  const withInfra = stage === 'infra-added' || stage === 'infra-only' ? [...first, ...infra] : first;
  return { api: [...bootstrap, ...controlPlane], ingress: isOnlyInfra ? infra : withInfra };
}

function haproxyConfig(design: Design, stage: Stage, host: ServiceHost): string {
  const { api, apiInt, ingress } = design.endpoints;
  const members = balancerMembers(design, stage);
  const control = members.api.map(member);
  const routers = members.ingress.map(member);
  const services = [
    {
      name: 'api',
      title: 'Kubernetes API, for people and nodes',
      addresses: unique([...api, ...apiInt]).map(urlHost),
      port: 6443,
      balance: 'roundrobin',
      isApi: true,
      check: API_CHECK,
      members: control,
    },
    {
      name: 'machine-config',
      title: 'Machine config server, for nodes only: it hands out secrets',
      addresses: apiInt.map(urlHost),
      port: 22623,
      balance: 'roundrobin',
      isApi: false,
      check: CONNECT_CHECK,
      members: control,
    },
    ...[443, 80].map((port) => ({
      name: port === 443 ? 'ingress-https' : 'ingress-http',
      title: `Routes of applications, port ${port}. Members without a router are DOWN, which is normal`,
      addresses: ingress.map(urlHost),
      port,
      balance: 'source',
      isApi: false,
      check: CONNECT_CHECK,
      members: routers,
    })),
  ];
  const { haproxy } = osFacts(host.os);
  return render(template, {
    fqdn: serviceHostFqdn(design, host),
    clusterDomain: clusterDomain(design),
    stage,
    log: haproxy.log,
    statsSocket: haproxy.statsSocket,
    stats: {
      binds: host.ip.map((address) => `${urlHost(address)}:${statsPort(design, host)}`),
      readers: unique([...host.ip, ...statsReaders(design)]),
    },
    services,
  });
}

/** The bootstrap node is a backup: it gets traffic only while no control plane member is up. */
function member({ name, ip, role }: DesignNode) {
  return { name, address: urlHost(ip[0] ?? ''), isBackup: role === 'bootstrap' };
}
