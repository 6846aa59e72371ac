import { isTftpServer } from '../../../artifacts/network/firewall.ts';
import { type Finding, findingFromError } from '../../../checks/check.ts';
import type { ExpectedSite } from '../../../checks/site/expected-site.ts';
import type { SiteCode } from '../../../checks/site/index.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { catalogue } from '../../../i18n/catalogue.ts';

import { checkSite, loadExpectedSite } from '../../check/index.ts';
import type { StepContext } from '../../contract.ts';
import { listHostRoles } from '../../shared/hosts/order.ts';
import type { HostPlan } from './records.ts';

/** Checks that a host passes as soon as its files are in place: none needs a node, an image or the internet. */
const DNS_CHECKS: readonly SiteCode[] = [
  'dns-server',
  'dns-tcp',
  'dns-api',
  'dns-api-int',
  'dns-apps-wildcard',
  'dns-nodes',
  'dns-hosts',
  'dns-reverse',
  'dns-reverse-others',
  'dns-no-cluster-wildcard',
];
const LOAD_BALANCER_CHECKS: readonly SiteCode[] = ['lb-listens', 'lb-members'];
const TFTP_CHECKS: readonly SiteCode[] = ['tftp'];

/** Runs the checks of one host: those of its roles, from here. Changes nothing. */
export async function checkHost(context: StepContext, host: ServiceHost): Promise<readonly Finding[]> {
  const { design } = context;
  const roles = listHostRoles(design, host.name);
  const codes = [
    ...(roles.includes('DNS') ? DNS_CHECKS : []),
    ...(roles.includes('LB') ? LOAD_BALANCER_CHECKS : []),
    ...(isTftpServer(design, host) ? TFTP_CHECKS : []),
  ];
  const site = narrowToHost(await loadExpectedSite(context), host);
  const checked = codes.length === 0 ? [] : await checkSite(context, site, { only: codes });
  return checked.map(({ finding }) => finding);
}

/** Narrows a site to the part that one host serves. */
function narrowToHost(site: ExpectedSite, { name, ip }: ServiceHost): ExpectedSite {
  return {
    ...site,
    nameServers: site.nameServers.filter((server) => ip.includes(server)),
    balancers: site.balancers.filter((balancer) => balancer.name === name),
  };
}

/** Lists the services of a host that do not run there, as findings. */
export function listStoppedUnits(name: string, { units }: Pick<HostPlan, 'units'>): readonly Finding[] {
  return units
    .filter(({ isActive }) => !isActive)
    .map(({ name: unit }) => ({
      ...findingFromError({ code: 'host-service', ...catalogue().hosts.unitStopped(unit, name) }),
      subject: name,
    }));
}

/** Selects the failed findings, because of which the changes should not stay. */
export function filterFailed(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ state }) => state === 'failed');
}
