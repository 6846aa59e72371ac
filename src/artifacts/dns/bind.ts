import template from '../../../templates/named.conf.eta';
import type { Design, ServiceHost } from '../../design/model.ts';
import { clusterDomain, serviceHostFqdn } from '../../design/names.ts';
import { byOs, osFacts } from '../hosts/os.ts';
import { ipv4, ipv6 } from '../network/addresses.ts';
import { insiders } from '../network/openings.ts';
import type { Draft, Generator } from '../shared/draft.ts';
import { render } from '../shared/render.ts';
import { reverseZones } from './records.ts';
import { zoneFileName } from './zones.ts';

/** named.conf for every name server. */
export const bindConf: Generator<'bind-conf'> = {
  kind: 'bind-conf',
  host: 'dns',
  paths: byOs(({ named }) => named.conf),
  role: ({ named }) => named,
  files: ({ design }) => design.services.dns.servers.map((server, index) => namedConf(design, server, index === 0)),
};

/** All zones that our servers answer for. */
function zoneNames(design: Design): string[] {
  return [design.cluster.baseDomain, ...reverseZones(design)];
}

function namedConf(design: Design, server: ServiceHost, isPrimary: boolean): Draft {
  const { named } = osFacts(server.os);
  const [primary, ...secondaries] = design.services.dns.servers;
  const file = (zone: string) =>
    isPrimary || named.copies === '.' ? zoneFileName(zone) : `${named.copies}/${zoneFileName(zone)}`;
  return {
    host: server,
    path: named.conf,
    content: render(template, {
      fqdn: serviceHostFqdn(design, server),
      role: isPrimary ? 'primary' : 'secondary',
      clusterDomain: clusterDomain(design),
      directory: named.directory,
      clients: insiders(design),
      company: design.networks.company,
      listen4: ['127.0.0.1', ...ipv4(server.ip)],
      listen6: ['::1', ...ipv6(server.ip)],
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
