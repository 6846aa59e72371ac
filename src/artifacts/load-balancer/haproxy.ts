import template from '../../../templates/haproxy.cfg.eta';
import type { Design, DesignNode, ServiceHost, Stage } from '../../design/model.ts';
import { clusterDomain, nodesWithRole, serviceHostFqdn } from '../../design/names.ts';
import { formatUrlHost } from '../../platform/url-host.ts';
import { getOsFacts } from '../hosts/os.ts';
import { unique } from '../network/addresses.ts';
import { statsPort, statsReaders } from '../network/firewall-openings.ts';
import type { Generator } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';

const PATH = '/etc/haproxy/haproxy.cfg';

/**
 * How members are checked. The API must leave within 30 s of /readyz turning red: probing every 10 s, three failures to
 * become unhealthy, two successes to become healthy are the values called well-tested in openshift/installer
 * docs/dev/kube-apiserver-health-check.md. The others are plain connects every second, as in openshift-docs
 * modules/installation-load-balancing-user-infra.adoc.
 */
const API_CHECK = 'check-ssl verify none inter 10s fall 3 rise 2';
const CONNECT_CHECK = 'inter 1s';

/** Pool members of one stage. Checks of the site and steps compare with them, too. */
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
  getRequirements: (facts) => ({ ...facts.haproxy, unit: 'haproxy' }),
  files({ design, stage }) {
    return design.services.loadBalancer.servers.map((host) => ({
      host,
      path: PATH,
      content: renderHaproxyConfig(design, stage, host),
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
  const routerNodes = compute.length > 0 ? compute : controlPlane;
  const isOnlyInfra = stage === 'infra-only' && design.infra.removeWorkersFromLoadBalancer && infra.length > 0;
  const withInfra = stage === 'infra-added' || stage === 'infra-only' ? [...routerNodes, ...infra] : routerNodes;
  return { api: [...bootstrap, ...controlPlane], ingress: isOnlyInfra ? infra : withInfra };
}

function renderHaproxyConfig(design: Design, stage: Stage, host: ServiceHost): string {
  const { api, apiInt, ingress } = design.endpoints;
  const members = balancerMembers(design, stage);
  const control = members.api.map(toMember);
  const routers = members.ingress.map(toMember);
  const services = [
    {
      name: 'api',
      title: 'Kubernetes API, for people and nodes',
      addresses: unique([...api, ...apiInt]).map(formatUrlHost),
      port: 6443,
      balance: 'roundrobin',
      isApi: true,
      check: API_CHECK,
      members: control,
    },
    {
      name: 'machine-config',
      title: 'Machine config server, for nodes only: it hands out secrets',
      addresses: apiInt.map(formatUrlHost),
      port: 22623,
      balance: 'roundrobin',
      isApi: false,
      check: CONNECT_CHECK,
      members: control,
    },
    ...[443, 80].map((port) => ({
      name: port === 443 ? 'ingress-https' : 'ingress-http',
      title: `Routes of applications, port ${port}. Members without a router are DOWN, which is normal`,
      addresses: ingress.map(formatUrlHost),
      port,
      balance: 'source',
      isApi: false,
      check: CONNECT_CHECK,
      members: routers,
    })),
  ];
  const { haproxy } = getOsFacts(host.os);
  return renderTemplate(template, {
    fqdn: serviceHostFqdn(design, host),
    clusterDomain: clusterDomain(design),
    stage,
    log: haproxy.log,
    statsSocket: haproxy.statsSocket,
    stats: {
      binds: host.ip.map((address) => `${formatUrlHost(address)}:${statsPort(design, host)}`),
      readers: unique([...host.ip, ...statsReaders(design)]),
    },
    services,
  });
}

/** The bootstrap node is a backup: it gets traffic only while no control plane member is up. */
function toMember({ name, ip, role }: DesignNode) {
  return { name, address: formatUrlHost(ip[0] ?? ''), isBackup: role === 'bootstrap' };
}
