/** Messages of `upi-wizard export ansible`, which writes the service hosts for other tools. */
import { plural } from '../plural.ts';

export const exportWords = {
  unknown: (what: string) => `There is no "export ${what}". Known: export ansible DIR.`,
  noDirectory: 'Say where to: export ansible DIR.',
  edited: (file: string) => `Somebody changed ${file} since the last export.\n`,
  stopped: 'Nothing was written. --force overwrites it, and keeps what was there beside it as .orig.\n',
  saved: (file: string, as: string) => `${file}: what was there is kept as ${as}\n`,
  obsoleteFile: (file: string) => `${file} no longer belongs to the export, and stays: somebody changed it.\n`,
  leftOut: (path: string) => `Left out, because it needs a credential that is missing: ${path}\n`,
  summary: (dir: string, files: number, written: number, removed: number) =>
    `${dir}: ${plural(files, 'file')}, ${written} written, ${removed} removed\n` +
    `See what it would change:  ansible-playbook -i ${dir}/inventory.yml ${dir}/site.yml --check --diff\n` +
    `Set up the hosts:          ansible-playbook -i ${dir}/inventory.yml ${dir}/site.yml\n`,
};
