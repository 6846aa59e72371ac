/** Messages of `upi-wizard export ansible`, which writes the service hosts for other tools. */
import { plural } from '../plural.ts';

export const exportWords = {
  unknown: (what: string) => `There is no "export ${what}". Known: export ansible DIR.`,
  noDirectory: 'Specify a directory: export ansible DIR.',
  edited: (file: string) => `Changed since the last export: ${file}.\n`,
  stopped: 'Nothing was written. --force overwrites changed files, and keeps the old versions beside them as .orig.\n',
  saved: (file: string, as: string) => `${file}: the old version is kept as ${as}\n`,
  obsoleteFile: (file: string) => `${file} no longer belongs to the export, but was changed by hand: it stays.\n`,
  leftOut: (path: string) => `Left out, because it needs a credential that is missing: ${path}\n`,
  summary: (dir: string, files: number, written: number, removed: number) =>
    `${dir}: ${plural(files, 'file')}, ${written} written, ${removed} removed\n` +
    `See what it would change:  ansible-playbook -i ${dir}/inventory.yml ${dir}/site.yml --check --diff\n` +
    `Set up the hosts:          ansible-playbook -i ${dir}/inventory.yml ${dir}/site.yml\n`,
};
