/** The words of the rehearsal: its faults, and what goes wrong with the site itself. */
export const rehearsal = {
  /** At the top of every screen, in a few cells. */
  mark: 'REHEARSAL',
  pace: (speed: number) => `${speed}x`,
  paused: 'paused',
  faults: {
    'node-never-boots': 'One compute node never powers on.',
    'wrong-mac': 'One compute node has another MAC address than the design says.',
    'hostile-csr': 'Somebody on the machine network asks for certificates of nodes that are not theirs.',
    'operator-degraded': 'One cluster operator stays degraded, so the installation does not complete.',
    'machine-fails': 'On a cloud (--cloud aws): one infra machine cannot be made.',
  },
  siteDidNotStart: {
    title: 'The rehearsal site did not start',
    cause: (log: string) => `The process ended before it was ready. Its log is ${log}.`,
    whatToDo: 'Read the end of the log. Start the rehearsal in an empty directory when the saved world is damaged.',
  },
  siteRefused: {
    title: 'The rehearsal site refused',
    whatToDo: 'Look at the log of the site, beside its world file.',
  },
  siteGone: {
    title: 'The rehearsal site does not answer',
    whatToDo: 'Start the rehearsal again with the same directory: it continues where it was.',
  },
  notSaved: {
    title: (time: string) => `The rehearsal has not been saved since ${time}`,
    whatToDo:
      'Free space on that disk: the rehearsal is then saved by itself. Until then it runs on, but what happened since is lost if its site is stopped.',
  },
  /** From the rehearsal to the real installation. */
  install: {
    title: 'Install for real with this design',
    directory: 'Install directory',
    why: 'The answers go to a new install directory, and the wizard continues there with the first thing that needs the real world. Credentials that stood in for yours, kubeconfig and everything else of the rehearsal stay with it, and its simulated site is stopped.',
  },
  taken: {
    title: 'Name another directory',
    cause: (dir: string) => `There is an installation or a rehearsal in ${dir} already.`,
    whatToDo: 'A real installation begins in a directory of its own; it is made where it is missing.',
  },
  noSuchSpeed: (speed: string) => `its time cannot run ${speed} times as fast`,
  noSuchMachine: (name: string) => `there is no machine called ${name}`,
  noSuchHost: (name: string) => `there is no host called ${name}`,
};
