import template from '../../templates/zone.eta';
import type { Design, ServiceHost } from '../design/model.ts';
import { serviceHostFqdn } from '../design/names.ts';
import { addressRecords, pointerRecords, reverseZones } from './dns-records.ts';
import { type Draft, type GenerateInput, outputFile, type PreviousOutput, sha256 } from './draft.ts';
import { osFacts } from './host-os.ts';
import { render } from './render.ts';

interface Zone {
  readonly name: string;
  readonly groups: readonly {
    readonly title: string;
    readonly records: readonly { readonly owner: string; readonly type: string; readonly value: string }[];
  }[];
}

/** The file of a zone, relative to named's directory. */
export function zoneFileName(zone: string): string {
  return `${zone}.zone`;
}

/** The forward zone and the reverse zones, as files on the primary name server. */
export function zoneFiles(input: GenerateInput, primary: ServiceHost): Draft[] {
  const { design, previous } = input;
  const { named } = osFacts(primary.os);
  return [forwardZone(design), ...reverseZones(design).map((name) => reverseZone(design, name))].map((zone) => {
    const path = `${named.directory}/${zoneFileName(zone.name)}`;
    const withSerial = (serial: number) => renderZone(design, zone, serial);
    const serial = nextSerial(previous, outputFile(primary, path), withSerial);
    return {
      host: primary,
      path,
      kind: 'bind-zone',
      content: withSerial(serial),
      check: ['named-checkzone', zone.name, path],
      reload: ['systemctl', 'reload-or-restart', named.unit],
      serial,
    };
  });
}

function forwardZone(design: Design): Zone {
  const { baseDomain } = design.cluster;
  const groups = addressRecords(design).map(({ title, records }) => ({
    title,
    records: records.map(({ name, type, address }) => ({ owner: relative(name, baseDomain), type, value: address })),
  }));
  return { name: baseDomain, groups: groups.filter(({ records }) => records.length > 0) };
}

function reverseZone(design: Design, name: string): Zone {
  const records = pointerRecords(design)
    .filter(({ owner }) => owner.endsWith(`.${name}`))
    .map((record) => ({ owner: relative(record.owner, name), type: 'PTR', value: `${record.name}.` }));
  return { name, groups: records.length > 0 ? [{ title: 'nodes, endpoints and service hosts', records }] : [] };
}

function relative(name: string, zone: string): string {
  return name.slice(0, -(zone.length + 1));
}

function renderZone(design: Design, { name, groups }: Zone, serial: number): string {
  const servers = design.services.dns.servers.map((server) => serviceHostFqdn(design, server));
  return render(template, {
    zone: name,
    baseDomain: design.cluster.baseDomain,
    primary: servers[0],
    servers,
    serial,
    groups,
  });
}

/**
 * The serial that follows: 1 at first, unchanged while the records are, else one more than the highest that this file
 * is known to have had (a person may have raised it by hand, and secondaries only move forward).
 */
function nextSerial(previous: PreviousOutput | null, file: string, withSerial: (serial: number) => string): number {
  const before = previous?.manifest.files.find((entry) => entry.file === file);
  if (!previous || before?.serial === undefined) return 1;
  const onDisk = previous.contents(file);
  const byHand = Number(/^\s*(\d{1,10}) ; serial$/m.exec(onDisk ?? '')?.[1] ?? 0);
  const isSame = sha256(withSerial(before.serial)) === before.sha256 && byHand <= before.serial;
  return isSame ? before.serial : Math.max(before.serial, byHand) + 1;
}
