/** States when the user needs oc, in the same words on every page. The wizard itself calls the API directly. */
export const OC_NEEDED_FROM = 'needed from Bootstrap on';

/** Checks of this machine before an installation: `title` if it passes, `wrong` if it fails. */
export const machine = {
  'node-version': {
    title: 'Node.js',
    wrong: 'Node.js is too old',
    remedy: 'Install Node.js 22.19 or newer. Or run this in a checkout, which brings its own Node.js: `npm start`',
    meaning: 'Runs upi-wizard.',
  },
  'openshift-install': {
    title: 'openshift-install',
    wrong: 'openshift-install is missing',
    remedy:
      'Prepare fetches it and oc from mirror.openshift.com. Or download it from console.redhat.com/openshift/install and unpack it into the install directory or a directory in your PATH.',
    remedyOkd:
      'Prepare fetches it and oc from the releases of OKD. Or download it from github.com/okd-project/okd/releases and unpack it into the install directory or a directory in your PATH.',
    meaning: 'Creates the ignition files that the machines boot with. Its version is the version of the cluster.',
    missing: (places: string) => `not in ${places}, nor in PATH`,
    otherVersion: {
      wrong: (actual: string, planned: string) => `openshift-install is ${actual}, but the design says ${planned}`,
      remedy: 'Download the matching version, or change the version on the Cluster page.',
    },
    otherArchitecture: {
      wrong: (actual: string, planned: string) =>
        `openshift-install installs clusters for ${actual}, but the design says ${planned}`,
      remedy:
        'Use openshift-install built for the architecture of the design, or change the architecture on the Cluster page.',
    },
  },
  oc: {
    title: 'oc',
    wrong: `oc is missing (${OC_NEEDED_FROM})`,
    remedy:
      'The commands that pages show from Bootstrap on need it. Prepare fetches it together with openshift-install if the latter is missing. Or download oc from console.redhat.com/openshift/install and unpack it into a directory in your PATH.',
    remedyOkd:
      'The commands that pages show from Bootstrap on need it. Prepare fetches it together with openshift-install if the latter is missing. Or download oc from github.com/okd-project/okd/releases and unpack it into a directory in your PATH.',
    meaning: 'The client of the cluster, for the commands that pages show from Bootstrap on.',
    missing: (places: string) => `not in ${places}, nor in PATH`,
    otherVersion: {
      wrong: (actual: string, planned: string) => `oc is ${actual}, but the design says ${planned}`,
      remedy: 'An oc of another minor version usually works; use the one from the release to be sure.',
    },
  },
  'pull-secret': {
    title: 'pull secret',
    wrong: '',
    // Each problem of the pull secret brings its own texts.
    remedy: '',
    meaning: 'The nodes fetch the images of OpenShift with it.',
    notNeeded: 'OKD needs none',
  },
  'ssh-key': {
    title: 'SSH key for the nodes',
    wrong: '',
    remedy: '',
    meaning: 'Without a key you cannot inspect a machine that does not come up, or collect its logs.',
  },
  'install-directory': {
    title: 'install directory',
    wrong: 'the install directory cannot be used',
    remedy: 'Specify another directory with --dir.',
    meaning: 'Keeps the answers, the keys, the ignition files and the logs of one installation.',
  },
  'disk-space': {
    title: 'free space for the install directory',
    wrong: 'there is little free space for the install directory',
    remedy:
      'Free some space, or use a directory on another disk (--dir): openshift-install, oc and the boot images need 4 GiB, and 10 GiB leave space for logs.',
    meaning: 'openshift-install, oc, the boot images and the logs are stored there.',
    free: (gib: string, dir: string) => `${gib} GiB free for ${dir}`,
  },
  memory: {
    title: 'memory',
    wrong: 'there is little free memory',
    remedy: 'Give this machine at least 4 GiB, or stop other programs while the ignition files are created.',
    meaning: 'openshift-install needs about 1 GiB while it creates the ignition files.',
    amounts: (total: string, available: string | null) =>
      available === null ? `${total} GiB` : `${available} of ${total} GiB available`,
  },
  processors: {
    title: 'processors',
    wrong: 'processors',
    remedy: '',
    meaning: 'One is enough.',
    count: (count: number) => `${count}`,
  },
  ssh: {
    title: 'ssh',
    wrong: 'ssh is missing',
    remedy: 'Install the package openssh-clients (Debian: openssh-client).',
    meaning:
      'The files of other service hosts are copied with it, and nodes that do not come up are inspected with it.',
  },
  'service-program': {
    title: 'programs of the services that run here',
    remedy: 'Nothing for now: install.sh, which Generate writes for this host, installs it.',
    undecided:
      'The Services page asks which machine runs which service, and install.sh there installs what is missing.',
    meaning: 'DNS, DHCP, TFTP and the load balancer run on service hosts; this machine can be one.',
    missing: (names: string) => `${names}: not installed`,
    ownServer: (port: number) => `none installed: the boot server of upi-wizard serves the files on port ${port}`,
    services: {
      dns: 'name server',
      dhcp: 'DHCP server',
      'load-balancer': 'load balancer',
      tftp: 'TFTP server',
      web: 'web server',
    },
  },
  ports: {
    title: 'ports of the services',
    wrong: 'in use by another program',
    expectedOwner: 'in use by the service itself',
    remedy: 'Stop that program before this machine runs the service, or run the service on another machine.',
    unknown: 'in use; only root sees the owner',
    meaning:
      'DNS needs 53, DHCP 67, TFTP 69, the load balancer 80, 443, 6443 and 22623; the boot server has its own port.',
    free: 'free',
    owner: (program: string, pid: number) => `${program} (process ${pid})`,
    unknownOwner: 'in use; only root sees the owner',
  },
  rights: {
    title: 'root privileges',
    wrong: 'you are not root, and there is no sudo',
    unknown: 'your user is in none of the groups sudo, wheel and admin; a sudoers rule may still allow it',
    remedy: 'Ask for sudo on this machine, or run install.sh of the service hosts as root.',
    meaning: 'install.sh of a service host installs packages and starts services. The wizard itself needs no root.',
    root: 'you are root',
    inGroup: (user: string, group: string) => `${user} is in the group ${group}`,
  },
  umask: {
    title: 'umask',
    wrong: 'umask hides new files from other users',
    remedy:
      'Files that the wizard writes have the right mode. Make files that you copy for a web server readable for all users (mode 644).',
    meaning: 'A web server answers 403 for files that it may not read.',
  },
  lingering: {
    title: 'jobs continue after logout',
    wrong: 'jobs end when you log out',
    remedy: 'Enable lingering for your user: then the boot server and the wait for the installation continue.',
    meaning: 'At logout, systemd-logind may end everything that the user left running.',
    lingers: 'lingering is enabled for your user',
    killDisabled: 'systemd-logind ends nothing at logout (KillUserProcesses=no)',
    killEnabled: 'KillUserProcesses=yes, and lingering is off for your user',
  },
  'clock-synchronised': {
    title: 'clock is synchronized',
    wrong: 'the clock is not synchronized',
    unknown: 'neither systemd nor chronyd reports it',
    remedy: 'Start chronyd: certificates created while the clock is ahead are not valid yet on the nodes.',
    meaning: 'openshift-install dates the certificates by this clock; the first ones are valid for 24 hours.',
  },
  'time-zone': {
    title: 'time zone',
    wrong: 'time zone',
    remedy: '',
    meaning: 'Times on the screens are in this time zone; the cluster uses UTC.',
  },
  'name-servers': {
    title: 'name servers',
    wrong: 'no name server is set',
    remedy:
      'Set one in /etc/resolv.conf (or with nmcli). For the installation it has to resolve api, api-int and the nodes.',
    meaning: 'openshift-install and oc look up the API by its name.',
  },
  'outside-names': {
    title: 'resolves',
    wrong: 'does not resolve',
    remedy:
      'Check the forwarders of the name server. Without internet access, machines need a mirror registry instead.',
    meaning: 'The nodes fetch the images of OpenShift from there.',
  },
  selinux: {
    title: 'SELinux',
    wrong: 'SELinux',
    remedy: '',
    meaning: 'If it is enforcing, install.sh sets the labels and booleans that HAProxy and the web server need.',
    modes: { enforcing: 'enforcing', permissive: 'permissive', none: 'not in use' },
  },
  firewall: {
    title: 'firewall',
    wrong: 'firewall',
    remedy: '',
    meaning: 'install.sh of a service host opens the ports of its services in firewalld.',
    none: 'neither firewalld nor ufw is active',
  },
  'terminal-size': {
    title: 'terminal size',
    wrong: 'the terminal is small',
    unknown: 'the output is not a terminal',
    remedy: 'Enlarge the window: the screens are designed for 80x24 and need at least 60x15.',
    meaning: 'A smaller terminal shows less at once; below 60x15 nothing is drawn.',
    size: (columns: number, rows: number, term: string) => `${columns}x${rows}, TERM=${term || '(empty)'}`,
  },
  'terminal-utf8': {
    title: 'UTF-8',
    wrong: 'no UTF-8',
    remedy: 'Nothing: symbols are ASCII without it. A UTF-8 locale (LANG=C.UTF-8) gives better ones.',
    meaning: 'Symbols and lines look better with it.',
  },
  'terminal-colour': {
    title: 'colours',
    wrong: 'no colours',
    remedy: 'Nothing: no meaning depends on colour. NO_COLOR or TERM turns colours off.',
    meaning: 'Colours only make the screens easier to read.',
  },
  'terminal-multiplexer': {
    title: 'a lost connection does no harm',
    wrong: 'you are connected over SSH, without tmux or screen',
    remedy:
      'Start upi-wizard inside tmux or screen. Without them, a lost connection ends the screens; the answers are saved and jobs continue.',
    meaning: 'tmux and screen keep the wizard running when the connection is lost.',
    local: 'no SSH connection',
  },
};
