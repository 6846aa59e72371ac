import { isTftpServer } from '../../../artifacts/network/openings.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { type Finding, findingOf } from '../../../diagnosis/finding.ts';
import type { SiteCode } from '../../../diagnosis/site/index.ts';
import type { Site } from '../../../diagnosis/site/site.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { checkSite, siteOfDesign } from '../../check/index.ts';
import type { StepContext } from '../../contract.ts';
import { rolesOf } from '../../shared/hosts/order.ts';
import type { HostPlan } from './records.ts';

/** What a host answers for as soon as its files are in place: nothing that needs a node, an image or the internet. */
const DNS: readonly SiteCode[] = [
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
const BALANCER: readonly SiteCode[] = ['lb-listens', 'lb-members'];
const TFTP: readonly SiteCode[] = ['tftp'];

/** The checks of one host alone: what its roles promise, asked from here. Changes nothing. */
export async function checkHost(context: StepContext, host: ServiceHost): Promise<readonly Finding[]> {
  const { design } = context;
  const roles = rolesOf(design, host.name);
  const codes = [
    ...(roles.includes('DNS') ? DNS : []),
    ...(roles.includes('LB') ? BALANCER : []),
    ...(isTftpServer(design, host) ? TFTP : []),
  ];
  const site = siteOfHost(await siteOfDesign(context), host);
  const checked = codes.length === 0 ? [] : await checkSite(context, site, { only: codes });
  return checked.map(({ finding }) => finding);
}

/** The part of a site that one host answers for. */
function siteOfHost(site: Site, { name, ip }: ServiceHost): Site {
  return {
    ...site,
    nameServers: site.nameServers.filter((server) => ip.includes(server)),
    balancers: site.balancers.filter((balancer) => balancer.name === name),
  };
}

/** The services of a host that do not run there, as findings. */
export function unitFindings(name: string, { units }: Pick<HostPlan, 'units'>): readonly Finding[] {
  return units
    .filter(({ isActive }) => !isActive)
    .map(({ name: unit }) => ({
      ...findingOf({ code: 'host-service', ...catalogue().hosts.unitStopped(unit, name) }),
      subject: name,
    }));
}

/** What speaks against leaving things as they are. */
export function failing(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ state }) => state === 'failed');
}
