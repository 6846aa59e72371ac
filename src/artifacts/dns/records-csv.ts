import type { Generator } from '../shared/generator.ts';
import { WORK_DIR } from '../shared/layout.ts';
import { addressRecords, pointerRecords } from './records.ts';

const PATH = `${WORK_DIR}/dns-records.csv`;

/** The records as CSV, for the administrators of an external DNS. */
export const dnsRecordsCsv: Generator<'dns-records'> = {
  kind: 'dns-records',
  host: 'bastion',
  paths: [PATH],
  files({ design }) {
    if (design.services.dns.kind !== 'external') return [];
    const rows = [
      ['name', 'type', 'value'],
      ...addressRecords(design).flatMap(({ records }) =>
        records.map(({ name, type, address }) => [name, type, address]),
      ),
      ...pointerRecords(design).map(({ owner, name }) => [owner, 'PTR', name]),
    ];
    // Names and addresses need no quotes in CSV.
    const content = rows.map((row) => `${row.join(',')}\r\n`).join('');
    return [{ host: design.services.bastion, path: PATH, content }];
  },
};
