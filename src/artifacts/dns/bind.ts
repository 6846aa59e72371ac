import template from '../../../templates/named.conf.eta';
import type { Design, ServiceHost } from '../../design/model.ts';
import { clusterDomain, serviceHostFqdn } from '../../design/names.ts';
import { getOsFacts, listOsPaths } from '../hosts/os.ts';
import { filterIpv4, filterIpv6 } from '../network/addresses.ts';
import { internalClients } from '../network/firewall-openings.ts';
import type { FileDraft, Generator } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import { reverseZones } from './records.ts';
import { zoneFileName } from './zones.ts';

/** named.conf for every name server. */
export const bindConf: Generator<'bind-conf'> = {
  kind: 'bind-conf',
  host: 'dns',
  paths: listOsPaths(({ named }) => named.conf),
  getRequirements: ({ named }) => named,
  files: ({ design }) => design.services.dns.servers.map((server, index) => namedConf(design, server, index === 0)),
};

/** Returns the zones that the generated name servers are authoritative for. */
function zoneNames(design: Design): string[] {
  return [design.cluster.baseDomain, ...reverseZones(design)];
}

function namedConf(design: Design, server: ServiceHost, isPrimary: boolean): FileDraft {
  const { named } = getOsFacts(server.os);
  const [primary, ...secondaries] = design.services.dns.servers;
  const file = (zone: string) =>
    isPrimary || named.copies === '.' ? zoneFileName(zone) : `${named.copies}/${zoneFileName(zone)}`;
  return {
    host: server,
    path: named.conf,
    content: renderTemplate(template, {
      fqdn: serviceHostFqdn(design, server),
      role: isPrimary ? 'primary' : 'secondary',
      clusterDomain: clusterDomain(design),
      directory: named.directory,
      clients: internalClients(design),
      company: design.networks.company,
      listen4: ['127.0.0.1', ...filterIpv4(server.ip)],
      listen6: ['::1', ...filterIpv6(server.ip)],
      forwarders: design.services.dns.forwarders,
      isPrimary,
      terms: named.terms,
      primary: primary?.ip ?? [],
      secondaries: secondaries.flatMap(({ ip }) => ip),
      zones: zoneNames(design).map((name) => ({ name, file: file(name) })),
    }),
    check: ['named-checkconf', '-z', named.conf],
    reload: ['systemctl', 'reload-or-restart', named.unit],
  };
}
