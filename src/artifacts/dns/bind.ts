import template from '../../../templates/named.conf.eta';
import zoneTemplate from '../../../templates/zone.eta';
import { getClusterDomain, getServiceHostFqdn } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { computeSha256, getFileName } from '../../platform/text.ts';
import { getOsProfile, listOsPaths } from '../hosts/os.ts';
import { filterIpv4, filterIpv6 } from '../network/addresses.ts';
import { listInternalClients } from '../network/firewall.ts';
import { type FileDraft, type FileGenerator, getOutputPath, type PreviousOutput } from '../shared/generator.ts';
import { renderTemplate } from '../shared/render.ts';
import { listAddressRecords, listPointerRecords, listReverseZones, type PointerRecord } from './records.ts';

/** A zone, with its records in groups that have titles. */
interface Zone {
  readonly name: string;
  readonly groups: readonly {
    readonly title: string;
    readonly records: readonly { readonly owner: string; readonly type: string; readonly value: string }[];
  }[];
}

/** Returns the file of a zone, relative to named's directory. */
function zoneFileName(zone: string): string {
  return `${zone}.zone`;
}

/** The forward zone and the reverse zones, as files on the primary name server; secondaries transfer theirs. */
export const bindZones: FileGenerator<'bind-zone'> = {
  kind: 'bind-zone',
  host: 'dns-primary',
  paths: listOsPaths(({ named }) => `${named.directory}/${zoneFileName('ZONE')}`),
  files: ({ design, previous }) =>
    design.services.dns.servers.slice(0, 1).flatMap((primary) => createZoneFiles(design, previous, primary)),
};

function createZoneFiles(design: Design, previous: PreviousOutput | null, primary: ServiceHost): FileDraft[] {
  const { named } = getOsProfile(primary.os);
  const pointers = listPointerRecords(design);
  const reverseZones = listReverseZones(design).map((name) => createReverseZone(pointers, name));
  return [createForwardZone(design), ...reverseZones].map((zone) => {
    const path = `${named.directory}/${zoneFileName(zone.name)}`;
    const renderWithSerial = (serial: number) => renderZone(design, zone, serial);
    const serial = computeNextSerial(
      previous,
      { file: getOutputPath(primary, path), name: zoneFileName(zone.name) },
      renderWithSerial,
    );
    return {
      host: primary,
      path,
      content: renderWithSerial(serial),
      check: ['named-checkzone', zone.name, path],
      reload: ['systemctl', 'reload-or-restart', named.unit],
      serial,
    };
  });
}

function createForwardZone(design: Design): Zone {
  const { baseDomain } = design.cluster;
  const groups = listAddressRecords(design).map(({ title, records }) => ({
    title,
    records: records.map(({ name, type, address }) => ({
      owner: toRelativeName(name, baseDomain),
      type,
      value: address,
    })),
  }));
  return { name: baseDomain, groups: groups.filter(({ records }) => records.length > 0) };
}

function createReverseZone(pointers: readonly PointerRecord[], name: string): Zone {
  const records = pointers
    .filter(({ owner }) => owner.endsWith(`.${name}`))
    .map((record) => ({ owner: toRelativeName(record.owner, name), type: 'PTR', value: `${record.name}.` }));
  return { name, groups: records.length > 0 ? [{ title: 'nodes, endpoints and service hosts', records }] : [] };
}

function toRelativeName(name: string, zone: string): string {
  return name.slice(0, -(zone.length + 1));
}

function renderZone(design: Design, { name, groups }: Zone, serial: number): string {
  const servers = design.services.dns.servers.map((server) => getServiceHostFqdn(design, server));
  return renderTemplate(zoneTemplate, {
    zone: name,
    baseDomain: design.cluster.baseDomain,
    primary: servers[0],
    servers,
    serial,
    groups,
  });
}

/** The largest serial of RFC 1982. The next one is 1, because some servers take 0 for "never loaded". */
const MAX_SERIAL = 4_294_967_295;

/**
 * Computes the next serial: 1 at first, and the same while the records are unchanged. Otherwise it is one more than the
 * highest known serial of this zone on any host. Secondaries accept only higher serials, and you may have raised one by
 * hand or made another server the primary.
 */
function computeNextSerial(
  previous: PreviousOutput | null,
  zone: { readonly file: string; readonly name: string },
  renderWithSerial: (serial: number) => string,
): number {
  const earlierFiles = previous?.manifest.files.filter(({ file, serial }) => {
    return serial !== undefined && getFileName(file) === zone.name;
  });
  if (!previous || earlierFiles === undefined || earlierFiles.length === 0) return 1;
  const earlierFile = earlierFiles.find(({ file }) => file === zone.file);
  const knownSerials = earlierFiles.map(({ file, serial = 0 }) =>
    Math.max(serial, parseSerial(previous.readContent(file))),
  );
  const highestSerial = Math.max(...knownSerials);
  if (earlierFile?.serial === highestSerial && computeSha256(renderWithSerial(highestSerial)) === earlierFile.sha256)
    return highestSerial;
  return highestSerial >= MAX_SERIAL ? 1 : highestSerial + 1;
}

/** Parses the serial in the text of a generated zone; 0: no valid serial. */
function parseSerial(text: string | null): number {
  const serial = Number(/^\s*(\d{1,10}) ; serial$/m.exec(text ?? '')?.[1] ?? 0);
  return serial <= MAX_SERIAL ? serial : 0;
}

/** named.conf for every name server. */
export const bindConf: FileGenerator<'bind-conf'> = {
  kind: 'bind-conf',
  host: 'dns',
  paths: listOsPaths(({ named }) => named.conf),
  getRequirements: ({ named }) => named,
  files: ({ design }) =>
    design.services.dns.servers.map((server, index) => createNamedConf(design, server, index === 0)),
};

/** Lists the zones that the generated name servers are authoritative for. */
function listZoneNames(design: Design): string[] {
  return [design.cluster.baseDomain, ...listReverseZones(design)];
}

function createNamedConf(design: Design, server: ServiceHost, isPrimary: boolean): FileDraft {
  const { named } = getOsProfile(server.os);
  const [primary, ...secondaries] = design.services.dns.servers;
  const getZoneFile = (zone: string) =>
    isPrimary || named.copiesDirectory === '.' ? zoneFileName(zone) : `${named.copiesDirectory}/${zoneFileName(zone)}`;
  return {
    host: server,
    path: named.conf,
    content: renderTemplate(template, {
      fqdn: getServiceHostFqdn(design, server),
      role: isPrimary ? 'primary' : 'secondary',
      clusterDomain: getClusterDomain(design),
      directory: named.directory,
      clients: listInternalClients(design),
      company: design.networks.company,
      listen4: ['127.0.0.1', ...filterIpv4(server.ip)],
      listen6: ['::1', ...filterIpv6(server.ip)],
      forwarders: design.services.dns.forwarders,
      isPrimary,
      zoneKeywords: named.zoneKeywords,
      primary: primary?.ip ?? [],
      secondaries: secondaries.flatMap(({ ip }) => ip),
      zones: listZoneNames(design).map((name) => ({ name, file: getZoneFile(name) })),
    }),
    check: ['named-checkconf', '-z', named.conf],
    reload: ['systemctl', 'reload-or-restart', named.unit],
  };
}
