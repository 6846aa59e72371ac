import template from '../../../templates/dns-records.nsupdate.eta';
import type { Design } from '../../design/model.ts';
import { clusterDomain } from '../../design/names.ts';
import type { Generator } from '../shared/draft.ts';
import { WORK_DIR } from '../shared/layout.ts';
import { render } from '../shared/render.ts';
import { addressRecords, pointerRecords, reverseZones } from './records.ts';

const FILE = 'dns-records.nsupdate';
const PATH = `${WORK_DIR}/${FILE}`;
/** As in our own zones, in seconds. */
const TTL = 3600;
/** A message holds 65535 bytes at most (RFC 1035 section 4.2.2). */
const NAMES_AT_ONCE = 200;

interface Block {
  readonly title: string;
  readonly names: readonly {
    readonly name: string;
    /** The types that the name loses first: a second run changes nothing, and no alias stands in the way. */
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
    const content = render(template, { clusterDomain: clusterDomain(design), file: FILE, ttl: TTL, blocks });
    return [{ host: design.services.bastion, path: PATH, content }];
  },
};

/** The names of the base domain and those of the cluster apart: they may be two zones, and a message changes only one. */
function addressBlocks(design: Design): Block[] {
  const records = addressRecords(design).flatMap((group) => group.records);
  const isOfCluster = (name: string) => name.endsWith(`.${clusterDomain(design)}`);
  return [false, true].flatMap((ofCluster) => {
    const own = records.filter(({ name }) => isOfCluster(name) === ofCluster);
    const title = ofCluster ? clusterDomain(design) : design.cluster.baseDomain;
    return block(
      title,
      ['A', 'AAAA', 'CNAME'],
      own.map(({ name, type, address }) => ({ name, type, value: address })),
    );
  });
}

function pointerBlocks(design: Design): Block[] {
  const pointers = pointerRecords(design);
  return reverseZones(design).flatMap((zone) => {
    const own = pointers.filter(({ owner }) => owner.endsWith(`.${zone}`));
    return block(
      zone,
      ['PTR', 'CNAME'],
      own.map(({ owner, name }) => ({ name: owner, type: 'PTR', value: `${name}.` })),
    );
  });
}

function block(
  title: string,
  replaced: readonly string[],
  records: readonly { readonly name: string; readonly type: string; readonly value: string }[],
): Block[] {
  const byName = Map.groupBy(records, ({ name }) => name);
  const names = [...byName].map(([name, own]) => ({ name, replaced, records: own }));
  return Array.from({ length: Math.ceil(names.length / NAMES_AT_ONCE) }, (_, index) => ({
    title,
    names: names.slice(index * NAMES_AT_ONCE, (index + 1) * NAMES_AT_ONCE),
  }));
}
