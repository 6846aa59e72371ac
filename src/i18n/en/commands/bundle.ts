/** Messages of `upi-wizard bundle`. */
import { plural } from '../plural.ts';

const formatSize = (bytes: number) => (bytes < 10_240 ? `${bytes} B` : `${Math.round(bytes / 1024)} KiB`);

export const bundle = {
  parts: {
    about: 'versions of upi-wizard and the system',
    programs: 'programs here, with their versions',
    design: 'the saved design, without passwords',
    session: 'the saved answers and facts',
    journal: 'what was done and saved, and when',
    programLog: 'errors of upi-wizard itself',
    generated: 'generated files and their checksums',
    installerLog: 'log of openshift-install, last 4 MiB',
    bootServer: 'allowed clients and their requests',
    report: 'the report of the finished cluster',
    job: 'a background job, and its last lines',
    listing: 'names, sizes and modes of all files',
  },
  exclusions: 'It never holds kubeconfigs, ignition files, the pull secret, passwords or private keys.',
  preview: (dir: string) => `The support bundle of ${dir} will hold these files, with secrets hidden:`,
  size: formatSize,
  leftOut: 'Left out:',
  missing: (path: string, why: string) => `  ${path}: ${why}`,
  withheld: 'it still held a secret after the redaction',
  notFile: 'it is not a regular file',
  question: (file: string, count: number, bytes: number) =>
    `Write ${file} (${plural(count, 'file')}, ${formatSize(bytes)})? [y/N] `,
  declined: 'Nothing was written.',
  needsYes: '"bundle" asks before it writes: without a terminal, use --yes.',
  noDirectory: (dir: string) => `There is no directory ${dir}: specify the install directory with --dir.`,
  noSession: (dir: string) => `${dir} has no session of upi-wizard. Specify the install directory with --dir.`,
  alreadyExists: (file: string) => `${file} exists already. Nothing was written; specify another file with --out.`,
  unwritable: (file: string, why: string) => `Cannot write ${file}: ${why}.`,
  result: (file: string, digest: string) => `${file}\nsha256 ${digest}`,
  inspectHint: (file: string) => `To see what is in it: tar -xzOf ${file} | less`,
};
