import template from '../../../templates/dns-records.nsupdate.eta';
import type { Design } from '../../design/model.ts';
import { clusterDomain } from '../../design/names.ts';
import type { Generator } from '../shared/generator.ts';
import { WORK_DIR } from '../shared/layout.ts';
import { renderTemplate } from '../shared/render.ts';
import { addressRecords, pointerRecords, reverseZones } from './records.ts';

const FILE = 'dns-records.nsupdate';
const PATH = `${WORK_DIR}/${FILE}`;
/** In seconds, as in the generated zones. */
const TTL = 3600;
/** A message holds 65535 bytes at most (RFC 1035 section 4.2.2). */
const NAMES_PER_MESSAGE = 200;

interface UpdateBlock {
  readonly title: string;
  readonly names: readonly {
    readonly name: string;
    /** The types that are first deleted from the name, so that a second run changes nothing and no alias conflicts. */
    readonly replaced: readonly string[];
    readonly records: readonly { readonly type: string; readonly value: string }[];
  }[];
}

/** The records as commands for nsupdate, for an external DNS server that takes dynamic updates. */
export const nsupdate: Generator<'dns-nsupdate'> = {
  kind: 'dns-nsupdate',
  host: 'bastion',
  paths: [PATH],
  files({ design }) {
    if (design.services.dns.kind !== 'external') return [];
    const blocks = [...addressBlocks(design), ...pointerBlocks(design)];
    const content = renderTemplate(template, { clusterDomain: clusterDomain(design), file: FILE, ttl: TTL, blocks });
    return [{ host: design.services.bastion, path: PATH, content }];
  },
};

/** The base domain and the cluster have separate blocks: they may be two zones, and a message changes only one. */
function addressBlocks(design: Design): UpdateBlock[] {
  const records = addressRecords(design).flatMap((group) => group.records);
  const isOfCluster = (name: string) => name.endsWith(`.${clusterDomain(design)}`);
  return [false, true].flatMap((ofCluster) => {
    const own = records.filter(({ name }) => isOfCluster(name) === ofCluster);
    const title = ofCluster ? clusterDomain(design) : design.cluster.baseDomain;
    return splitIntoBlocks(
      title,
      ['A', 'AAAA', 'CNAME'],
      own.map(({ name, type, address }) => ({ name, type, value: address })),
    );
  });
}

function pointerBlocks(design: Design): UpdateBlock[] {
  const pointers = pointerRecords(design);
  return reverseZones(design).flatMap((zone) => {
    const own = pointers.filter(({ owner }) => owner.endsWith(`.${zone}`));
    return splitIntoBlocks(
      zone,
      ['PTR', 'CNAME'],
      own.map(({ owner, name }) => ({ name: owner, type: 'PTR', value: `${name}.` })),
    );
  });
}

function splitIntoBlocks(
  title: string,
  replaced: readonly string[],
  records: readonly { readonly name: string; readonly type: string; readonly value: string }[],
): UpdateBlock[] {
  const byName = Map.groupBy(records, ({ name }) => name);
  const names = [...byName].map(([name, own]) => ({ name, replaced, records: own }));
  return Array.from({ length: Math.ceil(names.length / NAMES_PER_MESSAGE) }, (_, index) => ({
    title,
    names: names.slice(index * NAMES_PER_MESSAGE, (index + 1) * NAMES_PER_MESSAGE),
  }));
}
