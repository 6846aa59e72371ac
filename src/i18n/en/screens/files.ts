import { SHORTCUTS } from '../../shortcuts.ts';
import { plural } from '../ui.ts';

/** Texts of the screens Generate and Hosts. */
export const filesWords = {
  generate: {
    columns: { state: 'State', file: 'File', check: 'Checked by' },
    states: { new: 'new', unchanged: 'same', changed: 'changed', edited: 'yours', obsolete: 'obsolete' },
    checks: {
      ok: (program: string) => `ok: ${program}`,
      refused: (program: string) => `refused: ${program}`,
      absent: (program: string) => `no ${program} here`,
    },
    host: (position: number, name: string, roles: string) => `${position}. ${name}${roles === '' ? '' : `: ${roles}`}`,
    balancer: 'load balancer',
    onHost: (name: string) => `On ${name}`,
    order: (position: number, isNameServer: boolean) =>
      position === 1
        ? isNameServer
          ? 'First: everything else uses the name server.'
          : 'First.'
        : `After the ${position === 2 ? 'host' : `${position - 1} hosts`} above, in this order: DNS, then load balancer, then boot server.`,
    scriptRuns: (count: number) => `Its install.sh puts the files in place and runs ${plural(count, 'command')} there:`,
    scriptCopies: 'Its install.sh puts the files in place.',
    previews: {
      new: (path: string) => `${path} will contain`,
      unchanged: (path: string) => path,
      changed: (path: string) => `${path} would change`,
      edited: (path: string) => `You changed ${path}: - is yours, + would replace it`,
      obsolete: (path: string) => `${path} no longer belongs to the design`,
    },
    secret: '(holds a secret: not shown)',
    help: [
      'Files are listed under their host, the hosts in the order of their setup: name servers first, because everything else uses them; then the load balancer, and the bastion last. With a host selected, the lower part shows what to run there; with a file, its text, or what would change in it.',
      'A file that you changed is never lost: the wizard shows how its replacement differs, waits for your confirmation, and saves yours beside it as .orig.',
    ],
  },
  hosts: {
    columns: { host: 'Host', state: 'State', roles: 'Roles', address: 'Address' },
    host: (position: number, name: string) => `${position}. ${name}`,
    /** Services that another team runs, and whose administrators set them up. */
    external: {
      DNS: {
        name: 'your DNS',
        enteredAutomatically: 'Its administrators enter the records as soon as the bastion has its files.',
        enter: (dir: string) =>
          `Have its administrators enter the records now: ${dir}/dns-records.csv lists them. With a key for dynamic updates:`,
        command: (dir: string) => `nsupdate -k KEYFILE ${dir}/dns-records.nsupdate`,
      },
      LB: {
        name: 'your load balancer',
        enteredAutomatically: 'Its administrators set it up from network-notes.md, among the files of the bastion.',
        enter: (dir: string) =>
          `Have its administrators set it up now: ${dir}/network-notes.md has the ports, pools and health checks.`,
        command: null,
      },
    },
    states: {
      answers: 'answers as designed',
      found: 'files in place',
      confirmed: 'confirmed by you',
      'files-missing': 'no file there',
      wrong: 'does not answer yet',
      'no-route': 'no route from here',
      'not-set-up': 'to be set up',
      outdated: 'files outdated',
      changed: 'not as generated',
      stopped: 'a service is stopped',
      copied: 'copied, not run',
    },
    commands: {
      remote: (name: string) => `${SHORTCUTS.setUp} sets ${name} up from here. By hand, in a terminal here:`,
      local: `${SHORTCUTS.setUp} sets this machine up from here. By hand:`,
    },
    services: {
      running: (units: readonly string[], time: string) =>
        `Checked at ${time}: ${units.join(', ')} ${units.length === 1 ? 'runs' : 'run'}.`,
      none: (time: string) => `Checked at ${time}: no service runs there.`,
      unknown: (command: string) => `Not known whether its services run. Check: \`${command}\``,
    },
    answersHeading: (name: string) => `What ${name} answers:`,
    notSetUpHeading: (name: string) => `${name} is not set up yet. What it answers now:`,
    changedFiles: (paths: string) => `Not as generated: ${paths}`,
    noQueries: 'This machine cannot query any service there; Prepare checks what the nodes get.',
    check: (query: string, answer: string) => (answer === '' ? query : `${query}: ${answer}`),
    setUpKey: (name: string) => `set up ${name}`,
    setUpShort: 'set up',
    setUpAllKey: 'set up all',
    setUpAllShort: 'all hosts',
    followKey: (name: string) => `follow ${name}`,
    followShort: 'follow',
    undoKey: (name: string) => `undo ${name}`,
    undoShort: 'undo',
    /** @param names hosts, and services that are not set up from here */
    checking: (names: string) => `checking the services of ${names}`,
    running: 'a run is in progress',
    inThisRun: 'in this run',
    unconfirmed: 'not confirmed',
    revertsIn: (seconds: number) => `reverts in ${seconds} s`,
    lastRun: (status: string) => `Last run from here: ${status}`,
    unattendedRun: (status: string) => `A run continues there on its own (${SHORTCUTS.setUp} follows it): ${status}`,
    outputHeading: 'Output of the hosts:',
    copyKey: (name: string) => `copy to ${name}`,
    copyShort: 'copy',
    copy: (name: string, address: string) => ({
      question: `Copy the files of ${name} to ${address}?`,
      details: [
        `They are copied to ~/upi-wizard/${name} there over SSH, as your user with your keys, and replace an earlier copy in that directory.`,
        'The wizard runs nothing there and changes nothing else. Afterwards it shows the command that puts them in place.',
      ],
    }),
    help: [
      `${SHORTCUTS.setUp} runs install.sh of the selected host from here, ${SHORTCUTS.setUpAll} that of all hosts: on this machine, or over SSH as root or with sudo -n, with your keys, agent and SSH configuration. It first shows what it would change there, and waits for your confirmation. Then the checks of that host run. Changes that could cut it off (firewall, DNS, DHCP, load balancer, addresses) are reverted by the host itself after two minutes unless the checks pass. ${SHORTCUTS.undo} puts everything back as it was before the first run. The same as commands: \`upi-wizard help hosts\``,
      `A run continues on the host when the connection is lost or the wizard is closed. The wizard finds it again here, with its countdown; ${SHORTCUTS.setUp} follows it.`,
      'Hosts are listed in the order of their setup: name servers first, because everything else uses them; then DHCP and the load balancer; the bastion last. The wizard queries each host again every few seconds.',
      `A service that cannot be checked from here, or does not answer, does not block you. ${SHORTCUTS.override} overrides it with a reason that you type, and the report records it.`,
      'A host without a service to query shows "files in place" if the wizard can see them, as on this machine; elsewhere "confirmed by you". "No file there": none of the files of the host is in place; run its install.sh.',
    ],
  },
};
