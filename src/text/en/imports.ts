/** Words of what is read from files that people already have. */
export const imports = {
  kinds: {
    design: 'a design of upi-wizard',
    'install-config': 'an install-config.yaml',
    helpernode: "helpernode's vars.yaml",
    table: 'a table of nodes',
    dhcpd: 'a list of dhcpd hosts',
    kea: 'a list of Kea reservations',
    hosts: 'a hosts file',
  },
  unknown:
    'Nothing in it looks like a design, an install-config.yaml, a vars.yaml, a table, dhcpd hosts or a hosts file',
  fixUnknown:
    'A table needs one node a line with its name, role, address and MAC; tabs, commas or semicolons between them.',
  tooLarge: (limit: number) => `It is longer than ${limit} characters; no such file is`,
  fixTooLarge: 'Name the file that you mean, or cut out the part with the nodes.',
  noRow: (line: number) => `Line ${line} was left out: it has no name with an address or a MAC.`,
  noColumn: (heading: string) => `The column ${heading} was left out: nothing is known about it.`,
  badCell: (line: number, heading: string, found: string) =>
    `Line ${line}: ${found} is not ${heading}; it was left out.`,
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
  guessedRole: (names: string) => `Nothing says what these are, so they became compute nodes: ${names}.`,
  otherDomain: (name: string, domain: string) =>
    `${name} was called ${name}.${domain}; nodes are named after the cluster.`,
  leftOut: (keys: string) => `Left out, because a design has no place for it: ${keys}.`,
  platform: (name: string) =>
    `The file was for the platform ${name}; here the cluster is installed on platform none, as user-provisioned bare metal.`,
  replicas: (count: number) => `The file only counts the nodes: ${count} were named here, without address and MAC.`,
  template: (key: string) => `${key} is an Ansible expression; fill in its value.`,
  secret: (name: string) => `${name} is in the file itself; it goes into a file of its own.`,
  secrets: { pullSecret: 'The pull secret', sshKey: 'The SSH key', bundle: 'The additional certificates' },
  others: (names: string) => `These are no nodes of the cluster and were left out: ${names}.`,
  command: {
    noFile: 'import needs at least one FILE',
    refused: (file: string, problem: string, fix: string) => `upi-wizard design: ${file}: ${problem}. ${fix}`,
    taken: (file: string, kind: string) => `${file} was read as ${kind}.`,
    note: (text: string) => `  - ${text}`,
    secretFile: (name: string) => `  - Put it into ${name} beside the design, readable by you alone.`,
    complete: 'Nothing is missing.',
    missing: (count: number) =>
      `Still missing or wrong (${count}); \`upi-wizard design example\` shows how each is written:`,
    problem: (path: string, message: string, fix: string) => `  ${path}: ${message} — ${fix}`,
    more: (count: number) => `  and ${count} more: see \`upi-wizard design check FILE\``,
  },
} as const;
