import { SHORTCUTS } from '../../shortcuts.ts';
import { plural } from '../ui.ts';

/** Lists the first nodes with errors, and how many others there are. */
function listToCorrect(names: readonly string[]): string {
  if (names.length === 0) return '';
  const otherCount = names.length - 3;
  return ` To correct: ${names.slice(0, 3).join(', ')}${otherCount > 0 ? ` and ${otherCount} more` : ''}.`;
}

/** Reasons why a file cannot be read, by error code. */
const reasons = {
  ENOENT: 'it does not exist',
  EACCES: 'this user has no permission to read it',
  EISDIR: 'it is a directory',
  ENOTFILE: 'it is not a regular file',
  EFBIG: 'it is too large',
  ENAMETOOLONG: 'the name is too long',
  ENOTDIR: 'a part of the path is not a directory',
};

/** Messages about importing existing files into a design. */
export const imports = {
  kinds: {
    design: 'a design of upi-wizard',
    'install-config': 'an install-config.yaml',
    helpernode: 'helpernode’s vars.yaml',
    table: 'a table of nodes',
    dhcpd: 'a list of dhcpd hosts',
    kea: 'a list of Kea reservations',
    hosts: 'a hosts file',
  },
  unknown:
    'Nothing in it looks like a design, an install-config.yaml, a vars.yaml, a table, dhcpd hosts or a hosts file',
  fixUnknown:
    'A table needs one node per line with its name, role, address and MAC, separated by tabs, commas or semicolons.',
  tooLarge: (limit: number) => `It has more than ${limit} characters: too long for a file of this kind`,
  fixTooLarge: 'Check that it is the right file, or import a copy of only the part with the nodes.',
  unreadable: (file: string, reason: string) => `${file} cannot be read: ${reason}`,
  reasons,
  /** @param mayExist whether something is at the path */
  fixUnreadable: (mayExist: boolean) => (mayExist ? 'Check the path and its permissions.' : 'Check the path.'),
  noRow: (line: number) => `Line ${line} was left out: it has no name with an address or a MAC.`,
  noColumn: (heading: string, nearest: string | null) =>
    `The column ${heading} is unknown and was left out.${nearest === null ? '' : ` Use the heading ${nearest} if you mean that.`}`,
  badCell: (line: number, heading: string, actual: string) =>
    `Line ${line}: ${actual} is not ${heading}; it was left out.`,
  unknownCell: (line: number, actual: string) =>
    `Line ${line}: ${actual} is not an address, a MAC address, a role or a disk; it was left out.`,
  secondCell: (line: number, heading: string, actual: string) =>
    `Line ${line}: ${actual} is a second ${heading.replace(/^an? /, '')}; it was left out.`,
  numberCells: (line: number, numbers: string) =>
    `Line ${line}: ${numbers} left out: numbers need a heading line with their meaning (vcpu, memory, disk).`,
  badTable: (line: number, detail: string) => `The table can be read up to line ${line} only: ${detail}`,
  cells: {
    vcpu: 'a number of CPUs',
    memoryGiB: 'memory in GiB',
    diskGiB: 'a disk size in GiB',
    installDisk: 'a disk',
    interface: 'an interface',
    vlan: 'a VLAN',
    firmware: 'bios or uefi',
    mac: 'a MAC address',
    ip: 'an address',
    role: 'a role',
  },
  guessedRole: (names: string) => `These nodes have no role in the file and became compute nodes: ${names}.`,
  leftOut: (keys: string) => `Left out, because a design has no such key: ${keys}.`,
  platform: (name: string) =>
    `The file was for the platform ${name}; upi-wizard installs on platform none, as user-provisioned bare metal.`,
  replicas: (count: number) =>
    `The file has only the number of nodes: ${plural(count, 'node')} added with a generated name, without address and MAC.`,
  noCompute:
    'The file has 0 compute nodes, as is usual for user-provisioned nodes. Add them, or choose the topology compact if there are none.',
  template: (key: string) => `${key} is an Ansible expression; enter its value.`,
  noEthernet: (names: string) => `These hosts have no Ethernet MAC address and were left out: ${names}.`,
  includes: 'upi-wizard did not read the files that this file includes: import them too.',
  hostsWithoutRole: (names: string) =>
    `These hosts are in the domain of the cluster, but their role is not clear from the name: ${names}. Add them on the Nodes page.`,
  hostsOutsideCluster: (names: string) => `These hosts are not nodes of the cluster and were left out: ${names}.`,
  screen: {
    title: 'Import existing files',
    pastedTitle: 'Import pasted text',
    file: 'File',
    fileWhy:
      'An install-config.yaml, helpernode’s vars.yaml, a design, a table of nodes (CSV or separated by tabs), dhcpd or Kea hosts, or a hosts file. ~ is your home directory; other paths are relative to the install directory.',
    lines: 'Paste or type one node per line: name, role, address, MAC.',
    linesEnd: 'Press Ctrl-D after the last line.',
    lineCount: (count: number) => `${plural(count, 'line')} so far`,
    reading: 'reading',
    noPath: 'Type the name of a file first.',
    secretPaste:
      'The pasted text contains secrets: save it to a file and import the file, so that no secret is on the screen.',
    readAs: (source: string, kind: string) => `${source} was read as ${kind}.`,
    pasted: 'The pasted text',
    nodes: (count: number, added: number, changed: number) =>
      `${plural(count, 'node')}: ${added} new, ${changed} that ${changed === 1 ? 'replaces' : 'replace'} a node of the same name.`,
    secrets: (names: string) => `upi-wizard writes these beside the design, readable by you only: ${names}.`,
    keys: (keys: string) => `It sets: ${keys}.`,
    size: (topology: string, nodes: number) => `${topology} with ${plural(nodes, 'node')}`,
    sizeChange: (oldSize: string, newSize: string) => `The cluster becomes ${newSize} (was ${oldSize}).`,
    changes: 'It changes:',
    added: (breadcrumb: string) => `${breadcrumb} is new`,
    removed: (breadcrumb: string) => `${breadcrumb} is removed`,
    reordered: 'the nodes are in another order',
    moreChanges: (count: number) => `and ${plural(count, 'more change')}`,
    remainingErrors: (errors: number) =>
      errors === 0
        ? 'After the import nothing is missing.'
        : `${plural(errors, 'answer is', 'answers are')} missing or wrong after the import:`,
    modes: {
      'replace-nodes': 'Replace the node table',
      'merge-nodes': 'Merge them into the table, by name',
      'new-design': 'Start a new design with it',
      'merge-answers': 'Merge it into the answers so far',
    },
    /** `undo`: the key or the command that reverts the import. */
    modeHints: (undo: string) => ({
      'replace-nodes': `removes the current nodes; ${undo} reverts it`,
      'merge-nodes': 'the other nodes stay',
      'new-design': `removes the answers so far; ${undo} reverts it`,
      'merge-answers': 'all other answers stay',
    }),
    /** `wrongNames`: the nodes that have errors. */
    imported: (nodes: number, wrongNames: readonly string[]) =>
      `Imported; the table has ${plural(nodes, 'node')} now.${listToCorrect(wrongNames)} Undo (${SHORTCUTS.undo}) reverts it.`,
    secretsSaved: (names: string) => `Written beside the design, readable by you only: ${names}.`,
    exists: (name: string) => `${name} exists already with other content and stays as it is.`,
    help: [
      'upi-wizard reads what you already have: an install-config.yaml, vars.yaml of helpernode, a design, a table of nodes, dhcpd or Kea hosts, a hosts file. Nothing is imported before you have seen what would change, and chosen how to import it.',
      'A table has one node per line, its cells separated by tabs, commas, semicolons or spaces. Headings: name, role, ip, mac, vcpu, memory, disk, install disk, interface, vlan, firmware, in any order. Without headings, each cell is recognized by its content.',
    ],
  },
  command: {
    noFile: 'import needs at least one FILE',
    refused: (file: string, problem: string, fix: string) => `${file}: ${problem}. ${fix}`,
    imported: (file: string, kind: string) => `${file} was read as ${kind}.`,
    note: (text: string) => `  - ${text}`,
    secretFile: (name: string) =>
      `  - ${name}: the imported file contains it; save it as ${name} beside the design, readable by you only.`,
    passwords: (paths: string) =>
      `Passwords are not printed: write each instead of <password> in ${paths}, in a file that only you can read.`,
    complete: 'Nothing is missing.',
    missing: (count: number, command: string) =>
      `Format of each answer: \`${command}\`\nStill missing or wrong (${count}):`,
    problem: (path: string, message: string, fix: string) => `  ${path}: ${message} — ${fix}`,
    more: (count: number, command: string) => `  and ${count} more: \`${command} FILE\``,
  },
};
